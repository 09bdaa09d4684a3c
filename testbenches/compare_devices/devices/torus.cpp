#include <tensorloom/models/torus/isa/driver.h>
#include <tensorloom/models/torus/isa/energy.h>
#include "compare_devices/transforming_device.h"
#include "platform/options/field_options.h"
#include "platform/torus/orbit_job.h"
#include "platform/torus/torus_options.h"
#include "platform/torus/torus_testbed.h"

namespace tensorloom::testbench {
namespace {

struct torus_choice {
    torus_options device;
    std::optional<std::uint64_t> node_bytes; ///< at most these in a node's memory; none: as the blocks need

    base::config_fields fields()
    {
        return fields_named(torus::fields_of(device.config), {"macs-per-cycle", "load-elements", "dma-ports"});
    }
};

/// A torus whose nodes have at most these bytes: the fewest tiles along the modes, then the fewest bytes.
torus_fit fit_in(std::uint64_t node_bytes, const torus_options& options, const torus::orbit_sizes& sizes)
{
    constexpr auto format = base::element_type::bf16;
    const auto most = [&](unsigned mode) {
        const auto largest = std::max(sizes.in_size[mode], sizes.out_size[mode]);
        return (largest + *options.grid - 1) / *options.grid; // of a block: no tiles
    };
    std::optional<torus_fit> best;
    std::uint64_t fewest = 0, least = 0;
    const auto bytes_of = [&](const torus_fit& fit) {
        return torus::node_memory_bytes(energy_parameters_of(options, fit, format));
    };
    const auto fit_of = [&](const torus::shape3& tiles) {
        torus_options sized = options;
        torus::shape3 block{};
        for (unsigned m = 0; m < 3; ++m) { block[m] = (most(m) + tiles[m] - 1) / tiles[m]; }
        sized.block = block;
        return fit_torus(sized, sizes.in_size, sizes.out_size);
    };
    torus::shape3 tiles{1, 1, 1};
    for (tiles[0] = 1; tiles[0] <= most(0); ++tiles[0]) {
        for (tiles[1] = 1; tiles[1] <= most(1); ++tiles[1]) {
            std::uint32_t low = 1, high = most(2) + 1; // the fewest that fit lie between
            while (low < high) {
                tiles[2] = (low + high) / 2;
                if (bytes_of(fit_of(tiles)) <= node_bytes) {
                    high = tiles[2];
                } else {
                    low = tiles[2] + 1;
                }
            }
            tiles[2] = low;
            if (low > most(2)) { continue; }
            const auto fit = fit_of(tiles);
            const std::uint64_t all = std::uint64_t{tiles[0]} * tiles[1] * tiles[2], bytes = bytes_of(fit);
            if (best && (all > fewest || (all == fewest && bytes >= least))) { continue; }
            best = fit;
            fewest = all;
            least = bytes;
        }
    }
    if (!best) { throw base::input_error("no block of a node fits into its " + std::to_string(node_bytes) + " bytes"); }
    return *best;
}

torus_options with_latency(torus_options options, unsigned mac_latency)
{
    options.config.mac_latency = mac_latency;
    return options;
}

class compared_torus final : public transforming_device<torus::traits> {
public:
    compared_torus(const device_surroundings& around, const torus_choice& choice)
        : transforming_device("torus", "torus", around), m_options(with_latency(choice.device, around.mac_latency)),
          m_job(job_of<orbit_job>(around.work)),
          m_problem(problem_of<orbit_transform<arithmetic::bfloat16>>(around.work))
    {
        m_job.vector = m_options.vector;
        const auto sizes = sizes_of(m_job);
        m_fit = placing([&] {
            return choice.node_bytes ? fit_in(*choice.node_bytes, m_options, sizes)
                                     : fit_torus(m_options, sizes.in_size, sizes.out_size);
        });
        memory_layout memory(memory_base);
        m_at = m_problem.lay_out(m_job, m_fit, memory);
        build_testbed(device_config(m_options, around.common, m_fit, format), memory.bytes(),
                      [this](bus::host_thread& cpu) {
                          m_problem.preload(cpu, m_job, m_at);
                          m_found = orbit_transform<arithmetic::bfloat16>::run(cpu, device_base, m_job, m_fit, m_at);
                      });
    }

private:
    using event = torus::event;

    std::function<void(sc_core::sc_trace_file&)> shown_in(const testbed_type& testbed) const override
    {
        return testbed.waveform(std::vector<torus::shape3>{});
    }
    torus::energy_parameters parameters() const
    {
        return energy_parameters_of(m_options, m_fit, format,
                                    dma_build_of(m_around.common.platform, m_options.config.dma_ports));
    }
    costs::energy_model energy() const override { return torus::device_energy(m_around.technology, parameters()); }
    costs::floor_plan area() const override { return torus::device_area(m_around.technology, parameters()); }
    utilisation_measure utilisation() const override
    {
        return mac_utilisation(torus::utilisation_unit, static_cast<std::size_t>(event::mac),
                               static_cast<double>(multipliers()));
    }
    device_result described(const program_costs&, const counts_type& counts) override
    {
        device_result run;
        const auto each = m_options.config.macs_per_cycle;
        run.array = shape_text(std::array{m_fit.side, m_fit.side, m_fit.side}) + " nodes" +
                    (each > 1 ? " of " + std::to_string(each) : "");
        run.units = multipliers();
        run.on_chip_bytes = m_fit.nodes() * torus::node_memory_bytes(energy_parameters_of(m_options, m_fit, format));
        run.macs_done = counts[event::mac];
        run.working_cycles = counts[event::compute_cycle] + counts[event::exposed_roll_cycle];
        run.configuration = device_json(m_options, m_around.common, m_fit, format);
        run.y = values_of(m_found);
        note_ports(run, m_options.config, {m_fit.side, m_fit.side, m_fit.side});
        return run;
    }
    std::uint64_t multipliers() const { return m_fit.nodes() * m_options.config.macs_per_cycle; }

    torus_options m_options;
    orbit_job m_job;
    orbit_transform<arithmetic::bfloat16> m_problem;
    torus_fit m_fit;
    orbit_layout m_at;
    orbit_transform<arithmetic::bfloat16>::results m_found;
};

class comparable_torus final : public comparable_device {
public:
    comparable_torus() : comparable_device(torus::description) {}

    void add_options(option_table& table) const override
    {
        torus_choice defaults;
        add_torus_sizes(table, "torus-array");
        add_field(table, defaults.fields()[0]);
    }
    std::vector<shared_option> shared_options() const override
    {
        torus_choice defaults;
        return {{"torus", defaults.fields()[1], port_elements}, {"torus", defaults.fields()[2], dma_ports_help}};
    }
    void read_options(const option_values& values, const common_options&) override
    {
        read_fields(values, m_options.fields());
        read_torus_sizes(values, m_options.device, "torus-array");
    }
    void equalize() override
    {
        constexpr unsigned nodes = default_grid * default_grid * default_grid;
        m_options.device.grid = default_grid;
        m_options.device.config.macs_per_cycle = equal_multipliers / nodes;
        m_options.node_bytes = equal_on_chip_bytes / nodes;
    }
    std::size_t sizes() const override { return std::size(grids) * std::size(units) * std::size(port_widths); }
    void choose_size(std::size_t size, std::optional<std::uint64_t> on_chip_bytes) override
    {
        auto& config = m_options.device.config;
        config.load_elements = port_widths[size % std::size(port_widths)];
        size /= std::size(port_widths);
        config.macs_per_cycle = units[size % std::size(units)];
        const std::uint32_t grid = grids[size / std::size(units)];
        m_options.device.grid = grid;
        if (on_chip_bytes) { m_options.node_bytes = *on_chip_bytes / (std::uint64_t{grid} * grid * grid); }
    }
    std::vector<std::string> size_options() const override { return {"torus-array", "block", "macs-per-cycle"}; }
    std::unique_ptr<compared_device> make(const device_surroundings& around) const override
    {
        return std::make_unique<compared_torus>(around, m_options);
    }

private:
    static constexpr unsigned grids[] = {2, 3, 4, 6, 8, 16}, units[] = {1, 2, 4, 16}, port_widths[] = {8, 32};

    torus_choice m_options;
};

const comparable_device_entry torus_entry{20, make_comparable<comparable_torus>};

} // namespace
} // namespace tensorloom::testbench
