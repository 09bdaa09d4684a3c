// Transforms of cubes on 1 to 8 nodes along a side, with blocks of 1 to 8 elements: both fidelities have the bits of
// the order of sums, which are the direct sum within rounding; a torus of one node has those of a TriADA.
#include <cmath>
#include <gtest/gtest.h>
#include <tensorloom/models/triada/device.h>
#include "models/torus/array_bench.h"
#include "models/torus/orbit_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

class every_size : public sim_test_with_param<unsigned> {};

/// An element of the result: the sum of all products, in long double, and of their moduli.
template <class T> std::array<long double, 2> direct_sum(const orbital_case<T>& c, const shape3& at)
{
    const bool back = c.problem.way == direction::inverse;
    const auto& from = back ? c.k : c.n;
    const auto coefficient = [&](unsigned m, std::uint32_t i) -> long double {
        const std::uint32_t n = back ? at[m] : i, k = back ? i : at[m];
        return c.matrices[m][std::size_t{n} * c.k[m] + k];
    };
    long double sum = 0, moduli = 0;
    for (std::uint32_t i = 0; i < from[0]; ++i) {
        for (std::uint32_t j = 0; j < from[1]; ++j) {
            const long double outer = coefficient(0, i) * coefficient(1, j);
            for (std::uint32_t l = 0; l < from[2]; ++l) {
                const long double x = c.input.data[(std::size_t{i} * from[1] + j) * from[2] + l];
                const long double product = outer * coefficient(2, l) * x;
                sum += product;
                moduli += std::fabs(product);
            }
        }
    }
    return {sum, moduli};
}

TEST_P(every_size, has_the_bits_of_its_order_and_is_the_direct_sum)
{
    const std::uint32_t side = GetParam();
    const auto fast = make_array<double>({"fast", &torus::make_fast_node_array}, side, true);
    const auto detailed = make_array<double>({"detailed", &torus::make_detailed_node_array}, side, false);
    elaborate();
    std::mt19937 random(side);
    constexpr std::array<std::array<unsigned, 3>, 6> orders{
        {{3, 1, 2}, {3, 2, 1}, {1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}}};
    for (std::uint32_t block = 1; block <= 8; ++block) {
        SCOPED_TRACE(block);
        const std::uint32_t n = side * block;
        orbital_case<double> c(side, {n, n, n}, {n, n, n}, block % 2 == 0 ? direction::inverse : direction::forward,
                               random);
        c.problem.vector = all_vectors()[(block + side) % 8];
        c.problem.order = orders[block % 6];
        const auto expected = ordered_transform(c.problem).data;
        EXPECT_TRUE(same_bits(transform(*fast, c), expected));
        EXPECT_TRUE(same_bits(transform(*detailed, c), expected));
        for (unsigned i = 0; i < 3; ++i) {
            const shape3 at{static_cast<std::uint32_t>(random() % n), static_cast<std::uint32_t>(random() % n),
                            static_cast<std::uint32_t>(random() % n)};
            const auto [sum, moduli] = direct_sum(c, at);
            const double rounding = static_cast<double>(moduli) * 3 * n * 0x1p-53;
            EXPECT_NEAR(expected[(std::size_t{at[0]} * n + at[1]) * n + at[2]], static_cast<double>(sum), rounding);
        }
    }
}
INSTANTIATE_TEST_SUITE_P(sides, every_size, ::testing::Range(1u, 9u));

// One block of each mode: sums ascend from the first index, as a TriADA streams them.
class one_node : public sim_test {};

TEST_F(one_node, has_the_bits_of_a_triada)
{
    std::mt19937 random(9);
    orbital_case<float> c(1, {7, 5, 8}, {6, 9, 4}, direction::forward, random);
    c.problem.order = {2, 3, 1};
    std::vector<float> torus, triada(6 * 9 * 4);
    orbit_bench a("torus", torus_config(1, 9, base::element_type::f32),
                  [&](orbit_bench& b) { torus = b.transformed(c); });
    triada::config config;
    config.mesh = {7, 9, 8};
    config.format = base::element_type::f32;
    using triada_bench = device_bench<triada::traits>;
    triada_bench b("triada", config, [&](triada_bench& bench) {
        memory_places places(triada_bench::data_at);
        triada::gemt_command command;
        command.order = {2, 3, 1};
        command.x = isa::dense_descriptor(places.store(bench.cpu(), c.input.data), config.format, {7, 5, 8});
        command.y = isa::dense_descriptor(places.reserve(4 * triada.size()), config.format, {6, 9, 4});
        for (unsigned m = 0; m < 3; ++m) {
            command.matrix[m] =
                isa::dense_descriptor(places.store(bench.cpu(), c.matrices[m]), config.format, {c.n[m], c.k[m]});
        }
        EXPECT_TRUE(bench.run(triada::driver::program({command})).result.done);
        bench.cpu().read_block(command.y.base, triada.data(), 4 * triada.size());
    });
    run_to_end(a, b);
    EXPECT_TRUE(same_bits(torus, triada));
}

} // namespace
} // namespace tensorloom::test
