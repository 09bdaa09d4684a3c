#include "integration/random_program.h"
#include <cstring>
#include <functional>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include "models/triada/random_case.h"

namespace tensorloom::test {
namespace {

using isa::error_code;
using isa::opcode;
using bytes = std::vector<unsigned char>;

constexpr std::size_t header_bytes = 16; // of a program and of a command

template <class T> bytes bytes_of(const std::vector<T>& values)
{
    bytes b(values.size() * sizeof(T));
    if (!b.empty()) { std::memcpy(b.data(), values.data(), b.size()); }
    return b;
}

/// Hands out the memory behind the programs.
class operand_places {
public:
    operand_places(random_program& p, const program_memory& memory)
        : m_program(p), m_next(memory.first + (memory.last - memory.first + 1) / 2)
    {}
    std::uint64_t reserve(std::size_t n)
    {
        const std::uint64_t at = m_next;
        m_next += (n + 7) / 8 * 8;
        return at;
    }
    template <class T> std::uint64_t store(const std::vector<T>& values)
    {
        const std::uint64_t at = reserve(values.size() * sizeof(T));
        m_program.inputs.push_back({at, bytes_of(values)});
        return at;
    }

private:
    random_program& m_program;
    std::uint64_t m_next;
};

void fail(random_program& p, error_code code, std::uint32_t command)
{
    p.error = code;
    p.error_command = command;
}
void fail_on_bus(random_program& p, std::uint32_t command, std::uint64_t address)
{
    fail(p, error_code::bus_error, command);
    p.error_address = address;
    p.error_response = isa::bus_response::address_error;
}

// One product; the reason why it fails goes into the program.
triada::gemt_command draw_gemt(random_program& p, operand_places& places, random_source& random,
                               const program_memory& memory, std::uint32_t index, std::uint32_t token)
{
    case_maker maker(random.word());
    const auto g = maker.make<double>({4, 4, 4}, case_maker::specials::wild);
    const std::vector<std::uint32_t> shape(g.shape.begin(), g.shape.end());
    const auto dense = [&](std::uint64_t at, const std::vector<std::uint32_t>& sizes) {
        return isa::dense_descriptor(at, base::element_type::f64, sizes);
    };
    triada::gemt_command c;
    c.flags = static_cast<std::uint16_t>((g.esop ? triada::gemt_command::flag_esop : 0) |
                                         (g.initial.empty() ? 0 : triada::gemt_command::flag_accumulate));
    c.zero_threshold = g.threshold;
    for (unsigned s = 0; s < 3; ++s) { c.order[s] = static_cast<std::uint8_t>(g.order[s]); }
    c.x = dense(places.store(g.x), shape);
    if (!g.initial.empty()) { c.initial_y = dense(places.store(g.initial), shape); }
    for (unsigned m = 0; m < 3; ++m) {
        c.matrix[m] = dense(places.store(g.matrices[m]), {shape[m], shape[m]});
        if (!g.row_orders[m].empty()) { c.row_order_address[m] = places.store(g.row_orders[m]); }
    }
    c.y = dense(places.reserve(g.volume() * sizeof(double)), shape);
    const std::uint64_t nowhere = memory.nowhere + 8 * random.below(64);
    const auto result = [&] { p.results.push_back({c.y.base, bytes_of(oracle_result(g))}); };
    switch (random.below(16)) {
    case 0:
        c.matrix[0].base = nowhere;
        fail_on_bus(p, index, nowhere);
        return c;
    case 1:
        c.x.base = nowhere;
        fail_on_bus(p, index, nowhere);
        return c;
    case 2:
        c.y.base = nowhere;
        fail_on_bus(p, index, nowhere);
        return c;
    case 3:
        c.flags |= triada::gemt_command::flag_completion;
        c.completion_address = nowhere;
        result();
        fail_on_bus(p, index, nowhere);
        return c;
    case 4: {
        auto rows = std::vector<std::uint32_t>(shape[1], shape[1]); // no row of that number
        c.row_order_address[1] = places.store(rows);
        fail(p, error_code::bad_row_order, index);
        return c;
    }
    case 5:
    case 6:
    case 7:
        c.flags |= triada::gemt_command::flag_completion;
        c.completion_address = places.reserve(4);
        result();
        p.results.push_back({c.completion_address, bytes_of(std::vector<std::uint32_t>{token})});
        return c;
    default: result(); return c;
    }
}

/// Draws commands and follows what they do when they run, until the program ends.
class command_drawer {
public:
    command_drawer(random_program& p, random_source& random, const program_memory& memory)
        : m_program(p), m_random(random), m_memory(memory), m_places(p, memory)
    {}

    bytes draw()
    {
        m_program.commands_done = draw_level(static_cast<std::uint32_t>(m_random.below(7)), 0);
        return m_builder.bytes();
    }

private:
    static constexpr std::uint32_t most_commands = 12;
    static constexpr std::uint32_t signal_of_nobody = 31;

    // The commands of a loop, or of the program; how many are executed when they run once.
    std::uint32_t draw_level(std::uint32_t n, unsigned depth)
    {
        std::uint32_t executed = 0;
        for (std::uint32_t i = 0; i < n && m_program.commands < most_commands; ++i) {
            const auto kind = m_random.below(13);
            if (kind < 4 && !m_ended) {
                executed += draw_product();
            } else if (kind < 6) {
                m_program.raises_irq_command = m_program.raises_irq_command || !m_ended;
                executed += add(opcode::irq);
            } else if (kind < 7) {
                executed += add(opcode::halt);
                m_ended = true;
            } else if (kind < 8) {
                const auto signal = static_cast<std::uint32_t>(m_random.below(signal_of_nobody));
                executed += add(opcode::signal, isa::signal_command{signal}.encode());
                executed += add(opcode::wait, isa::signal_command{signal}.encode());
            } else if (kind < 10 && depth < 3) {
                executed += draw_loop(depth);
            } else if (kind == 10 && m_random.one_in(4)) {
                if (!m_ended) { fail(m_program, error_code::never_signalled, m_program.commands); }
                m_ended = true;
                add(opcode::wait, isa::signal_command{signal_of_nobody}.encode());
            } else {
                executed += add(opcode::nop);
            }
        }
        return executed;
    }

    std::uint32_t draw_loop(unsigned depth)
    {
        const auto count = static_cast<std::uint32_t>(m_random.between(1, 3));
        const std::uint32_t loop = add(opcode::loop, isa::loop_command{count}.encode());
        const std::uint32_t body = draw_level(static_cast<std::uint32_t>(m_random.below(4)), depth + 1);
        const std::uint32_t end = add(opcode::end);
        return loop + (m_ended ? body : count * (body + end)); // what ends the program does so in the first iteration
    }

    std::uint32_t draw_product()
    {
        const auto token = static_cast<std::uint32_t>(m_random.word());
        const auto c = draw_gemt(m_program, m_places, m_random, m_memory, m_program.commands, token);
        m_ended = m_program.error != error_code::none;
        return add(triada::opcode::gemt, c.encode(), c.flags, token);
    }

    std::uint32_t add(isa::command_code code, const bytes& payload = {})
    {
        return add(code, payload, 0, static_cast<std::uint32_t>(m_random.word()));
    }
    // 1 when it is executed, otherwise 0.
    std::uint32_t add(isa::command_code code, const bytes& payload, std::uint16_t flags, std::uint32_t token)
    {
        m_builder.add(code, flags, token, payload);
        ++m_program.commands;
        if (m_ended) { return 0; }
        m_program.token = token;
        return 1;
    }

    random_program& m_program;
    random_source& m_random;
    const program_memory& m_memory;
    operand_places m_places;
    isa::program_builder m_builder;
    bool m_ended = false;
};

// LOOPs and ENDs that do not match, nest too deep, or never run.
bytes draw_bad_loops(random_program& p, random_source& random)
{
    isa::program_builder builder;
    const auto loops = [&](unsigned n, std::uint32_t count) {
        for (; n > 0; --n) { builder.add(opcode::loop, 0, 0, isa::loop_command{count}.encode()), ++p.commands; }
    };
    const auto ends = [&](unsigned n) {
        for (; n > 0; --n) { builder.add(opcode::end), ++p.commands; }
    };
    p.commands = 0;
    const auto depth = static_cast<unsigned>(random.between(1, 4));
    switch (random.below(4)) {
    case 0: // too deep
        loops(5, 2);
        ends(5);
        fail(p, error_code::bad_command, 4);
        break;
    case 1: // an END too few
        loops(1, 3);
        ends(1);
        loops(depth, 3);
        ends(depth - 1);
        fail(p, error_code::bad_command, 2);
        break;
    case 2: // an END too many
        loops(depth, 3);
        ends(depth + 1);
        fail(p, error_code::bad_command, 2 * depth);
        break;
    default: // never runs
        loops(depth - 1, 1);
        loops(1, 0);
        ends(depth);
        fail(p, error_code::bad_field, depth - 1);
        break;
    }
    return builder.bytes();
}

// NOPs and IRQs, spoilt in one place: refused whole.
bytes draw_malformed(random_program& p, random_source& random)
{
    p.commands = static_cast<std::uint32_t>(random.between(2, 6));
    isa::program_builder builder;
    for (std::uint32_t i = 0; i < p.commands; ++i) { builder.add(random.one_in(2) ? opcode::nop : opcode::irq); }
    bytes b = builder.bytes();
    const auto victim = static_cast<std::uint32_t>(random.below(p.commands));
    unsigned char* command = b.data() + header_bytes * (1 + victim);
    const auto header = [&b](std::size_t at, std::uint32_t value) { base::store_le(b.data() + at, value); };
    const auto size = static_cast<std::uint32_t>(b.size());
    const auto bad_program = [&](std::uint32_t at) { fail(p, error_code::bad_program, at); };
    switch (random.below(15)) {
    case 0: header(0, 0x4d504c55), bad_program(0); break;
    case 1: header(4, 0x00020000), bad_program(0); break;
    case 2: header(12, size + 4), bad_program(0); break;
    case 3: header(12, 0), bad_program(0); break;
    case 4: header(12, (16u << 20) + 16), bad_program(0); break;
    case 5: header(8, p.commands + 1), bad_program(p.commands); break;
    case 6: header(8, p.commands - 1), bad_program(p.commands - 1); break;
    case 7:
        base::store_le<std::uint32_t>(command + 4, random.of(std::vector<std::uint32_t>{0, 8, 20, 0x8000'0000}));
        fail(p, error_code::bad_command, victim);
        break;
    case 8:
        command[random.one_in(2) ? 1 : 15] = 1;
        fail(p, error_code::bad_command, victim);
        break;
    case 9:
        command[2] = 1; // flags
        fail(p, error_code::bad_command, victim);
        break;
    case 10: // LOAD, STORE, GATHER
        command[0] = random.of(std::vector<unsigned char>{0x04, 0x05, 0x09});
        fail(p, error_code::unsupported_opcode, victim);
        break;
    case 13: // END without LOOP; LOOP, WAIT, SIGNAL without payload
        command[0] = random.of(std::vector<unsigned char>{0x02, 0x03, 0x06, 0x07});
        fail(p, error_code::bad_command, victim);
        break;
    case 14: return draw_bad_loops(p, random);
    case 11:
        command[0] = static_cast<unsigned char>(random.between(0x0a, 0x1f));
        fail(p, error_code::unknown_opcode, victim);
        break;
    default:
        command[0] = static_cast<unsigned char>(random.between(0x21, 0xff));
        fail(p, error_code::unknown_opcode, victim);
        break;
    }
    return b;
}

} // namespace

random_program draw_program(random_source& random, const program_memory& memory)
{
    random_program p;
    p.address = memory.first + 16 * random.below(256);
    const auto kind = random.below(20);
    if (kind < 10) {
        auto b = command_drawer(p, random, memory).draw();
        p.inputs.push_back({p.address, std::move(b)});
    } else if (kind < 16) {
        auto b = draw_malformed(p, random);
        p.inputs.push_back({p.address, std::move(b)});
    } else if (kind == 16) { // nothing there
        p.address = memory.nowhere + 16 * random.below(64);
        fail_on_bus(p, 0, p.address);
    } else if (kind == 17) { // not aligned
        p.address += random.between(1, 15);
        fail(p, error_code::bad_program, 0);
    } else if (kind == 18) { // its end lies behind the memory
        p.address = memory.last - 15;
        bytes b = isa::program_builder().add(opcode::nop).add(opcode::nop).bytes();
        b.resize(header_bytes);
        p.inputs.push_back({p.address, std::move(b)});
        fail_on_bus(p, 0, memory.last + 1);
    } else {
        bytes b = isa::program_builder().bytes();
        const auto junk = random.bytes(16 * random.between(1, 80));
        b.insert(b.end(), junk.begin(), junk.end());
        p.commands = static_cast<std::uint32_t>(random.between(1, 5));
        base::store_le(b.data() + 8, p.commands);
        base::store_le(b.data() + 12, static_cast<std::uint32_t>(b.size()));
        p.inputs.push_back({p.address, std::move(b)});
        p.anything_goes = true;
    }
    return p;
}

} // namespace tensorloom::test
