#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/joint_layouts.h>

namespace tensorloom::workloads {

/// What becomes of the intermediates of the forward pass that the backward pass wants.
enum class step_residency : std::uint8_t {
    automatic, ///< kept, or each stored or made again, as the estimate says
    keep,      ///< they and X stay on chip: the batch is one block
    store,     ///< all are stored in memory on the bus and loaded again
    recompute  ///< all are made again from X
};
inline constexpr arch::named_value step_residency_values[] = {
    {0, "auto", "kept, or each stored or made again, whichever is fastest by estimate"},
    {1, "keep", "they and X stay on chip, the batch is one block"},
    {2, "store", "all are stored in memory and loaded again"},
    {3, "recompute", "all are made again from X"},
};

/// What a user decides, and what the plan is for.
struct step_settings {
    bool training = true;               ///< fp, bp and wg; else fp alone
    bool update = true;                 ///< of a training step
    std::optional<std::uint64_t> block; ///< samples of a block; a divisor of the batch
    std::uint64_t samples = 0;          ///< of the data in memory that batches are of; 0: as many as a batch has
    step_residency residency = step_residency::automatic;
    memory_estimate memory;
    unsigned lanes = 64; ///< of the vector unit
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
    std::vector<transfer> loads, stores;          ///< in the body, in their order
    std::vector<chip_place> place;                ///< by tensor
    std::uint64_t masters = 0;                    ///< byte of the cores' masters, float32, when the loop is over
    std::uint64_t rate = 0;                       ///< byte of the update's rate
    std::uint64_t list = 0;                       ///< byte of the batch's list of samples, the same in all passes
    std::vector<chip_place> sum;                  ///< by tensor: of what the vector unit adds up, float32
    std::vector<chip_place> addend;               ///< by tensor: what it adds, sums of a block
    std::uint64_t estimated_cycles = 0;           ///< of the loop over the blocks
};

/// A training step as one program: phases apart, each a loop over blocks of the batch whose intermediates stay on chip.
///
/// A batch is a list of samples: X and dY of each lie contiguous in memory, in their layout, and a GATHER takes those
/// of a block by the numbers in the list, which is loaded once, or block by block where it is long.
///
/// forward     cores are loaded once and stay; X of the next block is loaded while this one is worked on
/// backward    X, dY and the intermediates that were stored come block by block; the others are made again. Sums of
///             weight gradients stay in the accumulators from block to block, in block order
/// behind it   gradients of what is made of cores alone; update
///
/// Cores lie one behind the other, their gradients and masters likewise, so that each of the three is moved and updated
/// at once. Blocks, and what is kept, stored or made again, are chosen by an estimate of the loops with their transfers
/// (transfer_schedule.h): of all blocks whose tensors fit into the unified memory first as if no layout had conflicts,
/// then of the best few with their own layouts.
struct step_plan {
    contraction_graph graph;       ///< of the whole batch
    contraction_graph block_graph; ///< of a block
    arch::fetta::geometry geometry;
    step_settings settings;
    std::uint64_t blocks = 1;
    joint_layouts layouts; ///< of a block
    /// By contraction: closed form and conflicts of one CONTRACT, exactly; of the last block, which has a result where
    /// the others keep their sums.
    std::vector<std::uint64_t> cycles, conflicts, last_conflicts;
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
    step_pass forward, backward;     ///< backward: empty without training

    arch::element_type type_of(std::size_t tensor) const; ///< on chip: f32 of the cores' gradients, else bf16
    bool is_core_gradient(std::size_t tensor) const;
    bool is_given_by_sample(std::size_t tensor) const; ///< X and dY, where something uses them
    std::uint64_t samples() const;                     ///< of the data in memory
    std::uint64_t list_bytes() const;                  ///< of a batch
    bool list_by_block() const; ///< only the list of a block is on chip, not that of the batch, which is too long
    std::uint64_t sample_elements(std::size_t tensor) const; ///< of one sample as it lies, gaps included
    std::uint64_t bytes_of(std::size_t tensor) const;        ///< on chip, of a block, gaps included
    bool is_core(std::size_t tensor) const;                  ///< is given, and the same for all blocks
    std::vector<std::size_t> cores() const;

    /// A contraction as a phase does it: what the backward pass makes again is of its first phase.
    struct execution {
        std::size_t contraction = 0;
        step_phase phase = step_phase::fp;
        std::uint64_t times = 1; ///< that its CONTRACT runs
    };
    std::vector<execution> executions() const;
    std::uint64_t engine_cycles() const; ///< of all CONTRACTs, conflicts included
    /// Of these executions: best mapping and split of the contraction of the whole batch, without blocks.
    std::uint64_t ideal_engine_cycles(const execution& of) const;
    std::uint64_t ideal_engine_cycles() const;
    /// Of the whole program: fetching, cores, loops, what comes behind them.
    std::uint64_t estimated_cycles() const;
    std::uint64_t moved_bytes() const; ///< by the loops over the blocks
};

/// What the best block of a step would take with layouts that are free of conflicts; nothing when none fits. Much
/// quicker than a plan: sequences are ranked by it.
std::optional<std::uint64_t> sketched_cycles(const contraction_graph& graph, const arch::fetta::geometry& g,
                                             const step_settings& settings);

/// Throws arch::input_error for a network whose block of one sample fits no memory window or accumulators, and for a
/// block that does not divide the batch.
step_plan plan_step(const contraction_graph& graph, const arch::fetta::geometry& g, const step_settings& settings);

} // namespace tensorloom::workloads
