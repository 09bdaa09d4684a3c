#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/activity/energy_report.h>
#include "compare_devices/compared_device.h"

namespace tensorloom::testbench {

/// Common base of the compared devices: a testbed, and its costs after the run. Traits: of the device.
template <class Traits> class compared_testbed : public compared_device {
public:
    testbed& around() override { return *m_testbed; }
    std::function<void(sc_core::sc_trace_file&)> waveform() const override { return shown_in(*m_testbed); }
    void require_prices() const override { priced(); }
    costs::floor_plan plan() const override { return area(); }
    device_result measure() override
    {
        auto [models, on] = priced();
        m_models = std::move(models);
        const auto costs = m_testbed->costs(0, m_testbed->programs(), m_models);
        auto run = described(costs, costs.counts);
        run.device = m_name;
        run.title = m_title;
        run.way = m_way;
        run.costs = costs;
        run.on = std::move(on);
        run.memory_bytes = memory_bytes();
        return run;
    }
    device_programs programs() const override { return {m_name, &m_testbed->runs(), m_models, utilisation(), {m_way}}; }

protected:
    using testbed_type = device_testbed<Traits>;
    using counts_type = typename Traits::counts;

    // `title`, `way`: as device_result has them.
    compared_testbed(std::string name, std::string title, std::string way, const device_surroundings& around)
        : m_name(std::move(name)), m_around(around), m_title(std::move(title)), m_way(std::move(way))
    {}

    virtual std::function<void(sc_core::sc_trace_file&)> shown_in(const testbed_type& testbed) const = 0;
    virtual costs::energy_model energy() const = 0;
    virtual costs::floor_plan area() const = 0;
    virtual std::uint64_t memory_bytes() const = 0; ///< size of the memory on the bus, for energy and area
    virtual utilisation_measure utilisation() const = 0;
    /// The other results of a run: array, units, formats, work done, configuration, result.
    virtual device_result described(const program_costs& costs, const counts_type& counts) = 0;

    const std::string m_name; ///< of its platform in the simulation, too
    const device_surroundings m_around;
    std::unique_ptr<testbed_type> m_testbed;

private:
    std::pair<std::vector<activity::module_energy>, die> priced() const
    {
        const auto& platform = m_around.common.platform;
        const auto& technology = m_around.technology;
        return {
            {{m_name + ".device", energy()}, {m_name + ".memory", memory_energy(platform, technology, memory_bytes())}},
            die_of(technology, {area(), memory_plan(platform, technology, memory_bytes())})};
    }

    std::string m_title, m_way;
    std::vector<activity::module_energy> m_models;
};

} // namespace tensorloom::testbench
