#include <tensorloom/models/fetta/config.h>
#include <tensorloom/models/rtl/fetta/engine_registers.h>
#include <tensorloom/models/rtl/fetta/network_registers.h>
#include <tensorloom/models/rtl/formats.h>

namespace tensorloom::fetta {

base::config_fields fields_of(config& c)
{
    base::config_fields fields = fields_of(c.limits);
    fields.push_back(blocks::fidelity_field(c.fidelity));
    for (auto& field : isa::vector::unit_fields(c.lanes, c.bank_broadcast)) { fields.push_back(std::move(field)); }
    fields.push_back(base::flag(
        c.overlap, {"overlap", "overlap", "",
                    "Units work at the same time where operands allow it (the paper's ping-pong buffers)."}));
    fields.push_back(shell::prefetch_field(c.program_prefetch));
    return shell::with_shell_fields(std::move(fields), c);
}

std::optional<std::string> rtl_error(const device_limits& limits)
{
    if (auto missing = rtl::missing()) { return missing; }
    if (limits.psum != base::element_type::f32) {
        return "rtl has no partial sums in " + std::string(base::element_type_name(limits.psum)) + ", but in f32";
    }
    if (limits.engines != rtl::network_ports) {
        return "rtl has no " + std::to_string(limits.engines) + " engines, but " + std::to_string(rtl::network_ports);
    }
    if (limits.side != rtl::engine_registers::side) {
        return "rtl has no engines of side " + std::to_string(limits.side) + ", but of " +
               std::to_string(rtl::engine_registers::side);
    }
    return std::nullopt;
}

std::optional<std::string> validate(const config& given)
{
    config c = given;
    if (auto wrong = base::validate(fields_of(c))) { return wrong; }
    if (c.fidelity == blocks::fidelity::rtl) {
        if (auto wrong = rtl_error(c.limits)) { return wrong; }
    }
    if (auto wrong = isa::vector::validate(c.vector_costs)) { return wrong; }
    if (auto wrong = shell::validate_prefetch(c.program_prefetch, c.clock_period)) { return wrong; }
    return bus::validate(dma_settings(c));
}

} // namespace tensorloom::fetta
