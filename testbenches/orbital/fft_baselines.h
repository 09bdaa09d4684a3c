#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/torus/isa/energy.h>
#include <tensorloom/workloads/orbital/fft_divisions.h>
#include "orbital/measured_run.h"
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

/// A transform on the nodes of a torus in figures that the torus and fast Fourier transforms have in common.
struct fft_baseline {
    std::string algorithm; ///< "torus", or the name of a division
    std::string text;      ///< "3D decomposition"
    workloads::fft_counts counts;
    double word_pitches = 0;
    /// Torus: measured. Others: a lower bound, the multiply-adds of a node, then the words of the busiest links,
    /// without latencies.
    std::uint64_t cycles = 0;
    /// Dynamic energy by component; for the others by the costs of the torus's own node, also where they need more
    /// memory.
    double mac_pj = 0, registers_pj = 0, node_memory_pj = 0, links_pj = 0;
    bool estimate = false;

    double pj() const { return mac_pj + registers_pj + node_memory_pj + links_pj; }
};

/// The divisions that this torus admits. Each pass of butterflies reads and writes the node memory; a multiply-add
/// takes as many registers as on the torus; a node that passes a word on writes and reads a register; the tensor is
/// written once to be loaded and read once to be unloaded. Throws base::input_error, as plan_fft().
std::vector<fft_baseline> fft_baselines(const costs::technology& technology, const torus::energy_parameters& node,
                                        std::uint64_t words_per_cycle, const workloads::shape3& shape);

/// The torus's own transform in the same figures.
fft_baseline baseline_of(const measured_run& torus);

/// Table and field "baselines"; without any, null.
void write_baselines(run_report& report, const measured_run& torus, const std::vector<fft_baseline>& baselines);

} // namespace tensorloom::testbench
