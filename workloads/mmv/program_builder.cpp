#include <tensorloom/workloads/mmv/program_builder.h>
#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <tensorloom/models/isa/program/shell_commands.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/mmv/word_values.h>

namespace tensorloom::workloads {
namespace {

// Programs longer than this are cut between two instructions.
constexpr std::size_t long_program_bytes = 4u << 20;
constexpr std::uint64_t array_alignment = 64;
constexpr std::uint64_t scratchpad_addresses = std::uint64_t{1} << 32;

std::uint64_t round_up(std::uint64_t bytes)
{
    return (bytes + array_alignment - 1) / array_alignment * array_alignment;
}

isa::transfer_command transfer(const mmv_array& array, std::uint64_t elements, std::uint64_t address)
{
    isa::transfer_command c;
    c.tensor = isa::dense_descriptor(address, array.type, {static_cast<std::uint32_t>(elements)});
    c.local = array.address;
    return c;
}

} // namespace

mmv_program_builder::mmv_program_builder(mmv_session& session) : m_session(session) {}

mmv_array mmv_program_builder::words(std::uint64_t n) { return place(n, limits().word()); }
mmv_array mmv_program_builder::elements(std::uint64_t n) { return place(n, limits().format); }

mmv_array mmv_program_builder::place(std::uint64_t n, base::element_type type)
{
    const std::uint64_t bytes = round_up(n * base::element_bytes(type));
    if (n > scratchpad_addresses || m_used + bytes > scratchpad_addresses) {
        base::refuse("scratchpad", std::to_string(limits().scratchpad_bytes) + " bytes",
                     std::to_string(m_used + bytes) + ", more than its 32-bit addresses reach");
    }
    const mmv_array array{static_cast<std::uint32_t>(m_used), n, type};
    m_used += bytes;
    m_costs.scratchpad_bytes = std::max(m_costs.scratchpad_bytes, m_used);
    return array;
}

std::uint64_t mmv_program_builder::place_data(std::size_t bytes)
{
    if (m_data_used + round_up(bytes) > m_session.data_bytes() && m_depth == 0) { run(); } // makes room
    const std::uint64_t end = m_data_used + round_up(bytes);
    if (end > m_session.data_bytes()) {
        base::refuse("memory", std::to_string(m_session.data_bytes()) + " bytes for data",
                     "at least " + std::to_string(end));
    }
    const std::uint64_t address = m_session.data_base() + m_data_used;
    m_data_used = end;
    return address;
}

template <class T> void mmv_program_builder::load(const mmv_array& to, const std::vector<T>& values)
{
    if (values.size() > to.elements) { throw std::logic_error("an array gets more values than it has elements"); }
    if (!values.empty()) { load_bytes(to, values.size(), to_bytes(values, to.type)); }
}

void mmv_program_builder::load_bytes(const mmv_array& to, std::uint64_t elements,
                                     const std::vector<std::uint8_t>& bytes)
{
    const std::uint64_t address = place_data(bytes.size());
    m_session.write(address, bytes.data(), bytes.size());
    record(isa::opcode::load, 0, transfer(to, elements, address).encode());
}

template <class T> void mmv_program_builder::store(const mmv_array& from, std::vector<T>& to)
{
    to.clear();
    store<T>(from, [&to](std::vector<T> values) { to = std::move(values); });
}

template <class T> void mmv_program_builder::store(const mmv_array& from, std::function<void(std::vector<T>)> deliver)
{
    if (from.elements == 0) { return; }
    const std::size_t bytes = from.elements * base::element_bytes(from.type);
    const std::uint64_t address = place_data(bytes);
    // Before it is recorded: recording may run the program.
    m_stores.push_back({address, bytes, [from, deliver = std::move(deliver)](const std::uint8_t* data) {
                            deliver(from_bytes<T>(data, from.elements, from.type));
                        }});
    record(isa::opcode::store, 0, transfer(from, from.elements, address).encode());
}

void mmv_program_builder::add(const mmv::matmul_command& command)
{
    record(static_cast<isa::opcode>(mmv::opcode::matmul), 0, command.encode());
}

void mmv_program_builder::add(const mmv::product_command& command, bool accumulate)
{
    record(static_cast<isa::opcode>(mmv::opcode::product),
           accumulate ? mmv::product_command::flag_accumulate : std::uint16_t{0}, command.encode());
}

void mmv_program_builder::add(isa::vector::opcode code, const isa::vector::vector_command& command)
{
    record(static_cast<isa::opcode>(code), command.flags, command.encode());
}

void mmv_program_builder::add(isa::command_code code, const isa::vector::strided_command& command)
{
    record(static_cast<isa::opcode>(code.value), 0, command.encode());
}

void mmv_program_builder::loop(std::uint32_t count)
{
    ++m_depth;
    record(isa::opcode::loop, 0, isa::loop_command{count}.encode());
}

void mmv_program_builder::end()
{
    --m_depth;
    record(isa::opcode::end, 0, {});
}

void mmv_program_builder::enter(const char* part)
{
    if (m_entered++ == 0) { m_part = part; }
}

void mmv_program_builder::leave()
{
    if (--m_entered == 0) { m_part = nullptr; }
}

void mmv_program_builder::mark_part()
{
    const char* latest = m_marks.empty() ? nullptr : m_marks.back().part;
    if (latest != m_part) { m_marks.push_back({m_commands, m_part}); }
}

void mmv_program_builder::record(isa::opcode code, std::uint16_t flags, const std::vector<std::uint8_t>& payload)
{
    mark_part();
    m_program.add(code, flags, 0, payload);
    ++m_commands;
    m_recorded_bytes += isa::command_header::encoded_bytes + payload.size();
    if (m_depth == 0 && m_recorded_bytes > long_program_bytes) { run(); }
}

void mmv_program_builder::run()
{
    if (m_depth != 0) { throw std::logic_error("a program with an open loop"); }
    if (m_recorded_bytes == 0) { return; }
    if (m_costs.scratchpad_bytes > limits().scratchpad_bytes) {
        base::refuse("scratchpad", std::to_string(limits().scratchpad_bytes) + " bytes",
                     "at least " + std::to_string(m_costs.scratchpad_bytes));
    }
    const auto program = m_program.bytes();
    m_program = {};
    m_recorded_bytes = 0;
    m_commands = 0;
    m_costs.parts.push_back(std::move(m_marks));
    m_marks.clear();
    const program_outcome<mmv::counts> ran = m_session.run(program);
    m_costs.counts += ran.counts;
    m_costs.cycles += ran.cycles;
    ++m_costs.programs;
    std::vector<std::uint8_t> bytes;
    for (const auto& s : m_stores) {
        bytes.resize(s.bytes);
        m_session.read(s.address, bytes.data(), bytes.size());
        s.deliver(bytes.data());
    }
    m_stores.clear();
    m_data_used = 0;
}

template void mmv_program_builder::load(const mmv_array&, const std::vector<std::int64_t>&);
template void mmv_program_builder::load(const mmv_array&, const std::vector<double>&);
template void mmv_program_builder::load(const mmv_array&, const std::vector<std::complex<double>>&);
template void mmv_program_builder::store(const mmv_array&, std::vector<std::int64_t>&);
template void mmv_program_builder::store(const mmv_array&, std::function<void(std::vector<std::int64_t>)>);
template void mmv_program_builder::store(const mmv_array&, std::vector<double>&);
template void mmv_program_builder::store(const mmv_array&, std::vector<std::complex<double>>&);

} // namespace tensorloom::workloads
