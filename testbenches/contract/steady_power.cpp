#include "contract/steady_power.h"

namespace tensorloom::testbench {
namespace {

using arch::fetta::event;

constexpr event contract_events[] = {
    event::mac,        event::padding_mac, event::ia_row_read,       event::ib_row_read,      event::result_row_write,
    event::ia_element, event::ib_element,  event::reduction_element, event::accumulator_psum,
};

constexpr arch::fetta::geometry paper{};
constexpr std::uint64_t paper_lanes = std::uint64_t{paper.engines} * paper.side;

// The events of one cycle of Table III, whose activity the settings give for the paper's geometry.
arch::fetta::counts table_cycle(const arch::fetta::energy_settings& s)
{
    const std::uint64_t lanes = std::uint64_t{s.geometry.engines} * s.geometry.side;
    arch::fetta::counts c;
    c[event::mac] = lanes * s.geometry.side;
    c[event::ia_element] = lanes * s.distributed_elements / paper_lanes;
    c[event::reduction_element] = lanes;
    c[event::accumulator_psum] = lanes;
    c[event::ia_row_read] = std::uint64_t{s.geometry.engines} * s.memory_rows / paper.engines;
    c[event::vector_op] = s.lanes;
    return c;
}

} // namespace

std::vector<block_power> steady_power(const arch::technology& technology, const arch::fetta::energy_settings& settings,
                                      const arch::fetta::counts& counts, std::uint64_t tcu_cycles)
{
    const auto model = arch::fetta::device_energy(technology, settings);
    const double cycle_ns = 1 / settings.clock_ghz;
    arch::fetta::counts of_contracts;
    for (const event e : contract_events) { of_contracts[e] = counts[e]; }
    const double ns = static_cast<double>(tcu_cycles) * cycle_ns;
    std::vector<arch::component_energy> working, table;
    arch::add_energy(working, model, of_contracts.data(), ns);
    arch::add_energy(table, model, table_cycle(settings).data(), cycle_ns);

    std::vector<block_power> blocks;
    for (std::size_t i = 0; i < working.size(); ++i) {
        const double mw = tcu_cycles == 0 ? 0 : working[i].pj / ns;
        blocks.push_back({working[i].component, mw, table[i].pj / cycle_ns, working[i].estimate});
    }
    return blocks;
}

} // namespace tensorloom::testbench
