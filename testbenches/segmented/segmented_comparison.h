#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/workloads/segmented/variants.h>
#include "platform/mmv_costs.h"
#include "platform/mmv_station.h"
#include "platform/process_usage.h"
#include "segmented/ranking.h"
#include "segmented/segmented_options.h"

namespace tensorloom::testbench {

/// The estimated costs of the vector unit, depth and cycles per group of every instruction, multiplied: rounded up, at
/// least 1. Whole cycles cannot be halved below 1: one word per lane and cycle stays what it is.
arch::vector::costs scaled_costs(const arch::vector::costs& costs, double factor);

/// One variant at one length, on the device with its vector costs as they are.
struct compared_run {
    const workloads::segmented_variant* variant = nullptr;
    std::uint64_t length = 0;
    std::uint64_t elements = 0;    ///< spmv: of the matrix; else as length
    std::size_t first_program = 0; ///< of the station's
    std::uint64_t scratchpad_bytes = 0;
    bool passed = true; ///< true also where nothing was checked
    mmv_costs costs;
};

/// All curves with the vector unit's estimates multiplied by a factor: cycles and energy per operation.
struct scaled_curves {
    double factor = 1;
    std::vector<cost_curve> curves; ///< by variant
};

/// What a comparison found.
struct segmented_comparison {
    std::vector<std::uint64_t> lengths;
    std::vector<compared_run> runs;                            ///< variant by variant, length by length
    std::vector<scaled_curves> sensitivity;                    ///< factors 0.5, 1, 2
    std::vector<std::pair<std::string, std::string>> left_out; ///< name and reason
    std::uint64_t macs = 0;                                    ///< that were simulated
    process_usage usage;
    std::vector<activity::module_energy> energy_models; ///< of factor 1
    std::unique_ptr<mmv_station> station;               ///< of factor 1

    const std::vector<cost_curve>& curves() const { return sensitivity[1].curves; }
    bool passed() const;
};

/// Runs all variants at growing sizes on three devices in one simulation, one for each factor. T: int64_t, double.
template <class T>
segmented_comparison compare_variants(const segmented_options& options, const arch::technology& technology);

} // namespace tensorloom::testbench
