#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/models/fetta/isa/driver.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/workloads/step_planner/step_run.h>
#include "compare_devices/compared_testbed.h"
#include "platform/fetta/fetta_memory_estimate.h"
#include "platform/fetta/fetta_run.h"
#include "platform/fetta/fetta_options.h"
#include "platform/fetta/fetta_testbed.h"
#include "platform/options/field_options.h"

namespace tensorloom::testbench {
namespace {

// The work as a network of four tensors, in the order of the work, with a batch of one sample for the planner.
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

struct fetta_choice {
    fetta_options device;

    base::config_fields own_fields()
    {
        return with_option_name(
            with_option_name(fields_named(fetta::fields_of(device.config),
                                          {"engines", "side", "bank-bytes", "accumulator-bank-bytes"}),
                             "side", "fetta-array"),
            "accumulator-bank-bytes", "accumulator-bytes");
    }
    base::config_fields lanes() { return fields_named(fetta::fields_of(device.config), {"lanes"}); }
};

fetta_options with_latency(fetta_options options, unsigned mac_latency)
{
    options.config.limits.mac_latency = mac_latency;
    return options;
}

class compared_fetta final : public compared_testbed<fetta::traits> {
public:
    compared_fetta(const device_surroundings& around, const fetta_choice& choice)
        : compared_testbed("fetta", "FETTA", "three contractions", around),
          m_options(with_latency(choice.device, around.mac_latency))
    {
        around.shown.show("planning");
        placing([&] {
            m_plan = workloads::plan_step(workloads::network_graph(network_of(around.work), products_tree),
                                          m_options.config.limits, settings());
            m_program = workloads::write_step(m_plan, data_base, data_room(around.common));
        });
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
        return fetta::device_area(m_around.technology, energy_settings_of(m_options, m_around.common));
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
        run.on_chip_bytes = g.memory_bytes() + std::uint64_t{g.engines} * g.accumulator_bank_bytes;
        run.macs_done = counts[event::mac] + counts[event::padding_mac];
        run.working_cycles = engine_cycles(counts);
        run.configuration = device_json(m_options, m_around.common);
        const auto& y = m_found.values.tensor[m_plan.graph.contractions.back().result];
        run.y = {y.begin(), y.end()};
        return run;
    }

    fetta_options m_options;
    workloads::step_plan m_plan;
    workloads::step_program m_program;
    workloads::step_values m_given;
    workloads::step_run m_found;
};

class comparable_fetta final : public comparable_device {
public:
    comparable_fetta() : comparable_device(fetta::description) {}

    void add_options(option_table& table) const override
    {
        fetta_choice defaults;
        for (const auto& field : defaults.own_fields()) { add_field(table, field); }
    }
    std::vector<shared_option> shared_options() const override
    {
        fetta_choice defaults;
        return {{"FETTA", defaults.lanes()[0], vector_lanes}};
    }
    void read_options(const option_values& values, const common_options& common) override
    {
        read_fields(values, m_options.own_fields());
        read_fields(values, m_options.lanes());
        device_config(m_options.device, common); // throws for invalid parameters
    }
    void equalize() override {} // the defaults, which others equal
    std::size_t sizes() const override { return std::size(engines) * std::size(sides) * std::size(lanes); }
    void choose_size(std::size_t size, std::optional<std::uint64_t>) override
    {
        auto& config = m_options.device.config;
        config.lanes = lanes[size % std::size(lanes)];
        size /= std::size(lanes);
        config.limits.side = sides[size % std::size(sides)];
        config.limits.engines = engines[size / std::size(sides)];
    }
    std::vector<std::string> size_options() const override
    {
        return {"engines", "fetta-array", "bank-bytes", "accumulator-bytes"};
    }
    std::unique_ptr<compared_device> make(const device_surroundings& around) const override
    {
        return std::make_unique<compared_fetta>(around, m_options);
    }

private:
    static constexpr unsigned engines[] = {4, 16, 64}, sides[] = {2, 4, 8, 16}, lanes[] = {16, 64, 256};

    fetta_choice m_options;
};

const comparable_device_entry fetta_entry{40, make_comparable<comparable_fetta>};

} // namespace
} // namespace tensorloom::testbench
