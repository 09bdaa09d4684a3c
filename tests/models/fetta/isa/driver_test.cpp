#include <tensorloom/models/fetta/isa/driver.h>
#include <gtest/gtest.h>
#include "models/isa/program/register_host.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using fetta::caps_size_of;
using fetta::device_limits;
namespace reg = isa::reg;

class fetta_driver_test : public testing::Test {
protected:
    fetta_driver_test()
    {
        host.registers = {{reg::id, 0x41544546},          {reg::version, 0x00010005},  {reg::caps, 0x00001702},
                          {reg::caps_size_0, 0x00020840}, {reg::caps_size_1, 0x10000}, {reg::caps_size_2, 0x400}};
    }
    register_host host;
};

TEST_F(fetta_driver_test, reads_the_geometry)
{
    const fetta::driver driver(host, register_host::base);
    const device_limits& g = driver.limits();
    EXPECT_EQ(g.engines, 64u);
    EXPECT_EQ(g.side, 8u);
    EXPECT_EQ(g.psum, element_type::f32);
    EXPECT_EQ(g.operand, element_type::f32);
    EXPECT_EQ(g.bank_bytes, 65536u);
    EXPECT_EQ(g.accumulator_bank_bytes, 1024u);
}

TEST_F(fetta_driver_test, reads_what_a_device_says_of_itself)
{
    device_limits own;
    own.psum = element_type::bf16;
    const auto sizes = caps_size_of(own);
    EXPECT_EQ(sizes[0], 0x00050410u);
    host.registers[reg::caps] = 0x1705;
    host.registers[reg::caps_size_0] = sizes[0];
    host.registers[reg::caps_size_1] = sizes[1];
    host.registers[reg::caps_size_2] = sizes[2];
    const fetta::driver driver(host, register_host::base);
    EXPECT_EQ(driver.limits().engines, own.engines);
    EXPECT_EQ(driver.limits().side, own.side);
    EXPECT_EQ(driver.limits().psum, own.psum);
    EXPECT_EQ(driver.limits().operand, own.operand);
    EXPECT_EQ(driver.limits().bank_bytes, own.bank_bytes);
    EXPECT_EQ(driver.limits().accumulator_bank_bytes, own.accumulator_bank_bytes);
}

TEST_F(fetta_driver_test, refuses_another_device)
{
    host.registers[reg::id] = 0x55564d4d;
    EXPECT_THROW(fetta::driver(host, register_host::base), isa::device_failure);
}

TEST_F(fetta_driver_test, refuses_sizes_that_no_device_has)
{
    for (const auto& [offset, value] : {std::pair{reg::caps, 0x1701u},
                                        {reg::caps_size_0, 0x00020841u},
                                        {reg::caps_size_0, 0x00050840u}, // sums of bf16 over operands of f32
                                        {reg::caps_size_1, 5000u},
                                        {reg::caps_size_2, 0u}}) {
        register_host other = host;
        other.registers[offset] = value;
        EXPECT_THROW(fetta::driver(other, register_host::base), isa::device_failure) << offset << " " << value;
    }
}

} // namespace
} // namespace tensorloom::test
