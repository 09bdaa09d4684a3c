#include <tensorloom/models/triada/isa/driver.h>
#include <gmock/gmock.h>
#include <tensorloom/models/isa/program/program.h>
#include "gemt_case.h"
#include "models/isa/program/register_host.h"

namespace tensorloom::test {
namespace {

using isa::device_failure;
namespace reg = isa::reg;

class triada_driver_test : public testing::Test {
protected:
    triada_driver_test()
    {
        host.registers = {{reg::id, 0x41495254}, {reg::version, 0x00010000}, {reg::caps, 0x00001204},
                          {reg::caps_size_0, 7}, {reg::caps_size_1, 8},      {reg::caps_size_2, 9}};
    }
    register_host host;
};

TEST_F(triada_driver_test, reads_format_and_mesh)
{
    const triada::driver driver(host, register_host::base);
    EXPECT_EQ(driver.format(), base::element_type::c64);
    EXPECT_THAT(driver.mesh(), testing::ElementsAre(7, 8, 9));
}

TEST_F(triada_driver_test, refuses_another_device)
{
    host.registers[reg::id] = 0x41495255;
    EXPECT_THROW(triada::driver(host, register_host::base), device_failure);
}

TEST_F(triada_driver_test, refuses_formats_that_no_device_computes_in)
{
    for (std::uint32_t type : {0u, 7u, 8u, 255u}) {
        host.registers[reg::caps] = 0x1200 | type;
        EXPECT_THROW(triada::driver(host, register_host::base), device_failure) << type;
    }
}

TEST_F(triada_driver_test, program_holds_the_commands_with_tokens_from_1_and_a_halt)
{
    auto second = fine_gemt_command();
    second.flags = triada::gemt_command::flag_esop;
    second.x.base = 0x9000;
    const auto all = triada::driver::program({fine_gemt_command(), second});
    ASSERT_EQ(all.size(), 16u + 2 * (16 + 832) + 16);
    EXPECT_EQ(isa::program_header::decode(all.data()).commands, 3u);
    const auto first_header = isa::command_header::decode(all.data() + 16);
    EXPECT_EQ(first_header.opcode, 0x20);
    EXPECT_EQ(first_header.token, 1u);
    EXPECT_EQ(first_header.length, 848u);
    const auto second_header = isa::command_header::decode(all.data() + 16 + 848);
    EXPECT_EQ(second_header.token, 2u);
    EXPECT_EQ(second_header.flags, 1);
    EXPECT_EQ(triada::gemt_command::decode(1, all.data() + 16 + 848 + 16).x.base, 0x9000u);
    EXPECT_EQ(isa::command_header::decode(all.data() + 16 + 2 * 848).opcode, 0x01);
}

TEST_F(triada_driver_test, program_bytes_are_those_of_the_program)
{
    for (std::size_t n : {0u, 1u, 3u}) {
        const std::vector<triada::gemt_command> commands(n, fine_gemt_command());
        EXPECT_EQ(triada::driver::program_bytes(n), triada::driver::program(commands).size());
    }
}

} // namespace
} // namespace tensorloom::test
