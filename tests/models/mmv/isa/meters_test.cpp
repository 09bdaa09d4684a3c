// The models' numbers from given counts.
#include <gtest/gtest.h>
#include <tensorloom/models/mmv/isa/meters.h>

namespace tensorloom::test {
namespace {

using namespace mmv;

counts some_counts()
{
    counts c;
    c[event::matmul_call] = 3;
    c[event::matmul_row] = 100;
    c[event::weight_load] = 2;
    c[event::vector_instruction] = 7;
    c[event::vector_element] = 1000;
    c[event::vector_circuit] = 5000;
    c[event::scalar_instruction] = 11;
    c[event::cpu_op] = 10000;
    c[event::scalar_op] = 77;
    return c;
}

TEST(mmv_meters, of_the_mmv_ram)
{
    const auto m = mmv_ram_meter_of(some_counts(), 16);
    EXPECT_EQ(m.mmu_steps, 3u);
    EXPECT_EQ(m.vcu_steps, 7u);
    EXPECT_EQ(m.scalar_steps, 11u);
    EXPECT_EQ(m.steps(), 21u);
    EXPECT_EQ(m.mmu_rows, 100u);
    EXPECT_EQ(m.mmu_macs, 25600u);
    EXPECT_EQ(m.mmu_cycles, 100u + 3 * 30 + 2 * 16);
    EXPECT_EQ(m.vcu_elems, 1000u);
    EXPECT_EQ(m.vcu_circuit, 5000u);
    EXPECT_EQ(m.weight_loads, 2u);
}

// A row of the golden: segscan, n = 4096, s = 16.
TEST(mmv_meters, cycles_are_those_of_the_golden)
{
    counts c;
    c[event::matmul_call] = 6;
    c[event::matmul_row] = 546;
    c[event::weight_load] = 1;
    EXPECT_EQ(mmv_ram_meter_of(c, 16).mmu_cycles, 742u);
}

TEST(mmv_meters, of_the_tcu)
{
    const auto m = tcu_meter_of(some_counts(), 16, 1000);
    EXPECT_EQ(m.calls, 3u);
    EXPECT_EQ(m.rows, 100u);
    EXPECT_EQ(m.tensor_time, 1600u + 3000);
    EXPECT_EQ(m.cpu_ops, 10000u + 1000u) << "an element of the vector unit is an operation";
    EXPECT_EQ(m.time, 15600u);
}

TEST(mmv_meters, counts_add_by_event)
{
    auto sum = some_counts();
    sum += some_counts();
    EXPECT_EQ(sum[event::matmul_row], 200u);
    EXPECT_EQ(sum[event::mac], 0u);
    EXPECT_FALSE(sum == some_counts());
}

} // namespace
} // namespace tensorloom::test
