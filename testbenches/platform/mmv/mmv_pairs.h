#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/activity/address_trace.h>
#include <tensorloom/models/base/values/bank_counts.h>
#include "platform/mmv/mmv_costs.h"
#include "platform/mmv/mmv_testbed.h"
#include "platform/report/run_report.h"
#include "platform/run/shared_activity.h"

namespace tensorloom::testbench {

/// Costs of a pair among several. Its energy is that of all pairs only: the memory is not its own.
struct costs_of_pair : mmv_costs {
    std::uint64_t start_cycle = 0; ///< of its first program, after the first START of all
    std::uint64_t end_cycle = 0;   ///< of its last program, likewise; 0 without programs
};

/// Costs of several pairs.
struct mmv_pairs_costs {
    /// Counts of all pairs. Cycles from the first START to the last DONE, by how many pairs run a program: all pairs,
    /// some pairs, or none, while hosts prepare the next ones. Energy of the pairs and the memory in this time.
    mmv_costs whole;
    std::vector<costs_of_pair> each; ///< cycles from START to DONE, by cause
};

/// Throws base::input_error when the DRAM, if the memory is one, has no room for the programs of so many pairs.
void require_room_for_pairs(std::size_t pairs, const platform_options& around);

/// Several MMU/VCU pairs of one configuration, each with a host, around one router and one memory, which is divided
/// among them. One simulation; it stays until the process ends.
class mmv_pairs {
public:
    /// In the host's thread of a pair; `meet` returns when the programs of all pairs have called it as often.
    using program_type =
        std::function<void(std::size_t pair, workloads::mmv_session& session, const std::function<void()>& meet)>;

    /// Elaboration. `memory_bytes`: for each pair, of an SRAM. What a program throws is converted as by
    /// make_mmv_testbed(). There must be room for them. Throws base::input_error when a limit on the address space
    /// leaves none for scratchpads and memory.
    mmv_pairs(std::size_t pairs, const mmv::config& device, const common_options& common, std::uint64_t memory_bytes,
              activity::log_detail detail, program_type program);
    ~mmv_pairs();

    /// Once: simulates until all programs are done, with the waveform of all pairs if requested.
    process_usage run(const std::vector<watched_element>& watched);

    // After run().
    std::size_t size() const;
    const mmv::config& device() const { return m_device; }
    /// As testbed::memory_bytes(): what all pairs use together.
    std::uint64_t memory_bytes() const;
    const device_runs& runs(std::size_t pair) const;
    /// `device`: what one pair costs.
    mmv_pairs_costs costs(const costs::technology& technology, const costs::energy_model& device) const;
    /// The die of all pairs, and of the memory if it is an SRAM. `device`: the floor plan of one.
    die die_with(const costs::technology& technology, const costs::floor_plan& device) const;
    /// Accesses of the banks of all pairs, called "pair_0.scratchpad" and so on.
    std::vector<base::counted_memory> counted_memories() const;
    /// In the files with a line per record, without the memory's energy.
    std::vector<device_programs> programs(const costs::energy_model& device, const std::string& job) const;

private:
    class counting_activity;
    class barrier;

    mmv::config m_device;
    const common_options& m_common;
    std::unique_ptr<activity::address_trace> m_address_trace; // of the memory, where one was asked for
    std::unique_ptr<counting_activity> m_activity;
    std::unique_ptr<barrier> m_barrier;
    testbed_platform<mmv::traits>* m_platform; // stays until the process ends
    std::vector<std::uint64_t> m_memory_used;  // by pair
};

} // namespace tensorloom::testbench
