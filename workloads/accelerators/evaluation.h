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

/// In which order the modes of a tensor lie in an accelerator's memory.
enum class line_layouts : std::uint8_t {
    searched, ///< of each tensor one order for all its uses, the best that is found: what a compiler would do
    natural,  ///< C order of the modes, as the layer lists them: no search
    ideal     ///< every use finds the order that it wants, at no cost: the array alone
};
inline constexpr base::named_value line_layouts_values[] = {
    {0, "searched", "the best single order for all uses of a tensor"},
    {1, "natural", "C order of the modes"},
    {2, "ideal", "the order that each use needs"},
};

/// What intermediates of a step are: on chip, or in DRAM.
enum class evaluated_residency : std::uint8_t {
    blocked, ///< the batch goes through the chip block by block: on chip within the forward and the backward pass
    kept,    ///< each contraction by itself over the whole batch; intermediates of at most 131,072 elements stay
    spilled  ///< each contraction by itself: operands come from DRAM, results go there
};
inline constexpr base::named_value evaluated_residency_values[] = {
    {0, "blocked", "on chip within a pass, the batch block by block"},
    {1, "kept", "each contraction separately, intermediates of at most 131,072 elements on chip"},
    {2, "spilled", "each contraction separately, all intermediates through DRAM"},
};

/// The rules that an evaluation goes by. What is not said by the paper is a parameter here, so that its weight in a
/// comparison can be shown.
struct evaluation_settings {
    bool training = true; ///< forward, backward, weight gradients; else the forward pass alone
    bool update = true;   ///< of a training step
    evaluated_residency residency = evaluated_residency::blocked;
    line_layouts layouts = line_layouts::searched;
    /// FETTA's layouts are searched and their conflicts counted, as in a plan that can run; else they are taken for
    /// free of conflicts, which is a few per cent less and much quicker. With natural layouts they are always counted.
    bool whole_plans = false;
    /// A fixed array loads its next tile while it works on one; else one after the other, for all of them.
    bool double_buffered = true;
    /// Of an operand or result in the wrong order, the most cycles for those of one in the right order: 1 to 16.
    double most_conflicts = 16;
    /// All in the wrong order take so many times the cycles, whatever lines they touch. 0: as many as they touch.
    double fixed_conflicts = 0;
    /// What a contiguous run costs besides when a tensor is reordered through DRAM, in cycles: 0 (full bandwidth) or
    /// about 30, what a burst takes that nothing overlaps.
    double run_cycles = 0;
    base::element_type psum = base::element_type::f32; ///< of all arrays
    memory_estimate memory;                            ///< the DRAM
    double clock_ns = 1;
};

/// One contraction of an evaluation, over the whole batch.
struct evaluated_contraction {
    step_phase phase = step_phase::fp;
    std::string text; ///< "T1 = X.G4"
    std::size_t contraction = 0;
    std::uint64_t times = 1; ///< that it is done, block by block
    std::uint64_t macs = 0;
    std::uint64_t compute_cycles = 0;  ///< of the array, with rows in time
    std::uint64_t conflict_cycles = 0; ///< that it waits besides
    std::uint64_t reorder_cycles = 0;  ///< of the DRAM, for what is reordered
    std::uint64_t dram_cycles = 0;     ///< of the DRAM, for its operands and result that come from there or go there
    std::uint64_t read_bytes = 0, written_bytes = 0; ///< of both
    std::uint64_t sram_rows = 0;                     ///< accesses of the SRAM, of 8 bytes: operands, result, transfers
    double energy_pj = 0;                            ///< of its events and bytes, not of what runs all the time

    double utilisation() const; ///< multiply-adds over PEs x cycles of the array, 0 to 1
    /// With ping-pong buffers: array and DRAM side by side.
    std::uint64_t cycles() const
    {
        const std::uint64_t array = compute_cycles + conflict_cycles, memory = reorder_cycles + dram_cycles;
        return array > memory ? array : memory;
    }
};

/// What a workload takes on an accelerator.
struct evaluation {
    std::vector<evaluated_contraction> contractions;
    /// End to end: transfers run beside the array where buffers allow it (transfer_schedule.h); program, cores and
    /// update included.
    std::uint64_t cycles = 0;
    std::uint64_t compute_cycles = 0, conflict_cycles = 0, reorder_cycles = 0, dram_cycles = 0; ///< sums; they overlap
    std::uint64_t macs = 0;
    double utilisation = 0;                          ///< multiply-adds over PEs x cycles
    double array_utilisation = 0;                    ///< the same while the array works: compute and conflict cycles
    std::uint64_t read_bytes = 0, written_bytes = 0; ///< of the DRAM: contractions, and the rest
    std::uint64_t rest_read_bytes = 0, rest_written_bytes = 0; ///< program, lists, cores, masters, gradients
    std::uint64_t sram_rows = 0;                               ///< of contractions, and the rest
    std::uint64_t rest_sram_rows = 0; ///< what is moved for the rest; words of the vector unit are not among them
    fetta::counts counts;             ///< of the array, as a FETTA counts
    std::vector<costs::component_energy> energy; ///< in pJ, by part; the last two are dram and dram_background
    double energy_pj = 0;                        ///< their sum
    double dram_share = 0;                       ///< of energy
    std::uint64_t blocks = 1;                    ///< of the batch

    double edp_pj_s(double clock_ns) const { return energy_pj * static_cast<double>(cycles) * clock_ns * 1e-9; }
};

/// A training step or a forward pass as one program, by the planner's estimate (step_plan.h). Nothing where no block of
/// its batch fits on chip: then apart.
std::optional<evaluation> evaluate(const accelerator& machine, const contraction_graph& graph,
                                   const costs::technology& technology, const evaluation_settings& settings);

/// Every contraction as a program of its own, from and to memory, blocks of all its indices as contraction/plan.h cuts
/// them; then the update. `settings.residency` does not matter, and FETTA's tensors lie as they are wanted. For what
/// does not fit otherwise: dense layers, very large cores; and for a contraction by itself, whose graph has no batch (a
/// mode that no tensor has).
evaluation evaluate_apart(const accelerator& machine, const contraction_graph& graph,
                          const costs::technology& technology, const evaluation_settings& settings);

/// One product, Y[g,m,n] = sum over k of X[g,m,k] W[g,k,n], its result float32. To be evaluated apart.
contraction_graph product_graph(std::uint64_t g, std::uint64_t m, std::uint64_t n, std::uint64_t k);

/// The sequence of a layer that is the best on an accelerator (stage 2 of the search), of candidates_of(): by cycles,
/// energy or both; of those that fit on chip, else apart. The accelerator's own where it has a fixed one.
contraction_tree best_sequence(const accelerator& machine, const tensorized_layer& layer, bool with_dx,
                               mapping_objective objective, const costs::technology& technology,
                               const evaluation_settings& settings);

} // namespace tensorloom::workloads
