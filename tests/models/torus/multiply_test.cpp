// MULTIPLY over the bus: the rows of the golden table, the bits of the order of each class, the same log in both
// fidelities.
#include <map>
#include <gtest/gtest.h>
#include "models/stopped_programs.h"
#include "models/torus/matrix_case.h"
#include "models/torus/orbit_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using namespace torus;

class multiply_test : public sim_test {};

/// Writes the matrices of a case into memory; the command that multiplies them, onto what is there if it should.
template <class T> multiply_command place(orbit_bench& bench, const matrix_case<T>& c, bool accumulate)
{
    multiply_command m;
    m.flags = accumulate ? multiply_command::flag_accumulate : 0;
    m.cls = c.schedule.cls;
    m.form = c.schedule.form;
    m.set_vector(c.schedule.vector);
    m.blocks = {c.blocks.i, c.blocks.j, c.blocks.k};
    for (const auto which : {matrix::a, matrix::b, matrix::c}) {
        const auto size = shape_of(which, c.sizes);
        m.of(which) = isa::dense_descriptor(bench.store(c.of(which)), base::element_type_of<T>, {size[0], size[1]});
    }
    return m;
}

template <class T> std::vector<T> numbers_at(orbit_bench& bench, const isa::tensor_descriptor& where)
{
    std::vector<T> numbers(where.elements());
    bench.cpu().read_block(where.base, numbers.data(), numbers.size() * sizeof(T));
    return numbers;
}

orbit_bench::outcome_type run(orbit_bench& bench, const multiply_command& command)
{
    auto outcome = bench.run(driver::program(std::vector{command}));
    EXPECT_TRUE(outcome.result.done) << isa::error_text(outcome.result.error);
    EXPECT_EQ(outcome.logged_cycles(), outcome.result.cycles);
    EXPECT_TRUE(outcome.window == outcome.counts);
    return outcome;
}

// All 51 of them, every field, in both fidelities.
TEST_F(multiply_test, golden_rows)
{
    const auto table = golden_torus("twod");
    ASSERT_EQ(table.size(), 51u);
    std::vector<std::unique_ptr<orbit_bench>> benches;
    unsigned done = 0;
    const auto check = [&](orbit_bench& bench, const nlohmann::json& row) {
        const golden_product product(row);
        const auto command = place(bench, product.input, true);
        const auto counts = run(bench, command).counts;
        EXPECT_EQ(counts[event::step], row["steps"]) << row;
        EXPECT_EQ(counts[event::mac], row["macs"]) << row;
        EXPECT_EQ(counts[event::drive_word], row["driven"]) << row;
        EXPECT_EQ(counts[event::deliver_word], row["delivered"]) << row;
        EXPECT_EQ(counts[event::enter_word], row.value("entered", 0u)) << row;
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
        const auto result = numbers_at<double>(bench, command.of(product.result));
        EXPECT_EQ(golden_sum(result), row["sum"]) << row;
        EXPECT_EQ(golden_weighted_sum(result), row["wsum"]) << row;
        ++done;
    };
    for (const std::uint32_t side : {1, 2, 3, 4, 5, 8, 16}) {
        for (const auto modelled : {fidelity::fast, fidelity::detailed}) {
            benches.push_back(std::make_unique<orbit_bench>(
                (modelled == fidelity::fast ? "fast_" : "detailed_") + std::to_string(side),
                torus_config(side, 3, base::element_type::f64, modelled), [&, side](orbit_bench& b) {
                    for (const auto& row : table) {
                        if (row["P"] == side) { check(b, row); }
                    }
                }));
        }
    }
    sc_core::sc_start();
    EXPECT_EQ(done, 2u * 51);
}

// All classes, forms and vectors; matrices that fill the plane, that do not, and that are larger, onto +0 or onto what
// is there.
template <class T> void expect_same_products()
{
    constexpr std::uint32_t side = 3;
    std::mt19937 random(5);
    auto schedules = all_matrix_schedules(side);
    if (has_systolic_array(base::element_type_of<T>)) {
        schedules.insert(schedules.end(), 2, {matrix_class::asc, matrix_form::c_ab, {}, side});
    }
    const matrix_blocks sizes[] = {{6, 3, 9}, {5, 8, 3}, {7, 11, 13}};
    struct one_product {
        matrix_case<T> input;
        bool accumulate;
    };
    std::vector<one_product> products;
    for (const auto& schedule : schedules) {
        const bool systolic = schedule.cls == matrix_class::asc;
        const auto& size = sizes[products.size() % 3];
        const matrix_blocks block = systolic ? matrix_blocks{} : matrix_blocks{2, 1, 3};
        products.push_back({matrix_case<T>(schedule, block, size, random), products.size() % 2 == 0});
    }
    std::map<fidelity, std::vector<orbit_bench::outcome_type>> outcomes;
    const auto program = [&](orbit_bench& b) {
        for (const auto& p : products) {
            const auto command = place(b, p.input, p.accumulate);
            outcomes[b.device().settings().fidelity].push_back(run(b, command));
            auto expected = p.input;
            const auto accumulator = program_of(p.input.schedule).accumulator;
            if (!p.accumulate) { std::fill(expected.of(accumulator).begin(), expected.of(accumulator).end(), T{}); }
            EXPECT_TRUE(same_bits(numbers_at<T>(b, command.of(accumulator)), expected.ordered_result()))
                << matrix_class_values[static_cast<unsigned>(p.input.schedule.cls)].name << " "
                << text_of(p.input.schedule.vector) << " " << p.input.sizes.i;
        }
    };
    orbit_bench fast("fast", torus_config(side, 3, base::element_type_of<T>), program);
    orbit_bench detailed("detailed", torus_config(side, 3, base::element_type_of<T>, fidelity::detailed), program);
    run_to_end(fast, detailed);
    for (std::size_t i = 0; i < products.size(); ++i) {
        const auto& one = outcomes[fidelity::fast][i];
        const auto& other = outcomes[fidelity::detailed][i];
        EXPECT_EQ(one.result.cycles, other.result.cycles);
        EXPECT_TRUE(one.rows == other.rows) << i;
    }
}

TEST_F(multiply_test, f64_has_the_bits_of_its_order) { expect_same_products<double>(); }
TEST_F(multiply_test, f32_has_the_bits_of_its_order) { expect_same_products<float>(); }
TEST_F(multiply_test, c128_has_the_bits_of_its_order) { expect_same_products<std::complex<double>>(); }
TEST_F(multiply_test, c64_has_the_bits_of_its_order) { expect_same_products<std::complex<float>>(); }
TEST_F(multiply_test, bf16_has_the_bits_of_its_order) { expect_same_products<arithmetic::bfloat16>(); }

// Sums of bfloat16 come and go as they are where the matrix that accumulates has floats.
TEST_F(multiply_test, sums_of_bfloat16)
{
    using arithmetic::bfloat16;
    std::mt19937 random(3);
    std::vector<matrix_case<bfloat16>> cases{
        {{matrix_class::cra, matrix_form::c_ab, {{1, -1, 1}}, 2}, {2, 2, 2}, {4, 3, 9}, random},
        {{matrix_class::asc, matrix_form::c_ab, {}, 2}, {1, 1, 1}, {4, 3, 9}, random}};
    orbit_bench bench("bench", torus_config(2, 2, base::element_type::bf16), [&](orbit_bench& b) {
        for (const auto& c : cases) {
            const auto initial = random_elements<float>(random, 12);
            auto command = place(b, c, true);
            command.of(matrix::c) = isa::dense_descriptor(b.store(initial), base::element_type::f32, {4, 3});
            const auto outcome = run(b, command);
            EXPECT_TRUE(same_bits(numbers_at<float>(b, command.of(matrix::c)), c.ordered_sums(initial)));
            EXPECT_EQ(outcome.counts[event::element_unload], 12u);
        }
    });
    run_to_end(bench);
}

// Time: loads, passes of P steps each, the result's way back; nothing overlaps. Of ASC P cycles of B, then the stream.
TEST_F(multiply_test, cycles)
{
    std::mt19937 random(2);
    auto config = torus_config(4, 8, base::element_type::f64);
    config.overlap = overlap_kind::none;
    config.cycles_per_pitch = 1;
    config.folded = false;
    orbit_bench bench("bench", config, [&](orbit_bench& b) {
        const auto cycles = [&](matrix_class cls, std::uint32_t block) {
            const matrix_case<double> c({cls, matrix_form::c_ab, {}, 4}, {block, block, block},
                                        {2 * 4 * block, 4 * block, 4 * block}, random);
            const auto outcome = run(b, place(b, c, false));
            EXPECT_EQ(outcome.counts[event::load_cycle] + outcome.counts[event::unload_cycle] +
                          (cls == matrix_class::asc ? 2 * 4 : 0),
                      outcome.cycles_of("load") + outcome.cycles_of("unload"));
            EXPECT_EQ(outcome.counts[event::compute_cycle], outcome.cycles_of("compute"));
            return outcome.cycles_of("compute") + outcome.cycles_of("roll");
        };
        // Two passes of 4 steps: a node makes 64 sums of 8 terms; a block takes 64 cycles, a link and a line 3.
        const std::uint64_t computing = 8 * 64 + 4 - 1, moving = 64 + 3;
        EXPECT_EQ(cycles(matrix_class::bbc, 8), 2 * 4 * (moving + computing));
        EXPECT_EQ(cycles(matrix_class::bcr_row, 8), 2 * 4 * (moving + computing + moving));
        EXPECT_EQ(cycles(matrix_class::bcr_column, 8), 2 * 4 * (moving + computing + moving));
        EXPECT_EQ(cycles(matrix_class::cra, 8), 2 * 4 * (computing + moving));
        EXPECT_EQ(cycles(matrix_class::asc, 1), 2 * (4 + 2 * 4 - 2));
    });
    run_to_end(bench);
}

// ---- stops ----

class multiply_stop : public sim_test_with_param<std::tuple<how, matrix_class, int>> {};

TEST_P(multiply_stop, same_in_both_fidelities_and_the_next_program_is_as_on_a_fresh_device)
{
    const auto [stop, cls, number] = GetParam();
    const matrix_blocks block = cls == matrix_class::asc ? matrix_blocks{} : matrix_blocks{1, 2, 2};
    std::mt19937 random(31);
    const matrix_case<double> c({cls, matrix_form::c_ab, {}, 2}, block, {8, 8, 15}, random);
    // On cycle boundaries and off them; the two systolic arrays come to a boundary in an order that nobody promises.
    const bool on_boundary = number % 2 == 0 && cls != matrix_class::asc;
    const std::uint64_t after_ps = static_cast<std::uint64_t>(61 * number) * 1000 + (on_boundary ? 0 : 250);
    const auto running = [&c, stop = stop](std::optional<std::uint64_t> after, stopped_program<orbit_bench>& s) {
        return [&c, stop, after, &s](orbit_bench& b) {
            const auto command = place(b, c, false);
            stopped_job job;
            job.program = driver::program(std::vector{command});
            job.stored = {command.of(matrix::c).base, command.of(matrix::c).elements() * sizeof(double)};
            job.counters_first = true;
            stopping(job, stop, after, s)(b);
        };
    };
    stopped_program<orbit_bench> fast, detailed, fresh;
    auto config = torus_config(2, 2, base::element_type::f64);
    config.load_elements = 1; // so that reading the counters, which takes a while, is over long before the product
    orbit_bench a("fast", config, running(after_ps, fast));
    orbit_bench f("fresh", config, running(std::nullopt, fresh));
    config.fidelity = fidelity::detailed;
    orbit_bench d("detailed", config, running(after_ps, detailed));
    run_to_end(a, d, f);
    expect_same_stop(stop, fast, detailed, fresh);
}

INSTANTIATE_TEST_SUITE_P(times, multiply_stop,
                         ::testing::Combine(::testing::Values(how::abort, how::reset),
                                            ::testing::Values(matrix_class::bcr_row, matrix_class::asc),
                                            ::testing::Range(0, 8)));

// A product takes the place of what transforms left: nothing can be kept behind it.
TEST_F(multiply_test, nothing_stays)
{
    std::mt19937 random(1);
    const matrix_case<double> c({matrix_class::cra, matrix_form::c_ab, {}, 2}, {2, 2, 2}, {4, 4, 4}, random);
    const orbital_case<double> transform(2, {4, 4, 4}, {4, 4, 4}, direction::forward);
    orbit_bench bench("bench", torus_config(2, 2, base::element_type::f64), [&](orbit_bench& b) {
        auto orbit = b.place(transform);
        EXPECT_TRUE(b.run({orbit}).result.done);
        orbit.flags = orbit_command::flag_keep_matrices;
        orbit.matrix = {};
        EXPECT_TRUE(b.run({orbit}).result.done);
        run(b, place(b, c, false));
        EXPECT_EQ(b.run({orbit}).result.error, isa::error_code::not_resident);
    });
    run_to_end(bench);
}

} // namespace
} // namespace tensorloom::test
