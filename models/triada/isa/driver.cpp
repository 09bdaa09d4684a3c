#include <tensorloom/models/triada/isa/driver.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/register_map.h>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <tensorloom/models/triada/isa/events.h>

namespace tensorloom::triada {
namespace {

constexpr isa::command_description commands[] = {
    {{static_cast<std::uint32_t>(opcode::gemt), "gemt", "three-mode matrix-by-tensor product"},
     gemt_flag_values,
     &gemt_layout},
    {{static_cast<std::uint32_t>(opcode::pointwise), "pointwise", "every cell changes its element of a tensor"},
     isa::pointwise_flag_values,
     &isa::pointwise_layout},
};

} // namespace

constexpr isa::device_description description{
    "triada", "TriADA", id, isa::device_id(id), {commands, sizeof commands / sizeof commands[0]}, events, 1};

driver::driver(isa::host_port& host, std::uint64_t base) : isa::device_driver(host, base)
{
    probe(id);
    const auto type = static_cast<std::uint8_t>(read(isa::reg::caps));
    if (!base::element_types(formats).contains(type)) {
        throw isa::device_failure("CAPS names element type " + std::to_string(type));
    }
    m_format = static_cast<base::element_type>(type);
    m_mesh = {read(isa::reg::caps_size_0), read(isa::reg::caps_size_1), read(isa::reg::caps_size_2)};
}

std::vector<std::uint8_t> driver::program(const std::vector<gemt_command>& commands)
{
    return isa::program_of(opcode::gemt, commands);
}

std::size_t driver::program_bytes(std::size_t commands) { return isa::program_bytes_of<gemt_command>(commands); }

} // namespace tensorloom::triada
