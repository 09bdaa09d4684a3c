#include <tensorloom/models/mmv/isa/driver.h>
#include <gtest/gtest.h>
#include "models/isa/program/register_host.h"

namespace tensorloom::test {
namespace {
namespace reg = isa::reg;

class mmv_driver_test : public testing::Test {
protected:
    mmv_driver_test()
    {
        host.registers = {{reg::id, 0x55564d4d},  {reg::version, 0x00010005}, {reg::caps, 0x00001708},
                          {reg::caps_size_0, 16}, {reg::caps_size_1, 64},     {reg::caps_size_2, 0x400000 - 1}};
    }
    register_host host;
};

TEST_F(mmv_driver_test, reads_format_and_sizes)
{
    const mmv::driver driver(host, register_host::base);
    EXPECT_EQ(driver.format(), base::element_type::int64);
    EXPECT_EQ(driver.side(), 16u);
    EXPECT_EQ(driver.lanes(), 64u);
    EXPECT_EQ(driver.scratchpad_bytes(), 0xfffffc00u);
}

TEST_F(mmv_driver_test, refuses_another_device)
{
    host.registers[reg::id] = 0x41495254;
    EXPECT_THROW(mmv::driver(host, register_host::base), isa::device_failure);
}

TEST_F(mmv_driver_test, refuses_formats_that_it_does_not_compute_in)
{
    for (std::uint32_t type = 0; type < 14; ++type) {
        host.registers[reg::caps] = 0x1700 | type;
        const bool known = type >= 1 && type <= 9 && type != 4; // all but c64
        if (known) {
            EXPECT_NO_THROW(mmv::driver(host, register_host::base)) << type;
        } else {
            EXPECT_THROW(mmv::driver(host, register_host::base), isa::device_failure) << type;
        }
    }
}

} // namespace
} // namespace tensorloom::test
