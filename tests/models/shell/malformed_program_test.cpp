// Whatever is wrong with a program: it is refused whole, with the code and the index of the command.
#include <functional>
#include <ostream>
#include <gtest/gtest.h>
#include "models/shell/shell_run_test.h"

namespace tensorloom::test {
namespace {

namespace reg = isa::reg;
using isa::error_code;
using isa::opcode;
using program = std::vector<std::uint8_t>;

constexpr std::size_t command_at = 16 + 32; // of command 1 in the fine program; command 0 toils

// Three commands: toil, NOP, HALT.
program fine_program()
{
    return isa::program_builder()
        .add(toil_device::toil, 0, 1, toil_device::payload(100))
        .add(opcode::nop, 0, 2)
        .add(opcode::halt, 0, 3)
        .bytes();
}

struct malformed_case {
    std::string name;
    error_code code;
    std::uint32_t command;
    std::function<void(program&)> spoil;
};
void PrintTo(const malformed_case& c, std::ostream* out) { *out << c.name; }

class malformed_program : public shell_run_test_with_param<malformed_case> {};

TEST_P(malformed_program, is_refused_before_its_first_command)
{
    run([](shell_bench& b) {
        auto p = fine_program();
        GetParam().spoil(p);
        b.run(p);
        EXPECT_EQ(b.read(reg::status), isa::status_error);
        EXPECT_EQ(b.error(), GetParam().code);
        EXPECT_EQ(b.read(reg::error_command), GetParam().command);
        EXPECT_EQ(b.read_pair(reg::error_addr_lo), 0u);
        EXPECT_EQ(b.read(reg::commands_done), 0u);
        EXPECT_EQ(b.read(reg::irq_status), isa::irq_error);
        ASSERT_EQ(b.kept.records.size(), 1u);
        EXPECT_EQ(b.kept.records[0].cause, "fetch");
    });
}

TEST_P(malformed_program, leaves_a_device_that_runs_the_next_one)
{
    run([](shell_bench& b) {
        auto p = fine_program();
        GetParam().spoil(p);
        b.run(p);
        b.run(fine_program());
        EXPECT_EQ(b.read(reg::status), isa::status_done);
        EXPECT_EQ(b.error(), error_code::none);
        EXPECT_EQ(b.read(reg::commands_done), 3u);
        EXPECT_EQ(b.read_pair(reg::cycles_lo), fetch_cycles(fine_program()) + 100);
    });
}

std::vector<malformed_case> bad_headers()
{
    const auto word = [](std::size_t at, std::uint32_t value) {
        return [=](program& p) { base::store_le(p.data() + at, value); };
    };
    const auto bytes = [&](std::uint32_t value) { return word(12, value); };
    const auto bad = error_code::bad_program;
    const auto size = static_cast<std::uint32_t>(fine_program().size());
    return {
        {"magic", bad, 0, [](program& p) { p[0] ^= 1; }},
        {"magic_of_zero", bad, 0, word(0, 0)},
        {"version_of_zero", bad, 0, word(4, 0)},
        {"next_major_version", bad, 0, word(4, 0x00020000)},
        {"no_bytes", bad, 0, bytes(0)},
        {"fewer_bytes_than_the_header", bad, 0, bytes(15)},
        {"bytes_not_a_multiple_of_16", bad, 0, bytes(size + 8)},
        {"bytes_above_the_limit", bad, 0, bytes(4096 + 16)},
        {"most_bytes", bad, 0, bytes(0xfffffff0)},
        {"bytes_left_after_the_last_command", bad, 3, bytes(size + 16)},
        {"one_command_too_few", bad, 2, word(8, 2)},
        {"one_command_too_many", bad, 3, word(8, 4)},
        {"most_commands", bad, 3, word(8, 0xffffffff)},
        {"cut_before_the_last_command", bad, 2, bytes(size - 16)},
        {"header_alone_with_commands", bad, 0, bytes(16)},
    };
}
std::string case_name(const testing::TestParamInfo<malformed_case>& info) { return info.param.name; }
INSTANTIATE_TEST_SUITE_P(header, malformed_program, testing::ValuesIn(bad_headers()), case_name);

std::vector<malformed_case> bad_commands()
{
    const auto length = [](std::uint32_t value) {
        return [=](program& p) { base::store_le(p.data() + command_at + 4, value); };
    };
    const auto set = [](std::size_t at, std::uint8_t value) { return [=](program& p) { p[at] = value; }; };
    const auto bad = error_code::bad_command;
    std::vector<malformed_case> all{
        {"length_zero", bad, 1, length(0)},
        {"length_below_the_header", bad, 1, length(8)},
        {"length_not_a_multiple_of_16", bad, 1, length(24)},
        {"length_past_the_program", bad, 1, length(48)},
        {"most_length", bad, 1, length(0xfffffff0)},
        {"nop_with_payload", bad, 1, length(32)},
        {"nop_with_flags", bad, 1, set(command_at + 2, 1)},
        {"nop_with_high_flags", bad, 1, set(command_at + 3, 0x80)},
        {"halt_with_flags", bad, 2, set(command_at + 16 + 2, 1)},
        {"irq_with_flags", bad, 1,
         [](program& p) {
             p[command_at] = 0x08;
             p[command_at + 2] = 1;
         }},
        {"device_command_cut", bad, 0,
         [](program& p) { // its payload becomes a NOP of 0x64 cycles: too short for the device
             base::store_le<std::uint32_t>(p.data() + 16 + 4, 16);
         }},
        {"device_opcode_unknown_to_the_device", error_code::unknown_opcode, 0, set(16, 0x22)},
        {"last_device_opcode", error_code::unknown_opcode, 0, set(16, 0xff)},
        {"refused_by_the_device_with_its_own_code", error_code::too_large, 0,
         [](program& p) { base::store_le(p.data() + 32, toil_device::forbidden_cycles); }},
        {"after_halt", error_code::unknown_opcode, 3,
         [](program& p) {
             p = isa::program_builder()
                     .add(opcode::nop)
                     .add(opcode::nop)
                     .add(opcode::halt)
                     .add(static_cast<opcode>(0x1f))
                     .bytes();
         }},
    };
    for (unsigned at : {1u, 12u, 13u, 14u, 15u}) {
        all.push_back({"reserved_byte_" + std::to_string(at), bad, 1, set(command_at + at, 0x80)});
    }
    for (unsigned code : {0x02u, 0x03u, 0x06u, 0x07u}) { // LOOP, WAIT, SIGNAL without payload; END without LOOP
        all.push_back(
            {"common_opcode_" + std::to_string(code), bad, 1, set(command_at, static_cast<std::uint8_t>(code))});
    }
    for (unsigned code : {0x04u, 0x05u}) { // LOAD, STORE on a device without memory of its own
        all.push_back({"common_opcode_" + std::to_string(code), error_code::unsupported_opcode, 1,
                       set(command_at, static_cast<std::uint8_t>(code))});
    }
    for (unsigned code : {0x0au, 0x10u, 0x1fu}) {
        all.push_back({"unknown_common_opcode_" + std::to_string(code), error_code::unknown_opcode, 1,
                       set(command_at, static_cast<std::uint8_t>(code))});
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(command, malformed_program, testing::ValuesIn(bad_commands()), case_name);

// ---- programs that cannot be fetched ----

class unreachable_program : public shell_run_test {
protected:
    void run_at(std::uint64_t address, error_code code, std::uint64_t error_address, const program& p = {})
    {
        run([&](shell_bench& b) {
            if (!p.empty()) { b.place(p, address); }
            b.point_at(address);
            b.write(reg::ctrl, isa::ctrl_start);
            EXPECT_TRUE(b.poll_end());
            EXPECT_EQ(b.read(reg::status), isa::status_error);
            EXPECT_EQ(b.error(), code);
            EXPECT_EQ(b.read(reg::error_command), 0u);
            EXPECT_EQ(b.read_pair(reg::error_addr_lo), error_address);
            m_accesses = b.memory.log.size();
        });
    }
    std::size_t m_accesses = 0;
};

TEST_F(unreachable_program, unaligned_address_is_refused_without_a_transfer)
{
    run_at(shell_bench::memory_at + 8, error_code::bad_program, 0);
    EXPECT_EQ(m_accesses, 0u);
}

TEST_F(unreachable_program, bus_error_at_the_header_gives_its_address) { run_at(0x10, error_code::bus_error, 0x10); }

TEST_F(unreachable_program, bus_error_after_the_header_gives_the_burst_that_failed)
{
    auto p = fine_program();
    p.resize(32);
    constexpr std::uint64_t end = shell_bench::memory_at + shell_bench::memory_bytes;
    run_at(end - 32, error_code::bus_error, end, p);
}

TEST_F(unreachable_program, bus_error_gives_64_bits_of_address)
{
    run_at(0xfedcba98'76543210, error_code::bus_error, 0xfedcba98'76543210);
}

TEST_F(unreachable_program, program_past_the_last_address_is_refused)
{
    run([](shell_bench& b) {
        b.memory.base = UINT64_MAX - 0xffff;
        auto p = fine_program();
        std::copy(p.begin(), p.begin() + 16, b.memory.bytes.end() - 16);
        b.point_at(UINT64_MAX - 15);
        b.write(reg::ctrl, isa::ctrl_start);
        EXPECT_TRUE(b.poll_end());
        EXPECT_EQ(b.error(), error_code::bad_program);
        EXPECT_EQ(b.memory.log.size(), 1u);
    });
}

TEST_F(unreachable_program, newer_minor_version_is_run)
{
    run([](shell_bench& b) {
        auto p = fine_program();
        p[4] = 7;
        b.run(p);
        EXPECT_EQ(b.read(reg::status), isa::status_done);
    });
}

TEST_F(unreachable_program, program_of_exactly_the_limit_is_run)
{
    run([](shell_bench& b) {
        isa::program_builder p;
        for (int i = 0; i < 255; ++i) { p.add(opcode::nop); }
        ASSERT_EQ(p.bytes().size(), 4096u);
        b.run(p.bytes());
        EXPECT_EQ(b.read(reg::status), isa::status_done);
        EXPECT_EQ(b.read(reg::commands_done), 255u);
    });
}

} // namespace
} // namespace tensorloom::test
