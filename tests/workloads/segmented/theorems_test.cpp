#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <tensorloom/workloads/segmented/block_reversal.h>
#include <tensorloom/workloads/segmented/mmv_ram.h>
#include <tensorloom/workloads/segmented/theorems.h>
#include "segmented_case.h"

namespace tensorloom::test {
namespace {

using workloads::block_reversal;
using workloads::written_range;

std::vector<std::int64_t> ascending_numbers(std::uint64_t n)
{
    std::vector<std::int64_t> x(n);
    std::iota(x.begin(), x.end(), 100);
    return x;
}

// Block by block, backwards in each group.
std::vector<std::int64_t> reversed(const std::vector<std::int64_t>& x, const block_reversal& shape)
{
    std::vector<std::int64_t> z;
    for (std::uint64_t g = 0; g < shape.groups; ++g) {
        for (std::uint64_t b = shape.blocks; b-- > 0;) {
            const auto first = x.begin() + static_cast<std::ptrdiff_t>((g * shape.blocks + b) * shape.block);
            z.insert(z.end(), first, first + static_cast<std::ptrdiff_t>(shape.block));
        }
    }
    return z;
}

// ---- words that steps write ----

TEST(written_words, bits_are_those_of_twos_complement)
{
    const auto bits = [](std::int64_t least, std::int64_t most) { return written_range{least, most}.bits(); };
    EXPECT_EQ(bits(0, 0), 1u);
    EXPECT_EQ(bits(-1, 0), 1u);
    EXPECT_EQ(bits(0, 1), 2u);
    EXPECT_EQ(bits(-128, 127), 8u);
    EXPECT_EQ(bits(-129, 0), 9u);
    EXPECT_EQ(bits(0, 128), 9u);
    EXPECT_EQ(bits(INT64_MIN, INT64_MAX), 64u);
}

TEST(written_words, of_a_scan_are_sums_within_a_block_and_from_the_start)
{
    segmented_problem<std::int64_t> p;
    p.x = workloads::random_values<std::int64_t>(300, 7);
    mmv_reference machine(limits_of(4));
    written_range written;
    const auto& scan = workloads::find_segmented_variant("scan");
    const auto watched = workloads::run_segmented(scan, machine, p, &written);
    EXPECT_EQ(watched.values, naive(segmented_operation::scan, p));
    // Every number is a sum of the range from the start of a block of 1, 4, 16, .. elements, or from that of the
    // vector.
    written_range expected;
    std::vector<std::int64_t> sums(p.x.size() + 1);
    std::partial_sum(p.x.begin(), p.x.end(), sums.begin() + 1);
    for (std::uint64_t block = 4; block < 4 * p.x.size(); block *= 4) {
        for (std::uint64_t i = 0; i < p.x.size(); ++i) {
            const bool end = (i + 1) % (block / 4) == 0 || i + 1 == p.x.size();
            if (end) { expected.include({sums[i + 1] - sums[i / block * block], sums[i + 1]}); }
        }
    }
    EXPECT_EQ(written.least, expected.least);
    EXPECT_EQ(written.most, expected.most);
    EXPECT_EQ(watched.counts, workloads::run_segmented(scan, machine, p).counts) << "a STORE is no step";
}

TEST(written_words, are_those_of_intermediate_steps_too)
{
    segmented_problem<std::int64_t> p;
    p.x.assign(64, 5);
    p.flags.assign(64, 1); // all segments have one element, and the speculative scan sums all
    mmv_reference machine(limits_of(4));
    written_range written;
    const auto result = workloads::run_segmented(workloads::find_segmented_variant("scd"), machine, p, &written);
    EXPECT_EQ(result.values, p.x);
    EXPECT_EQ(written.most, 320);
}

TEST(written_words, need_the_block_revert)
{
    segmented_problem<std::int64_t> p;
    p.x = {1, 2};
    p.flags = {1, 1};
    mmv_reference machine(limits_of(4, base::element_type::int64, without({isa::vector::functional_block::revert})));
    written_range written;
    const auto& sscr = workloads::find_segmented_variant("sscr");
    EXPECT_THROW(workloads::run_segmented(sscr, machine, p, &written), std::logic_error);
}

// ---- lemma 3.4 ----

TEST(block_reversal_test, vector_unit_takes_one_step_for_any_shape)
{
    mmv_reference machine(limits_of(4));
    for (const block_reversal& shape : {block_reversal{1, 1, 1}, {1, 5, 3}, {3, 4, 2}, {5, 3, 7}}) {
        const auto x = ascending_numbers(shape.elements());
        const auto result = workloads::reverse_on_vector_unit(machine, shape, x);
        EXPECT_EQ(result.values, reversed(x, shape));
        EXPECT_EQ(result.counts[mmv::event::vector_instruction], 1u);
        EXPECT_EQ(result.counts[mmv::event::vector_circuit], shape.elements() * 64);
        EXPECT_EQ(result.counts[mmv::event::matmul_call], 0u);
    }
}

TEST(block_reversal_test, matrix_unit_takes_the_calls_of_the_closed_form_and_never_fewer_than_the_bound)
{
    for (const std::uint32_t side : {2u, 4u, 16u}) {
        mmv_reference machine(limits_of(side));
        for (const std::uint64_t groups : {1, 2, 3, 7}) {
            for (const std::uint64_t blocks : {2, 4, 6, 14, 20}) {
                const block_reversal shape{groups, blocks, side / 2};
                const auto x = ascending_numbers(shape.elements());
                const auto result = workloads::reverse_on_matrix_unit(machine, shape, x);
                EXPECT_EQ(result.values, reversed(x, shape)) << side << ", " << groups << " x " << blocks;
                const std::uint64_t calls = result.counts[mmv::event::matmul_call];
                EXPECT_EQ(calls, blocks == 2 ? 1 : blocks / 2 + groups * (blocks / 2));
                EXPECT_EQ(calls, workloads::calls_of_reversal(shape));
                EXPECT_GE(calls, workloads::least_calls_of_reversal(shape, side));
                EXPECT_EQ(result.counts[mmv::event::vector_instruction], 0u);
                EXPECT_EQ(result.counts[mmv::event::scalar_instruction], 0u);
            }
        }
    }
}

// A call moves an element within its row, by s - 1 places at most: how often must it, to carry the first block to the
// end of its group?
TEST(block_reversal_test, bound_is_the_number_of_calls_that_carry_a_block_across_its_group)
{
    for (const std::uint64_t side : {2u, 4u, 16u}) {
        for (const std::uint64_t blocks : {1u, 2u, 9u, 64u}) {
            for (const std::uint64_t block : {1u, 2u, 8u}) {
                std::uint64_t calls = 0, reached = 0;
                for (; reached < (blocks - 1) * block; reached += side - 1) { ++calls; }
                EXPECT_EQ(workloads::least_calls_of_reversal({1, blocks, block}, side), calls);
            }
        }
    }
}

// ---- bounds ----

const workloads::segmented_theorem& theorem(std::string_view variant, std::string_view name)
{
    const auto& all = workloads::segmented_theorems();
    return *std::find_if(all.begin(), all.end(), [&](const auto& t) { return t.variant == variant && t.name == name; });
}

TEST(segmented_theorems_test, bounds_are_those_of_the_paper_with_constants_1)
{
    workloads::segmented_theorem_terms t;
    t.n = 4096;
    t.columns = 100;
    t.s = 16;
    t.w = 64;
    t.bits = 8;
    t.largest = 7;
    EXPECT_EQ(theorem("scan", "4.1").steps(t), 3u);
    EXPECT_EQ(theorem("scan", "4.1").work(t), 4096.0 * (16 + 64));
    EXPECT_EQ(theorem("scan", "4.1").bits(t), 16u); // 28,672 and a sign
    EXPECT_EQ(theorem("scd", "4.2").work(t), 4096.0 * 16 + 4096.0 * 4096 * 64);
    EXPECT_EQ(theorem("segscan", "4.3").work(t), 4096.0 * 16 + 4096.0 * 64 * (16 + 64));
    EXPECT_EQ(theorem("ewmul", "lemma 4.4").steps(t), 1u);
    EXPECT_EQ(theorem("ewmul", "lemma 4.4").work(t), 8.0 * 16 + 8.0 * 64 * (16 + 64));
    EXPECT_EQ(theorem("ewmul", "lemma 4.4").bits(t), 16 + 3 + 1u);
    EXPECT_EQ(theorem("ewmul", "corollary 4.5").work(t), 4096 * theorem("ewmul", "lemma 4.4").work(t));
    EXPECT_EQ(theorem("ewmul_seg", "corollary 4.5, one scan").steps(t), 4u); // 32,768
    EXPECT_EQ(theorem("matprod", "4.6").steps(t), 3 + 1u);
    EXPECT_EQ(theorem("matprod", "4.6").bits(t), 16 + 12 + 1u);
    EXPECT_EQ(theorem("spmv", "4.7").work(t), 4096.0 * (100 + 4096) * 64 + 4096.0 * (8.0 * 16 + 8.0 * 64 * (16 + 64)));
}

TEST(segmented_theorems_test, parity_takes_log_n_by_log_log_n_steps)
{
    EXPECT_FALSE(workloads::parity_steps(3));
    EXPECT_EQ(workloads::parity_steps(4), 2.0);
    EXPECT_EQ(workloads::parity_steps(65536), 4.0);
    EXPECT_NEAR(*workloads::parity_steps(1000), std::log(1000.0) / std::log(2.0) / std::log2(std::log2(1000.0)), 1e-12);
}

TEST(segmented_theorems_test, rivals_have_no_matrix_unit_and_no_multiplier)
{
    for (const auto operation : {segmented_operation::scan, segmented_operation::product, segmented_operation::spmv,
                                 segmented_operation::matrix_product}) {
        const auto rivals = workloads::vector_rivals(operation);
        EXPECT_FALSE(rivals.empty());
        for (const auto* rival : rivals) {
            EXPECT_TRUE(rival->is(workloads::vector_only));
            EXPECT_NE(std::string(rival->name), "mul");
            EXPECT_NE(std::string(rival->name), "gemm_vcu");
        }
    }
}

} // namespace
} // namespace tensorloom::test
