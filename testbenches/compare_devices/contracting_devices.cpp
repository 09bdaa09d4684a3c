#include <algorithm>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/mmv/isa/events.h>
#include <tensorloom/workloads/mmv/mode_products.h>
#include <tensorloom/workloads/step_planner/step_run.h>
#include "compare_devices/compared_testbed.h"
#include "platform/fetta/fetta_run.h"
#include "platform/mmv/mmv_report.h"
#include "platform/fetta/fetta_testbed.h"
#include "platform/fetta/fetta_memory_estimate.h"
#include "platform/mmv/mmv_testbed.h"

namespace tensorloom::testbench {
namespace {

using arithmetic::bfloat16;

template <class T> std::vector<T> values_as(const std::vector<bfloat16>& from)
{
    std::vector<T> values(from.size());
    std::transform(from.begin(), from.end(), values.begin(),
                   [](bfloat16 x) { return static_cast<T>(static_cast<float>(x)); });
    return values;
}

/// In float64: the pair has neither bfloat16 nor float32.
class compared_mmv final : public compared_testbed<mmv::traits> {
public:
    explicit compared_mmv(const device_surroundings& around)
        : compared_testbed("mmv", "MMU/VCU pair", "three products", around),
          m_config(device_config(around.arrays.mmv, around.common, around.arrays.mmv_side, format))
    {
        m_operands.shape = around.work.shape;
        m_operands.out_shape = around.work.out_shape;
        m_operands.x = values_as<double>(around.work.x.data);
        std::uint64_t elements = m_operands.x.size() + workloads::volume_of(around.work.out_shape);
        for (std::size_t m = 0; m < m_operands.matrices.size(); ++m) {
            m_operands.matrices[m] = values_as<double>(around.work.matrices[m]);
            elements += m_operands.matrices[m].size();
        }
        m_testbed = make_mmv_testbed(
            m_name, m_config, around.common, mmv_memory_for(elements), around.detail,
            [this](workloads::mmv_session& session) { m_found = workloads::three_mode_products(session, m_operands); },
            &around.shown);
    }

    rounding rounds() const override { return {0x1p-53, 0}; }

private:
    static constexpr auto format = base::element_type::f64;
    using event = mmv::event;

    // As given, else what the run needed.
    std::uint64_t scratchpad_bytes() const
    {
        const auto needed = std::max(m_found.costs.scratchpad_bytes, std::uint64_t{mmv::scratchpad_unit});
        return m_around.arrays.mmv.scratchpad_bytes.value_or(needed);
    }
    std::function<void(sc_core::sc_trace_file&)> shown_in(const testbed_type& testbed) const override
    {
        return testbed.waveform(std::vector<watched_element>{});
    }
    costs::energy_model energy() const override
    {
        return device_energy(m_config, m_around.technology, scratchpad_bytes());
    }
    costs::floor_plan area() const override { return device_area(m_config, m_around.technology, scratchpad_bytes()); }
    std::uint64_t memory_bytes() const override { return m_testbed->memory_bytes(); }
    utilisation_measure utilisation() const override
    {
        return mac_utilisation(mmv::utilisation_unit, static_cast<std::size_t>(event::mac),
                               static_cast<double>(processing_elements()));
    }
    std::uint64_t processing_elements() const { return std::uint64_t{m_config.side} * m_config.side; }
    device_result described(const program_costs& costs, const counts_type& counts) override
    {
        device_result run;
        run.array = std::to_string(m_config.side) + " x " + std::to_string(m_config.side) + " PEs";
        run.units = processing_elements();
        run.operands = run.sums = format;
        run.macs_done = counts[event::mac];
        run.working_cycles = array_cycles(costs);
        run.configuration = device_json(m_config, m_around.common, scratchpad_bytes());
        run.y = m_found.y;
        return run;
    }

    mmv::config m_config;
    workloads::mode_product_operands m_operands;
    workloads::mode_product_result m_found;
};

// The work as a network of four tensors, in the order of the work. A batch of one sample, which the planner wants.
workloads::tensor_network network_of(const mode_products& work)
{
    workloads::tensor_network network;
    network.nodes = {{"X", {"n", "a", "b", "c"}}, {"A", {"a", "i"}}, {"B", {"b", "j"}}, {"C", {"c", "k"}}};
    network.out = {"n", "i", "j", "k"};
    network.sizes = {{"n", 1},
                     {"a", work.shape[0]},
                     {"b", work.shape[1]},
                     {"c", work.shape[2]},
                     {"i", work.out_shape[0]},
                     {"j", work.out_shape[1]},
                     {"k", work.out_shape[2]}};
    return network;
}
// (X.C).B).A
const workloads::contraction_tree products_tree{{{0, 3}, {4, 2}, {5, 1}}};

class compared_fetta final : public compared_testbed<fetta::traits> {
public:
    explicit compared_fetta(const device_surroundings& around)
        : compared_testbed("fetta", "FETTA", "three contractions", around), m_options(around.arrays.fetta)
    {
        around.shown.show("planning");
        m_plan = workloads::plan_step(workloads::network_graph(network_of(around.work), products_tree),
                                      m_options.config.limits, settings());
        m_program = workloads::write_step(m_plan, data_base, data_room(around.common));
        m_given.tensor.resize(m_plan.graph.tensors.size());
        m_given.master.resize(m_plan.graph.tensors.size());
        m_given.tensor[0] = values_as<float>(around.work.x.data);
        for (std::size_t m = 0; m < around.work.matrices.size(); ++m) {
            m_given.tensor[m + 1] = values_as<float>(around.work.matrices[m]);
        }
        m_testbed = make_fetta_testbed(
            m_name, m_options, around.common, sram_bytes_for(m_program.addresses.end - data_base), around.detail,
            [this](workloads::fetta_session& session) {
                m_found = workloads::run_step(session, m_plan, m_program, m_given, 0);
            },
            &around.shown);
    }

    rounding rounds() const override { return {0x1p-24, 0x1p-8}; }

private:
    using event = fetta::event;

    workloads::step_settings settings() const
    {
        workloads::step_settings s;
        s.training = s.update = false;
        s.samples = 1;
        s.memory = memory_estimate_of(m_around.common, m_around.technology, 0);
        s.lanes = m_options.config.lanes;
        s.costs = workloads::mapping_costs(energy(), static_cast<double>(clock_period_ps(m_around.common)) / 1000);
        return s;
    }
    std::function<void(sc_core::sc_trace_file&)> shown_in(const testbed_type& testbed) const override
    {
        return testbed.waveform(m_options.traced);
    }
    costs::energy_model energy() const override
    {
        return fetta::device_energy(m_around.technology, energy_settings_of(m_options, m_around.common));
    }
    costs::floor_plan area() const override
    {
        return fetta::device_area(m_around.technology, m_options.config.limits, m_options.config.lanes);
    }
    std::uint64_t memory_bytes() const override { return m_testbed->memory_bytes(); }
    utilisation_measure utilisation() const override
    {
        return mac_utilisation(fetta::utilisation_unit, static_cast<std::size_t>(event::mac),
                               static_cast<double>(processing_elements()));
    }
    std::uint64_t processing_elements() const
    {
        const auto& g = m_options.config.limits;
        return std::uint64_t{g.engines} * g.side * g.side;
    }
    device_result described(const program_costs&, const counts_type& counts) override
    {
        const auto& g = m_options.config.limits;
        device_result run;
        run.array =
            std::to_string(g.engines) + " x " + std::to_string(g.side) + " x " + std::to_string(g.side) + " PEs";
        run.units = processing_elements();
        run.macs_done = counts[event::mac] + counts[event::padding_mac];
        run.working_cycles = engine_cycles(counts);
        run.configuration = device_json(m_options, m_around.common);
        const auto& y = m_found.values.tensor[m_plan.graph.contractions.back().result];
        run.y = {y.begin(), y.end()};
        return run;
    }

    const fetta_options& m_options;
    workloads::step_plan m_plan;
    workloads::step_program m_program;
    workloads::step_values m_given;
    workloads::step_run m_found;
};

} // namespace

std::unique_ptr<compared_device> make_mmv(const device_surroundings& around)
{
    return std::make_unique<compared_mmv>(around);
}

std::unique_ptr<compared_device> make_fetta(const device_surroundings& around)
{
    return std::make_unique<compared_fetta>(around);
}

} // namespace tensorloom::testbench
