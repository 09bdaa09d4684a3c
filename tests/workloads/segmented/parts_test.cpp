#include <limits>
#include <numeric>
#include <gmock/gmock.h>
#include <tensorloom/workloads/segmented/parts.h>
#include "segmented_case.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using workloads::find_segmented_variant;
using workloads::segmented_parts;
using workloads::segmented_result;

segmented_problem<std::int64_t> operands_of(std::uint64_t n)
{
    segmented_problem<std::int64_t> p;
    p.x = workloads::formula_values(n);
    p.y = workloads::formula_values(n, 5);
    p.flags = workloads::formula_flags(n);
    return p;
}

template <class T> std::vector<std::uint64_t> lengths_of(const segmented_parts<T>& parts)
{
    std::vector<std::uint64_t> lengths;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        lengths.push_back(parts.problem(i) ? parts.problem(i)->x.size() : 0);
    }
    return lengths;
}

template <class T> std::vector<std::uint64_t> rows_of(const segmented_parts<T>& parts)
{
    std::vector<std::uint64_t> rows;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        rows.push_back(parts.problem(i) ? parts.problem(i)->matrix.rows : 0);
    }
    return rows;
}

TEST(segmented_parts, elements_are_divided_equally)
{
    const auto p = operands_of(10);
    for (const char* name : {"scan", "copy", "compress", "mul"}) {
        const segmented_parts<std::int64_t> parts(find_segmented_variant(name), p, 4);
        EXPECT_THAT(lengths_of(parts), ElementsAre(2, 3, 2, 3)) << name;
    }
    const segmented_parts<std::int64_t> parts(find_segmented_variant("diff_vcu"), p, 4);
    EXPECT_THAT(lengths_of(parts), ElementsAre(2, 4, 3, 4)); // with the one before
    EXPECT_EQ(parts.problem(1)->x.front(), p.x[1]);
}

TEST(segmented_parts, more_parts_than_elements_leave_some_empty)
{
    const auto p = operands_of(2);
    const segmented_parts<std::int64_t> parts(find_segmented_variant("scan"), p, 5);
    EXPECT_THAT(lengths_of(parts), ElementsAre(0, 0, 1, 0, 1));
}

TEST(segmented_parts, segments_stay_whole)
{
    auto p = operands_of(12);
    p.flags = {0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0};
    for (const char* name : {"segscan", "scd"}) {
        EXPECT_THAT(lengths_of(segmented_parts<std::int64_t>(find_segmented_variant(name), p, 2)), ElementsAre(7, 5));
        EXPECT_THAT(lengths_of(segmented_parts<std::int64_t>(find_segmented_variant(name), p, 3)),
                    ElementsAre(7, 0, 5));
        EXPECT_THAT(lengths_of(segmented_parts<std::int64_t>(find_segmented_variant(name), p, 4)),
                    ElementsAre(0, 7, 3, 2));
    }
    p.flags.assign(12, 0);
    EXPECT_THAT(lengths_of(segmented_parts<std::int64_t>(find_segmented_variant("segscan"), p, 2)), ElementsAre(12, 0));
}

TEST(segmented_parts, rows_are_cut_by_their_elements)
{
    segmented_problem<std::int64_t> p;
    p.matrix = {5, 3, {0, 0, 0, 3, 6, 7}, {0, 1, 2, 0, 1, 2, 0}, {1, 2, 3, 4, 5, 6, 7}};
    p.x = {1, 10, 100};
    const segmented_parts<std::int64_t> parts(find_segmented_variant("spmv"), p, 2);
    EXPECT_THAT(rows_of(parts), ElementsAre(3, 2)); // places 0 1 2 6 10 12: 6 is half
    EXPECT_THAT(parts.problem(1)->matrix.row_starts, ElementsAre(0, 3, 4));
    EXPECT_THAT(parts.problem(1)->matrix.value, ElementsAre(4, 5, 6, 7));
    EXPECT_EQ(parts.problem(1)->x, p.x);
    p.matrix = {4, 3, {0, 0, 0, 0, 0}, {}, {}};
    EXPECT_THAT(rows_of(segmented_parts<std::int64_t>(find_segmented_variant("spmv"), p, 2)), ElementsAre(2, 2));
}

TEST(segmented_parts, rows_of_a_product_are_divided_equally)
{
    segmented_problem<std::int64_t> p;
    p.shape = {5, 2, 3};
    p.x.resize(10);
    std::iota(p.x.begin(), p.x.end(), 0);
    p.y.assign(6, 1);
    const segmented_parts<std::int64_t> parts(find_segmented_variant("gemm_tiled"), p, 2);
    EXPECT_EQ(parts.problem(0)->shape.rows, 2u);
    EXPECT_EQ(parts.problem(1)->shape.rows, 3u);
    EXPECT_THAT(parts.problem(1)->x, ElementsAre(4, 5, 6, 7, 8, 9));
    EXPECT_EQ(parts.problem(1)->y, p.y);
}

// The last part first: `before` needs the others' last results, which are then those of earlier runs.
std::vector<std::int64_t> run_all(const segmented_variant& variant, const segmented_problem<std::int64_t>& p,
                                  std::size_t count, const mmv::limits& limits, mmv::mmv_ram_meter& counted)
{
    segmented_parts<std::int64_t> parts(variant, p, count);
    std::vector<segmented_result<std::int64_t>> results(count);
    for (std::size_t round = 0; round < 2; ++round) {
        counted = {};
        for (std::size_t i = 0; i < count; ++i) {
            mmv_reference machine(limits);
            results[i] = parts.run(i, machine, [] {});
            counted += mmv_ram_meter_of(results[i].counts, limits.side);
        }
    }
    return parts.joined(results);
}

TEST(segmented_parts, results_and_counts_are_those_of_the_parts)
{
    for (const char* name :
         {"scan", "scan_hybrid", "scan_tree_vcu", "compress", "diff_mmu", "scd", "segscan", "sscr", "mul", "copy"}) {
        const auto& variant = find_segmented_variant(name);
        const auto limits = limits_of(4);
        const auto p = operands_of(50);
        for (std::size_t count : {1u, 2u, 3u, 7u, 50u, 60u}) {
            mmv::mmv_ram_meter counted;
            EXPECT_EQ(run_all(variant, p, count, limits, counted), naive(variant.operation, p)) << name << " " << count;
            std::vector<workloads::segmented_sizes> sizes;
            const segmented_parts<std::int64_t> parts(variant, p, count);
            for (std::size_t i = 0; i < count; ++i) {
                if (parts.problem(i)) { sizes.push_back(sizes_of(variant, *parts.problem(i))); }
            }
            EXPECT_EQ(numbers_of(counted), numbers_of(expected_meter_of_parts(variant, sizes, limits, 64)))
                << name << " " << count;
        }
    }
}

TEST(segmented_parts, sums_that_no_word_holds_are_reported)
{
    for (const auto format : {base::element_type::int32, base::element_type::int64}) {
        segmented_problem<std::int64_t> p;
        const std::int64_t most = format == base::element_type::int32 ? std::numeric_limits<std::int32_t>::max()
                                                                      : std::numeric_limits<std::int64_t>::max();
        p.x = {most, most, 0};
        segmented_parts<std::int64_t> parts(find_segmented_variant("scan_vcu"), p, 3);
        std::vector<isa::error_code> errors;
        for (std::size_t i = 0; i < 3; ++i) {
            mmv_reference machine(limits_of(4, format));
            errors.push_back(isa::error_code::none);
            try {
                parts.run(i, machine, [] {});
            } catch (const workloads::program_error& error) {
                errors.back() = error.code();
                if (i == 2) { EXPECT_THAT(error.what(), testing::HasSubstr(base::element_type_name(format))); }
            }
        }
        // The second part overflows on its device, the sum before the third on the host.
        EXPECT_THAT(errors, ElementsAre(isa::error_code::none, isa::error_code::arithmetic_overflow,
                                        isa::error_code::accumulator_overflow));
    }
}

} // namespace
} // namespace tensorloom::test
