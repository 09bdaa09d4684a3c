// What is easily taken for the paper's forms, and gives wrong results; each beside the form that is used.
#include <functional>
#include <vector>
#include <tensorloom/workloads/segmented/scans.h>
#include <tensorloom/workloads/segmented/mmv_ram.h>
#include "segmented_case.h"

namespace tensorloom::test {
namespace {

using workloads::constant_matrix;
using workloads::mmv_array;
using workloads::mmv_ram;
using numbers = std::vector<std::int64_t>;

// SSCR with the scan of the flags as they are.
numbers sscr_with_first_flag(const numbers& x, const numbers& f)
{
    mmv_reference machine(limits_of(4));
    mmv_ram ram(machine, {constant_matrix::prefix, constant_matrix::carry});
    const mmv_array prefix_sums = ram.loaded(x), flags = ram.words(f.size() + 1), counted = ram.words(f.size());
    ram.builder().load(flags, f);
    workloads::scan(ram, prefix_sums, prefix_sums);
    workloads::scan(ram, counted, workloads::slice(flags, 0, f.size()));
    const auto ends = workloads::segment_ends(ram, flags);
    const auto at_ends = workloads::compress(ram, workloads::scan_unit::matrix, prefix_sums, ends);
    workloads::revert(ram, prefix_sums, counted, at_ends);
    return ram.finish<std::int64_t>(prefix_sums).values;
}

numbers sscr(const numbers& x, const std::vector<std::uint8_t>& flags)
{
    segmented_problem<std::int64_t> p;
    p.x = x;
    p.flags = flags;
    mmv_reference machine(limits_of(4));
    return run_segmented(workloads::find_segmented_variant("sscr"), machine, p).values;
}

TEST(wrong_forms, sscr_with_the_first_flag_kept_subtracts_segments_from_themselves)
{
    EXPECT_EQ(sscr_with_first_flag({1, 2, 3, 4, 5, 6}, {1, 0, 0, 1, 0, 0}), (numbers{-5, -3, 0, -11, -6, 0}));
    EXPECT_EQ(sscr({1, 2, 3, 4, 5, 6}, {1, 0, 0, 1, 0, 0}), (numbers{1, 3, 6, 4, 9, 15}));
    // Without the first flag both are right.
    EXPECT_EQ(sscr_with_first_flag({1, 2, 3, 4, 5, 6}, {0, 0, 0, 1, 0, 0}), (numbers{1, 3, 6, 4, 9, 15}));
}

// x R for a row x of 4.
numbers times(const numbers& x, const numbers& weights)
{
    mmv_reference machine(limits_of(4));
    mmv_ram ram(machine, {});
    const mmv_array row = ram.loaded(x), r = ram.loaded(weights), z = ram.words(4);
    ram.matmul(z, row, r);
    return ram.finish<std::int64_t>(z).values;
}

numbers times(const numbers& x, constant_matrix which)
{
    mmv_reference machine(limits_of(4));
    mmv_ram ram(machine, {which});
    const mmv_array row = ram.loaded(x), z = ram.words(4);
    ram.matmul(z, row, which);
    return ram.finish<std::int64_t>(z).values;
}

numbers transposed(const numbers& m)
{
    numbers t(16);
    for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) { t[j * 4 + i] = m[i * 4 + j]; }
    }
    return t;
}

TEST(wrong_forms, constants_of_columns_are_the_transposes_of_those_of_rows)
{
    const numbers x = {1, 10, 100, 1000};
    const numbers u = {1, 1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1};
    const numbers carry = {1, 1, 1, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const numbers d = {1, -1, 0, 0, 0, 1, -1, 0, 0, 0, 1, -1, 0, 0, 0, 1};

    EXPECT_EQ(times(x, constant_matrix::prefix), (numbers{1, 11, 111, 1111}));
    EXPECT_EQ(times(x, u), (numbers{1, 11, 111, 1111}));
    EXPECT_EQ(times(x, transposed(u)), (numbers{1111, 1110, 1100, 1000})); // suffix sums

    EXPECT_EQ(times(x, constant_matrix::carry), (numbers{1, 11, 101, 1001}));
    EXPECT_EQ(times(x, carry), (numbers{1, 11, 101, 1001}));
    EXPECT_EQ(times(x, transposed(carry)), (numbers{1111, 10, 100, 1000}));

    EXPECT_EQ(times(x, constant_matrix::difference), (numbers{1, 9, 90, 900}));
    EXPECT_EQ(times(x, d), (numbers{1, 9, 90, 900}));
    EXPECT_EQ(times(x, transposed(d)), (numbers{-9, -90, -900, 1000})); // the next element's, with the wrong sign
}

} // namespace
} // namespace tensorloom::test
