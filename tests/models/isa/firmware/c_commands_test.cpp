// Every command of every device, built in C: the bytes of the C++ encoders, for random commands.
#include <functional>
#include <set>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/isa/export/assembler.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/program/program.h>
#include "models/isa/firmware/commands_for_c.h"
#include "models/isa/export/random_commands.h"

namespace tensorloom::test {
namespace {

using namespace base;
using namespace isa;

/// The same program twice: by the C++ builder from what its commands encode, and by the C driver from their members.
class two_builders {
public:
    explicit two_builders(std::size_t capacity) : m_buffer(capacity, 0xcc)
    {
        EXPECT_EQ(tl_program_begin(&m_in_c, m_buffer.data(), m_buffer.size()), tl_ok);
    }

    void add(const command_description& described, const program_command& command)
    {
        m_opcode = command.header.opcode;
        m_flags = command.header.flags;
        m_token = command.header.token;
        const std::uint8_t* payload = command.payload;
        if (described.payload == &loop_layout) {
            const auto c = loop_command::decode(payload);
            both(c, tl_program_loop(&m_in_c, c.count, m_token));
        } else if (described.payload == &signal_layout) {
            const auto c = signal_command::decode(payload);
            const auto add_in_c = m_opcode == TL_OPCODE_WAIT ? tl_program_wait : tl_program_signal;
            both(c, add_in_c(&m_in_c, c.signal, m_token));
        } else if (described.payload == &transfer_layout) {
            const auto c = transfer_command::decode(payload);
            const auto in_c = transfer_for_c(c);
            const auto add_in_c = m_opcode == TL_OPCODE_LOAD ? tl_program_load : tl_program_store;
            both(c, add_in_c(&m_in_c, &in_c, m_token));
        } else if (described.payload == &gather_layout) {
            const auto c = gather_command::decode(payload);
            const auto in_c = gather_for_c(c);
            both(c, tl_program_gather(&m_in_c, &in_c, m_token));
        } else if (described.payload == &triada::gemt_layout) {
            const auto c = triada::gemt_command::decode(m_flags, payload);
            const auto in_c = gemt_for_c(c);
            both(c, tl_program_gemt(&m_in_c, &in_c, m_token));
        } else if (described.payload == &isa::pointwise_layout) {
            const auto c = isa::pointwise_command::decode(m_flags, payload);
            const auto in_c = pointwise_for_c(c);
            both(c, tl_program_pointwise(&m_in_c, m_opcode, &in_c, m_token));
        } else if (described.payload == &torus::orbit_layout) {
            const auto c = torus::orbit_command::decode(m_flags, payload);
            const auto in_c = orbit_for_c(c);
            both(c, tl_program_orbit(&m_in_c, &in_c, m_token));
        } else if (described.payload == &torus::multiply_layout) {
            const auto c = torus::multiply_command::decode(m_flags, payload);
            const auto in_c = multiply_for_c(c);
            both(c, tl_program_multiply(&m_in_c, &in_c, m_token));
        } else if (described.payload == &mmv::matmul_layout) {
            const auto c = mmv::matmul_command::decode(payload);
            const auto in_c = matmul_for_c(c);
            both(c, tl_program_matmul(&m_in_c, &in_c, m_token));
        } else if (described.payload == &mmv::product_layout) {
            const auto c = mmv::product_command::decode(payload);
            const auto in_c = product_for_c(m_flags, c);
            both(c, tl_program_product(&m_in_c, &in_c, m_token));
        } else if (described.payload == &vector::vector_layout) {
            const auto c = vector::vector_command::decode(m_flags, payload);
            const auto in_c = vector_for_c(c);
            both(c, tl_program_vector(&m_in_c, m_opcode, &in_c, m_token));
        } else if (described.payload == &vector::strided_layout) {
            const auto c = vector::strided_command::decode(payload);
            const auto in_c = strided_for_c(c);
            both(c, tl_program_strided(&m_in_c, m_opcode, &in_c, m_token));
        } else if (described.payload == &fetta::contract_layout) {
            auto c = fetta::contract_command::decode(m_flags, payload);
            c.ia.reserved = c.ib.reserved = c.result.reserved = 0; // the fourth number of modes
            const auto in_c = contract_for_c(c);
            both(c, tl_program_contract(&m_in_c, &in_c, m_token));
        } else {
            ASSERT_EQ(described.payload, nullptr) << described.opcode.name;
            m_in_cpp.add(command_code(m_opcode), 0, m_token);
            EXPECT_EQ(add_without_payload(), tl_ok);
        }
    }

    program_bytes in_cpp() const { return m_in_cpp.bytes(); }
    program_bytes in_c()
    {
        std::size_t used = 0;
        EXPECT_EQ(tl_program_end(&m_in_c, &used), tl_ok);
        return {m_buffer.begin(), m_buffer.begin() + static_cast<std::ptrdiff_t>(used)};
    }

private:
    template <class Command> void both(const Command& command, tl_status status)
    {
        EXPECT_EQ(status, tl_ok);
        m_in_cpp.add(command_code(m_opcode), m_flags, m_token, command.encode());
    }

    tl_status add_without_payload()
    {
        switch (static_cast<opcode>(m_opcode)) {
        case opcode::nop: return tl_program_nop(&m_in_c, m_token);
        case opcode::halt: return tl_program_halt(&m_in_c, m_token);
        case opcode::end: return tl_program_loop_end(&m_in_c, m_token);
        case opcode::irq: return tl_program_irq(&m_in_c, m_token);
        default: return tl_bad_argument;
        }
    }

    program_bytes m_buffer;
    tl_program m_in_c;
    program_builder m_in_cpp;
    std::uint8_t m_opcode = 0;
    std::uint16_t m_flags = 0;
    std::uint32_t m_token = 0;
};

TEST(c_commands, have_the_bytes_of_the_cpp_encoders)
{
    for (const auto* device : described_devices()) {
        random_programs programs(*device);
        std::set<std::uint8_t> opcodes;
        for (int i = 0; i < 200; ++i) {
            const auto random = programs.next(40);
            two_builders builders(random.size());
            for (const auto& command : program_commands(random)) {
                const auto* described = find_command(*device, command.header.opcode);
                ASSERT_NE(described, nullptr);
                opcodes.insert(command.header.opcode);
                builders.add(*described, command);
            }
            const auto in_c = builders.in_c();
            ASSERT_EQ(in_c, builders.in_cpp()) << disassemble(in_c, "c", *device);
            ASSERT_EQ(assemble(disassemble(in_c, "c", *device), "text", *device), in_c);
        }
        EXPECT_EQ(opcodes.size(), shell_command_descriptions().size + device->commands.size) << device->name;
    }
}

TEST(c_commands, without_room_are_refused_and_write_nothing)
{
    const tl_transfer transfer{};
    const tl_gather gather{};
    const tl_orbit orbit{};
    const tl_pointwise pointwise{};
    const tl_multiply multiply{};
    const tl_matmul matmul{};
    const tl_product product{};
    const tl_vector vector{};
    const tl_strided strided{};
    tl_contract contract;
    tl_contract_init(&contract);
    const std::vector<std::pair<std::size_t, std::function<tl_status(tl_program*)>>> adds{
        {16, [](tl_program* p) { return tl_program_loop(p, 1, 0); }},
        {0, [](tl_program* p) { return tl_program_loop_end(p, 0); }},
        {16, [](tl_program* p) { return tl_program_wait(p, 1, 0); }},
        {16, [](tl_program* p) { return tl_program_signal(p, 1, 0); }},
        {160, [&](tl_program* p) { return tl_program_load(p, &transfer, 0); }},
        {160, [&](tl_program* p) { return tl_program_store(p, &transfer, 0); }},
        {160, [&](tl_program* p) { return tl_program_gather(p, &gather, 0); }},
        {704, [&](tl_program* p) { return tl_program_orbit(p, &orbit, 0); }},
        {368, [&](tl_program* p) { return tl_program_pointwise(p, TL_TRIADA_OPCODE_POINTWISE, &pointwise, 0); }},
        {368, [&](tl_program* p) { return tl_program_multiply(p, &multiply, 0); }},
        {64, [&](tl_program* p) { return tl_program_matmul(p, &matmul, 0); }},
        {64, [&](tl_program* p) { return tl_program_product(p, &product, 0); }},
        {80, [&](tl_program* p) { return tl_program_vector(p, TL_MMV_OPCODE_ADD, &vector, 0); }},
        {128, [&](tl_program* p) { return tl_program_strided(p, TL_MMV_OPCODE_REPL, &strided, 0); }},
        {384, [&](tl_program* p) { return tl_program_contract(p, &contract, 0); }},
    };
    for (const auto& [payload, add] : adds) {
        const std::size_t needed = 16 + 16 + payload;
        program_bytes buffer(needed, 0xcc);
        tl_program program;
        tl_program_begin(&program, buffer.data(), needed - 1);
        EXPECT_EQ(add(&program), tl_buffer_too_small) << payload;
        EXPECT_EQ(buffer, program_bytes(needed, 0xcc)) << payload;
        tl_program_begin(&program, buffer.data(), needed);
        EXPECT_EQ(add(&program), tl_ok) << payload;
        EXPECT_EQ(program.used, needed);
    }
}

TEST(c_commands, contraction_begins_with_extents_of_1)
{
    tl_contract contract;
    tl_contract_init(&contract);
    program_bytes buffer(16 + 16 + 384);
    tl_program program;
    tl_program_begin(&program, buffer.data(), buffer.size());
    tl_program_contract(&program, &contract, 0);
    EXPECT_EQ(tl_program_end(&program, nullptr), tl_ok);
    EXPECT_EQ(buffer, program_builder().add(fetta::opcode::contract, 0, 0, fetta::contract_command{}.encode()).bytes());
}

} // namespace
} // namespace tensorloom::test
