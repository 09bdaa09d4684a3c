#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/workloads/contraction/plan.h>

namespace tensorloom::workloads {

// The search of plan_contraction(): a mapping by its costs in a layout, blocks by their costs end to end.

/// Chooses mappings and splits for a plan by their costs in its layout, and divides its indices into blocks. `whole`
/// has its problem, limits, layout, format and whole indices.
///
///     ideal        the closed form
///     conflicted   the closed form + conflict cycles
///     offchip      end to end: the closed form, transfers with their runs (memory_estimate), permutations
///
/// (1) Ranks all mappings x splits, in commands as large as the flattening allows. (2) Divides the best four by each
/// objective, and the choices of search_mapping(), into blocks by each objective (choose_blocks). (3) Ranks these plans
/// by each objective, estimated end to end plus conflicts and permutations, which overlap with nothing; ties go to the
/// first in the order of the closed form. Energy includes all of these (plan_pj). Returns the best by the requested
/// objective, then the best others by each objective in turn.
///
/// Conflict cycles are exact for commands of up to 256 cycles, for the last few choices 8192, otherwise extrapolated
/// from that many cycles (fetta::linear_accesses). They only rank choices: a run counts exactly. Source: FETTA, section
/// V-B; the paper's search excludes the costs of a layout.
std::vector<contraction_plan> choose_mappings(const contraction_plan& whole, const contraction_settings& settings);

/// Bytes moved by the LOADs and STOREs of a plan, and bytes charged by the memory on the bus.
struct plan_traffic {
    std::uint64_t loaded = 0, stored = 0;
    std::uint64_t read = 0, written = 0; ///< including incomplete bursts and commands

    friend plan_traffic operator+(const plan_traffic& x, const plan_traffic& y)
    {
        return {x.loaded + y.loaded, x.stored + y.stored, x.read + y.read, x.written + y.written};
    }
};

/// Estimated energy of a plan: the counts of its CONTRACTs, rows of the unified memory accessed by LOADs and STOREs,
/// bytes of memory on the bus, constant powers of the device and of that memory for the plan's duration. Not included:
/// rows of a DRAM opened more than once, conflicts in its banks, the router.
double plan_pj(const contraction_plan& plan, const contraction_settings& settings, const fetta::counts& of_contracts,
               const plan_traffic& traffic, std::uint64_t cycles);

/// A plan with its blocks and its traffic.
struct blocked_plan {
    contraction_plan plan;
    plan_traffic traffic;
};

/// Divides a plan's indices into blocks, with places in the unified memory, for the fewest estimated cycles end to end,
/// the least energy, the least energy x cycles, and the fewest cycles with at most 1, 2, 4, ... 32 commands. The plan
/// has its problem, limits, layout, choice and whole indices; see contraction_plan for the search. Returns one plan if
/// a single CONTRACT is best.
std::vector<blocked_plan> choose_blocks(const contraction_plan& plan, const contraction_settings& settings);

/// The blocks with the fewest cycles for a contraction with tensors in their ideal layout and its best mapping: an
/// estimate from memory to memory, also for another array (`settings.array_cycles`) with this memory.
blocked_plan blocked_contraction(const contraction& problem, const fetta::device_limits& g,
                                 const contraction_settings& settings);

} // namespace tensorloom::workloads
