// Every variant against naive loops, and its counts against its closed form, over sizes around the powers of s and all
// kinds of segments.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/segmented/references.h>
#include "segmented_case.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using isa::vector::functional_block;

// Lengths where something changes: 1, less than a block, blocks exactly and one more, powers of s and next to them.
std::vector<std::uint64_t> lengths(std::uint64_t s)
{
    std::vector<std::uint64_t> n = {1, 2, s - 1, s, s + 1, 2 * s, s * s - 1, s * s, s * s + 1, s * s + s + 1};
    if (s <= 5) { n.insert(n.end(), {s * s * s - 1, s * s * s, s * s * s + 1}); }
    n.erase(std::remove(n.begin(), n.end(), 0), n.end());
    return n;
}

std::vector<std::vector<std::uint8_t>> flag_patterns(std::uint64_t n)
{
    std::vector<std::vector<std::uint8_t>> patterns(5, std::vector<std::uint8_t>(n));
    patterns[1].assign(n, 1);
    patterns[2].front() = 1;
    patterns[3].back() = 1;
    if (n > 2) { patterns[4][n / 2] = 1; } // f[0] = 0
    for (const double density : {0.05, 0.3, 0.8}) { patterns.push_back(workloads::random_flags(n, density, n)); }
    return patterns;
}

bool uses_flags(segmented_operation o)
{
    return o == segmented_operation::compress || o == segmented_operation::segmented_sum ||
           o == segmented_operation::segmented_scan;
}

// All variants over vectors that a device of this kind can run.
void expect_vectors_exact(const mmv::limits& limits)
{
    mmv_reference machine(limits);
    for (const auto& variant : workloads::segmented_variants) {
        const auto o = variant.operation;
        const bool vectors = o == segmented_operation::scan || o == segmented_operation::difference ||
                             o == segmented_operation::copy || uses_flags(o);
        if (!vectors || !why_not(variant, limits, {}).empty()) { continue; }
        for (const std::uint64_t n : lengths(limits.side)) {
            segmented_problem<std::int64_t> p;
            p.x = workloads::random_values<std::int64_t>(n, n);
            auto patterns = flag_patterns(n);
            if (!uses_flags(o)) { patterns.resize(1); }
            for (const auto& flags : patterns) {
                p.flags = flags;
                expect_exact(variant, machine, p);
            }
        }
    }
}

class vectors_of_side : public testing::TestWithParam<std::uint32_t> {};

TEST_P(vectors_of_side, every_variant_is_exact) { expect_vectors_exact(limits_of(GetParam())); }

TEST_P(vectors_of_side, every_variant_is_exact_without_functional_blocks)
{
    expect_vectors_exact(limits_of(GetParam(), element_type::int64, 0));
}

INSTANTIATE_TEST_SUITE_P(segmented, vectors_of_side, testing::Values(2, 3, 4, 7, 16));

TEST(segmented_vectors, each_block_may_be_absent)
{
    for (const auto block : {functional_block::revspec, functional_block::compact, functional_block::revert}) {
        expect_vectors_exact(limits_of(4, element_type::int64, without({block})));
    }
}

TEST(segmented_vectors, every_format_gives_the_same_numbers)
{
    for (const auto format : {element_type::int32, element_type::f64, element_type::f32, element_type::bf16,
                              element_type::f16, element_type::int8}) {
        expect_vectors_exact(limits_of(4, format));
    }
    expect_vectors_exact(limits_of(4, element_type::int32, 0));
    expect_vectors_exact(
        limits_of(4, element_type::f64, without({functional_block::revspec, functional_block::revert})));
}

// Parts of the programs, in their order; "" for what belongs to none.
std::vector<std::vector<std::string>> parts_of(const char* variant, std::uint64_t n, std::uint8_t blocks)
{
    segmented_problem<std::int64_t> p;
    p.x = workloads::formula_values(n);
    p.flags = workloads::formula_flags(n);
    p.matrix = workloads::formula_matrix(5);
    if (workloads::find_segmented_variant(variant).operation == segmented_operation::spmv) {
        p.x = workloads::formula_operand(p.matrix.columns, 3, 4);
    }
    mmv_reference machine(limits_of(4, element_type::int64, blocks));
    std::vector<std::vector<std::string>> names;
    for (const auto& program : run_segmented(workloads::find_segmented_variant(variant), machine, p).parts) {
        names.emplace_back();
        for (const auto& mark : program) { names.back().emplace_back(mark.part == nullptr ? "" : mark.part); }
    }
    return names;
}

TEST(segmented_parts, are_the_primitives_in_their_order)
{
    using programs = std::vector<std::vector<std::string>>;
    const auto all = isa::vector::all_functional_blocks;
    // A program of one part ends with a STORE, which belongs to none.
    EXPECT_EQ(parts_of("copy", 20, all), (programs{{}}));
    EXPECT_EQ(parts_of("scan", 20, all), (programs{{"scan", ""}}));
    EXPECT_EQ(parts_of("compress", 20, all), (programs{{"compress"}, {"compress", ""}}));
    EXPECT_EQ(parts_of("scd", 20, all), (programs{{"scan", "flags", "compress"}, {"compress", "diff", ""}}));
    EXPECT_EQ(parts_of("sscr", 20, all),
              (programs{{"scan", "flags", "scan", "flags", "compress"}, {"compress", "revert", ""}}));
    EXPECT_EQ(parts_of("sscr", 20, without({functional_block::revert})), parts_of("sscr", 20, all));
    EXPECT_EQ(parts_of("segscan", 16, all), (programs{{"scan", "revert", "update", "scan", "revert", "update", ""}}));
    EXPECT_EQ(parts_of("segscan_loop", 4, all), (programs{{"scan", "revert"}, {"revert", ""}}));
    EXPECT_EQ(parts_of("spmv", 20, all), (programs{{"gather", "product", "scan", "gather", "diff", ""}}));
}

TEST(segmented_vectors, long_vectors)
{
    mmv_reference machine(limits_of(16));
    for (const auto& variant : workloads::segmented_variants) {
        if (variant.operation != segmented_operation::segmented_scan) { continue; }
        segmented_problem<std::int64_t> p;
        p.x = workloads::random_values<std::int64_t>(30000, 1);
        p.flags = workloads::random_flags(30000, 0.01, 2);
        expect_exact(variant, machine, p);
    }
}

TEST(segmented_products, every_variant_is_exact_for_every_width)
{
    for (const std::uint32_t side : {2u, 3u, 4u, 16u}) {
        mmv_reference machine(limits_of(side));
        for (const unsigned bits : {1u, 2u, 4u, 5u, 8u, 13u}) {
            for (const auto& variant : workloads::segmented_variants) {
                if (variant.operation != segmented_operation::product) { continue; }
                for (const std::uint64_t n : {1u, 3u, 17u}) {
                    segmented_problem<std::int64_t> p;
                    p.bits = bits;
                    p.x = workloads::random_values<std::int64_t>(n, bits, bits);
                    p.y = workloads::random_values<std::int64_t>(n, bits + 100, bits);
                    p.x[0] = p.y[0] = (std::int64_t{1} << bits) - 1; // the largest product
                    expect_exact(variant, machine, p);
                }
            }
        }
    }
}

TEST(segmented_products, products_by_segments_without_revspec)
{
    segmented_problem<std::int64_t> p;
    p.bits = 6;
    p.x = workloads::random_values<std::int64_t>(20, 1, 6);
    p.y = workloads::random_values<std::int64_t>(20, 2, 6);
    mmv_reference machine(limits_of(4, element_type::int64, without({functional_block::revspec})));
    expect_exact(workloads::find_segmented_variant("ewmul_seg"), machine, p);
}

TEST(segmented_products, matrices_of_any_shape)
{
    for (const std::uint32_t side : {2u, 4u, 5u}) {
        mmv_reference machine(limits_of(side));
        for (const auto& shape : {workloads::product_shape{1, 1, 1}, {3, 4, 5}, {5, 9, 2}, {8, 8, 8}, {1, 7, 1}}) {
            for (const auto& variant : workloads::segmented_variants) {
                if (variant.operation != segmented_operation::matrix_product) { continue; }
                segmented_problem<std::int64_t> p;
                p.shape = shape;
                p.bits = 3;
                p.x = workloads::random_values<std::int64_t>(shape.rows * shape.inner, 1, 3);
                p.y = workloads::random_values<std::int64_t>(shape.inner * shape.columns, 2, 3);
                expect_exact(variant, machine, p);
            }
        }
    }
}

TEST(segmented_products, int8_tiles_have_int32_sums)
{
    segmented_problem<std::int64_t> p;
    p.shape = {6, 300, 5};
    p.x.assign(6 * 300, 127);
    p.y.assign(300 * 5, -128); // sums of -4876800
    mmv_reference machine(limits_of(4, element_type::int8));
    expect_exact(workloads::find_segmented_variant("gemm_tiled"), machine, p);
}

// Operands that the format holds, of all signs and sizes between 2^-8 and 1.
std::vector<double> operands_in(element_type format, std::uint64_t n, std::uint64_t seed)
{
    auto x = workloads::random_values<double>(n, seed);
    for (auto& v : x) { v = workloads::rounded_to(format, v); }
    return x;
}

TEST(segmented_products, of_real_operands_round_their_sums_in_f32)
{
    for (const auto format : {element_type::f32, element_type::bf16, element_type::f16}) {
        segmented_problem<double> p;
        p.shape = {5, 11, 6};
        p.x = operands_in(format, 5 * 11, 1);
        p.y = operands_in(format, 11 * 6, 2);
        mmv_reference machine(limits_of(4, format));
        const auto result = run_segmented(workloads::find_segmented_variant("gemm_tiled"), machine, p);
        for (std::size_t i = 0; i < 5; ++i) {
            for (std::size_t j = 0; j < 6; ++j) {
                float sum = 0; // of tiles of 4 terms, whose sums are added
                for (std::size_t first = 0; first < 11; first += 4) {
                    float tile = 0;
                    for (std::size_t k = first; k < std::min<std::size_t>(first + 4, 11); ++k) {
                        tile = std::fma(static_cast<float>(p.x[i * 11 + k]), static_cast<float>(p.y[k * 6 + j]), tile);
                    }
                    sum = first == 0 ? tile : sum + tile;
                }
                EXPECT_EQ(result.values[i * 6 + j], static_cast<double>(sum)) << base::element_type_name(format);
            }
        }
    }
}

TEST(segmented_vectors, of_real_operands_are_within_the_bounds_of_their_sums)
{
    for (const auto format : {element_type::f64, element_type::f32, element_type::bf16, element_type::f16}) {
        const auto limits = limits_of(4, format);
        mmv_reference machine(limits);
        for (const auto& variant : workloads::segmented_variants) {
            if (!why_not(variant, limits, {}).empty() || variant.operation == segmented_operation::spmv ||
                variant.operation == segmented_operation::matrix_product) {
                continue;
            }
            segmented_problem<double> p;
            p.x = operands_in(format, 150, 3);
            p.y = operands_in(format, 150, 4);
            p.flags = workloads::random_flags(150, 0.1, 5);
            const auto values = run_segmented(variant, machine, p).values;
            const auto check = check_segmented(variant, p, values, 4, limits.word());
            EXPECT_TRUE(check.passed) << variant.name << " " << base::element_type_name(format);
            const bool moves =
                variant.operation == segmented_operation::compress || variant.operation == segmented_operation::copy;
            if (format == element_type::f32 && !moves) {
                EXPECT_GT(check.max_abs_error, 1e-12) << variant.name; // sums round
            }
        }
    }
}

TEST(segmented_products, tiles_take_nothing_from_the_next_row)
{
    constexpr double infinite = std::numeric_limits<double>::infinity();
    segmented_problem<double> p;
    p.shape = {2, 3, 1};
    p.x = {1, 2, 3, infinite, 1, 1};
    p.y = {1, 1, 1};
    mmv_reference machine(limits_of(4, element_type::f64));
    const auto result = run_segmented(workloads::find_segmented_variant("gemm_tiled"), machine, p);
    EXPECT_EQ(result.values, (std::vector<double>{6, infinite}));
}

} // namespace
} // namespace tensorloom::test
