#include <tensorloom/models/fetta/isa/driver.h>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include <tensorloom/models/isa/program/register_map.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/vector_command.h>

namespace tensorloom::fetta {
namespace {

// The contraction, then the instructions of the vector unit, the same for every FETTA: the device limits affect only
// where words lie.
constexpr isa::command_list list_commands()
{
    isa::command_list all;
    all.add({{static_cast<std::uint32_t>(opcode::contract), "contract",
              "contraction of two tensors on the contraction engines"},
             contract_flag_values,
             &contract_layout});
    for (const isa::vector::instruction& i : isa::vector::instructions) {
        if (vector_limits_of({}).offers(i.code)) { all.add(isa::vector::describe(i)); }
    }
    return all;
}

constexpr isa::command_list commands = list_commands();

constexpr unsigned side_position = 8, psum_position = 16;

constexpr std::uint32_t byte_at(std::uint32_t value, unsigned position) { return (value >> position) & 0xff; }

} // namespace

constexpr isa::device_description description{"fetta", "FETTA", id, isa::device_id(id), commands.all(), events, 3};

std::array<std::uint32_t, 3> caps_size_of(const device_limits& g)
{
    return {g.engines | g.side << side_position | static_cast<std::uint32_t>(g.psum) << psum_position, g.bank_bytes,
            g.accumulator_bank_bytes};
}

driver::driver(isa::host_port& host, std::uint64_t base) : isa::device_driver(host, base)
{
    probe(id);
    const std::uint32_t sizes = read(isa::reg::caps_size_0);
    m_limits.engines = byte_at(sizes, 0);
    m_limits.side = byte_at(sizes, side_position);
    m_limits.psum = static_cast<base::element_type>(byte_at(sizes, psum_position));
    m_limits.operand = static_cast<base::element_type>(byte_at(read(isa::reg::caps), 0));
    m_limits.bank_bytes = read(isa::reg::caps_size_1);
    m_limits.accumulator_bank_bytes = read(isa::reg::caps_size_2);
    if (const auto wrong = validate(m_limits)) { throw isa::device_failure("CAPS and CAPS_SIZE: " + *wrong); }
}

} // namespace tensorloom::fetta
