// Both fidelities of an array of nodes do a transform as the order of its sums says, to the bit.
#include <gtest/gtest.h>
#include "models/torus/array_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

class array_transform : public sim_test_with_param<array_factory> {};

template <class T> void expect_same_bits_as_ordered_transforms(array_factory make)
{
    constexpr std::uint32_t largest = 5;
    std::vector<std::unique_ptr<node_array>> arrays;
    for (std::uint32_t side = 1; side <= largest; ++side) {
        arrays.push_back(make_array<T>(make, side, side % 2 == 0));
    }
    elaborate();
    constexpr std::array<std::array<unsigned, 3>, 6> orders{
        {{3, 1, 2}, {3, 2, 1}, {1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}}};
    std::mt19937 random(17);
    std::size_t turn = 0;
    for (std::uint32_t side = 1; side <= largest; ++side) {
        for (const auto& vector : all_vectors()) {
            for (const auto way : {direction::forward, direction::inverse}) {
                // Blocks of 1 to 3, not all of them full.
                const auto sizes = [&] {
                    shape3 s{};
                    for (auto& size : s) { size = 1 + random() % (3 * side); }
                    return s;
                };
                const auto n = sizes();
                orbital_case<T> c(side, n, sizes(), way, random);
                c.problem.vector = vector;
                c.problem.order = orders[turn++ % orders.size()];
                ASSERT_TRUE(same_bits(transform(*arrays[side - 1], c), ordered_transform(c.problem).data))
                    << "P " << side << ", " << text_of(vector) << ", case " << turn;
            }
        }
    }
}

TEST_P(array_transform, f64_has_the_bits_of_its_order) { expect_same_bits_as_ordered_transforms<double>(GetParam()); }
TEST_P(array_transform, f32_has_the_bits_of_its_order) { expect_same_bits_as_ordered_transforms<float>(GetParam()); }
TEST_P(array_transform, c128_has_the_bits_of_its_order)
{
    expect_same_bits_as_ordered_transforms<std::complex<double>>(GetParam());
}
TEST_P(array_transform, c64_has_the_bits_of_its_order)
{
    expect_same_bits_as_ordered_transforms<std::complex<float>>(GetParam());
}
TEST_P(array_transform, bf16_has_the_bits_of_its_order)
{
    expect_same_bits_as_ordered_transforms<arithmetic::bfloat16>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(fidelities, array_transform, fidelities, fidelity_name);

} // namespace
} // namespace tensorloom::test
