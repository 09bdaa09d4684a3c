// What is wrong with a program of LOOP, END, LOAD, STORE, WAIT and SIGNAL, found before it runs.
#include <functional>
#include <gtest/gtest.h>
#include <tensorloom/models/shell/device_program.h>
#include <tensorloom/models/shell/transfer_unit.h>
#include "models/shell/mixer_program.h"

namespace tensorloom::test {
namespace {

using isa::error_code;
using isa::opcode;
using isa::program_builder;
using bytes = std::vector<std::uint8_t>;

/// A memory of 64 bytes that nobody moves anything into.
class small_memory : public shell::local_memory {
public:
    std::uint64_t bytes() const override { return 64; }
    void read(std::uint64_t, unsigned char*, std::uint64_t) const override {}
    void write(std::uint64_t, const unsigned char*, std::uint64_t) override {}
    void clear() override {}
};

std::optional<shell::program_failure> check(const program_builder& program, bool with_memory = true)
{
    small_memory memory;
    bus::dma_ports dma({});
    shell::dma_turn turn;
    shell::transfer_unit transfers(dma, turn, memory, {0, 0}, 1);
    shell::unit_table units;
    if (with_memory) { units.add(transfers, isa::shell_command_descriptions()); }
    return shell::check_program(program.bytes(), units);
}

bytes loop_of(std::uint32_t count) { return isa::loop_command{count}.encode(); }
bytes signal_of(std::uint32_t signal) { return isa::signal_command{signal}.encode(); }
bytes transfer_of(const std::function<void(isa::transfer_command&)>& change)
{
    isa::transfer_command t;
    t.tensor = isa::dense_descriptor(0x1000, base::element_type::int32, {16});
    change(t);
    return t.encode();
}
bytes with_byte(bytes b, std::size_t at)
{
    b[at] = 1;
    return b;
}

TEST(program_check, whole_program_has_no_complaint)
{
    program_builder p;
    p.add(opcode::loop, 0, 0, loop_of(UINT32_MAX)).add(opcode::loop, 0, 0, loop_of(1));
    p.add(opcode::load, 0, 0, transfer_of([](auto&) {})).add(opcode::store, 0, 0, transfer_of([](auto&) {}));
    p.add(opcode::signal, 0, 0, signal_of(31)).add(opcode::end).add(opcode::end).add(opcode::wait, 0, 0, signal_of(0));
    EXPECT_FALSE(check(p));
}

struct bad_program {
    std::string name;
    error_code code;
    opcode command; ///< index 1, behind a NOP
    bytes payload;
    std::uint16_t flags = 0;
};
void PrintTo(const bad_program& b, std::ostream* out) { *out << b.name; }

class bad_shell_command : public testing::TestWithParam<bad_program> {};

TEST_P(bad_shell_command, is_refused_with_its_index)
{
    program_builder p;
    p.add(opcode::nop).add(GetParam().command, GetParam().flags, 0, GetParam().payload);
    const auto failure = check(p);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code, GetParam().code);
    EXPECT_EQ(failure->command, 1u);
}

std::vector<bad_program> bad_programs()
{
    const auto bad = error_code::bad_command;
    const auto field = error_code::bad_field;
    const bytes fine = transfer_of([](auto&) {});
    std::vector<bad_program> all{
        {"loop_that_never_runs", field, opcode::loop, loop_of(0)},
        {"loop_without_payload", bad, opcode::loop, {}},
        {"loop_with_flags", bad, opcode::loop, loop_of(2), 1},
        {"loop_without_end", bad, opcode::loop, loop_of(2)},
        {"end_without_loop", bad, opcode::end, {}},
        {"end_with_payload", bad, opcode::end, loop_of(2)},
        {"signal_32", field, opcode::signal, signal_of(32)},
        {"wait_for_the_last_signal_of_all", field, opcode::wait, signal_of(UINT32_MAX)},
        {"wait_without_payload", bad, opcode::wait, {}},
        {"signal_with_flags", bad, opcode::signal, signal_of(1), 0x8000},
        {"load_with_flags", bad, opcode::load, fine, 2},
        {"load_too_short", bad, opcode::load, bytes(fine.begin(), fine.end() - 16)},
        {"store_too_long", bad, opcode::store, bytes(fine.size() + 16)},
        {"load_of_no_tensor", error_code::bad_descriptor, opcode::load, bytes(fine.size())},
        {"store_of_order_9", error_code::bad_descriptor, opcode::store,
         transfer_of([](auto& t) { t.tensor.order = 9; })},
        {"load_outside_of_64_bits", error_code::bad_descriptor, opcode::load,
         transfer_of([](auto& t) { t.tensor.base = UINT64_MAX - 62; })},
        {"load_one_byte_too_far", error_code::too_large, opcode::load, transfer_of([](auto& t) { t.local = 1; })},
        {"store_of_one_element_too_many", error_code::too_large, opcode::store,
         transfer_of([](auto& t) { t.tensor.size[0] = 17; })},
        {"load_at_the_end_of_addresses", error_code::too_large, opcode::load,
         transfer_of([](auto& t) { t.local = UINT64_MAX; })},
        {"load_of_2_to_the_62_times_the_same", error_code::too_large, opcode::load, transfer_of([](auto& t) {
             t.tensor.order = 2;
             t.tensor.size = {1u << 31, 1u << 31};
             t.tensor.stride = {0, 0};
         })},
        {"load_with_reserved_bytes", field, opcode::load, transfer_of([](auto& t) { t.reserved = 1; })},
    };
    for (std::size_t at = 4; at < 16; ++at) {
        const opcode code = at % 3 == 0 ? opcode::loop : at % 3 == 1 ? opcode::wait : opcode::signal;
        all.push_back({"reserved_byte_" + std::to_string(at), field, code, with_byte(loop_of(1), at)});
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(of, bad_shell_command, testing::ValuesIn(bad_programs()), testing::PrintToStringParamName());

TEST(program_check, fifth_loop_inside_four_is_refused)
{
    program_builder p;
    for (int i = 0; i < 4; ++i) { p.add(opcode::loop, 0, 0, loop_of(2)); }
    p.add(opcode::end).add(opcode::loop, 0, 0, loop_of(2)).add(opcode::loop, 0, 0, loop_of(2));
    for (int i = 0; i < 5; ++i) { p.add(opcode::end); }
    const auto failure = check(p);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->code, error_code::bad_command);
    EXPECT_EQ(failure->command, 6u);
}

TEST(program_check, first_open_loop_is_named)
{
    program_builder p;
    p.add(opcode::loop, 0, 0, loop_of(2)).add(opcode::end);
    p.add(opcode::loop, 0, 0, loop_of(2))
        .add(opcode::loop, 0, 0, loop_of(2))
        .add(opcode::loop, 0, 0, loop_of(2))
        .add(opcode::end);
    const auto failure = check(p);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->command, 2u);
}

TEST(program_check, transfers_need_a_memory)
{
    for (const auto code : {opcode::load, opcode::store}) {
        program_builder p;
        p.add(opcode::nop).add(code, 0, 0, transfer_of([](auto&) {}));
        const auto failure = check(p, false);
        ASSERT_TRUE(failure);
        EXPECT_EQ(failure->code, error_code::unsupported_opcode);
        EXPECT_EQ(failure->command, 1u);
    }
}

} // namespace
} // namespace tensorloom::test
