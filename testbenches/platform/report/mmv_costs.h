#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/arch/mmv/events.h>
#include "platform/system/device_jobs.h"
#include "platform/report/job_costs.h"

namespace tensorloom::testbench {

/// How often an instruction ran, and what it took.
struct instruction_cost {
    std::uint64_t instructions = 0;
    std::uint64_t cycles = 0;
};

/// What programs of an MMU/VCU pair cost. Three meters that never mix: counts, from which the papers' models are
/// computed; cycles; energy.
struct mmv_costs : job_costs {
    arch::mmv::counts counts;
    std::map<std::string, instruction_cost> instructions; ///< by mnemonic
};

/// job_costs_of() with counts and instructions.
mmv_costs mmv_costs_of(const device_jobs& jobs, std::size_t first, std::size_t end, double clock_period_ns,
                       const std::vector<activity::module_energy>& models);

/// How busy the parts of a device were: what a roofline is drawn from.
struct mmv_roofline {
    double macs_per_cycle = 0;
    double peak_macs_per_cycle = 0; ///< side x side
    double scratchpad_words_per_cycle = 0;
    double peak_scratchpad_words_per_cycle = 0; ///< a read and a write per bank
    double bus_bytes_per_cycle = 0;
    double peak_bus_bytes_per_cycle = 0; ///< the width of the DMA port
    double macs_per_scratchpad_word = 0; ///< 0 without words
    double macs_per_bus_byte = 0;

    double utilisation() const { return macs_per_cycle / peak_macs_per_cycle; }
};
mmv_roofline roofline_of(const mmv_costs& costs, unsigned side, unsigned banks);

} // namespace tensorloom::testbench
