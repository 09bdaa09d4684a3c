#include <functional>
#include <limits>
#include <gmock/gmock.h>
#include <tensorloom/models/base/values/input_error.h>
#include "support/message_of.h"
#include "segmented_case.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using isa::vector::functional_block;
using testing::HasSubstr;
using workloads::find_segmented_variant;

segmented_problem<std::int64_t> vector_problem(std::uint64_t n)
{
    segmented_problem<std::int64_t> p;
    p.x = workloads::formula_values(n);
    p.flags = workloads::formula_flags(n);
    return p;
}

template <class T>
std::string refusal(const std::string& variant, const mmv::limits& limits, const segmented_problem<T>& p)
{
    mmv_reference machine(limits);
    return message_of([&] { run_segmented(find_segmented_variant(variant), machine, p); });
}

isa::error_code error_of(const std::string& variant, const mmv::limits& limits,
                         const segmented_problem<std::int64_t>& p)
{
    mmv_reference machine(limits);
    try {
        run_segmented(find_segmented_variant(variant), machine, p);
    } catch (const workloads::program_error& error) {
        return error.code();
    }
    return isa::error_code::none;
}

TEST(segmented_check_errors, overflow_is_reported)
{
    auto p = vector_problem(20);
    p.x[3] = std::numeric_limits<std::int32_t>::max();
    p.x[4] = p.x[3];
    const auto limits = limits_of(4, element_type::int32);
    EXPECT_EQ(error_of("scan", limits, p), isa::error_code::accumulator_overflow);
    EXPECT_EQ(error_of("scan_vcu", limits, p), isa::error_code::arithmetic_overflow);
    EXPECT_EQ(error_of("scan", limits_of(4), p), isa::error_code::none);

    // Segments that stay small do not help a speculative scan.
    p.flags.assign(20, 1);
    EXPECT_EQ(error_of("sscr", limits, p), isa::error_code::accumulator_overflow);
    EXPECT_EQ(error_of("segscan_vcu", limits, p), isa::error_code::none);
}

TEST(segmented_check_errors, small_scratchpad_is_refused_with_the_bytes_that_would_do)
{
    auto limits = limits_of(4);
    limits.scratchpad_bytes = 4096;
    const auto p = vector_problem(1000);
    const std::string error = refusal("scan", limits, p);
    EXPECT_THAT(error, HasSubstr("scratchpad: found 4096 bytes, expected at least "));
    limits.scratchpad_bytes = std::stoull(error.substr(error.find("at least ") + 9));
    mmv_reference machine(limits);
    const auto result = run_segmented(find_segmented_variant("scan"), machine, p);
    EXPECT_EQ(result.values, naive(segmented_operation::scan, p));
    EXPECT_EQ(result.scratchpad_bytes, limits.scratchpad_bytes);
}

TEST(segmented_check_errors, format_that_an_algorithm_cannot_use)
{
    auto p = vector_problem(20);
    EXPECT_THAT(
        refusal("scan", limits_of(4, element_type::int8), p),
        HasSubstr("scan: format int8 found, expected one whose sums are operands again: f64, f32, int32 or int64"));
    EXPECT_THAT(refusal("segscan", limits_of(4, element_type::bf16), p), HasSubstr("segscan: format bf16 found"));
    EXPECT_THAT(refusal("scd", limits_of(4, element_type::f16), p), HasSubstr("scd: format f16 found"));
    EXPECT_THAT(refusal("scan", limits_of(4, element_type::c128), p), HasSubstr("format c128 found"));
    p.x = p.y = workloads::formula_operand(20, 1, 4);
    p.bits = 4;
    EXPECT_THAT(refusal("ewmul", limits_of(4, element_type::f64), p),
                HasSubstr("format f64 found, expected an integer format for products by bits"));
}

TEST(segmented_check_errors, absent_blocks_without_replacement)
{
    auto p = vector_problem(20);
    p.y = p.x;
    EXPECT_THAT(refusal("mul", limits_of(4, element_type::int64, without({functional_block::multiplier})), p),
                HasSubstr("mul: a vector unit without multiplier found, expected one that has it"));
    EXPECT_THAT(refusal("scd", limits_of(4, element_type::f64, without({functional_block::compact})), p),
                HasSubstr("scd: a vector unit without the block COMPACT and format f64 found"));
    p.matrix = workloads::formula_matrix(5);
    p.x = workloads::formula_operand(40, 3, 4);
    EXPECT_THAT(refusal("spmv", limits_of(4, element_type::int64, without({functional_block::multiplier})), p),
                HasSubstr("or bits"));
}

TEST(segmented_check_errors, bits_that_are_missing_or_do_not_hold_the_operands)
{
    segmented_problem<std::int64_t> p;
    p.x = {1, 2};
    p.y = {3, 16};
    EXPECT_THAT(refusal("ewmul", limits_of(4), p), HasSubstr("ewmul: no bits found, expected the bits of an operand"));
    p.bits = 4;
    EXPECT_THAT(refusal("ewmul", limits_of(4), p),
                HasSubstr("right operand: 16 found at 1, expected 0 to 15 (4 bits)"));
    p.y = {-1, 1};
    EXPECT_THAT(refusal("ewmul", limits_of(4), p), HasSubstr("right operand: -1 found at 0"));
    p.bits = 0;
    EXPECT_THAT(refusal("ewmul", limits_of(4), p), HasSubstr("0 bits found, expected 1 to 63"));
    p.bits = 32;
    EXPECT_THAT(refusal("ewmul", limits_of(4, element_type::int32), p), HasSubstr("32 bits found, expected 1 to 31"));
}

TEST(segmented_check_errors, problems_that_are_not_well_formed)
{
    auto p = vector_problem(5);
    p.flags.pop_back();
    EXPECT_THAT(refusal("scd", limits_of(4), p), HasSubstr("flags: 4 elements found, expected 5"));
    EXPECT_THAT(refusal("mul", limits_of(4), p), HasSubstr("right operand: 0 elements found, expected 5"));
    p.x.clear();
    EXPECT_THAT(refusal("scan", limits_of(4), p), HasSubstr("no element found, expected at least one"));

    segmented_problem<std::int64_t> product;
    product.shape = {2, 3, 4};
    product.x.resize(6);
    product.y.resize(11);
    EXPECT_THAT(refusal("gemm_tiled", limits_of(4), product),
                HasSubstr("right operand: 11 elements found, expected 12"));

    segmented_problem<std::int64_t> sparse;
    sparse.matrix = workloads::formula_matrix(5);
    sparse.x.resize(39);
    EXPECT_THAT(refusal("spmv", limits_of(4), sparse), HasSubstr("vector: 39 elements found, expected 40"));
    sparse.x.resize(40);
    sparse.matrix.column[2] = 40;
    EXPECT_THAT(refusal("spmv", limits_of(4), sparse), HasSubstr("matrix: element 2 in column 40, expected below 40"));
    sparse.matrix = workloads::formula_matrix(5);
    sparse.matrix.row_starts[2] = 9;
    EXPECT_THAT(refusal("spmv", limits_of(4), sparse), HasSubstr("matrix: row 2 ends at"));
}

TEST(segmented_check_errors, numbers_that_the_format_does_not_hold)
{
    auto p = vector_problem(5);
    p.x[2] = std::int64_t{1} << 40;
    EXPECT_THAT(refusal("scan", limits_of(4, element_type::int32), p), HasSubstr("element 2: found 1099511627776"));
}

TEST(segmented_check_errors, unknown_names)
{
    EXPECT_THAT(message_of([] { find_segmented_variant("sort"); }),
                HasSubstr("variant: 'sort' found, expected one of scan, scan_tile, scan_vcu, "));
    EXPECT_THAT(message_of([] { workloads::parse_segmented_operation("sum"); }),
                HasSubstr("operation: 'sum' found, expected one of scan, compress, "));
}

TEST(segmented_variants, names_stand_for_themselves)
{
    for (const auto& v : workloads::segmented_variants) { EXPECT_EQ(&find_segmented_variant(v.name), &v); }
    for (const auto& o : workloads::segmented_operations) {
        EXPECT_EQ(workloads::parse_segmented_operation(o.name), o.operation);
        EXPECT_STREQ(workloads::name_of(o.operation), o.name);
        EXPECT_EQ(workloads::default_variant(o.operation).operation, o.operation);
    }
}

// Programs are cut where the memory is full, so it is an array alone that must fit.
TEST(segmented_memory, room_for_the_largest_transfer_is_enough_and_necessary)
{
    for (const auto& variant : workloads::segmented_variants) {
        segmented_problem<std::int64_t> p;
        const bool matrices = variant.operation == segmented_operation::matrix_product;
        p.bits = variant.products == workloads::product_use::by_bits ? std::optional<unsigned>(5) : std::nullopt;
        p.matrix = workloads::random_matrix<std::int64_t>(50, 45, 200, 1);
        p.x = workloads::formula_operand(variant.operation == segmented_operation::spmv ? 45 : 20 * 11, 1, 4);
        p.y = workloads::formula_operand(matrices ? 11 * 21 : 20 * 11, 2, 4);
        p.flags = workloads::formula_flags(p.x.size());
        p.shape = {20, 11, 21};
        if (!matrices) { p.shape = {}; }
        if (variant.operation != segmented_operation::spmv) {
            p.matrix = {};
        } else {
            p.y = {};
        }
        if (variant.is(workloads::full_rows)) { p.matrix = workloads::random_matrix<std::int64_t>(50, 45, 50 * 45, 1); }
        const std::uint64_t largest = largest_transfer(variant, p, 4);

        mmv_reference::settings with;
        with.memory_bytes = (8 * largest + 63) / 64 * 64;
        mmv_reference enough(limits_of(4), with);
        EXPECT_EQ(run_segmented(variant, enough, p).values, naive(variant.operation, p)) << variant.name;
        with.memory_bytes -= 64;
        mmv_reference less(limits_of(4), with);
        EXPECT_THAT(message_of([&] { run_segmented(variant, less, p); }), HasSubstr("memory: found"))
            << variant.name << ", " << largest;
    }
}

} // namespace

} // namespace tensorloom::test
