#include <tensorloom/workloads/mmv/session.h>
#include <algorithm>
#include <stdexcept>
#include <string>
#include <tensorloom/models/arch/program/shell_commands.h>
#include <tensorloom/models/arch/values/input_error.h>
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

arch::transfer_command transfer(const mmv_array& array, std::uint64_t elements, std::uint64_t address)
{
    arch::transfer_command c;
    c.tensor = arch::dense_descriptor(address, array.type, {static_cast<std::uint32_t>(elements)});
    c.local = array.address;
    return c;
}

} // namespace

mmv_session::mmv_session(mmv_runtime& runtime) : m_runtime(runtime) {}

mmv_array mmv_session::words(std::uint64_t n) { return place(n, limits().word()); }
mmv_array mmv_session::elements(std::uint64_t n) { return place(n, limits().format); }

mmv_array mmv_session::place(std::uint64_t n, arch::element_type type)
{
    const std::uint64_t bytes = round_up(n * arch::element_bytes(type));
    if (n > scratchpad_addresses || m_used + bytes > scratchpad_addresses) {
        throw arch::input_error("scratchpad: found " + std::to_string(limits().scratchpad_bytes) + " bytes, expected " +
                                std::to_string(m_used + bytes) + ", more than its 32-bit addresses reach");
    }
    const mmv_array array{static_cast<std::uint32_t>(m_used), n, type};
    m_used += bytes;
    m_costs.scratchpad_bytes = std::max(m_costs.scratchpad_bytes, m_used);
    return array;
}

std::uint64_t mmv_session::place_data(std::size_t bytes)
{
    if (m_data_used + round_up(bytes) > m_runtime.data_bytes() && m_depth == 0) { run(); } // makes room
    const std::uint64_t end = m_data_used + round_up(bytes);
    if (end > m_runtime.data_bytes()) {
        throw arch::input_error("memory: found " + std::to_string(m_runtime.data_bytes()) +
                                " bytes for data, expected at least " + std::to_string(end));
    }
    const std::uint64_t address = m_runtime.data_base() + m_data_used;
    m_data_used = end;
    return address;
}

template <class T> void mmv_session::load(const mmv_array& to, const std::vector<T>& values)
{
    if (values.size() > to.elements) { throw std::logic_error("an array gets more values than it has elements"); }
    if (!values.empty()) { load_bytes(to, values.size(), to_bytes(values, to.type)); }
}

void mmv_session::load_bytes(const mmv_array& to, std::uint64_t elements, const std::vector<std::uint8_t>& bytes)
{
    const std::uint64_t address = place_data(bytes.size());
    m_runtime.write(address, bytes.data(), bytes.size());
    record(arch::opcode::load, 0, transfer(to, elements, address).encode());
}

template <class T> void mmv_session::store(const mmv_array& from, std::vector<T>& to)
{
    to.clear();
    if (from.elements == 0) { return; }
    const std::size_t bytes = from.elements * arch::element_bytes(from.type);
    const std::uint64_t address = place_data(bytes);
    // Before it is recorded: recording may run the program.
    m_stores.push_back({address, bytes,
                        [from, &to](const std::uint8_t* data) { to = from_bytes<T>(data, from.elements, from.type); }});
    record(arch::opcode::store, 0, transfer(from, from.elements, address).encode());
}

void mmv_session::add(const arch::mmv::matmul_command& command)
{
    record(static_cast<arch::opcode>(arch::mmv::opcode::matmul), 0, command.encode());
}

void mmv_session::add(arch::vector::opcode code, const arch::vector::vector_command& command)
{
    record(static_cast<arch::opcode>(code), command.flags, command.encode());
}

void mmv_session::add(arch::command_code code, const arch::vector::strided_command& command)
{
    record(static_cast<arch::opcode>(code.value), 0, command.encode());
}

void mmv_session::loop(std::uint32_t count)
{
    ++m_depth;
    record(arch::opcode::loop, 0, arch::loop_command{count}.encode());
}

void mmv_session::end()
{
    --m_depth;
    record(arch::opcode::end, 0, {});
}

void mmv_session::record(arch::opcode code, std::uint16_t flags, const std::vector<std::uint8_t>& payload)
{
    m_program.add(code, flags, 0, payload);
    m_recorded_bytes += arch::command_header::encoded_bytes + payload.size();
    if (m_depth == 0 && m_recorded_bytes > long_program_bytes) { run(); }
}

void mmv_session::run()
{
    if (m_depth != 0) { throw std::logic_error("a program with an open loop"); }
    if (m_recorded_bytes == 0) { return; }
    if (m_costs.scratchpad_bytes > limits().scratchpad_bytes) {
        throw arch::input_error("scratchpad: found " + std::to_string(limits().scratchpad_bytes) +
                                " bytes, expected at least " + std::to_string(m_costs.scratchpad_bytes));
    }
    const auto program = m_program.bytes();
    m_program = {};
    m_recorded_bytes = 0;
    const program_outcome<arch::mmv::counts> ran = m_runtime.run(program);
    m_costs.counts += ran.counts;
    m_costs.cycles += ran.cycles;
    ++m_costs.programs;
    std::vector<std::uint8_t> bytes;
    for (const auto& s : m_stores) {
        bytes.resize(s.bytes);
        m_runtime.read(s.address, bytes.data(), bytes.size());
        s.deliver(bytes.data());
    }
    m_stores.clear();
    m_data_used = 0;
}

template void mmv_session::load(const mmv_array&, const std::vector<std::int64_t>&);
template void mmv_session::load(const mmv_array&, const std::vector<double>&);
template void mmv_session::load(const mmv_array&, const std::vector<std::complex<double>>&);
template void mmv_session::store(const mmv_array&, std::vector<std::int64_t>&);
template void mmv_session::store(const mmv_array&, std::vector<double>&);
template void mmv_session::store(const mmv_array&, std::vector<std::complex<double>>&);

} // namespace tensorloom::workloads
