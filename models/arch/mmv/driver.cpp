#include <tensorloom/models/arch/mmv/driver.h>
#include <string>
#include <tensorloom/models/arch/mmv/events.h>
#include <tensorloom/models/arch/mmv/instruction_set.h>
#include <tensorloom/models/arch/mmv/matmul_command.h>
#include <tensorloom/models/arch/program/register_map.h>
#include <tensorloom/models/arch/vector/instruction_set.h>
#include <tensorloom/models/arch/vector/vector_command.h>

namespace tensorloom::arch::mmv {
namespace {

constexpr command_description describe(const instruction& i)
{
    const named_value code{static_cast<std::uint32_t>(i.code), i.name, i.meaning};
    return {code, {}, is_scalar(i.code) ? &vector::strided_layout : &matmul_layout};
}

// In the order of opcodes: MATMUL, the vector unit, the scalar unit.
constexpr command_list list_commands()
{
    command_list all;
    all.add(describe(instructions[0]));
    for (const vector::instruction& i : vector::instructions) { all.add(vector::describe(i)); }
    for (std::size_t i = 1; i < instruction_count; ++i) { all.add(describe(instructions[i])); }
    return all;
}

constexpr command_list commands = list_commands();

} // namespace

constexpr device_description description{"mmv", "MMU/VCU pair", id, device_id(id), commands.all(), events};

driver::driver(host_port& host, std::uint64_t base) : device_driver(host, base)
{
    probe(id);
    const auto type = static_cast<std::uint8_t>(read(reg::caps));
    if (!element_types(systolic_formats).contains(type)) {
        throw device_failure("CAPS names element type " + std::to_string(type));
    }
    m_format = static_cast<element_type>(type);
    m_side = read(reg::caps_size_0);
    m_lanes = read(reg::caps_size_1);
    m_scratchpad_bytes = std::uint64_t{read(reg::caps_size_2)} * 1024;
}

} // namespace tensorloom::arch::mmv
