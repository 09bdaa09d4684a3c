#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/joint_layouts.h>
#include <tensorloom/workloads/step_planner/step_places.h>

namespace tensorloom::workloads {

/// Where the intermediates of a batch are held, which determines the order of the passes.
enum class step_residency : std::uint8_t {
    automatic, ///< keep or batch_blocked, whichever is faster by estimate; spill if nothing else fits
    /// Each contraction is a separate pass, with operands from memory and the result to memory; cores stay on chip if
    /// they fit.
    spill,
    keep,          ///< all on chip: the batch is one block
    batch_blocked, ///< forward pass, then backward pass, block by block: on chip within a pass
    micro_batch    ///< forward and backward pass of a block before those of the next: always on chip
};
inline constexpr base::named_value step_residency_values[] = {
    {0, "auto", "keep or batch-blocked, whichever is faster by estimate; spill if nothing else fits"},
    {1, "spill", "each contraction is a separate pass, from and to memory"},
    {2, "keep", "all on chip; the batch is one block"},
    {3, "batch-blocked", "forward pass, then backward pass, each block by block"},
    {4, "micro-batch", "forward and backward pass of a block before those of the next"},
};

/// With batch_blocked: handling of the intermediates of the forward pass that the backward pass needs.
enum class between_passes : std::uint8_t {
    automatic, ///< each stored or recomputed, whichever is fastest by estimate
    store,     ///< all are stored in memory on the bus and loaded again
    recompute  ///< all are recomputed from X
};
inline constexpr base::named_value between_passes_values[] = {
    {0, "auto", "each stored or recomputed, whichever is fastest by estimate"},
    {1, "store", "all are stored in memory and loaded again"},
    {2, "recompute", "all are recomputed from X"},
};

/// Settings of a plan.
struct step_settings {
    bool training = true;               ///< fp, bp and wg; else only fp
    bool update = true;                 ///< of a training step
    std::optional<std::uint64_t> block; ///< samples of a block; a divisor of the batch
    std::uint64_t samples = 0;          ///< samples of the data in memory; 0: as many as a batch has
    step_residency residency = step_residency::automatic;
    /// For `spill`, in a sketch: intermediates of at most this many elements, over the whole batch, stay on chip in
    /// additional memory.
    std::uint64_t spilled_above = 0;
    between_passes between = between_passes::automatic;
    memory_estimate memory;
    unsigned lanes = 64; ///< of the vector unit
    operand_paths paths = operand_paths::gathered;
    bool transpose_layer = true; ///< may be on, if operands pass only the networks
    bool natural_orders = false; ///< C order of modes: no search
    /// Objective of the choice of blocks and of kept, stored or recomputed tensors; layouts are chosen by cycles.
    mapping_objective objective = mapping_objective::latency;
    mapping_costs costs; ///< of the device's events
};

/// Estimated costs of a program on the device.
struct step_cost {
    std::uint64_t cycles = 0;
    double pj = 0;                                        ///< of device and memory
    step_residency residency = step_residency::automatic; ///< of its plan; automatic: no plan

    double by(mapping_objective objective) const; ///< cycles, pJ or pJ x cycles
};

/// One pass over the batch: the work before, for each, and after the blocks.
struct step_pass {
    /// Transfers a tensor after the start of command `behind` of the body: a LOAD of the next block, a STORE of this
    /// one.
    struct transfer {
        std::size_t tensor = 0;
        std::size_t behind = 0;
    };
    std::vector<std::size_t> before, body, after; ///< contractions
    bool is_backward = false;                     ///< computes gradients
    std::uint64_t slices = 1;                     ///< of a single contraction: number of times that the pass runs
    std::vector<transfer> loads, stores;          ///< in the body, in their order
    /// By tensor: places of one that is moved in the body, two if one is moved while the other is used; 0: not moved.
    std::vector<unsigned> places;
    std::uint64_t estimated_cycles = 0; ///< of the loop over the blocks
};

/// Elements per piece of masters and gradients in a piecewise update: 4,096, fewer in a memory below 128 KiB.
constexpr std::uint64_t update_piece(const fetta::device_limits& g)
{
    constexpr std::uint64_t most = 4096, share = 32;
    return g.memory_bytes() / share < most ? g.memory_bytes() / share : most;
}

/// Limit of float32 gradients of all cores that stay on chip; above it they go through memory on the bus.
inline constexpr std::uint64_t most_gradient_bytes = 128 << 10;

/// A training step as one program: passes, each a loop over blocks of the batch whose intermediates stay on chip.
///
/// A batch is a list of samples. X and dY of each sample are contiguous in memory, in their layout; a GATHER loads
/// those of a block by the numbers in the list, which is loaded once, or block by block if it is long.
///
/// forward     cores are loaded once and stay; X of the next block is loaded while this one is processed
/// backward    X, dY and the stored intermediates are loaded block by block; the others are recomputed. Sums of weight
///             gradients stay in the accumulators from block to block, in block order
/// after it    gradients of products of cores only; update
///
/// These are the passes of keep and batch_blocked; micro_batch has one pass, spill one for each contraction. A gradient
/// whose sums do not fit even then is computed slice by slice, each over the whole batch. If the cores leave no room
/// (cores_by_pass), they and the tensors made of cores alone are in memory, and each pass loads those that it needs.
///
/// Cores are contiguous, and so are their gradients and masters, so that each of the three is moved and updated at
/// once. Masters are in memory except during the update. Gradients of more than 128 KB are, too: each pass stores its
/// gradients, and the update processes pieces of both. Blocks, and the kept, stored or recomputed tensors, are chosen
/// by an estimate of the loops with their transfers (transfer_schedule.h): first of all blocks whose tensors fit into
/// the unified memory, assuming layouts without conflicts, then of the best few with their actual layouts.
struct step_plan {
    contraction_graph graph;       ///< of the whole batch
    contraction_graph block_graph; ///< of a block
    fetta::device_limits limits;
    step_settings settings;
    std::uint64_t blocks = 1;
    joint_layouts layouts; ///< of a block
    /// By contraction: exact closed form and conflicts of one CONTRACT; of the last block, which has a result where the
    /// others keep their sums, with the cycles of its buffer. Without buffers, the vector unit's permutations.
    std::vector<std::uint64_t> cycles, conflicts, last_conflicts;
    /// Likewise: the device's counts.
    std::vector<fetta::counts> counts, last_counts;
    /// Likewise, for a sketch: bytes written to memory and read back in another order (processing_array.h).
    std::vector<std::uint64_t> reordered_bytes;
    std::vector<double> reorder_cycles;
    std::vector<unsigned> in_other_order; ///< likewise: tensors that are not in the order that the array needs
    /// By contraction: the first row of the accumulators that hold its sums from block to block.
    std::vector<std::optional<std::uint32_t>> kept_row;
    /// By contraction: its sums do not fit the accumulators. Sums of a block are float32, and the vector unit adds them
    /// to those of the blocks before.
    std::vector<bool> added;
    std::vector<bool> stored; ///< by tensor: an intermediate that is stored in the forward pass
    std::vector<bool> kept;   ///< by tensor: stays on chip from the forward to the backward pass
    /// With spill: cores and tensors made of cores alone are on chip only in the passes that use them.
    bool cores_by_pass = false;
    /// By tensor: offset in elements of a core, its gradient and its master from the first one. Whole blocks of rows.
    std::vector<std::uint64_t> core_offset;
    std::uint64_t core_elements = 0; ///< of all cores
    std::vector<step_pass> passes;
    step_places places; ///< in the unified memory, of the tensors of operations_of() this plan (plan_operations.h)
    /// Of its operations: bytes of the program, bytes that transfers move, and the device's counts without CONTRACTs.
    struct operation_totals {
        std::uint64_t program_bytes = 0, loaded_bytes = 0, stored_bytes = 0;
        fetta::counts counts;
    };
    operation_totals totals;
    step_residency residency = step_residency::automatic; ///< chosen

    base::element_type type_of(std::size_t tensor) const; ///< on chip: f32 of the cores' gradients, else bf16
    bool is_core_gradient(std::size_t tensor) const;
    bool gradients_in_memory() const;                  ///< gradients of cores are too large to stay on chip
    bool is_stored_by_slice(std::size_t tensor) const; ///< an unbatched result that a pass stores when it is complete
    /// Unbatched operands that a pass loads first.
    std::vector<std::size_t> loaded_first(const step_pass& pass) const;
    bool is_given_by_sample(std::size_t tensor) const; ///< X and dY, if they are used
    std::uint64_t samples() const;                     ///< of the data in memory
    std::uint64_t list_bytes() const;                  ///< of a batch
    bool list_by_block() const; ///< the batch's list is too long: only the list of a block is on chip
    std::uint64_t sample_elements(std::size_t tensor) const; ///< of one sample, including gaps
    /// On chip, of a block, including gaps; of a sliced gradient, of one slice.
    std::uint64_t bytes_of(std::size_t tensor) const;
    std::uint64_t elements_of(std::size_t tensor) const;   ///< likewise
    std::uint64_t operand_bytes(std::size_t tensor) const; ///< on chip, of all slices
    bool is_core(std::size_t tensor) const;                ///< given, and the same for all blocks
    bool takes_samples(std::size_t contraction) const;     ///< an operand has the batch
    std::vector<std::size_t> cores() const;

    /// A contraction in a phase; recomputation in the backward pass belongs to its original phase.
    struct execution {
        std::size_t pass = 0;
        std::size_t contraction = 0;
        step_phase phase = step_phase::fp;
        std::uint64_t times = 1;  ///< executions of its CONTRACT over the batch
        std::uint64_t slices = 1; ///< passes over the batch
    };
    std::vector<execution> executions() const;
    /// Of all CONTRACTs. Without buffers, the vector unit permutes what is gathered.
    path_counts paths() const;
    bool is_made_again(std::size_t pass, std::size_t contraction) const; ///< an earlier pass has computed it
    std::uint64_t engine_cycles() const;                                 ///< of all CONTRACTs, conflicts included
    /// For these executions: best mapping and split of the contraction over the whole batch, without blocks.
    std::uint64_t ideal_engine_cycles(const execution& of) const;
    std::uint64_t ideal_engine_cycles() const;
    /// Of the whole program: fetching, cores, loops, the operations after them.
    std::uint64_t estimated_cycles() const;

    /// Bytes of one LOAD of a tensor; of X and dY those of a block's samples.
    std::uint64_t loaded_bytes(std::size_t tensor) const;
    /// Bytes of memory moved by all transfers and the program.
    struct moved_bytes {
        std::uint64_t read = 0, written = 0;
    };
    moved_bytes estimated_traffic() const;

    /// The device's counts for all commands, without cycles that overlap.
    fetta::counts estimated_counts() const;
    /// With the energy of these counts and of the bytes on the bus, and constant power over the estimated time. Not
    /// included: DRAM rows that are opened more than once, the router.
    step_cost estimated_cost() const;
};

class processing_array;

/// The best block of a step for an array with these costs per contraction (processing_array.h), with its estimates; it
/// cannot be written as a program. None if no block fits.
std::optional<step_plan> sketched_plan(const contraction_graph& graph, const fetta::device_limits& g,
                                       const step_settings& settings, const processing_array& array);

/// Lower estimate of FETTA's costs, with layouts without conflicts; none if no block fits. A plan costs as much or
/// more, and takes much longer to compute.
std::optional<step_cost> sketched_cost(const contraction_graph& graph, const fetta::device_limits& g,
                                       const step_settings& settings);

/// None if no block fits the unified memory. Throws base::input_error for a network whose sums fit no accumulators, and
/// for a block that does not divide the batch.
std::optional<step_plan> find_plan(const contraction_graph& graph, const fetta::device_limits& g,
                                   const step_settings& settings);
/// Likewise, but throws also if no block fits, with the memory that it needs.
step_plan plan_step(const contraction_graph& graph, const fetta::device_limits& g, const step_settings& settings);

} // namespace tensorloom::workloads
