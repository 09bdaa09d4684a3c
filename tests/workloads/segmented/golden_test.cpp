#include "golden_rows.h"

#include <gtest/gtest.h>
#include <tensorloom/workloads/segmented/references.h>
#include "segmented_case.h"

namespace tensorloom::test {
namespace {

void expect_golden(mmv_reference& machine, const golden_row& row)
{
    SCOPED_TRACE(row.algorithm + " n=" + std::to_string(row.n) + " s=" + std::to_string(row.side) + " bits " +
                 std::to_string(row.bits.value_or(0)));
    const auto problem = golden_problem(row);
    const auto& variant = workloads::find_segmented_variant(row.algorithm);
    const auto result = run_segmented(variant, machine, problem);
    EXPECT_EQ(numbers_of(mmv_ram_meter_of(result.counts, row.side)), numbers_of(row.meter));
    EXPECT_EQ(result.values.size(), row.results);
    EXPECT_EQ(workloads::weighted_checksum(result.values), row.checksum);
    EXPECT_TRUE(check_segmented(variant, problem, result.values, row.side).passed);
}

// All rows that a device of this format can run, one device per s; how many that were.
std::size_t expect_golden(base::element_type format)
{
    std::size_t run = 0;
    for (const std::uint32_t side : {4u, 16u}) {
        mmv_reference::settings settings;
        settings.word_bits = 32;
        mmv_reference machine(limits_of(side, format), settings);
        for (const auto& row : golden_rows()) {
            if (row.side != side || (row.bits && format == base::element_type::f64)) { continue; }
            EXPECT_EQ(row.word_bits, settings.word_bits);
            expect_golden(machine, row);
            ++run;
        }
    }
    return run;
}

TEST(mmv_ram_golden, every_row_in_int64) { EXPECT_EQ(expect_golden(base::element_type::int64), 264u); }

TEST(mmv_ram_golden, every_row_in_int32) { EXPECT_EQ(expect_golden(base::element_type::int32), 264u); }

TEST(mmv_ram_golden, every_row_in_f64_whose_products_need_no_bits)
{
    EXPECT_EQ(expect_golden(base::element_type::f64), 228u);
}

TEST(mmv_ram_golden, every_row_by_its_closed_form)
{
    for (const auto& row : golden_rows()) {
        const auto& variant = workloads::find_segmented_variant(row.algorithm);
        const auto sizes = sizes_of(variant, golden_problem(row));
        const auto limits = limits_of(row.side);
        EXPECT_EQ(numbers_of(expected_meter(variant, sizes, limits, row.word_bits)), numbers_of(row.meter))
            << row.algorithm << " n=" << row.n << " s=" << row.side;
    }
}

} // namespace
} // namespace tensorloom::test
