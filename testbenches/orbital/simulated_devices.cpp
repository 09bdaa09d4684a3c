#include "orbital/simulated_devices.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/torus/isa/energy.h>
#include <tensorloom/models/triada/isa/energy.h>
#include "orbital/triada_comparison.h"
#include "platform/torus/torus_testbed.h"
#include "platform/triada/triada_testbed.h"
#include "platform/triada/gemt_job.h"
#include "platform/triada/line_time.h"
#include "platform/triada/triada_counts.h"

namespace tensorloom::testbench {
namespace {

std::uint64_t product_of(const std::array<std::uint32_t, 3>& sizes)
{
    return std::uint64_t{sizes[0]} * sizes[1] * sizes[2];
}

constexpr std::size_t step_event = 0; // of either device's table
static_assert(static_cast<std::size_t>(torus::event::step) == step_event);
static_assert(static_cast<std::size_t>(triada::event::step) == step_event);

// A transform and the way back, and nothing between.
bool is_there_and_back(const orbit_job& job) { return !job.chain_file && job.chain.size() == 2; }

// The largest modulus of the difference between results and operands, of which one may stand for all.
template <class T>
double distance(const std::vector<workloads::tensor<T>>& x, const typename transform_problem<T>::results& found)
{
    using wide = typename workloads::wide_type<T>::type;
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto& from = x[x.size() == 1 ? 0 : i].data;
        for (std::size_t e = 0; e < from.size(); ++e) {
            const auto difference = wide(found[i].data[e]) - wide(arithmetic::widened<T>(from[e]));
            largest = std::max(largest, static_cast<double>(std::abs(difference)));
        }
    }
    return largest;
}

std::string more_sets_text(const orbit_job& job)
{
    std::string text;
    for (std::size_t set = 1; set < job.sets(); ++set) { text += ", also " + transforms_text(job.of_set(set)); }
    return text;
}

// Of a device's energies the one of its wires.
void take_wires(measured_run& run, const costs::energy_model& model, const std::uint64_t* counts, const char* component)
{
    std::vector<costs::component_energy> energies;
    costs::add_energy(energies, model, counts, 0);
    for (const auto& e : energies) {
        if (e.component == component) { run.wire_pj = e.pj, run.wire_estimate = e.estimate; }
    }
}

/// What both devices have: a testbed with one program in it.
template <class T, class Testbed> class device_with_testbed : public simulated_device<T> {
public:
    testbed& around() override { return *m_testbed; }
    device_programs programs() const override
    {
        return {
            this->m_device, &m_testbed->runs(), models(), utilisation(), {problem_text(m_job) + more_sets_text(m_job)}};
    }

protected:
    device_with_testbed(std::string name, std::string device, const orbit_job& job, costs::energy_model energy,
                        std::size_t mac_event)
        : simulated_device<T>(std::move(name)), m_device(std::move(device)), m_job(job), m_energy(std::move(energy)),
          m_mac_event(mac_event)
    {}

    virtual utilisation_measure utilisation() const = 0;
    virtual std::uint64_t records() const = 0; ///< that a log of everything has, roughly

    // `memory_bytes`: of an SRAM.
    template <class Config>
    void build_testbed(const Config& device, const common_options& common, activity::log_detail detail,
                       std::uint64_t memory_bytes, step_progress& shown, bus::host_thread::program_type program)
    {
        require_room(common.platform, memory_bytes);
        m_memory_bytes = common.platform.memory_bytes(memory_bytes);
        testbed_settings settings;
        settings.memory_bytes = memory_bytes;
        settings.detail = detail;
        if (detail == activity::log_detail::every_record) { settings.expected_records = records(); }
        m_commands.assign(m_job.chain.empty() ? m_job.sets() : m_job.chain.size(), {});
        settings.observer = [this, &shown](const bus::log_record& record) {
            shown.see(m_device, record);
            // The commands of a program are the sets, or of every tensor the steps of its chain.
            if (std::string_view(record.cause) == "fetch") { return; }
            auto& command = m_commands[record.command % m_commands.size()];
            command.cycles += record.cycles;
            command.steps += record.counts[step_event];
            command.macs += record.counts[m_mac_event];
        };
        m_testbed = std::make_unique<Testbed>(this->m_name, device, common, settings, std::move(program));
        m_around = common.platform;
        m_clock_period_ns = static_cast<double>(clock_period_ps(common)) / 1000;
    }

    // But for what a kind of device has of its own. `technology` is that of the memory.
    measured_run measured() const
    {
        measured_run run;
        run.device = m_device;
        run.shape = m_job.shape;
        run.result_shape = m_job.as_read_out().result_shape();
        const auto& log = *m_testbed->runs().all().front().log;
        add_program(run.costs, log, activity::energy_report(log, m_clock_period_ns, models()));
        run.on = m_die;
        run.counts = log.total_counts(0);
        run.memory_bytes = m_memory_bytes;
        run.macs = m_job.macs();
        for (std::size_t s = 0; s < m_job.chain.size(); ++s) {
            run.chain.push_back(m_commands[s]);
            run.chain.back().step = workloads::step_text(m_job.chain[s]);
        }
        return run;
    }

    std::vector<activity::module_energy> models() const
    {
        return {{this->m_name + ".device", m_energy}, {this->m_name + ".memory", m_memory_energy}};
    }
    void charge_memory(const costs::technology& technology, const costs::floor_plan& device,
                       const platform_options& around, std::uint64_t bytes)
    {
        m_memory_energy = memory_energy(around, technology, around.memory_bytes(bytes));
        m_die = die_of(technology, {device, memory_plan(around, technology, around.memory_bytes(bytes))});
    }

    std::string m_device;
    orbit_job m_job;
    costs::energy_model m_energy, m_memory_energy;
    die m_die;
    std::unique_ptr<Testbed> m_testbed;
    platform_options m_around;
    std::uint64_t m_memory_bytes = 0;
    double m_clock_period_ns = 1;
    std::size_t m_mac_event;
    std::vector<measured_run::step_result> m_commands; // of a tensor, over the batch
};

triada::shape3 mesh_of(const orbit_job& job)
{
    const auto box = descriptor_sizes(job.box());
    return {box[0], box[1], box[2]};
}

template <class T> double node_um(const device_factory<T>& from, const torus::energy_parameters& parameters)
{
    return torus::node_pitch_um(from.technology, parameters).value;
}

template <class T>
torus::energy_parameters parameters_of_torus(const orbit_job& job, const torus_fit& fit, const device_factory<T>& from)
{
    auto parameters = energy_parameters_of(from.options, fit, job.format,
                                           dma_build_of(from.common.platform, from.options.config.dma_ports));
    if (const auto reach = from.wires.mm_per_cycle) {
        parameters.cycles_per_pitch = node_um(from, parameters) / um_per_mm / *reach;
    }
    return parameters;
}

template <class T> triada::energy_parameters parameters_of_mesh(const orbit_job& job, const device_factory<T>& from)
{
    triada::energy_parameters g{mesh_of(job), job.format};
    if (!from.options.vertical) { g.vertical_mode = 0; }
    g.mac_latency = from.wires.mac_latency;
    g.step_cycles = from.wires.triada_step.value_or(static_cast<unsigned>(
        time_step_cycles(longest_line_um(from.technology, g), from.wires.mm_per_cycle.value_or(0), g.mac_latency)));
    g.load_elements = from.options.config.load_elements;
    g.aligned_elements = from.options.config.load_elements;
    g.dma = dma_build_of(from.common.platform, from.options.config.dma_ports);
    return g;
}

template <class T> class simulated_torus final : public device_with_testbed<T, torus_testbed> {
public:
    simulated_torus(const std::string& name, const orbit_job& job, const device_factory<T>& from, const torus_fit& fit,
                    std::vector<torus::shape3> watch)
        : device_with_testbed<T, torus_testbed>(
              name, "torus", job, torus::device_energy(from.technology, parameters_of_torus(job, fit, from)),
              static_cast<std::size_t>(torus::event::mac)),
          m_fit(fit), m_energy_parameters(parameters_of_torus(job, fit, from)), m_watch(std::move(watch)),
          m_pitch_um(node_um(from, m_energy_parameters)),
          m_longest_um(torus::longest_wire_um(from.technology, m_energy_parameters).value), m_config(config_of(from)),
          m_plan(plan_of(job, fit)), m_problem(orbit_transform<T>::make(job))
    {
        memory_layout memory(memory_base);
        m_at = m_problem.lay_out(job, fit, memory);
        m_used_bytes = memory.bytes();
        this->charge_memory(from.technology, from.torus_plan(job, fit), from.common.platform, m_used_bytes);
    }

    std::uint64_t steps() const override { return m_plan.passes() * m_fit.side * this->m_job.transforms_run(); }

    void build(const run_options& options, activity::log_detail detail, step_progress& shown) override
    {
        this->build_testbed(m_config, options.common, detail, m_used_bytes, shown, [this](bus::host_thread& cpu) {
            m_problem.preload(cpu, this->m_job, m_at);
            this->m_found = orbit_transform<T>::run(cpu, device_base, this->m_job, m_fit, m_at);
        });
    }
    std::function<void(sc_core::sc_trace_file&)> waveform() const override
    {
        return this->m_testbed->waveform(m_watch);
    }

    measured_run measure(const run_options& options) override
    {
        using torus::event;
        auto run = this->measured();
        torus::counts counts;
        std::copy(run.counts.begin(), run.counts.end(), counts.data());
        run.fit = m_fit;
        run.workspace_bytes = m_at.workspace_elements * sizeof(T);
        for (const auto& stage : m_plan.stages) { run.passes.push_back(stage.passes()); }
        run.multipliers = m_fit.nodes() * m_config.macs_per_cycle;
        run.memory_words = m_fit.nodes() * torus::node_memory_words(m_energy_parameters);
        run.steps = counts[event::step];
        run.macs_done = counts[event::mac];
        run.working_cycles = counts[event::compute_cycle] + counts[event::exposed_roll_cycle];
        run.words = link_words(counts);
        run.word_pitches = link_word_pitches(counts);
        run.pitch_um = m_pitch_um;
        run.longest_wire_um = m_longest_um;
        run.longest_pitches = torus::longest_link(m_fit.side, m_config.folded);
        run.wire_cycles = torus::hop_cycles(m_fit.side, m_config.folded, m_config.cycles_per_pitch);
        take_wires(run, this->m_energy, run.counts.data(), "links");
        if (this->m_job.sets() > 1) {
            for (std::size_t set = 0; set < this->m_job.sets(); ++set) {
                run.sets.push_back(
                    {transforms_text(this->m_job.of_set(set)), this->m_commands[set].cycles, std::nullopt});
            }
        }
        if (options.common.check) { check(run, options.common.quiet); }
        return run;
    }

private:
    void check(measured_run& run, bool quiet)
    {
        m_problem.make_tensors(this->m_job);
        const auto& y = this->m_found;
        if (run.sets.empty()) { run.check = m_problem.check(this->m_job, y, quiet); }
        if (is_there_and_back(this->m_job)) { run.identity = distance<T>(m_problem.x, y); }
        for (std::size_t set = 0; set < run.sets.size(); ++set) {
            auto& checked = run.sets[set].check;
            checked = m_problem.check_set(this->m_job, set, y, quiet);
            if (run.check) {
                take_worse(*run.check, *checked);
            } else {
                run.check = checked;
            }
        }
        m_problem.x.clear();
    }
    std::uint64_t records() const override { return records_of_torus(this->steps()); }
    torus::config config_of(const device_factory<T>& from) const
    {
        auto config = device_config(from.options, from.common, m_fit, this->m_job.format);
        if (from.wires.mm_per_cycle) { config.cycles_per_pitch = m_energy_parameters.cycles_per_pitch; }
        return config;
    }
    utilisation_measure utilisation() const override
    {
        return mac_utilisation(torus::utilisation_unit, static_cast<std::size_t>(torus::event::mac),
                               static_cast<double>(m_fit.nodes() * m_config.macs_per_cycle));
    }

    torus_fit m_fit;
    torus::energy_parameters m_energy_parameters;
    std::vector<torus::shape3> m_watch;
    double m_pitch_um, m_longest_um;
    torus::config m_config;
    isa::tile_plan m_plan;
    orbit_transform<T> m_problem;
    orbit_layout m_at;
    std::uint64_t m_used_bytes = 0;
};

// The job as dxt runs it, dense.
gemt_job gemt_job_of(const orbit_job& job)
{
    gemt_job gemt;
    static_cast<transform_job&>(gemt) = job;
    gemt.esop = false;
    return gemt;
}

template <class T> class simulated_triada final : public device_with_testbed<T, triada_testbed> {
public:
    simulated_triada(const std::string& name, const orbit_job& job, const device_factory<T>& from)
        : device_with_testbed<T, triada_testbed>(name, "triada", job,
                                                 triada::device_energy(from.technology, parameters_of_mesh(job, from)),
                                                 static_cast<std::size_t>(triada::event::mac)),
          m_mesh(mesh_of(job)), m_gemt(gemt_job_of(job)), m_problem(gemt_transform<T>::make(m_gemt)),
          m_pitch_um(costs::cell_pitch_um(from.technology, job.format, triada::energy_parameters{}.registers).value)
    {
        const auto& own = from.options.config;
        const auto parameters = parameters_of_mesh(job, from);
        const double longest_um = longest_line_um(from.technology, parameters);
        m_longest_pitches = static_cast<std::uint64_t>(std::round(longest_um / m_pitch_um));
        triada::config config;
        config.mesh = m_mesh;
        config.format = job.format;
        config.load_elements = own.load_elements;
        config.dma_ports = own.dma_ports;
        config.threads = own.threads;
        m_line_cycles = wire_cycles(longest_um, from.wires.mm_per_cycle.value_or(0));
        config.step_cycles = parameters.step_cycles;
        const auto largest = *std::max_element(m_mesh.begin(), m_mesh.end());
        config.matrix_elements = std::max<std::uint32_t>(config.matrix_elements, largest * largest);
        m_config = with_common_options(config, from.common);
        memory_layout memory(memory_base);
        m_at = m_problem.lay_out(m_gemt, m_mesh, memory);
        m_used_bytes = memory.bytes();
        this->charge_memory(from.technology, from.triada_plan(job), from.common.platform, m_used_bytes);
    }

    std::uint64_t steps() const override
    {
        std::uint64_t of_tensor = 0;
        for (const auto& step : steps_of(m_gemt)) {
            of_tensor += step.is_transform() ? 0 : 1;
            for (std::size_t m = 0; step.is_transform() && m < 3; ++m) {
                of_tensor += step.sums(m) ? step.in_shape[m] : 0;
            }
        }
        return of_tensor * this->m_job.batch;
    }

    void build(const run_options& options, activity::log_detail detail, step_progress& shown) override
    {
        this->build_testbed(m_config, options.common, detail, m_used_bytes, shown, [this](bus::host_thread& cpu) {
            m_problem.preload(cpu, m_gemt, m_at);
            this->m_found = gemt_transform<T>::run(cpu, device_base, m_gemt, m_at).y;
        });
    }
    std::function<void(sc_core::sc_trace_file&)> waveform() const override
    {
        return this->m_testbed->waveform(std::vector<triada::shape3>{});
    }

    measured_run measure(const run_options& options) override
    {
        auto run = this->measured();
        triada::counts counts;
        std::copy(run.counts.begin(), run.counts.end(), counts.data());
        run.multipliers = product_of(m_mesh);
        run.memory_words = (m_config.registers() + 1) * run.multipliers; // sums and a coefficient
        run.steps = counts[triada::event::step];
        run.macs_done = counts[triada::event::mac];
        run.working_cycles = run.costs.cycles_of("compute");
        run.words = line_words(counts, m_mesh);
        run.word_pitches = line_word_pitches(counts, m_mesh);
        run.pitch_um = m_pitch_um;
        run.longest_pitches = m_longest_pitches;
        run.longest_wire_um = static_cast<double>(m_longest_pitches) * m_pitch_um;
        run.wire_cycles = m_line_cycles;
        take_wires(run, this->m_energy, in_pitches(counts, m_mesh).data(), "lines");
        if (options.common.check) {
            m_problem.make_tensors(m_gemt);
            run.check = m_problem.check(m_gemt, this->m_found, options.common.quiet);
            m_problem.x.clear();
        }
        return run;
    }

private:
    std::uint64_t records() const override { return steps() + 8 * steps_of(m_gemt).size() * this->m_job.batch; }
    utilisation_measure utilisation() const override { return triada_utilisation(); }

    triada::shape3 m_mesh;
    gemt_job m_gemt;
    gemt_transform<T> m_problem;
    double m_pitch_um;
    std::uint64_t m_longest_pitches = 0, m_line_cycles = 1;
    triada::config m_config;
    gemt_layout m_at;
    std::uint64_t m_used_bytes = 0;
};

double share(std::uint64_t macs, std::uint64_t multipliers, std::uint64_t cycles)
{
    if (cycles == 0) { return 0; }
    return static_cast<double>(macs) / (static_cast<double>(multipliers) * static_cast<double>(cycles));
}

} // namespace

double measured_run::utilisation() const { return share(macs, multipliers, costs.cycles); }
double measured_run::utilisation_working() const { return share(macs, multipliers, working_cycles); }

void step_progress::see(const std::string& device, const bus::log_record& record)
{
    m_done += record.counts[step_event];
    if (!m_progress.active()) { return; }
    m_progress.show(static_cast<double>(m_done) / static_cast<double>(m_steps), device + ", " + record.phase);
}

template <class T>
std::unique_ptr<simulated_device<T>> device_factory<T>::torus_of(const std::string& name, const orbit_job& job,
                                                                 const torus_fit& fit,
                                                                 const std::vector<torus::shape3>& watch) const
{
    return std::make_unique<simulated_torus<T>>(name, job, *this, fit, watch);
}

template <class T>
std::unique_ptr<simulated_device<T>> device_factory<T>::triada_of(const std::string& name, const orbit_job& job) const
{
    return std::make_unique<simulated_triada<T>>(name, job, *this);
}

template <class T>
torus::energy_parameters device_factory<T>::torus_parameters(const orbit_job& job, const torus_fit& fit) const
{
    return parameters_of_torus(job, fit, *this);
}

template <class T> costs::floor_plan device_factory<T>::torus_plan(const orbit_job& job, const torus_fit& fit) const
{
    return torus::device_area(technology, torus_parameters(job, fit));
}

template <class T> costs::floor_plan device_factory<T>::triada_plan(const orbit_job& job) const
{
    return triada::device_area(technology, parameters_of_mesh(job, *this));
}

template struct device_factory<double>;
template struct device_factory<float>;
template struct device_factory<std::complex<double>>;
template struct device_factory<std::complex<float>>;
template struct device_factory<arithmetic::bfloat16>;
template struct device_factory<std::int8_t>;

} // namespace tensorloom::testbench
