#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/models/triada/cell_memory.h>
#include <tensorloom/models/shell/device_config.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::triada {

/// How the tensor core is modelled: as arrays, many time-steps at once (fast), or as a module per cell and per line,
/// where every send is an event of the simulation (detailed). Results, counts and time are the same.
using blocks::fidelity;

/// How long the wire is that a send charges.
enum class line_extent {
    mesh,  ///< the whole line
    active ///< switches cut the line at the active box
};

/// When a cell that holds a coefficient stops waiting for its operand.
enum class wait_rule {
    strobe, ///< at the end of the time-step (the rule of this model)
    literal ///< when the next coefficient arrives, as the paper's section 6 reads. Computes wrong results; for a test
            ///< that shows it
};

/// A TriADA device. Source: TriADA, sections 4 to 6.
struct config : shell::device_config {
    shape3 mesh{32, 32, 32};                             ///< cells along modes 1, 2, 3; each 1 to 1024
    base::element_type format = base::element_type::f64; ///< of tensors and coefficients
    blocks::fidelity fidelity = blocks::fidelity::fast;
    unsigned step_cycles = 3;   ///< clock cycles per time-step (X line, Y line, MAC), 1 to 1000000
    unsigned load_elements = 8; ///< elements per cycle through the memory port of the core, 1 to 2^20
    triada::line_extent line_extent = line_extent::mesh;
    triada::wait_rule wait_rule = wait_rule::strobe; ///< literal: detailed fidelity only
    std::uint32_t matrix_elements = 1u << 20;        ///< coefficients that an actuator holds, 1 to 2^30
    unsigned threads = 1; ///< of the simulator, for the arithmetic of the fast fidelity, 1 to 256; only speed depends
                          ///< on it
    unsigned stream_burst = 0; ///< most vectors per stream transfer; 0: as many as nobody observes
};

/// The table of its parameters: what each may be, and its name in options, summaries and set(). It lives as long as the
/// configuration.
base::config_fields fields_of(config& config);

/// The first thing wrong with a configuration.
std::optional<std::string> validate(const config& config);

} // namespace tensorloom::triada
