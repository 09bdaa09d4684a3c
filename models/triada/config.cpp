#include <tensorloom/models/triada/config.h>
#include <tensorloom/models/arch/triada/driver.h>

namespace tensorloom::triada {

std::optional<std::string> complaint(const config& c)
{
    for (unsigned m = 0; m < 3; ++m) {
        if (c.mesh[m] < 1 || c.mesh[m] > 1024) {
            return "mesh size " + std::to_string(c.mesh[m]) + " along mode " + std::to_string(m + 1) +
                   ", expected 1 to 1024";
        }
    }
    if (!arch::element_types(arch::triada::formats).contains(static_cast<std::uint8_t>(c.format))) {
        return std::string("unknown element format");
    }
    if (c.step_cycles < 1 || c.step_cycles > 1000000) {
        return "step of " + std::to_string(c.step_cycles) + " cycles, expected 1 to 1000000";
    }
    if (c.load_elements < 1 || c.load_elements > (1u << 20)) {
        return "memory port of " + std::to_string(c.load_elements) + " elements per cycle, expected 1 to 1048576";
    }
    if (c.matrix_elements < 1 || c.matrix_elements > (1u << 30)) {
        return "streaming memory of " + std::to_string(c.matrix_elements) + " coefficients, expected 1 to 1073741824";
    }
    if (c.threads < 1 || c.threads > 256) { return std::to_string(c.threads) + " threads, expected 1 to 256"; }
    if (auto wrong = bus::complaint(dma_settings(c))) { return wrong; }
    if (c.wait_rule == wait_rule::literal && c.fidelity != fidelity::detailed) {
        return std::string("the literal wait rule exists in detailed fidelity only");
    }
    return std::nullopt;
}

} // namespace tensorloom::triada
