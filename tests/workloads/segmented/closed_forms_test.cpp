// What the theorems say about the closed forms: growth in steps and work.
#include <cmath>
#include <vector>
#include "segmented_case.h"

namespace tensorloom::test {
namespace {

mmv::mmv_ram_meter meter_of(const char* variant, std::uint64_t n, std::uint32_t side)
{
    workloads::segmented_sizes sizes;
    sizes.elements = n;
    sizes.results = n;
    return expected_meter(workloads::find_segmented_variant(variant), sizes, limits_of(side), 32);
}

std::uint64_t power(std::uint64_t s, unsigned k)
{
    std::uint64_t n = 1;
    while (k-- > 0) { n *= s; }
    return n;
}

TEST(closed_forms, powers_of_s)
{
    for (const std::uint32_t s : {2u, 4u, 16u}) {
        for (unsigned k = 1; k <= 5; ++k) {
            const std::uint64_t n = power(s, k);
            const auto scan = meter_of("scan", n, s);
            EXPECT_EQ(scan.mmu_steps, 2 * k - 1);
            EXPECT_EQ(scan.vcu_steps, 2 * (k - 1));
            EXPECT_EQ(scan.mmu_rows, (2 * n - s - 1) / (s - 1) - (k - 1));
            EXPECT_EQ(meter_of("segscan", n, s).mmu_rows, 2 * (n - 1) / (s - 1));
        }
    }
}

// Rows of a scan against 2n / (s - 1), s = 4.
TEST(closed_forms, work_of_a_scan_becomes_flat)
{
    const std::vector<std::uint64_t> n = {64, 1024, 16384, 262144};
    const std::vector<double> flatness = {0.914, 0.992, 0.9993, 0.9999};
    for (std::size_t i = 0; i < n.size(); ++i) {
        const auto rows = static_cast<double>(meter_of("scan", n[i], 4).mmu_rows);
        EXPECT_NEAR(rows * 3 / (2 * static_cast<double>(n[i])), flatness[i], i < 2 ? 5e-4 : 5e-5);
    }
}

// Steps: the matrix unit wins with REVSPEC, and loses against the vector unit where masked instructions replace it.
TEST(closed_forms, steps_of_segmented_scans_at_4096)
{
    EXPECT_EQ(meter_of("segscan", 4096, 16).steps(), 6u + 17u);
    EXPECT_EQ(meter_of("segscan_ks", 4096, 16).steps(), 6u + 92u);
    EXPECT_EQ(meter_of("segscan_vcu", 4096, 16).steps(), 48u + 1u);
    EXPECT_LT(meter_of("segscan_ks", 4096, 16).vcu_elems, meter_of("segscan_vcu", 4096, 16).vcu_elems);
}

// With speculation the vector unit alone ties with the matrix unit in steps.
TEST(closed_forms, steps_of_speculation_at_8192)
{
    EXPECT_EQ(meter_of("sscr_shared", 8192, 16).steps(), 33u);
    EXPECT_EQ(meter_of("sscr_vcu", 8192, 16).steps(), 33u);
}

// The totals of 256 blocks take 8 additions.
TEST(closed_forms, steps_of_hybrids_at_4096)
{
    EXPECT_EQ(meter_of("scan_hybrid", 4096, 16).mmu_steps, 1u);
    EXPECT_EQ(meter_of("scan_hybrid", 4096, 16).vcu_steps, 1u + 8u + 3u);
    EXPECT_EQ(meter_of("segscan_hybrid", 4096, 16).mmu_steps, 2u);
    EXPECT_EQ(meter_of("segscan_hybrid", 4096, 16).vcu_steps, 1u + 2u + 4u * 8u + 5u);
    EXPECT_EQ(meter_of("segscan_hybrid", 4096, 16).scalar_steps, 1u);
    EXPECT_EQ(meter_of("segscan_hybrid", 16, 16).steps(), 3u);
}

// Level 0 has four blocks of 4 with at most 3 flags, level 1 a block with 2: x and f by U, then a product per round.
TEST(closed_forms, rounds_of_a_loop_over_segments)
{
    workloads::segmented_sizes sizes;
    sizes.elements = 16;
    sizes.flags = {0, 0, 0, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0};
    const auto& variant = workloads::find_segmented_variant("segscan_loop");
    auto meter = expected_meter(variant, sizes, limits_of(4), 32);
    EXPECT_EQ(meter.mmu_steps, 2u * 2u + 3u + 2u);
    EXPECT_EQ(meter.mmu_rows, (2u + 3u) * 4u + (2u + 2u) * 1u);
    EXPECT_EQ(meter.weight_loads, 2u + 2u);
    EXPECT_EQ(meter.vcu_steps, 4u + 3u * 5u + 7u + 4u + 2u * 5u);
    EXPECT_EQ(meter.scalar_steps, 0u);
    // Of 16 elements: 2, 5 per round, 5 of the carry; of 4: the ends, 3 times; the numbers of flags, 0 to 4.
    EXPECT_EQ(meter.vcu_elems, (2u + 3u * 5u + 5u) * 16u + 3u * 4u + 5u + (2u + 2u * 5u) * 4u + 1u + 5u);

    sizes.flags.assign(16, 0);
    meter = expected_meter(variant, sizes, limits_of(4), 32);
    EXPECT_EQ(meter.mmu_steps, 4u);
    EXPECT_EQ(meter.weight_loads, 2u);
    EXPECT_EQ(meter.vcu_steps, 4u + 7u + 4u);
}

// By a tree: 7 elements per element of the vector, however long it is.
TEST(closed_forms, work_of_a_tree_grows_as_the_vector)
{
    for (unsigned k = 1; k <= 18; ++k) {
        const std::uint64_t n = std::uint64_t{1} << k;
        EXPECT_EQ(meter_of("scan_tree_vcu", n, 16).steps(), 5 * k);
        EXPECT_EQ(meter_of("scan_tree_vcu", n, 16).vcu_elems, 7 * (n - 1));
    }
    EXPECT_EQ(meter_of("scan_vcu", 4096, 16).vcu_elems, 12u * 4096u);
}

} // namespace
} // namespace tensorloom::test
