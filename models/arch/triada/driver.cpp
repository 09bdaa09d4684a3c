#include <tensorloom/models/arch/triada/driver.h>
#include <tensorloom/models/arch/program/program.h>
#include <tensorloom/models/arch/program/register_map.h>
#include <tensorloom/models/arch/triada/events.h>

namespace tensorloom::arch::triada {
namespace {

constexpr command_description commands[] = {
    {{static_cast<std::uint32_t>(opcode::gemt), "gemt", "three-mode matrix-by-tensor product"},
     gemt_flag_values,
     &gemt_layout},
};

} // namespace

constexpr device_description description{
    "triada", "TriADA", id, device_id(id), {commands, sizeof commands / sizeof commands[0]}, events};

driver::driver(host_port& host, std::uint64_t base) : device_driver(host, base)
{
    probe(id);
    const auto type = static_cast<std::uint8_t>(read(reg::caps));
    if (!element_types(formats).contains(type)) {
        throw device_failure("CAPS names element type " + std::to_string(type));
    }
    m_format = static_cast<element_type>(type);
    m_mesh = {read(reg::caps_size_0), read(reg::caps_size_1), read(reg::caps_size_2)};
}

std::vector<std::uint8_t> driver::program(const std::vector<gemt_command>& commands)
{
    return program_of(opcode::gemt, commands);
}

std::size_t driver::program_bytes(std::size_t commands) { return program_bytes_of<gemt_command>(commands); }

} // namespace tensorloom::arch::triada
