#pragma once
#include <cstdint>
#include <tensorloom/models/arch/fetta/events.h>
#include <tensorloom/workloads/contraction/plan.h>

namespace tensorloom::workloads {

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
double plan_pj(const contraction_plan& plan, const contraction_settings& settings,
               const arch::fetta::counts& of_contracts, const plan_traffic& traffic, std::uint64_t cycles);

/// Cuts a plan's indices into the blocks that are estimated to take the fewest cycles end to end (the least energy,
/// energy x cycles: by the objective), and gives them places in the unified memory. The plan has its problem, geometry,
/// layout, choice and whole indices; see contraction_plan for what is searched. Returns what its transfers move.
plan_traffic choose_blocks(contraction_plan& plan, const contraction_settings& settings);

} // namespace tensorloom::workloads
