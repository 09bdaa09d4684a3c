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

/// Model of the tensor core: `fast` computes many time-steps at once on arrays; `detailed` has a module per cell and
/// per line, and every send is a simulation event. Results, counts and time are the same.
using blocks::fidelity;

/// Wire length charged per send: the whole line, or its part in the active box, at which switches cut it.
enum class line_extent { mesh, active };

/// When a cell with a coefficient stops waiting for its operand: at the end of the time-step (the rule of this model),
/// or when the next coefficient arrives (section 6 of the paper, read literally; wrong results, for a test only).
enum class wait_rule { strobe, literal };

/// A TriADA device. Source: TriADA, sections 4 to 6.
struct config : shell::device_config {
    shape3 mesh{32, 32, 32};                             ///< cells along modes 1, 2, 3; each 1 to 1024
    base::element_type format = base::element_type::f64; ///< of tensors and coefficients
    blocks::fidelity fidelity = blocks::fidelity::fast;
    unsigned step_cycles = 3; ///< clock cycles per time-step (X line, Y line, MAC), 1 to 1000000
    /// Rows among which the control of the streams looks for the next one that is not all zero, 1 to 2^20; 0: all
    /// (actuator::set_look_ahead()).
    std::uint32_t look_ahead = 0;
    unsigned cell_registers = 2; ///< partial sums of a cell, besides its operand and the next one, 1 to 8
    unsigned load_elements = 8;  ///< elements per cycle through the memory port of the core, 1 to 2^20
    /// The memory port moves any consecutive elements of a tensor; off: only elements of one row of the mesh, along
    /// mode 3, in a cycle (cell_transfer.h).
    bool port_aligner = true;
    unsigned dma_ports = 1; ///< DMA ports, a socket each, 1 to 16; transfers are dealt out over them
    triada::line_extent line_extent = line_extent::mesh;
    triada::wait_rule wait_rule = wait_rule::strobe; ///< literal: detailed fidelity only
    std::uint32_t matrix_elements = 1u << 20;        ///< coefficients that an actuator stores, 1 to 2^30
    unsigned threads = 1; ///< simulator threads for the arithmetic of the fast fidelity, 1 to 256; affects only speed
    unsigned stream_burst = 0; ///< most vectors per stream transfer; 0: no limit while no process observes the steps

    unsigned registers() const { return cell_registers + 2; } ///< of a cell: its partial sums, operand and next operand
};

/// Parameter table: range of each parameter, and its name in options, summaries and set(). Valid while `config` lives.
base::config_fields fields_of(config& config);

/// The first error of a configuration as text; nothing when it is valid.
std::optional<std::string> validate(const config& config);

} // namespace tensorloom::triada
