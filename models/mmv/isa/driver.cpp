#include <tensorloom/models/mmv/isa/driver.h>
#include <string>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/models/mmv/isa/instruction_set.h>
#include <tensorloom/models/mmv/isa/matmul_command.h>
#include <tensorloom/models/mmv/isa/product_command.h>
#include <tensorloom/models/isa/program/register_map.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/vector_command.h>

namespace tensorloom::mmv {
namespace {

constexpr isa::command_description describe(const instruction& i)
{
    const base::named_value code{static_cast<std::uint32_t>(i.code), i.name, i.meaning};
    if (i.code == opcode::product) { return {code, product_flag_values, &product_layout}; }
    return {code, {}, is_scalar(i.code) ? &isa::vector::strided_layout : &matmul_layout};
}

// In the order of opcodes: the matrix unit, the vector unit, the scalar unit.
constexpr isa::command_list list_commands()
{
    isa::command_list all;
    constexpr std::size_t of_matrix_unit = 2;
    for (std::size_t i = 0; i < of_matrix_unit; ++i) { all.add(describe(instructions[i])); }
    for (const isa::vector::instruction& i : isa::vector::instructions) { all.add(isa::vector::describe(i)); }
    for (std::size_t i = of_matrix_unit; i < instruction_count; ++i) { all.add(describe(instructions[i])); }
    return all;
}

constexpr isa::command_list commands = list_commands();

} // namespace

constexpr isa::device_description description{"mmv", "MMU/VCU pair", id, isa::device_id(id), commands.all(), events, 2};

driver::driver(isa::host_port& host, std::uint64_t base) : isa::device_driver(host, base)
{
    probe(id);
    const auto type = static_cast<std::uint8_t>(read(isa::reg::caps));
    if (!base::element_types(base::systolic_formats).contains(type)) {
        throw isa::device_failure("CAPS names element type " + std::to_string(type));
    }
    m_format = static_cast<base::element_type>(type);
    m_side = read(isa::reg::caps_size_0);
    m_lanes = read(isa::reg::caps_size_1);
    m_scratchpad_bytes = std::uint64_t{read(isa::reg::caps_size_2)} * 1024;
}

} // namespace tensorloom::mmv
