#include <tensorloom/models/arch/triada_driver.h>
#include <tensorloom/models/arch/program.h>
#include <tensorloom/models/arch/register_map.h>

namespace tensorloom::arch {

triada_driver::triada_driver(host_port& host, std::uint64_t base) : device_driver(host, base)
{
    probe(triada_id);
    const auto type = static_cast<std::uint8_t>(read(reg::caps));
    if (!element_types(triada_formats).contains(type)) {
        throw device_failure("CAPS names element type " + std::to_string(type));
    }
    m_format = static_cast<element_type>(type);
    m_mesh = {read(reg::caps_size_0), read(reg::caps_size_1), read(reg::caps_size_2)};
}

std::vector<std::uint8_t> triada_driver::program(const std::vector<gemt_command>& commands)
{
    program_builder builder;
    std::uint32_t token = 0;
    for (const auto& command : commands) { builder.add(opcode::gemt, command.flags, ++token, command.encode()); }
    builder.add(opcode::halt);
    return builder.bytes();
}

std::size_t triada_driver::program_bytes(std::size_t commands)
{
    return program_header::encoded_bytes + commands * (command_header::encoded_bytes + gemt_command::payload_bytes) +
           command_header::encoded_bytes;
}

} // namespace tensorloom::arch
