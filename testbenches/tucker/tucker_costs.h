#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/arch/costs/energy.h>
#include <tensorloom/models/arch/costs/technology.h>
#include "tucker/tucker_options.h"
#include "tucker/tucker_run.h"

namespace tensorloom::testbench {

/// What chains cost the device; energy also what the memory and the links between spent on them.
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
    /// `jobs` and `result` must outlive this.
    tucker_costs(const tucker_options& options, const arch::technology& technology, const device_jobs& jobs,
                 const tucker_result& result);

    const std::vector<activity::energy_report>& energies() const { return m_energies; } ///< of each chain
    const chain_costs& chain(std::size_t index) const { return m_chains[index]; }
    chain_costs sum(std::size_t first, std::size_t end) const; ///< of chains first to end - 1

    chain_costs iteration(std::size_t index) const;
    chain_costs decomposing() const;
    chain_costs compressing() const; ///< x with the factors found, one chain
    chain_costs expanding() const;   ///< the core to x~, one chain
    chain_costs all() const;

    /// Cycles of all chains, by cause in order of first appearance.
    std::vector<std::pair<std::string, std::uint64_t>> cycles_by_cause() const;
    /// Energy of all chains, by component.
    std::vector<arch::component_energy> components() const;

private:
    const device_jobs& m_jobs;
    const tucker_result& m_result;
    std::vector<activity::energy_report> m_energies;
    std::vector<chain_costs> m_chains;
};

} // namespace tensorloom::testbench
