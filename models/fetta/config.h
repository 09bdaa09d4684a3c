#pragma once
#include <optional>
#include <string>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/isa/vector/costs.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/models/shell/device_config.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::fetta {

/// A FETTA: contraction engines between butterfly networks. Source: "FETTA" (arXiv 2504.06474), section V.
struct config : shell::device_config {
    device_limits limits;
    blocks::fidelity fidelity = blocks::fidelity::fast;
    unsigned lanes = 64; ///< lanes of the vector unit: float32 words per cycle, 1 to 65536
    isa::vector::costs vector_costs = isa::vector::default_vector_costs();
    bool bank_broadcast = true;         ///< lanes that read the same word are served together; otherwise in sequence
    std::uint32_t program_prefetch = 0; ///< bytes of a prefetched piece; 0: programs are loaded whole (shell_config)
    bool overlap = true; ///< DMA, engines and vector unit work concurrently where operands allow it (ping-pong)
};

/// Parameter table: range of each parameter, and its name in options, summaries and set(). Valid while `config` lives.
base::config_fields fields_of(config& config);

/// The first error of a configuration as text; nothing when it is valid.
std::optional<std::string> validate(const config& config);

} // namespace tensorloom::fetta
