// An array of nodes, of either fidelity, does a transform as the order of its sums says, to the bit.
#include <cmath>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include "models/torus/array_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

constexpr std::uint32_t largest_side = 5;
constexpr std::array<std::array<unsigned, 3>, 6> orders{
    {{3, 1, 2}, {3, 2, 1}, {1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}}};

class array_transform : public sim_test_with_param<array_fidelity> {
protected:
    // All sides, vectors and ways; in turn orders, blocks of 1 to 3 along each mode, not all of them full, and links
    // that are folded or not.
    template <class T> void expect_ordered_bits()
    {
        std::vector<std::unique_ptr<node_array>> arrays;
        for (std::uint32_t side = 1; side <= largest_side; ++side) {
            arrays.push_back(make_array<T>(GetParam(), side, side % 2 == 0));
        }
        elaborate();
        std::size_t turn = 0;
        for (std::uint32_t side = 1; side <= largest_side; ++side) {
            for (const auto& vector : all_vectors()) {
                for (const auto way : {direction::forward, direction::inverse}) {
                    orbital_case<T> c(side, sizes(side), sizes(side), way);
                    c.fill(m_random, turn % 3 == 0 ? elements::wild : elements::ordinary);
                    c.problem.vector = vector;
                    c.problem.order = orders[turn++ % orders.size()];
                    ASSERT_TRUE(same_bits(transform(*arrays[side - 1], c), ordered_transform(c.problem).data))
                        << "P " << side << ", " << text_of(vector) << ", case " << turn;
                }
            }
        }
    }
    shape3 sizes(std::uint32_t side)
    {
        shape3 s{};
        for (auto& size : s) { size = 1 + static_cast<std::uint32_t>(m_random() % (3 * side)); }
        return s;
    }

    std::mt19937 m_random{17};
};

TEST_P(array_transform, f64_has_the_bits_of_its_order) { expect_ordered_bits<double>(); }
TEST_P(array_transform, f32_has_the_bits_of_its_order) { expect_ordered_bits<float>(); }
TEST_P(array_transform, c128_has_the_bits_of_its_order) { expect_ordered_bits<std::complex<double>>(); }
TEST_P(array_transform, c64_has_the_bits_of_its_order) { expect_ordered_bits<std::complex<float>>(); }
TEST_P(array_transform, bf16_has_the_bits_of_its_order) { expect_ordered_bits<arithmetic::bfloat16>(); }

// Forward and back and forward, by matrices that stay: what one transform leaves the next one takes, where it lies.
TEST_P(array_transform, a_chain_moves_nothing_in_between)
{
    using element = arithmetic::bfloat16; // sums are not elements
    constexpr std::uint32_t side = 3;
    const auto array = make_array<element>(GetParam(), side);
    elaborate();
    orbital_case<element> c(side, {5, 6, 4}, {7, 3, 6}, direction::forward);
    c.fill(m_random);
    c.problem.vector = {{-1, 1, -1}};
    c.problem.order = {2, 3, 1};
    array->memory->lay_out(layout_of(c));
    write_matrices(*array, c);
    write_tensor(*array, slot::x, c.input.data, c.n);
    workloads::tensor<element> expected = c.input;
    for (const auto way : {direction::forward, direction::inverse, direction::forward}) {
        run_stages(*array, way, c.problem.vector, side);
        c.problem.way = way;
        c.problem.input = &expected;
        c.problem.sizes = way == direction::forward ? c.k : c.n;
        expected = ordered_transform(c.problem);
        EXPECT_TRUE(same_bits(read_tensor<element>(*array, last_slot(way), c.problem.sizes), expected.data));
    }
}

// Two memories take turns: X, X1, X2 and X3 lie in those of X2, X, X2 and X.
TEST_P(array_transform, two_memories_are_enough_for_a_transform)
{
    using element = std::complex<float>;
    constexpr std::uint32_t side = 3;
    const auto array = make_array<element>(GetParam(), side);
    elaborate();
    orbital_case<element> c(side, {5, 6, 4}, {7, 3, 6}, direction::forward, m_random);
    array->memory->lay_out(layout_of(c));
    write_matrices(*array, c);
    std::array<torus::tensor_place, 2> places{torus::tensor_place{slot::x, slot::x2}, slot::x};
    array->memory->clear(places[0]);
    array->memory->write(places[0], c.n, 0, bytes_of(c.input.data), c.input.data.size());
    for (const auto& stage : stages_of(direction::forward, c.problem.vector, side)) {
        run_pass(*array, {stage, {0, 0}, true, places[0].in, places[1].in});
        std::swap(places[0].in, places[1].in);
    }
    const auto result = array->memory->placed(slot::x);
    EXPECT_EQ(result.as, slot::x3);
    std::vector<element> found(isa::volume_of(c.k));
    array->memory->read(result, c.k, 0, bytes_of(found), found.size());
    EXPECT_TRUE(same_bits(found, ordered_transform(c.problem).data));
}

// A sum over two windows of a matrix: the tiles of the operand come one after the other, to sums that stay.
TEST_P(array_transform, passes_over_windows_of_a_matrix_add_up)
{
    constexpr std::uint32_t side = 2, block = 2, tile = side * block;
    constexpr std::uint32_t rows = 2 * tile - 1, columns = 2 * tile; // the last window is not full
    const auto array = make_array<double>(GetParam(), side);
    elaborate();
    array_layout layout;
    layout.sizes = {{1, 1, block}, {1, 1, block}};
    array->memory->lay_out(layout);
    const auto matrix = random_elements<double>(m_random, std::size_t{rows} * columns);
    array->memory->resize_matrix(slot::c_i, rows, columns);
    array->memory->write_matrix(slot::c_i, 0, bytes_of(matrix), matrix.size());
    const auto x = random_elements<double>(m_random, std::size_t{2} * 2 * rows);
    const auto stage = stages_of(direction::forward, layout.vector, side)[0];
    for (std::uint32_t made = 0; made < 2; ++made) {
        for (std::uint32_t summed = 0; summed < 2; ++summed) {
            const std::uint32_t width = std::min(tile, rows - summed * tile);
            std::vector<double> part;
            for (std::size_t row = 0; row < 4; ++row) {
                const auto first = x.begin() + static_cast<std::ptrdiff_t>(row * rows + summed * tile);
                part.insert(part.end(), first, first + width);
            }
            write_tensor(*array, slot::x, part, {2, 2, width});
            run_pass(*array, {stage, {summed, made}, summed == 0});
        }
        const auto result = read_tensor<double>(*array, slot::x1, {2, 2, tile});
        for (std::uint32_t i = 0; i < result.size(); ++i) {
            const std::uint32_t n1 = i / tile / 2, n2 = i / tile % 2, k = i % tile;
            double sum = 0;
            for (std::uint32_t window = 0; window < 2; ++window) {
                for (std::uint32_t t = 0; t < side; ++t) {
                    const std::uint32_t n3 = (k / block + t + n1 + n2) % side; // signs are the same modulo 2
                    for (std::uint32_t j = 0; j < block; ++j) {
                        const std::uint32_t n = window * tile + n3 * block + j;
                        if (n >= rows) { continue; } // adds +0 to a sum that is not -0
                        sum = std::fma(x[(n1 * 2 + n2) * rows + n], matrix[n * columns + made * tile + k], sum);
                    }
                }
            }
            EXPECT_EQ(result[i], sum) << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(fidelities, array_transform, array_fidelities, fidelity_name);

} // namespace
} // namespace tensorloom::test
