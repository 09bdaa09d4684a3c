#include <tensorloom/models/fetta/config.h>
#include <tensorloom/models/arch/fetta/limits.h>

namespace tensorloom::fetta {

std::optional<std::string> complaint(const config& c)
{
    if (auto wrong = arch::fetta::complaint(c.geometry)) { return wrong; }
    if (c.lanes < 1 || c.lanes > 65536) { return "vector lanes: " + std::to_string(c.lanes) + ", expected 1 to 65536"; }
    if (auto wrong = arch::vector::complaint(c.vector_costs)) { return wrong; }
    return bus::complaint(dma_settings(c));
}

} // namespace tensorloom::fetta
