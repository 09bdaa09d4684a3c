// Products of matrices on the plane of an array of nodes, both fidelities.
#include <tensorloom/models/torus/node_array.h>
#include <tensorloom/models/arithmetic/mac.h>
#include <gtest/gtest.h>
#include "array_bench.h"
#include "matrix_case.h"

namespace tensorloom::test {
namespace {

using namespace torus;
using torus::plane_if;
using torus::shape2;

const array_fidelity detailed{"detailed", torus::make_detailed_node_array}, fast{"fast", torus::make_fast_node_array};

/// Of names that say the fidelity: each test has both.
template <class T> std::unique_ptr<node_array> make_plane(const array_fidelity& fidelity, std::uint32_t side)
{
    torus::config config;
    config.side = side;
    config.format = base::element_type_of<T>;
    return fidelity.make((std::string(fidelity.name) + "_" + std::to_string(side)).c_str(), config);
}

/// What a plane counts in the steps of a pass.
struct plane_run {
    std::vector<counts> computed, rolled; // by step

    counts sum() const
    {
        counts all;
        for (const auto& c : computed) { all += c; }
        for (const auto& c : rolled) { all += c; }
        return all;
    }
};

plane_run run_pass(plane_if& plane, std::uint32_t steps)
{
    plane_run run;
    plane.begin();
    for (std::uint32_t t = 0; t < steps; ++t) {
        plane.compute(run.computed.emplace_back());
        plane.roll(run.rolled.emplace_back());
    }
    plane.end();
    return run;
}

/// Puts the matrices of a case onto a plane, in two pieces each, and multiplies them.
template <class T> plane_run run_case(node_array& array, const matrix_case<T>& c)
{
    plane_if& plane = *array.plane.operator->();
    plane.lay_out({c.schedule, c.blocks});
    for (const auto which : {matrix::a, matrix::b, matrix::c}) {
        const auto size = shape_of(which, c.sizes);
        const auto& data = c.of(which);
        const std::size_t half = data.size() / 2;
        plane.write(which, size, 0, bytes_of(data), half);
        plane.write(which, size, half, bytes_of(data) + half * sizeof(T), data.size() - half);
    }
    return run_pass(plane, c.schedule.side);
}

template <class T> std::vector<T> read(node_array& array, const matrix_case<T>& c, matrix which)
{
    std::vector<T> data(c.of(which).size());
    array.plane->read(which, shape_of(which, c.sizes), 0, bytes_of(data), data.size());
    return data;
}

// The rows of the golden table but ASC's, which a systolic array does.
TEST(plane, golden_rows)
{
    std::map<std::uint32_t, std::vector<std::unique_ptr<node_array>>> arrays;
    for (const std::uint32_t side : {1, 2, 3, 4, 5, 8}) {
        for (const auto& fidelity : {detailed, fast}) { arrays[side].push_back(make_plane<double>(fidelity, side)); }
    }
    elaborate();
    unsigned rows = 0;
    for (const auto& row : golden_torus("twod")) {
        if (row["cls"] == "ASC") { continue; }
        ++rows;
        const golden_product product(row);
        for (const auto& array : arrays.at(product.input.schedule.side)) {
            const auto counts = run_case(*array, product.input).sum();
            EXPECT_EQ(counts[event::step], row["steps"]) << row;
            EXPECT_EQ(counts[event::mac], row["macs"]) << row;
            EXPECT_EQ(counts[event::drive_word], row["driven"]) << row;
            EXPECT_EQ(counts[event::deliver_word], row["delivered"]) << row;
            EXPECT_EQ(counts[event::link_word_pitch_q] + counts[event::link_word_pitch_s] +
                          counts[event::line_word_pitch_q] + counts[event::line_word_pitch_s],
                      row["word_pitches"])
                << row;
            std::uint64_t along_q = 0, along_s = 0;
            for (const auto& [what, words] : row["rolled"].items()) {
                (what.back() == 'i' ? along_q : along_s) += words.get<std::uint64_t>();
            }
            EXPECT_EQ(counts[event::roll_word_q], along_q) << row;
            EXPECT_EQ(counts[event::roll_word_s], along_s) << row;
            const auto result = read(*array, product.input, product.result);
            EXPECT_EQ(golden_sum(result), row["sum"]) << row << array->name();
            EXPECT_EQ(golden_weighted_sum(result), row["wsum"]) << row;
        }
    }
    EXPECT_EQ(rows, 44u);
}

template <class T> class plane_format : public testing::Test {};
using formats_of_planes =
    testing::Types<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16>;
TYPED_TEST_SUITE(plane_format, formats_of_planes);

// Rectangular, padded, of all classes, forms and vectors, numbers that are none among them: the bits of a scalar loop
// in the order of the class, operands as they were, and the same counts in every step.
TYPED_TEST(plane_format, order_of_sums)
{
    std::mt19937 random(17);
    std::map<std::uint32_t, std::array<std::unique_ptr<node_array>, 2>> arrays;
    for (const std::uint32_t side : {1, 3, 4}) {
        arrays[side] = {make_plane<TypeParam>(detailed, side), make_plane<TypeParam>(fast, side)};
    }
    elaborate();
    for (const auto& [side, both] : arrays) {
        for (const auto& schedule : all_matrix_schedules(side)) {
            matrix_case<TypeParam> c(schedule, {2, 3, 1}, {2 * side, 3 * side - 2, side}, random);
            if (schedule.vector.sign[1] < 0) {
                c = matrix_case<TypeParam>(schedule, {1, 2, 3}, {side, 2 * side - 1, 3 * side - 1}, random,
                                           elements::wild);
            }
            const auto expected = c.ordered_result();
            const auto program = program_of(schedule);
            const auto runs = std::array{run_case(*both[0], c), run_case(*both[1], c)};
            for (std::uint32_t t = 0; t < side; ++t) {
                EXPECT_EQ(runs[0].computed[t], runs[1].computed[t]);
                EXPECT_EQ(runs[0].rolled[t], runs[1].rolled[t]);
            }
            for (const auto& array : both) {
                for (const auto which : {matrix::a, matrix::b, matrix::c}) {
                    const auto& bits = which == program.accumulator ? expected : c.of(which);
                    ASSERT_TRUE(same_bits(read(*array, c, which), bits))
                        << array->kind() << " " << matrix_class_values[unsigned(schedule.cls)].name << " "
                        << matrix_form_values[unsigned(schedule.form)].name << " " << text_of(schedule.vector);
                }
            }
        }
    }
}

// Sums of bfloat16 are twice as wide, on links too, and come and go as they are.
TEST(plane, sums_of_bfloat16)
{
    using arithmetic::bfloat16;
    std::mt19937 random(3);
    const matrix_schedule schedule{matrix_class::cra, matrix_form::a_cb, {{1, -1, 1}}, 2};
    const matrix_case<bfloat16> c(schedule, {2, 1, 3}, {4, 2, 6}, random);
    const auto initial = random_elements<float>(random, c.of(matrix::a).size());
    std::vector<std::unique_ptr<node_array>> arrays;
    for (const auto& fidelity : {detailed, fast}) { arrays.push_back(make_plane<bfloat16>(fidelity, 2)); }
    elaborate();
    for (const auto& array : arrays) {
        run_case(*array, c);
        array->plane->clear(matrix::a);
        array->plane->write_sums(matrix::a, {4, 6}, 0, bytes_of(initial), initial.size());
        const auto counts = run_pass(*array->plane.operator->(), 2).sum();
        EXPECT_EQ(counts[event::roll_word_s], 2u * 2 * 4 * 6); // A, as sums
        EXPECT_EQ(counts[event::roll_word_q], 2u * 6 * 2);     // B
        std::vector<float> result(initial.size());
        array->plane->read_sums(matrix::a, {4, 6}, 0, bytes_of(result), result.size());
        EXPECT_TRUE(same_bits(result, c.ordered_sums(initial)));
        // Released, all is +0.
        array->plane->release();
        array->plane->lay_out({schedule, {2, 1, 3}});
        array->plane->read_sums(matrix::a, {4, 6}, 0, bytes_of(result), result.size());
        EXPECT_TRUE(same_bits(result, std::vector<float>(result.size())));
    }
}

} // namespace
} // namespace tensorloom::test
