#include <tensorloom/models/arch/fetta/driver.h>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/events.h>
#include <tensorloom/models/arch/fetta/limits.h>
#include <tensorloom/models/arch/program/register_map.h>
#include <tensorloom/models/arch/vector/instruction_set.h>
#include <tensorloom/models/arch/vector/vector_command.h>

namespace tensorloom::arch::fetta {
namespace {

// The contraction, then the instructions that the vector unit of every FETTA has: the geometry decides where words lie,
// not what is done with them.
constexpr command_list list_commands()
{
    command_list all;
    all.add({{static_cast<std::uint32_t>(opcode::contract), "contract",
              "contraction of two tensors on the contraction engines"},
             contract_flag_values,
             &contract_layout});
    for (const vector::instruction& i : vector::instructions) {
        if (vector_limits_of({}).offers(i.code)) { all.add(vector::describe(i)); }
    }
    return all;
}

constexpr command_list commands = list_commands();

constexpr unsigned side_position = 8, psum_position = 16;

constexpr std::uint32_t byte_at(std::uint32_t value, unsigned position) { return (value >> position) & 0xff; }

} // namespace

constexpr device_description description{"fetta", "FETTA", id, device_id(id), commands.all(), events};

std::array<std::uint32_t, 3> caps_size_of(const geometry& g)
{
    return {g.engines | g.side << side_position | static_cast<std::uint32_t>(g.psum) << psum_position, g.bank_bytes,
            g.accumulator_bank_bytes};
}

driver::driver(host_port& host, std::uint64_t base) : device_driver(host, base)
{
    probe(id);
    const std::uint32_t sizes = read(reg::caps_size_0);
    m_geometry.engines = byte_at(sizes, 0);
    m_geometry.side = byte_at(sizes, side_position);
    m_geometry.psum = static_cast<element_type>(byte_at(sizes, psum_position));
    m_geometry.operand = static_cast<element_type>(byte_at(read(reg::caps), 0));
    m_geometry.bank_bytes = read(reg::caps_size_1);
    m_geometry.accumulator_bank_bytes = read(reg::caps_size_2);
    if (const auto wrong = complaint(m_geometry)) { throw device_failure("CAPS and CAPS_SIZE: " + *wrong); }
}

} // namespace tensorloom::arch::fetta
