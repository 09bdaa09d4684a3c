#include <tensorloom/workloads/contraction/program_writer.h>
#include <algorithm>
#include <stdexcept>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/isa/program/shell_commands.h>

namespace tensorloom::workloads {
namespace {

std::vector<memory_mode> merged(const std::vector<memory_mode>& modes)
{
    std::vector<memory_mode> result;
    for (const memory_mode& m : modes) {
        if (m.size == 1) { continue; }
        const bool continues = !result.empty() && result.back().stride == m.stride * static_cast<std::int64_t>(m.size);
        if (continues) {
            result.back() = {result.back().size * m.size, m.stride};
        } else {
            result.push_back(m);
        }
    }
    if (result.empty()) { result.push_back({1, 1}); }
    return result;
}

} // namespace

void program_writer::load(const isa::tensor_descriptor& from, std::uint64_t local, const std::string& what)
{
    transfer(isa::opcode::load, from, local, what);
}

void program_writer::store(const isa::tensor_descriptor& to, std::uint64_t local, const std::string& what)
{
    transfer(isa::opcode::store, to, local, what);
}

void program_writer::transfer(isa::opcode code, const isa::tensor_descriptor& tensor, std::uint64_t local,
                              const std::string& what)
{
    isa::transfer_command c;
    c.tensor = tensor;
    const auto type = static_cast<base::element_type>(tensor.type);
    c.local = fetta::row_address(m_limits, type, 0, 0) + local;
    add(static_cast<std::uint8_t>(code), 0, c.encode(), what);
}

void program_writer::contract(const fetta::contract_command& command, const std::string& what)
{
    add(static_cast<std::uint8_t>(fetta::opcode::contract), command.flags, command.encode(), what);
}

void program_writer::vector(isa::vector::opcode code, const isa::vector::vector_command& command,
                            const std::string& what)
{
    add(static_cast<std::uint8_t>(code), command.flags, command.encode(), what);
}

void program_writer::repl(const isa::vector::strided_command& command, const std::string& what)
{
    add(static_cast<std::uint8_t>(isa::vector::opcode::repl), 0, command.encode(), what);
}

void program_writer::add(std::uint8_t code, std::uint16_t flags, const std::vector<std::uint8_t>& payload,
                         const std::string& what)
{
    m_builder.add(static_cast<isa::opcode>(code), flags, 0, payload);
    m_bytes += isa::command_header::encoded_bytes + (payload.size() + 15) / 16 * 16;
    m_descriptions.push_back(what);
}

void program_writer::may_cut()
{
    if (m_bytes > m_most_bytes / 2) { close(); }
}

void program_writer::close()
{
    if (m_bytes + isa::program_header::encoded_bytes > m_most_bytes) {
        base::refuse("program",
                     std::to_string(m_bytes + isa::program_header::encoded_bytes) +
                         " bytes for the sums of one block of the result",
                     "at most " + std::to_string(m_most_bytes));
    }
    m_programs.push_back({m_phase, m_builder.bytes(), std::move(m_descriptions)});
    m_builder = {};
    m_bytes = 0;
    m_descriptions.clear();
}

std::vector<contraction_program> program_writer::programs()
{
    if (m_bytes != 0) { close(); }
    return std::move(m_programs);
}

isa::tensor_descriptor descriptor_of(std::uint64_t address, base::element_type type,
                                     const std::vector<memory_mode>& modes)
{
    const auto kept = merged(modes);
    if (kept.size() > isa::tensor_descriptor::max_order) { throw std::logic_error("a tensor of more than 8 modes"); }
    isa::tensor_descriptor d;
    d.base = address;
    d.type = static_cast<std::uint8_t>(type);
    for (const memory_mode& m : kept) {
        d.size[d.order] = static_cast<std::uint32_t>(m.size);
        d.stride[d.order++] = m.stride;
    }
    return d;
}

} // namespace tensorloom::workloads
