#include "support/fetta_reference.h"
#include <cstring>
#include <set>
#include <string>
#include <tensorloom/models/fetta/isa/contract_command.h>

namespace tensorloom::test {

using fetta::event;
using isa::error_code;

fetta_reference::fetta_reference(const fetta::device_limits& g, const settings& with)
    : m_limits(g), m_settings(with), m_memory(with.memory_base, with.memory_bytes), m_unified(m_limits),
      m_accumulators(m_limits)
{
    m_word_limits.format = base::element_type::f32;
    m_word_limits.scratchpad_bytes = g.memory_bytes();
    m_units = make_reference_units(m_word_limits, 32, m_unified.words(), m_vector_counts);
}

fetta_reference::~fetta_reference() = default;

void fetta_reference::write(std::uint64_t address, const void* from, std::size_t bytes)
{
    std::memcpy(m_memory.at(address, bytes), from, bytes);
}

void fetta_reference::read(std::uint64_t address, void* to, std::size_t bytes)
{
    std::memcpy(to, m_memory.at(address, bytes), bytes);
}

workloads::program_outcome<fetta::counts> fetta_reference::run(const std::vector<std::uint8_t>& program)
{
    m_counts = {};
    m_cycles = {};
    m_accumulators.clear();
    std::uint32_t command = 0;
    try {
        run_reference_program(program, *this, command);
    } catch (const reference_failure& failed) {
        throw workloads::program_error(failed.code, command,
                                       "command " + std::to_string(command) + ": " + isa::error_text(failed.code) +
                                           ": " + failed.text);
    }
    return {m_counts, m_cycles.total()};
}

void fetta_reference::execute(const reference_command& command, const isa::loop_indices& iteration)
{
    using fetta::contract_command;

    if (command.header.opcode != static_cast<std::uint8_t>(fetta::opcode::contract)) {
        run_vector(command, iteration);
        return;
    }
    const auto c =
        contract_command::decode(command.header.flags, command.payload(contract_command::payload_bytes)).at(iteration);
    m_cycles += run_reference_contraction(c, m_limits, m_unified, m_accumulators, m_counts);
}

void fetta_reference::run_vector(const reference_command& command, const isa::loop_indices& iteration)
{
    using namespace tensorloom::isa::vector;

    const auto* instruction = isa::vector::find_instruction(command.header.opcode);
    require(instruction != nullptr, error_code::unknown_opcode, "opcode");
    m_vector_counts = {};
    if (instruction->payload == payload_kind::vector) {
        m_units->vector(
            instruction->code,
            vector_command::decode(command.header.flags, command.payload(vector_command::payload_bytes)).at(iteration));
    } else {
        m_units->repl(strided_command::decode(command.payload(strided_command::payload_bytes)).at(iteration));
    }
    using from = mmv::event;
    m_counts[fetta::event::vector_instruction] += 1;
    for (const auto lanes : {from::lane_add, from::lane_multiply, from::lane_multiply_add, from::lane_function,
                             from::lane_logic, from::lane_move}) {
        m_counts[fetta::event::vector_op] += m_vector_counts[lanes];
    }
}

void fetta_reference::require_inside(std::uint64_t local, std::uint64_t bytes) const
{
    const std::uint64_t window = m_limits.memory_bytes();
    require(local < 2 * window && bytes <= (local < window ? window : 2 * window) - local, error_code::too_large,
            "outside of the unified memory");
}

// A float32 row is two rows of 16-bit elements.
std::uint64_t fetta_reference::rows_of(std::uint64_t local, std::uint64_t bytes) const
{
    const std::uint64_t window = m_limits.memory_bytes();
    const std::uint64_t row_bytes =
        m_limits.row_bytes(local < window ? base::element_type::bf16 : base::element_type::f32);
    std::set<std::uint64_t> rows;
    for (std::uint64_t b = 0; b < bytes; ++b) {
        const std::uint64_t offset = (local + b) % window;
        const std::uint64_t half = offset % row_bytes / m_limits.row_bytes(base::element_type::bf16);
        rows.insert(rows.end(), offset / row_bytes * 2 + half);
    }
    return rows.size();
}

std::vector<std::uint32_t> fetta_reference::list(std::uint64_t local, std::uint32_t entries)
{
    require_inside(local, std::uint64_t{entries} * 4);
    std::vector<std::uint32_t> numbers;
    for (std::uint64_t e = 0; e < entries; ++e) {
        std::uint32_t number = 0;
        for (unsigned b = 4; b-- > 0;) {
            number = number << 8 | m_unified.words().get<std::uint8_t>(m_unified.byte(local + 4 * e + b));
        }
        numbers.push_back(number);
    }
    m_counts[event::store_row] += rows_of(local, std::uint64_t{entries} * 4);
    return numbers;
}

void fetta_reference::transfer(bool load, const isa::transfer_command& c, const std::vector<std::uint32_t>& slices)
{
    require_inside(c.local, c.bytes());
    m_memory.for_each_element(c.tensor, slices, [&](std::uint8_t* at, std::size_t size, std::uint64_t offset) {
        for (std::size_t i = 0; i < size; ++i) {
            const std::int64_t local = m_unified.byte(c.local + offset + i);
            if (load) {
                m_unified.words().put(local, at[i]);
            } else {
                at[i] = m_unified.words().get<std::uint8_t>(local);
            }
        }
    });
    m_counts[load ? event::load_row : event::store_row] += rows_of(c.local, c.bytes());
}

} // namespace tensorloom::test
