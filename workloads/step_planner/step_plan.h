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

namespace tensorloom::workloads {

/// Where the intermediates of a batch stay, and so how it goes through the device.
enum class step_residency : std::uint8_t {
    automatic,     ///< keep or batch_blocked, whichever is faster by estimate; spill where nothing else fits
    spill,         ///< each contraction is a pass by itself: its operands come from memory, its result goes there
    keep,          ///< all on chip: the batch is one block
    batch_blocked, ///< forward pass, then backward pass, block by block: on chip within a pass
    micro_batch    ///< forward and backward of a block before those of the next: on chip throughout
};
inline constexpr base::named_value step_residency_values[] = {
    {0, "auto", "keep or batch-blocked, whichever is faster by estimate; spill if nothing else fits"},
    {1, "spill", "each contraction is a separate pass, from and to memory"},
    {2, "keep", "all on chip; the batch is one block"},
    {3, "batch-blocked", "forward pass, then backward pass, each block by block"},
    {4, "micro-batch", "forward and backward pass of a block before those of the next"},
};

/// What becomes of the intermediates of the forward pass that the backward pass wants: of batch_blocked.
enum class between_passes : std::uint8_t {
    automatic, ///< each stored or made again, as the estimate says
    store,     ///< all are stored in memory on the bus and loaded again
    recompute  ///< all are made again from X
};
inline constexpr base::named_value between_passes_values[] = {
    {0, "auto", "each stored or recomputed, whichever is fastest by estimate"},
    {1, "store", "all are stored in memory and loaded again"},
    {2, "recompute", "all are recomputed from X"},
};

/// What a user decides, and what the plan is for.
struct step_settings {
    bool training = true;               ///< fp, bp and wg; else fp alone
    bool update = true;                 ///< of a training step
    std::optional<std::uint64_t> block; ///< samples of a block; a divisor of the batch
    std::uint64_t samples = 0;          ///< of the data in memory that batches are of; 0: as many as a batch has
    step_residency residency = step_residency::automatic;
    /// Of spill, in a sketch: intermediates of at most so many elements, over the whole batch, stay on chip all the
    /// same, in room that nothing else has.
    std::uint64_t spilled_above = 0;
    between_passes between = between_passes::automatic;
    memory_estimate memory;
    unsigned lanes = 64; ///< of the vector unit
    operand_paths paths = operand_paths::gathered;
    bool transpose_layer = true; ///< may be on, where operands pass the networks alone
    bool natural_orders = false; ///< of modes: none is searched
    /// What blocks, and what is kept, stored or made again, are chosen by; layouts are by cycles.
    mapping_objective objective = mapping_objective::latency;
    mapping_costs costs; ///< of the device's events
};

/// What a program takes on the device, by estimate.
struct step_cost {
    std::uint64_t cycles = 0;
    double pj = 0;                                        ///< of device and memory
    step_residency residency = step_residency::automatic; ///< that it is of; automatic: of no plan

    double by(mapping_objective objective) const; ///< cycles, pJ or pJ x cycles
};

/// Where a tensor of a block lies in the unified memory: two places when one is moved while the other is worked on.
struct chip_place {
    std::array<std::uint64_t, 2> byte{};
    unsigned places = 0; ///< 0: not there
};

/// One way over the batch: what is done ahead, for every block, and behind.
struct step_pass {
    /// Moves a tensor behind the start of command `behind` of the body: a LOAD of the next block, a STORE of this one.
    struct transfer {
        std::size_t tensor = 0;
        std::size_t behind = 0;
    };
    std::vector<std::size_t> before, body, after; ///< contractions
    bool is_backward = false;                     ///< makes gradients
    std::uint64_t slices = 1;                     ///< of a contraction that is alone: ways over the batch
    std::vector<transfer> loads, stores;          ///< in the body, in their order
    std::vector<chip_place> place;                ///< by tensor
    /// Bytes of the update, when the loop is over: of the cores' masters, float32, or of two pieces of them each, and
    /// of their gradients.
    std::array<std::uint64_t, 2> masters{}, gradients{};
    std::uint64_t rate = 0;             ///< byte of the update's rate
    std::uint64_t list = 0;             ///< byte of the batch's list of samples, the same in all passes
    std::vector<chip_place> sum;        ///< by tensor: of what the vector unit adds up, float32
    std::vector<chip_place> addend;     ///< by tensor: what it adds, sums of a block
    std::uint64_t estimated_cycles = 0; ///< of the loop over the blocks
};

/// Float32 gradients that stay on chip, of all cores; more of them go through memory on the bus.
inline constexpr std::uint64_t most_gradient_bytes = 128 << 10;

/// A training step as one program: passes, each a loop over blocks of the batch whose intermediates stay on chip.
///
/// A batch is a list of samples: X and dY of each lie contiguous in memory, in their layout, and a GATHER takes those
/// of a block by the numbers in the list, which is loaded once, or block by block where it is long.
///
/// forward     cores are loaded once and stay; X of the next block is loaded while this one is worked on
/// backward    X, dY and the intermediates that were stored come block by block; the others are made again. Sums of
///             weight gradients stay in the accumulators from block to block, in block order
/// behind them gradients of what is made of cores alone; update
///
/// So the passes of keep and batch_blocked; micro_batch has one, spill one for each contraction. A gradient whose sums
/// are too many even then is made slice by slice, each of them over the whole batch.
///
/// Cores lie one behind the other, their gradients and masters likewise, so that each of the three is moved and updated
/// at once. Masters are in memory but for the update; gradients too where they have more than 128 KB: each goes there
/// from the pass that makes it, and the update has a piece of both at a time. Blocks, and what is kept, stored or made
/// again, are chosen by an estimate of the loops with their transfers (transfer_schedule.h): of all blocks whose
/// tensors fit into the unified memory first as if no layout had conflicts, then of the best few with their own
/// layouts.
struct step_plan {
    contraction_graph graph;       ///< of the whole batch
    contraction_graph block_graph; ///< of a block
    fetta::device_limits limits;
    step_settings settings;
    std::uint64_t blocks = 1;
    joint_layouts layouts; ///< of a block
    /// By contraction: closed form and conflicts of one CONTRACT, exactly; of the last block, which has a result where
    /// the others keep their sums.
    std::vector<std::uint64_t> cycles, conflicts, last_conflicts;
    /// Likewise: what the device counts for it.
    std::vector<fetta::counts> counts, last_counts;
    /// Likewise, of a sketch: what is written to memory and read again in another order (processing_array.h).
    std::vector<std::uint64_t> reordered_bytes;
    std::vector<double> reorder_cycles;
    /// By contraction: the first row of the accumulators that hold its sums from block to block.
    std::vector<std::optional<std::uint32_t>> kept_row;
    /// By contraction: its sums are too many for the accumulators. Those of a block are float32, and the vector unit
    /// adds them to those of the blocks before.
    std::vector<bool> added;
    std::vector<bool> stored; ///< by tensor: an intermediate that is stored in the forward pass
    std::vector<bool> kept;   ///< by tensor: stays on chip from the forward to the backward pass
    /// By tensor: elements of a core, its gradient and its master behind the first one's. Whole blocks of rows.
    std::vector<std::uint64_t> core_offset;
    std::uint64_t core_elements = 0; ///< of all cores
    std::vector<step_pass> passes;
    step_residency residency = step_residency::automatic; ///< that was taken

    base::element_type type_of(std::size_t tensor) const; ///< on chip: f32 of the cores' gradients, else bf16
    bool is_core_gradient(std::size_t tensor) const;
    bool gradients_in_memory() const;                  ///< those of cores are too many to stay on chip
    bool is_given_by_sample(std::size_t tensor) const; ///< X and dY, where something uses them
    std::uint64_t samples() const;                     ///< of the data in memory
    std::uint64_t list_bytes() const;                  ///< of a batch
    bool list_by_block() const; ///< only the list of a block is on chip, not that of the batch, which is too long
    std::uint64_t sample_elements(std::size_t tensor) const; ///< of one sample as it lies, gaps included
    /// On chip, of a block, gaps included; of a gradient that is made in slices, of one of them.
    std::uint64_t bytes_of(std::size_t tensor) const;
    std::uint64_t elements_of(std::size_t tensor) const; ///< likewise
    bool is_core(std::size_t tensor) const;              ///< is given, and the same for all blocks
    std::vector<std::size_t> cores() const;

    /// A contraction as a phase does it: what the backward pass makes again is of its first phase.
    struct execution {
        std::size_t pass = 0;
        std::size_t contraction = 0;
        step_phase phase = step_phase::fp;
        std::uint64_t times = 1;  ///< that its CONTRACT runs over the batch
        std::uint64_t slices = 1; ///< and the batch is gone over
    };
    std::vector<execution> executions() const;
    bool is_made_again(std::size_t pass, std::size_t contraction) const; ///< a pass before has done it
    std::uint64_t engine_cycles() const;                                 ///< of all CONTRACTs, conflicts included
    /// Of these executions: best mapping and split of the contraction of the whole batch, without blocks.
    std::uint64_t ideal_engine_cycles(const execution& of) const;
    std::uint64_t ideal_engine_cycles() const;
    /// Of the whole program: fetching, cores, loops, what comes behind them.
    std::uint64_t estimated_cycles() const;
    std::uint64_t program_bytes() const; ///< of the whole program, as step_program.h writes it

    /// Bytes that one LOAD of a tensor brings: of X and dY those of a block's samples.
    std::uint64_t loaded_bytes(std::size_t tensor) const;
    /// Bytes of memory that all transfers move, and the program.
    struct moved_bytes {
        std::uint64_t read = 0, written = 0;
    };
    moved_bytes estimated_traffic() const;

    /// What the device counts for all commands, but for cycles that overlap.
    fetta::counts estimated_counts() const;
    /// With the energy of these counts and of the bytes that cross the bus, constant powers as long as estimated. Not
    /// priced: rows of a DRAM that are opened more than once, the router.
    step_cost estimated_cost() const;
};

class processing_array;

/// The best block of a step for what takes so long for each contraction (processing_array.h), with its estimates; not
/// to be written as a program. Nothing when no block fits.
std::optional<step_plan> sketched_plan(const contraction_graph& graph, const fetta::device_limits& g,
                                       const step_settings& settings, const processing_array& array);

/// What a FETTA would take at best, with layouts that are free of conflicts; nothing when no block fits. A plan takes
/// as much or more, and takes much longer to make.
std::optional<step_cost> sketched_cost(const contraction_graph& graph, const fetta::device_limits& g,
                                       const step_settings& settings);

/// Throws base::input_error for a network whose block of one sample fits no memory window or accumulators, and for a
/// block that does not divide the batch.
step_plan plan_step(const contraction_graph& graph, const fetta::device_limits& g, const step_settings& settings);

} // namespace tensorloom::workloads
