#pragma once
#include <cstdint>
#include <string>
#include "models/fetta/fetta_bench.h"
#include "models/traced_bench.h"
#include "support/vcd_signals.h"

namespace tensorloom::test {

/// A FETTA with a waveform.
class traced_fetta : public traced_bench<fetta_bench, fetta::contraction_trace> {
public:
    using traced_bench::traced_bench;

    /// Two engines with their PEs, and all networks.
    static fetta::contraction_trace everything()
    {
        fetta::contraction_trace all;
        all.engines = {0, 3};
        all.processing_elements = true;
        all.networks = true;
        return all;
    }
};

/// A signal of the tensor contraction unit, or of one of its parts, in a waveform of one device.
inline std::uint64_t signal(const vcd_signals::values& now, const std::string& name)
{
    const std::string end = ".tensor_contraction_unit." + name;
    std::uint64_t value = ~std::uint64_t{0}; // there is no such signal
    for (const auto& [full, v] : now) {
        if (full.size() > end.size() && full.compare(full.size() - end.size(), end.size(), end) == 0) {
            value = static_cast<std::uint64_t>(v);
        }
    }
    return value;
}

/// What is high in a unit that should be at rest: all that says that something is valid, or happens.
inline std::string active_signals(const vcd_signals::values& now)
{
    std::string found;
    for (const auto& [full, value] : now) {
        if (full.find(".tensor_contraction_unit.") == std::string::npos || value == 0) { continue; }
        const std::string name = full.substr(full.rfind('.') + 1);
        for (const char* active : {"valid", "steps", "starts", "loads", "drains", "step", "load", "drain", "stall",
                                   "write", "tile", "diagonal", "transpose"}) {
            if (name == active) { found += full + " "; }
        }
    }
    return found;
}

} // namespace tensorloom::test
