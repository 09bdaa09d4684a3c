#pragma once
#include <tensorloom/workloads/contraction/plan.h>

namespace tensorloom::workloads {

/// Chooses a plan's mapping and split by what they take in the plan's layout, and cuts its indices into blocks. The
/// plan has its problem, geometry, layout, format and whole indices.
///
///     ideal        search_mapping(): the closed form
///     conflicted   the closed form + conflict cycles
///     offchip      end to end: the closed form, transfers with their runs (memory_estimate), permutations through
///                  memory
///
/// conflicted, offchip: all mappings x splits in the order of the closed form, in commands as large as the flattening
/// lets them be, until the closed form alone takes more than the best. The best six and the choice of the closed form
/// are then cut into blocks (blocking.h) and compared as they will run: estimated end to end, conflicts and
/// permutations on top, which overlap with nothing. Ties as in search_mapping(). With objectives of energy the counts
/// are those with conflicts, transfers and permutations are charged (blocking.h), and the plan for the objective
/// latency is compared, too, in every layout: none is estimated to take less energy (energy x cycles) there.
///
/// Conflict cycles are exact for commands of up to 256 cycles, of the last few choices 8192, and else estimated from
/// that many cycles (arch::fetta::linear_accesses). They rank choices alone: a run counts exactly. Source: FETTA,
/// section V-B; what a layout costs is not part of the paper's search.
void choose_mapping(contraction_plan& plan, const contraction_settings& settings);

} // namespace tensorloom::workloads
