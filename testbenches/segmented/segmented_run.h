#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include <tensorloom/models/arch/mmv/meters.h>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/workloads/segmented/problem.h>
#include <tensorloom/workloads/segmented/references.h>
#include "platform/mmv_costs.h"
#include "platform/mmv_station.h"
#include "platform/process_usage.h"
#include "segmented/ranking.h"
#include "segmented/segmented_options.h"

namespace tensorloom::testbench {

/// What one run of a variant gave.
struct segmented_findings {
    std::uint64_t results = 0;            ///< elements of the result
    std::uint64_t nonzeros = 0;           ///< spmv
    std::optional<std::int64_t> checksum; ///< of integers
    std::optional<workloads::segmented_check> check;
    arch::mmv::mmv_ram_meter model;     ///< the MMV-RAM model's numbers, as counted
    arch::mmv::mmv_ram_meter expected;  ///< by the closed form
    std::uint64_t scratchpad_bytes = 0; ///< as given, else what the run needed
    mmv_costs costs;
    std::vector<activity::module_energy> energy_models;
    process_usage usage;
    std::unique_ptr<mmv_station> station; ///< with its log

    /// Values as the reference, and counts as the closed form; true also when nothing was checked.
    bool passed() const { return !check || (check->passed && model == expected); }
};

/// Runs the variant in a simulation, checks and writes the result. T: int64_t, double. Throws as run_stations() and
/// arch::input_error.
template <class T> segmented_findings run_variant(const segmented_options& options, const arch::technology& technology);

} // namespace tensorloom::testbench
