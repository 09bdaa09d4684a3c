#include <tensorloom/models/torus/isa/driver.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/register_map.h>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <tensorloom/models/torus/isa/events.h>

namespace tensorloom::torus {
namespace {

constexpr auto command = [](opcode code, const char* name, const char* meaning, base::named_values flags,
                            const base::byte_layout& payload) {
    return isa::command_description{{static_cast<std::uint32_t>(code), name, meaning}, flags, &payload};
};

constexpr isa::command_description commands[] = {
    command(opcode::orbit, "orbit", "three-mode transform, forward or inverse", orbit_flag_values, orbit_layout),
    command(opcode::multiply, "multiply", "product of matrices on a plane of nodes", multiply_flag_values,
            multiply_layout),
    command(opcode::pointwise, "pointwise", "changes the elements of a tensor where it lies",
            isa::pointwise_flag_values, isa::pointwise_layout),
};

} // namespace

constexpr isa::device_description description{
    "torus", "Orbital torus", id, isa::device_id(id), {commands, sizeof commands / sizeof commands[0]}, events, 4};

std::array<std::uint32_t, 3> caps_size_of(std::uint32_t side, const std::array<std::uint32_t, 3>& block)
{
    return {side, block[0] | block[1] << 16, block[2]};
}

driver::driver(isa::host_port& host, std::uint64_t base) : isa::device_driver(host, base)
{
    probe(id);
    const auto type = static_cast<std::uint8_t>(read(isa::reg::caps));
    if (!base::element_types(formats).contains(type)) {
        throw isa::device_failure("CAPS names element type " + std::to_string(type));
    }
    m_format = static_cast<base::element_type>(type);
    m_side = read(isa::reg::caps_size_0);
    const std::uint32_t first_blocks = read(isa::reg::caps_size_1);
    m_block = {first_blocks & 0xffffu, first_blocks >> 16, read(isa::reg::caps_size_2)};
}

std::vector<std::uint8_t> driver::program(const std::vector<orbit_command>& commands)
{
    return isa::program_of(opcode::orbit, commands);
}

std::vector<std::uint8_t> driver::program(const std::vector<multiply_command>& commands)
{
    return isa::program_of(opcode::multiply, commands);
}

std::size_t driver::program_bytes(std::size_t commands) { return isa::program_bytes_of<orbit_command>(commands); }

} // namespace tensorloom::torus
