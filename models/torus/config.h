#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <tensorloom/models/torus/isa/timing.h>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/models/shell/device_config.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::torus {

using shape3 = std::array<std::uint32_t, 3>;

/// Model of the torus: `fast` computes a stage at once on arrays; `detailed` has a module per node and a channel per
/// link. Results, counts and time are the same.
using blocks::fidelity;

/// An orbital torus. Source: Aizu TR 2012-001; docs/torus.md.
struct config : shell::device_config {
    std::uint32_t side = 4;   ///< P: nodes along Q, R and S, 1 to 64
    shape3 block{16, 16, 16}; ///< largest block of a node along modes 1, 2, 3, given or transformed, each 1 to 1024
    base::element_type format = base::element_type::f64; ///< of tensors and matrices
    blocks::fidelity fidelity = blocks::fidelity::fast;
    overlap_kind overlap = overlap_kind::operand;
    unsigned slices = 0;          ///< for `sliced`, 1 to 1024; 0: as many as keep the multipliers busy
    unsigned sync_cycles = 0;     ///< for `shared`: neighbours synchronise after a step, 0 to 1000000
    unsigned macs_per_cycle = 1;  ///< multiply-adds that a node begins per cycle, 1 to 65536
    unsigned mac_latency = 4;     ///< cycles from one addition to a sum to the next, 1 to 64
    unsigned words_per_cycle = 1; ///< elements per cycle of each link and direction, 1 to 65536
    double cycles_per_pitch = 1;  ///< cycles that a word takes along a node's side, 0 to 1000
    bool folded = true;           ///< rings are folded: the longest link has 2 pitches instead of P - 1
    unsigned load_elements = 8;   ///< elements per cycle through the memory port of the torus, 1 to 2^20
    unsigned dma_ports = 1;       ///< DMA ports, a socket each, 1 to 16; transfers are dealt out over them
    std::uint32_t coefficient_elements = 1u << 16; ///< coefficients of all matrices that a node stores, 1 to 2^30
    unsigned threads = 1; ///< simulator threads for the arithmetic of the fast fidelity, 1 to 256; affects only speed
};

/// Parameter table: range of each parameter, and its name in options, summaries and set(). Valid while `config` lives.
base::config_fields fields_of(config& config);

/// The first error of a configuration as text; nothing when it is valid.
std::optional<std::string> validate(const config& config);

/// The parameters that determine the time of its stages.
timing_parameters timing_of(const config& config);

} // namespace tensorloom::torus
