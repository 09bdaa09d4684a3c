#include "platform/report/fetta_report.h"
#include <tensorloom/models/arch/fetta/events.h>

namespace tensorloom::testbench {

device_programs programs_of(const fetta_harness& harness, const arch::fetta::geometry& g,
                            const std::vector<activity::module_energy>& models)
{
    const double pes = static_cast<double>(g.engines) * g.side * g.side;
    return {"device", &harness.runs(), models,
            mac_utilisation(arch::fetta::utilisation_unit, static_cast<std::size_t>(arch::fetta::event::mac), pes)};
}

std::string with_technology_option(const std::string& complaint)
{
    return (complaint.rfind("technology ", 0) == 0 ? "--technology: " : "") + complaint;
}

} // namespace tensorloom::testbench
