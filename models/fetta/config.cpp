#include <tensorloom/models/fetta/config.h>
#include <tensorloom/models/fetta/pe_array.h>

namespace tensorloom::fetta {

base::config_fields fields_of(config& c)
{
    base::config_fields fields = base::members_of("limits", fields_of(c.limits));
    fields.push_back(blocks::fidelity_field(c.fidelity));
    for (auto& field : isa::vector::unit_fields(c.lanes, c.bank_broadcast)) { fields.push_back(std::move(field)); }
    fields.push_back(isa::vector::costs_field(c.vector_costs));
    fields.push_back(base::flag(
        c.overlap, {"overlap", "overlap", "",
                    "Units work at the same time where operands allow it (the paper's ping-pong buffers)."}));
    fields.push_back(shell::prefetch_field(c.program_prefetch));
    return shell::with_shell_fields(std::move(fields), c);
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
