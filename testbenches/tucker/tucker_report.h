#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/workloads/tucker/tucker_decomposition.h>
#include "platform/report/run_report.h"
#include "tucker/device_ttm.h"
#include "tucker/tucker_check.h"
#include "tucker/tucker_options.h"

namespace tensorloom::testbench {

/// Results of a simulation. Chain i is run i of the device.
struct tucker_result {
    workloads::tucker_decomposition found;
    workloads::tensor<double> expanded; ///< X~
    double error = 0;                   ///< |X - X~| / |X|, element by element
    std::vector<chain_record> chains;   ///< of the decomposition, then one that compresses and one that expands
    std::vector<std::size_t> ends;      ///< by iteration: number of chains at its end
    std::optional<tucker_check> check;
    die on;
    std::uint64_t memory_bytes = 0; ///< size of the memory on the bus
    std::uint64_t end_ps = 0;       ///< end of the host's program
    process_usage usage;            ///< of the simulation of the chains only
};

/// Costs of chains on the device; energy includes the memory and links between chains.
struct chain_costs {
    std::size_t chains = 0;
    std::uint64_t steps = 0;
    std::uint64_t steps_skipped = 0;
    std::uint64_t macs = 0;
    std::uint64_t macs_skipped = 0;
    std::uint64_t cycles = 0;
    double ns = 0;
    double pj = 0;

    chain_costs& operator+=(const chain_costs& other);
};

/// The costs of a run: of each chain, and summed.
class tucker_costs {
public:
    /// `result` must outlive this. `models`: of device and memory.
    tucker_costs(const tucker_options& options, const std::vector<activity::module_energy>& models,
                 const device_runs& runs, const tucker_result& result);

    const chain_costs& chain(std::size_t index) const { return m_chains[index]; }
    chain_costs sum(std::size_t first, std::size_t end) const; ///< of chains first to end - 1

    chain_costs iteration(std::size_t index) const;
    chain_costs decomposing() const;
    chain_costs compressing() const; ///< x with the factors found, one chain
    chain_costs expanding() const;   ///< the core to x~, one chain
    chain_costs all() const;

    const program_costs& total() const { return m_total; } ///< of all chains

private:
    const tucker_result& m_result;
    program_costs m_total;
    std::vector<chain_costs> m_chains;
};

/// Description of each chain: "decompose, iteration 0, modes 1, 9 x 8 x 7 to 3 x 8 x 7".
std::vector<std::string> job_names(const tucker_result& result);

/// singular_values.csv: a row per value of each mode, the largest first; kept: as many as the mode has vectors.
std::string singular_values_csv(const tucker_result& result);

/// Table and summary. `active_cell_steps`: active cells of every time-step, added up.
void write_report(run_report& report, const tucker_options& options, const tucker_result& result,
                  const tucker_costs& costs, const device_runs& runs, std::uint64_t active_cell_steps);

} // namespace tensorloom::testbench
