#include <algorithm>
#include <tensorloom/models/triada/isa/driver.h>
#include <tensorloom/models/triada/isa/energy.h>
#include "compare_devices/compare_devices.h"
#include "compare_devices/transforming_device.h"
#include "platform/options/field_options.h"
#include "platform/triada/gemt_job.h"
#include "platform/triada/tile_options.h"
#include "platform/triada/triada_counts.h"
#include "platform/triada/triada_options.h"
#include "platform/triada/triada_testbed.h"

namespace tensorloom::testbench {
namespace {

/// Size of the device and settings of the transform. Tiles are loaded and unloaded beside work; X and Y are in rows, as
/// the other devices have them, and are converted by the device where that is faster.
struct triada_choice {
    triada_options device;
    gemt_settings gemt;
    tile_settings tiling{tensor_layout::converted, 0};

    bool has_step_cycles = false; ///< given, not of the multiply-add

    triada_choice() { gemt.double_buffer = true; }

    base::config_fields fields()
    {
        return fields_named(triada::fields_of(device.config),
                            {"mesh", "step-cycles", "cell-registers", "load-elements", "dma-ports"});
    }
    base::config_fields gemt_fields() { return fields_named(fields_of(gemt), {"sparsity"}); }
};

triada_options with_latency(const triada_choice& choice, unsigned mac_latency)
{
    triada_options options = choice.device;
    if (!choice.has_step_cycles) { options.config.step_cycles = triada::lines_cycles + mac_latency; }
    options.mac_latency = std::min(mac_latency, options.config.step_cycles);
    return options;
}

class compared_triada final : public transforming_device<triada::traits> {
public:
    compared_triada(const device_surroundings& around, const triada_choice& choice)
        : transforming_device("triada", "TriADA", around), m_options(with_latency(choice, around.mac_latency)),
          m_job(job_of<gemt_job>(around.work)), m_problem(problem_of<gemt_transform<arithmetic::bfloat16>>(around.work))
    {
        static_cast<gemt_settings&>(m_job) = choice.gemt;
        m_mesh = mesh_for(m_options, m_job.box());
        choose_tiles(m_job, choice.tiling, rates_of(m_options, around.common, m_mesh));
        memory_layout memory(memory_base);
        m_at = placing([&] { return m_problem.lay_out(m_job, m_mesh, memory); });
        build_testbed(device_config(m_options, around.common, m_mesh, format), memory.bytes(),
                      [this](bus::host_thread& cpu) {
                          m_problem.preload(cpu, m_job, m_at);
                          m_found = gemt_transform<arithmetic::bfloat16>::run(cpu, device_base, m_job, m_at).y;
                      });
    }

private:
    std::function<void(sc_core::sc_trace_file&)> shown_in(const testbed_type& testbed) const override
    {
        return testbed.waveform(std::vector<triada::shape3>{});
    }
    triada::energy_parameters parameters() const
    {
        return energy_parameters_of(m_options, m_mesh, format,
                                    dma_build_of(m_around.common.platform, m_options.config.dma_ports));
    }
    costs::energy_model energy() const override { return triada::device_energy(m_around.technology, parameters()); }
    costs::floor_plan area() const override { return triada::device_area(m_around.technology, parameters()); }
    utilisation_measure utilisation() const override { return triada_utilisation(); }
    device_result described(const program_costs& costs, const counts_type& counts) override
    {
        device_result run;
        run.array = shape_text(m_mesh) + " cells";
        run.units = std::uint64_t{m_mesh[0]} * m_mesh[1] * m_mesh[2];
        run.on_chip_bytes = triada::on_chip_bytes(energy_parameters_of(m_options, m_mesh, format));
        run.macs_done = counts[triada::event::mac];
        run.working_cycles = costs.cycles_of("compute");
        run.configuration = device_json(m_options, m_job, m_around.common, m_mesh, format);
        const auto command = command_of(m_job);
        const auto rates = rates_of(m_options, m_around.common, m_mesh);
        if (!triada::plan_gemt(command, m_mesh).fits) {
            run.configuration["layouts"] = layouts_json(command);
            run.configuration["partials"] = command.partials;
            run.configuration["bound"] = json_of(bound_of(command, 1, counts[triada::event::step], rates));
        }
        run.y = values_of(m_found);
        note_ports(run, m_options.config, m_mesh);
        return run;
    }

    triada_options m_options;
    gemt_job m_job;
    gemt_transform<arithmetic::bfloat16> m_problem;
    triada::shape3 m_mesh{};
    gemt_layout m_at;
    gemt_transform<arithmetic::bfloat16>::results m_found;
};

class comparable_triada final : public comparable_device {
public:
    comparable_triada() : comparable_device(triada::description) {}

    void add_options(option_table& table) const override
    {
        triada_choice defaults;
        const auto fields = defaults.fields();
        add_field(table, fields[0], "as the problem");
        add_field(table, fields[1], "2 more than --mac-latency");
        add_field(table, fields[2]);
        add_fields(table, defaults.gemt_fields());
        auto layout = fields_of(defaults.tiling)[0];
        layout.says.help =
            "TriADA's tiles: tensors in memory in rows; intermediate ones in tiles, and X and Y converted by "
            "the device where that is faster; or all in tiles.";
        add_field(table, layout);
    }
    std::vector<shared_option> shared_options() const override
    {
        triada_choice defaults;
        return {{"TriADA", defaults.fields()[3], port_elements}, {"TriADA", defaults.fields()[4], dma_ports_help}};
    }
    void read_options(const option_values& values, const common_options&) override
    {
        read_fields(values, m_options.fields());
        read_fields(values, m_options.gemt_fields());
        read_field(values, fields_of(m_options.tiling)[0]);
        m_options.has_step_cycles = values.has("step-cycles");
        if (m_options.has_step_cycles && values.has("mac-latency")) {
            const auto latency = values.get_integer("mac-latency", 1, most_mac_latency);
            if (m_options.device.config.step_cycles < latency) {
                throw values.error("step-cycles", "at least the " + std::to_string(latency) + " of --mac-latency");
            }
        }
        if (values.has("mesh")) { m_options.device.mesh = m_options.device.config.mesh; }
    }
    /// A mesh has no memory but the registers of its cells, and its actuators'.
    void equalize() override
    {
        m_options.device.mesh = triada::shape3{8, 8, 4};
        static_assert(8 * 8 * 4 == equal_multipliers);
    }
    std::size_t sizes() const override { return std::size(meshes) * std::size(registers) * std::size(port_widths); }
    void choose_size(std::size_t size, std::optional<std::uint64_t>) override
    {
        auto& config = m_options.device.config;
        config.load_elements = port_widths[size % std::size(port_widths)];
        size /= std::size(port_widths);
        config.cell_registers = registers[size % std::size(registers)];
        m_options.device.mesh = meshes[size / std::size(registers)];
        m_options.tiling.partials = 0; // by an estimate
    }
    std::vector<std::string> size_options() const override { return {"mesh"}; }
    std::unique_ptr<compared_device> make(const device_surroundings& around) const override
    {
        return std::make_unique<compared_triada>(around, m_options);
    }

private:
    static constexpr triada::shape3 meshes[] = {{2, 2, 2},    {4, 4, 4},    {8, 4, 4},   {8, 8, 4},
                                                {8, 8, 8},    {16, 8, 8},   {16, 16, 8}, {16, 16, 16},
                                                {32, 16, 16}, {32, 32, 16}, {32, 32, 32}};
    static constexpr unsigned registers[] = {2, 8}, port_widths[] = {8, 32};

    triada_choice m_options;
};

const comparable_device_entry triada_entry{10, make_comparable<comparable_triada>};

} // namespace
} // namespace tensorloom::testbench
