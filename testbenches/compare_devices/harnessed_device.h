#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/activity/energy_report.h>
#include "compare_devices/compared_device.h"

namespace tensorloom::testbench {

/// What the kinds of compared devices have in common: a harness, and its costs when it has run. Traits: of the device.
template <class Traits> class harnessed_device : public compared_device {
public:
    harness& around() override { return *m_harness; }
    std::function<void(sc_core::sc_trace_file&)> waveform() const override { return shown_in(*m_harness); }
    void require_prices() const override { priced(); }
    compared_run measure() override
    {
        auto [models, on] = priced();
        m_models = std::move(models);
        const auto costs = m_harness->costs(0, m_harness->programs(), m_models);
        auto run = described(costs, costs.counts);
        run.device = m_name;
        run.title = m_title;
        run.way = m_way;
        run.costs = costs;
        run.on = std::move(on);
        run.memory_bytes = memory_bytes();
        return run;
    }
    device_programs programs() const override { return {m_name, &m_harness->runs(), m_models, utilisation(), {m_way}}; }

protected:
    using harness_type = device_harness<Traits>;
    using counts_type = typename Traits::counts;

    // `title`, `way`: as compared_run has them.
    harnessed_device(std::string name, std::string title, std::string way, const device_surroundings& around)
        : m_name(std::move(name)), m_around(around), m_title(std::move(title)), m_way(std::move(way))
    {}

    virtual std::function<void(sc_core::sc_trace_file&)> shown_in(const harness_type& harness) const = 0;
    virtual costs::energy_model energy() const = 0;
    virtual costs::floor_plan area() const = 0;
    virtual std::uint64_t memory_bytes() const = 0; ///< on the bus, as its energy and area take it
    virtual utilisation_measure utilisation() const = 0;
    /// The rest of a run: array, units, formats, what was done, the configuration, the result.
    virtual compared_run described(const program_costs& costs, const counts_type& counts) = 0;

    const std::string m_name; ///< of its platform in the simulation, too
    const device_surroundings m_around;
    std::unique_ptr<harness_type> m_harness;

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
