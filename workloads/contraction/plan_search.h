#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/workloads/contraction/plan.h>

namespace tensorloom::workloads {

// The search behind plan_contraction(): a mapping by what it takes in a layout, blocks by what they take end to end.

/// Chooses a plan's mapping and split by what they take in the plan's layout, and cuts its indices into blocks. The
/// plan has its problem, limits, layout, format and whole indices.
///
///     ideal        the closed form
///     conflicted   the closed form + conflict cycles
///     offchip      end to end: the closed form, transfers with their runs (memory_estimate), permutations through
///                  memory
///
/// All mappings x splits in commands as large as the flattening lets them be. The best four by each objective and the
/// choices of search_mapping() are then cut into blocks, by each objective again (choose_blocks), and compared by the
/// one that was asked for as they will run: estimated end to end, conflicts and permutations on top, which overlap with
/// nothing. Ties go to the first in the order of the closed form. Energy is that of the counts with conflicts,
/// transfers and permutations (plan_pj). So what wins is the best of all plans that any objective finds.
///
/// Conflict cycles are exact for commands of up to 256 cycles, of the last few choices 8192, and else estimated from
/// that many cycles (fetta::linear_accesses). They rank choices alone: a run counts exactly. Source: FETTA,
/// section V-B; what a layout costs is not part of the paper's search.
void choose_mapping(contraction_plan& plan, const contraction_settings& settings);

/// What the LOADs and STOREs of a plan move, and what memory on the bus is charged for, in bytes.
struct plan_traffic {
    std::uint64_t loaded = 0, stored = 0;
    std::uint64_t read = 0, written = 0; ///< whole bursts of short pieces, commands

    friend plan_traffic operator+(const plan_traffic& x, const plan_traffic& y)
    {
        return {x.loaded + y.loaded, x.stored + y.stored, x.read + y.read, x.written + y.written};
    }
};

/// What a plan takes in energy, estimated: the counts of its CONTRACTs, rows of the unified memory that LOADs and
/// STOREs touch, bytes of memory on the bus, constant powers of the device and of that memory for as long as the plan
/// takes. Not priced: rows of a DRAM opened more than once, conflicts in its banks, the router.
double plan_pj(const contraction_plan& plan, const contraction_settings& settings, const fetta::counts& of_contracts,
               const plan_traffic& traffic, std::uint64_t cycles);

/// A plan with its blocks, and what its transfers move.
struct blocked_plan {
    contraction_plan plan;
    plan_traffic traffic;
};

/// Cuts a plan's indices into the blocks that are estimated to take the fewest cycles end to end, the least energy, and
/// the least energy x cycles, and gives them places in the unified memory. The plan has its problem, limits, layout,
/// choice and whole indices; see contraction_plan for what is searched. One plan where a single CONTRACT is best.
std::vector<blocked_plan> choose_blocks(const contraction_plan& plan, const contraction_settings& settings);

/// The blocks of a contraction whose tensors lie as they are wanted, by the fewest cycles, for its best mapping: an
/// estimate of it by itself, from and to memory, also for another array (`settings.array_cycles`) with as much memory.
blocked_plan blocked_contraction(const contraction& problem, const fetta::device_limits& g,
                                 const contraction_settings& settings);

} // namespace tensorloom::workloads
