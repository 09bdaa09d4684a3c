// Permutations of tensors through memory against naive ones: by transfers and by the vector unit.
#include <tensorloom/workloads/contraction/permutation.h>
#include <numeric>
#include <gtest/gtest.h>
#include "permuted_tensor.h"
#include "support/fetta_reference.h"

namespace tensorloom::workloads {
namespace {

using base::element_type;
using fetta::device_limits;

reordering_settings only(permutation_way way)
{
    reordering_settings s;
    s.way = way;
    return s;
}

device_limits small_limits(std::uint32_t bank_bytes)
{
    device_limits g;
    g.bank_bytes = bank_bytes;
    return g;
}

template <class T> std::vector<T> numbered(std::uint64_t elements)
{
    std::vector<T> all(elements);
    std::iota(all.begin(), all.end(), T{0});
    return all;
}

// Of 16 bits: numbers of bf16 that are not NaN.
std::vector<std::uint16_t> packed_elements(std::uint64_t elements)
{
    std::vector<std::uint16_t> all(elements);
    for (std::size_t i = 0; i < all.size(); ++i) { all[i] = static_cast<std::uint16_t>(i * 40503u % 0x7f80u); }
    return all;
}

class permutation_test : public testing::TestWithParam<permutation_way> {
protected:
    template <class T>
    void expect_naive(const device_limits& g, element_type type, const test::permuted_tensor& p,
                      const std::vector<T>& from)
    {
        test::fetta_reference machine(g);
        permutation_planner planner(g, only(GetParam()));
        const auto plan = planner.plan(type, p.modes());
        EXPECT_EQ(plan.way, GetParam());
        EXPECT_EQ(test::run_permutation(machine, plan, type, from), p.naive(from));
    }
};

TEST_P(permutation_test, any_order_of_up_to_eight_ragged_modes_is_reached)
{
    std::mt19937 random(7);
    for (int i = 0; i < 60; ++i) {
        const auto p = test::random_permutation(random, 8, 40000);
        SCOPED_TRACE(i);
        // A chip of 64 KiB: most tensors go in blocks.
        const device_limits g = small_limits(i % 3 == 0 ? 32768 : 4096);
        expect_naive(g, element_type::bf16, p, packed_elements(p.elements()));
        expect_naive(g, element_type::f32, p, numbered<std::uint32_t>(p.elements()));
    }
}

TEST_P(permutation_test, other_engines_and_rows_are_no_different)
{
    std::mt19937 random(8);
    for (const std::uint32_t engines : {4u, 64u}) {
        for (const std::uint32_t side : {2u, 8u}) {
            device_limits g;
            g.engines = engines;
            g.side = side;
            const auto p = test::random_permutation(random, 4, 20000);
            expect_naive(g, element_type::bf16, p, packed_elements(p.elements()));
        }
    }
}

TEST_P(permutation_test, tensor_beyond_the_chip_goes_in_blocks)
{
    const test::permuted_tensor p{{700, 900}, {1, 0}};
    expect_naive({}, element_type::bf16, p, packed_elements(p.elements()));
    const test::permuted_tensor q{{30, 90, 101, 3}, {3, 1, 0, 2}};
    expect_naive({}, element_type::f32, q, numbered<std::uint32_t>(q.elements()));
}

INSTANTIATE_TEST_SUITE_P(ways, permutation_test,
                         testing::Values(permutation_way::transfers, permutation_way::vector_unit),
                         [](const auto& way) {
                             return std::string(permutation_way_values[static_cast<std::size_t>(way.param)].name);
                         });

TEST(permutation_test, all_bit_patterns_but_nan_are_kept)
{
    const test::permuted_tensor p{{256, 256}, {1, 0}};
    const auto from = numbered<std::uint16_t>(p.elements());
    auto expected = p.naive(from);
    for (auto& bits : expected) {
        if ((bits & 0x7f80u) == 0x7f80u && (bits & 0x7fu) != 0) { bits = 0x7fc0; }
    }
    test::fetta_reference machine{device_limits{}};
    permutation_planner planner(device_limits{}, only(permutation_way::vector_unit));
    EXPECT_EQ(test::run_permutation(machine, planner.plan(element_type::bf16, p.modes()), element_type::bf16, from),
              expected);
}

TEST(permutation_test, patterns_of_32_bits_are_kept)
{
    const test::permuted_tensor p{{64, 512}, {1, 0}};
    std::vector<std::uint32_t> from(p.elements());
    for (std::size_t i = 0; i < from.size(); ++i) { from[i] = static_cast<std::uint32_t>(i * 131071u) | 0x7f800000u; }
    test::fetta_reference machine{device_limits{}};
    permutation_planner planner(device_limits{}, only(permutation_way::vector_unit));
    EXPECT_EQ(test::run_permutation(machine, planner.plan(element_type::f32, p.modes()), element_type::f32, from),
              p.naive(from));
}

// Both sides with gaps: the block of a result in its padding, to a box of a tensor.
TEST(permutation_test, gaps_are_neither_read_nor_written)
{
    const std::vector<permuted_mode> modes{{5, 100, 3}, {7, 12, 20}, {3, 1, 1}};
    for (const auto way : {permutation_way::transfers, permutation_way::vector_unit}) {
        test::fetta_reference machine{device_limits{}};
        permutation_planner planner(device_limits{}, only(way));
        const auto from = numbered<std::uint32_t>(500);
        std::vector<std::uint32_t> expected(256, 9999), to(256, 9999);
        for (std::uint64_t i = 0; i < 5; ++i) {
            for (std::uint64_t j = 0; j < 7; ++j) {
                for (std::uint64_t k = 0; k < 3; ++k) { expected[3 * i + 20 * j + k] = from[100 * i + 12 * j + k]; }
            }
        }
        const std::uint64_t source = machine.data_base(), target = source + 4096;
        machine.write(source, from.data(), 2000);
        machine.write(target, to.data(), 1024);
        program_writer writer(program_phase::order_result, device_limits{}, isa::program_header::max_bytes);
        write_permutation(writer, device_limits{}, planner.plan(element_type::f32, modes), element_type::f32, source,
                          target, "x");
        machine.run(writer.programs().front().bytes);
        machine.read(target, to.data(), 1024);
        EXPECT_EQ(to, expected);
    }
}

TEST(permutation_test, the_cheaper_way_by_estimate_is_taken)
{
    permutation_planner planner(device_limits{}, {});
    const auto turned = planner.plan(element_type::bf16, test::permuted_tensor{{128, 128}, {1, 0}}.modes());
    EXPECT_EQ(turned.way, permutation_way::vector_unit);
    EXPECT_LT(turned.cycles, 4000);
    // Long runs stay together.
    const auto rows = planner.plan(element_type::bf16, test::permuted_tensor{{8, 8, 2048}, {1, 0, 2}}.modes());
    EXPECT_EQ(rows.way, permutation_way::transfers);
    for (const auto way : {permutation_way::transfers, permutation_way::vector_unit}) {
        permutation_planner one(device_limits{}, only(way));
        for (const auto& p : {test::permuted_tensor{{128, 128}, {1, 0}}, test::permuted_tensor{{8, 8, 2048}, {1, 0, 2}},
                              test::permuted_tensor{{9, 31, 6}, {2, 0, 1}}}) {
            EXPECT_LE(planner.plan(element_type::bf16, p.modes()).cycles,
                      one.plan(element_type::bf16, p.modes()).cycles);
        }
    }
}

} // namespace
} // namespace tensorloom::workloads
