#include "support/mmv_reference.h"
#include <array>
#include <cstring>
#include <string>
#include <tensorloom/models/arch/program.h>
#include <tensorloom/models/arch/register_map.h>
#include <tensorloom/models/arch/shell_commands.h>

namespace tensorloom::test {

using arch::error_code;

namespace {

void require(bool holds, error_code code, const char* what)
{
    if (!holds) { throw reference_failure{code, what}; }
}

} // namespace

// The command that runs.
struct mmv_reference::program_place {
    std::uint32_t command = 0;
};

mmv_reference::mmv_reference(const arch::mmv::mmv_limits& limits, const settings& with)
    : m_limits(limits), m_settings(with), m_memory(with.memory_bytes), m_scratchpad(limits.scratchpad_bytes)
{
    const unsigned bits = with.word_bits != 0 ? with.word_bits : arch::element_bits(limits.word());
    m_units = make_reference_units(m_limits, bits, m_scratchpad, m_counts);
}

mmv_reference::~mmv_reference() = default;

std::uint8_t* mmv_reference::in_memory(std::uint64_t address, std::size_t bytes)
{
    const std::uint64_t offset = address - m_settings.memory_base;
    require(address >= m_settings.memory_base && offset <= m_memory.size() && bytes <= m_memory.size() - offset,
            error_code::bus_error, "address outside of the memory");
    return m_memory.data() + offset;
}

void mmv_reference::write(std::uint64_t address, const void* from, std::size_t bytes)
{
    std::memcpy(in_memory(address, bytes), from, bytes);
}

void mmv_reference::read(std::uint64_t address, void* to, std::size_t bytes)
{
    std::memcpy(to, in_memory(address, bytes), bytes);
}

workloads::mmv_run mmv_reference::run(const std::vector<std::uint8_t>& program)
{
    m_counts = {};
    m_scratchpad.set_resident(std::nullopt);
    program_place at;
    try {
        run_commands(program, at);
    } catch (const reference_failure& failed) {
        throw workloads::mmv_error(failed.code, at.command,
                                   "command " + std::to_string(at.command) + ": " + arch::error_text(failed.code) +
                                       ": " + failed.text);
    }
    return {m_counts, 0};
}

void mmv_reference::run_commands(const std::vector<std::uint8_t>& program, program_place& at)
{
    using arch::opcode;

    require(program.size() >= arch::program_header::encoded_bytes, error_code::bad_program, "no header");
    const auto header = arch::program_header::decode(program.data());
    require(header.magic == arch::program_header::magic_value &&
                header.version >> 16 == arch::register_map_version >> 16 && header.bytes == program.size(),
            error_code::bad_program, "header");

    struct command {
        arch::command_header header;
        const std::uint8_t* payload;
    };
    std::vector<command> commands;
    for (std::size_t offset = arch::program_header::encoded_bytes; offset < program.size();
         offset += commands.back().header.length) {
        at.command = static_cast<std::uint32_t>(commands.size());
        require(program.size() - offset >= arch::command_header::encoded_bytes, error_code::bad_command, "no room");
        const auto h = arch::command_header::decode(program.data() + offset);
        require(h.length >= arch::command_header::encoded_bytes && h.length % 16 == 0 &&
                    h.length <= program.size() - offset && h.reserved == 0,
                error_code::bad_command, "header");
        commands.push_back({h, program.data() + offset + arch::command_header::encoded_bytes});
    }
    require(commands.size() == header.commands, error_code::bad_program, "number of commands");

    struct open_loop {
        std::size_t first; // command after LOOP
        std::uint32_t count, iteration;
    };
    std::vector<open_loop> loops;
    std::array<bool, arch::signal_count> signals{};
    for (std::size_t i = 0; i < commands.size(); ++i) {
        at.command = static_cast<std::uint32_t>(i);
        const auto& c = commands[i];
        const auto payload_of = [&](std::size_t bytes) {
            const std::size_t padded = (bytes + 15) / 16 * 16;
            require(c.header.length == arch::command_header::encoded_bytes + padded, error_code::bad_command, "length");
            return c.payload;
        };
        arch::loop_indices iteration{};
        for (std::size_t l = 0; l < iteration.size() && l < loops.size(); ++l) {
            iteration[l] = loops[loops.size() - 1 - l].iteration;
        }

        switch (static_cast<opcode>(c.header.opcode)) {
        case opcode::nop:
        case opcode::irq: continue;
        case opcode::halt: require(loops.empty(), error_code::bad_command, "HALT inside of a loop"); return;
        case opcode::loop: {
            const auto l = arch::loop_command::decode(payload_of(arch::loop_command::payload_bytes));
            require(l.count >= 1 && loops.size() < arch::max_loop_depth, error_code::bad_field, "loop");
            loops.push_back({i + 1, l.count, 0});
            continue;
        }
        case opcode::end:
            require(!loops.empty(), error_code::bad_command, "END without LOOP");
            if (++loops.back().iteration < loops.back().count) {
                i = loops.back().first - 1;
            } else {
                loops.pop_back();
            }
            continue;
        case opcode::load:
        case opcode::store:
            transfer(c.header.opcode == static_cast<std::uint8_t>(opcode::load),
                     payload_of(arch::transfer_command::payload_bytes), iteration);
            continue;
        case opcode::signal:
        case opcode::wait: {
            const auto s = arch::signal_command::decode(payload_of(arch::signal_command::payload_bytes));
            require(s.signal < arch::signal_count, error_code::bad_field, "signal");
            const bool give = c.header.opcode == static_cast<std::uint8_t>(opcode::signal);
            require(give || signals[s.signal], error_code::never_signalled, "signal");
            signals[s.signal] = give;
            continue;
        }
        default: break;
        }

        const auto* instruction = arch::mmv::find_instruction(c.header.opcode);
        require(instruction != nullptr, error_code::unknown_opcode, "opcode");
        using namespace arch::mmv;
        switch (instruction->payload) {
        case payload_kind::matmul:
            m_units->matmul(matmul_command::decode(payload_of(matmul_command::payload_bytes)).at(iteration));
            break;
        case payload_kind::vector:
            m_units->vector(
                instruction->code,
                vector_command::decode(c.header.flags, payload_of(vector_command::payload_bytes)).at(iteration));
            break;
        case payload_kind::strided: {
            const auto s = strided_command::decode(payload_of(strided_command::payload_bytes)).at(iteration);
            if (instruction->code == arch::mmv::opcode::repl) {
                m_units->repl(s);
            } else {
                m_units->scalar(instruction->code, s);
            }
        }
        }
    }
    require(loops.empty(), error_code::bad_command, "LOOP without END");
}

void mmv_reference::transfer(bool load, const std::uint8_t* payload, const arch::loop_indices& iteration)
{
    const auto c = arch::transfer_command::decode(payload).at(iteration);
    const auto bytes = static_cast<std::int64_t>(arch::element_bytes(static_cast<arch::element_type>(c.tensor.type)));
    require(bytes != 0 && c.tensor.order >= 1 && c.tensor.order <= arch::tensor_descriptor::max_order,
            error_code::bad_descriptor, "tensor");
    std::int64_t local = static_cast<std::int64_t>(c.local);
    m_scratchpad.check(local, static_cast<std::size_t>(bytes) * c.tensor.elements(), static_cast<std::size_t>(bytes));
    std::array<std::uint32_t, arch::tensor_descriptor::max_order> index{};
    for (std::uint64_t e = 0; e < c.tensor.elements(); ++e, local += bytes) {
        std::uint64_t address = c.tensor.base;
        for (unsigned m = 0; m < c.tensor.order; ++m) {
            address += static_cast<std::uint64_t>(c.tensor.stride[m] * bytes * std::int64_t{index[m]});
        }
        std::uint8_t* at = in_memory(address, static_cast<std::size_t>(bytes));
        if (load) {
            m_scratchpad.write(local, at, static_cast<std::size_t>(bytes));
        } else {
            std::memcpy(at, m_scratchpad.bytes().data() + local, static_cast<std::size_t>(bytes));
        }
        for (unsigned m = c.tensor.order; m-- > 0;) {
            if (++index[m] < c.tensor.size[m]) { break; }
            index[m] = 0;
        }
    }
}

} // namespace tensorloom::test
