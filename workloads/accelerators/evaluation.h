#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/costs/energy.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/accelerators/accelerator.h>
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/step_plan.h>

namespace tensorloom::workloads {

/// Order of the modes of a tensor in an accelerator's memory.
enum class line_layouts : std::uint8_t {
    searched, ///< for each tensor the best order found that serves all its uses, as a compiler would choose
    natural,  ///< C order of the modes, as the layer lists them: no search
    ideal     ///< every use has the order that it needs, at no cost: the array only
};
inline constexpr base::named_value line_layouts_values[] = {
    {0, "searched", "the best single order for all uses of a tensor"},
    {1, "natural", "C order of the modes"},
    {2, "ideal", "the order that each use needs"},
};

/// Where intermediates of a step are held.
enum class evaluated_residency : std::uint8_t {
    blocked, ///< on chip within the forward and the backward pass; the batch is processed block by block
    kept,    ///< each contraction over the whole batch; intermediates of at most 131,072 elements stay on chip
    spilled  ///< each contraction separately: operands from DRAM, results to DRAM
};
inline constexpr base::named_value evaluated_residency_values[] = {
    {0, "blocked", "on chip within a pass, the batch block by block"},
    {1, "kept", "each contraction separately, intermediates of at most 131,072 elements on chip"},
    {2, "spilled", "each contraction separately, all intermediates through DRAM"},
};

/// The rules of an evaluation. Choices that the paper leaves open are parameters here, so that their effect on a
/// comparison can be shown.
struct evaluation_settings {
    bool training = true; ///< forward, backward, weight gradients; else only the forward pass
    bool update = true;   ///< of a training step
    /// Samples that are processed at once, a divisor of the batch: those of a frame of a recurrent product, whose
    /// frames follow one another. None: as many as is best.
    std::optional<std::uint64_t> block;
    evaluated_residency residency = evaluated_residency::blocked;
    line_layouts layouts = line_layouts::searched;
    /// How FETTA's operands pass between banks and engines. Of its tables alone: fetta-networks is always unbuffered.
    operand_paths paths = operand_paths::gathered;
    /// FETTA's layouts are searched and their conflicts counted, as in a plan that can run. Else they are assumed to be
    /// free of conflicts, which is much quicker and gives costs a few per cent lower. With natural layouts conflicts
    /// are always counted, and layouts for the networks are always searched.
    bool whole_plans = false;
    /// A fixed array loads the next tile while it works on the current one; else it loads and works in turn.
    bool double_buffered = true;
    /// Upper limit of the factor on the cycles of a tensor in the wrong order: 1 to 16.
    double most_conflicts = 16;
    /// Fixed factor on the cycles of a tensor in the wrong order. 0: the number of lines that it touches.
    double fixed_conflicts = 0;
    /// Additional cycles per contiguous run when a tensor is reordered through DRAM: 0 (full bandwidth), or about 30,
    /// the latency of a burst without overlap.
    double run_cycles = 0;
    base::element_type psum = base::element_type::f32; ///< of all arrays
    std::uint32_t buffer_cycles = 0;                   ///< latency of FETTA's buffers (device_limits.h)
    memory_estimate memory;                            ///< the DRAM
    double clock_ns = 1;
};

/// One contraction of an evaluation, over the whole batch.
struct evaluated_contraction {
    step_phase phase = step_phase::fp;
    std::string text; ///< "T1 = X.G4"
    std::size_t contraction = 0;
    std::uint64_t times = 1; ///< number of executions, block by block
    std::uint64_t macs = 0;
    std::uint64_t compute_cycles = 0;                ///< of the array, with rows in time
    std::uint64_t conflict_cycles = 0;               ///< that the array waits for lines of memory
    std::uint64_t reorder_cycles = 0;                ///< of the DRAM, for reordering
    std::uint64_t dram_cycles = 0;                   ///< of the DRAM, for operands and results in DRAM
    std::uint64_t read_bytes = 0, written_bytes = 0; ///< of both
    std::uint64_t sram_rows = 0;                     ///< accesses of the SRAM, of 8 bytes: operands, result, transfers
    double energy_pj = 0;                            ///< of its events and bytes, without background energy
    unsigned in_other_order = 0; ///< tensors, of its three, that are not in the order that the array needs

    double utilisation() const; ///< multiply-adds over PEs x cycles of the array, 0 to 1
    /// With ping-pong buffers: array and DRAM work concurrently.
    std::uint64_t cycles() const
    {
        const std::uint64_t array = compute_cycles + conflict_cycles, memory = reorder_cycles + dram_cycles;
        return array > memory ? array : memory;
    }
};

/// Costs of a workload on an accelerator.
struct evaluation {
    std::vector<evaluated_contraction> contractions;
    /// End to end, with transfers that overlap with the array if buffers allow it (transfer_schedule.h); including
    /// program, cores and update.
    std::uint64_t cycles = 0;
    std::uint64_t compute_cycles = 0, conflict_cycles = 0, reorder_cycles = 0, dram_cycles = 0; ///< sums; they overlap
    std::uint64_t macs = 0;
    std::uint64_t useful_macs = 0; ///< without those of intermediates that are computed again
    double utilisation = 0;        ///< multiply-adds over PEs x cycles
    double useful_utilisation = 0; ///< useful multiply-adds over PEs x cycles
    double array_utilisation = 0;  ///< multiply-adds while the array works: compute and conflict cycles
    std::uint64_t read_bytes = 0, written_bytes = 0;           ///< of the DRAM: contractions, and the rest
    std::uint64_t rest_read_bytes = 0, rest_written_bytes = 0; ///< program, lists, cores, masters, gradients
    std::uint64_t sram_rows = 0;                               ///< of contractions, and the rest
    std::uint64_t rest_sram_rows = 0;                          ///< moved for the rest, without words of the vector unit
    fetta::counts counts;                                      ///< of the array, as a FETTA counts
    std::vector<costs::component_energy> energy; ///< in pJ, by part; the last two are dram and dram_background
    double energy_pj = 0;                        ///< their sum
    double dram_share = 0;                       ///< of energy
    std::uint64_t blocks = 1;                    ///< of the batch
    /// Of FETTA's operands, if their layouts were searched.
    std::optional<path_counts> paths;

    double edp_pj_s(double clock_ns) const { return energy_pj * static_cast<double>(cycles) * clock_ns * 1e-9; }
};

/// A training step or a forward pass as one program, by the planner's estimate (step_plan.h). None if no block of its
/// batch fits on chip: use evaluate_apart().
std::optional<evaluation> evaluate(const accelerator& machine, const contraction_graph& graph,
                                   const costs::technology& technology, const evaluation_settings& settings);

/// Every contraction as a separate program from and to memory, in blocks of all its indices (contraction/plan.h); then
/// the update. Forward and backward contractions run once for each `settings.block` samples, weight gradients over all
/// of them. Ignores `settings.residency`; FETTA's tensors have ideal layouts. For workloads that do not fit
/// otherwise (dense layers, very large cores), and for a single contraction, whose graph has no batch (a mode that no
/// tensor has).
evaluation evaluate_apart(const accelerator& machine, const contraction_graph& graph,
                          const costs::technology& technology, const evaluation_settings& settings);

/// One product, Y[g,m,n] = sum over k of X[g,m,k] W[g,k,n], with a float32 result, for evaluate_apart().
contraction_graph product_graph(std::uint64_t g, std::uint64_t m, std::uint64_t n, std::uint64_t k);

/// The best sequence of a layer on an accelerator (stage 2 of the search) among candidates_of(), by cycles, energy or
/// both; among those that fit on chip, else evaluated apart. The accelerator's fixed sequence, if it has one.
contraction_tree best_sequence(const accelerator& machine, const tensorized_layer& layer, bool with_dx,
                               mapping_objective objective, const costs::technology& technology,
                               const evaluation_settings& settings);

} // namespace tensorloom::workloads
