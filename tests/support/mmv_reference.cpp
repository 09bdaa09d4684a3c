#include "support/mmv_reference.h"
#include <cstring>
#include <string>

namespace tensorloom::test {

using isa::error_code;

mmv_reference::mmv_reference(const mmv::limits& limits, const settings& with)
    : m_limits(limits), m_settings(with), m_memory(with.memory_base, with.memory_bytes),
      m_scratchpad(limits.scratchpad_bytes)
{
    const unsigned bits = with.word_bits != 0 ? with.word_bits : base::element_bits(limits.word());
    m_units = make_reference_units(m_limits, bits, m_scratchpad, m_counts);
}

mmv_reference::~mmv_reference() = default;

void mmv_reference::write(std::uint64_t address, const void* from, std::size_t bytes)
{
    std::memcpy(m_memory.at(address, bytes), from, bytes);
}

void mmv_reference::read(std::uint64_t address, void* to, std::size_t bytes)
{
    std::memcpy(to, m_memory.at(address, bytes), bytes);
}

workloads::program_outcome<mmv::counts> mmv_reference::run(const std::vector<std::uint8_t>& program)
{
    m_counts = {};
    m_scratchpad.set_resident(std::nullopt);
    std::uint32_t command = 0;
    try {
        run_reference_program(program, *this, command);
    } catch (const reference_failure& failed) {
        throw workloads::program_error(failed.code, command,
                                       "command " + std::to_string(command) + ": " + isa::error_text(failed.code) +
                                           ": " + failed.text);
    }
    return {m_counts, 0};
}

void mmv_reference::execute(const reference_command& command, const isa::loop_indices& iteration)
{
    using namespace mmv;
    using namespace tensorloom::isa::vector;

    const auto* lanes = isa::vector::find_instruction(command.header.opcode);
    const auto* other = mmv::find_instruction(command.header.opcode);
    require(lanes != nullptr || other != nullptr, error_code::unknown_opcode, "opcode");
    if (lanes != nullptr && lanes->payload == payload_kind::vector) {
        m_units->vector(
            lanes->code,
            vector_command::decode(command.header.flags, command.payload(vector_command::payload_bytes)).at(iteration));
    } else if (lanes == nullptr && !is_scalar(other->code)) {
        if (other->code == mmv::opcode::product) {
            const auto c = product_command::decode(command.payload(product_command::payload_bytes)).at(iteration);
            return m_units->product(c, (command.header.flags & product_command::flag_accumulate) != 0);
        }
        m_units->matmul(matmul_command::decode(command.payload(matmul_command::payload_bytes)).at(iteration));
    } else {
        const auto s = strided_command::decode(command.payload(strided_command::payload_bytes)).at(iteration);
        if (lanes != nullptr) {
            m_units->repl(s);
        } else {
            m_units->scalar(other->code, s);
        }
    }
}

std::vector<std::uint32_t> mmv_reference::list(std::uint64_t local, std::uint32_t entries)
{
    const auto first = static_cast<std::int64_t>(local);
    m_scratchpad.check(first, std::uint64_t{entries} * 4, 1);
    std::vector<std::uint32_t> numbers(entries);
    std::memcpy(numbers.data(), m_scratchpad.bytes().data() + first, numbers.size() * 4);
    return numbers;
}

void mmv_reference::transfer(bool load, const isa::transfer_command& c, const std::vector<std::uint32_t>& slices)
{
    const std::size_t element = base::element_bytes(static_cast<base::element_type>(c.tensor.type));
    const auto local = static_cast<std::int64_t>(c.local);
    require(element != 0, error_code::bad_descriptor, "tensor");
    m_scratchpad.check(local, element * c.tensor.elements(), 1); // any byte is an address
    m_memory.for_each_element(c.tensor, slices, [&](std::uint8_t* at, std::size_t bytes, std::uint64_t offset) {
        const auto to = local + static_cast<std::int64_t>(offset);
        if (load) {
            m_scratchpad.write(to, at, bytes);
        } else {
            std::memcpy(at, m_scratchpad.bytes().data() + to, bytes);
        }
    });
}

} // namespace tensorloom::test
