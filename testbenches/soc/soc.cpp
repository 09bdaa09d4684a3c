#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <systemc>
#include <tlm_utils/tlm_quantumkeeper.h>
#include <tensorloom/models/activity/address_trace.h>
#include <tensorloom/models/activity/transaction_log.h>
#include <tensorloom/models/costs/sram_costs.h>
#include <tensorloom/models/costs/dram/dram_energy.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include <tensorloom/models/triada/isa/energy.h>
#include <tensorloom/workloads/npy_file.h>
#include "platform/triada/gemt_job.h"
#include "platform/run/child_process.h"
#include "platform/process/process_resources.h"
#include "platform/process/progress.h"
#include "platform/report/testbench_run.h"
#include "platform/system/waveform_file.h"
#include "soc/soc_options.h"
#include "soc/soc_platform.h"
#include "soc/soc_report.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

// Hierarchical names in the simulation.
constexpr std::array<const char*, soc_devices> device_names{"platform.large", "platform.small"};

/// Where the data of both jobs lies.
struct soc_layout {
    std::array<gemt_layout, soc_devices> jobs;
    std::uint64_t sram_bytes = 0;
};

std::array<unsigned, 3> mesh_of(const soc_job& job)
{
    const auto& n = job.transform.shape;
    return {static_cast<unsigned>(n[0]), static_cast<unsigned>(n[1]), static_cast<unsigned>(n[2])};
}

sc_core::sc_time period_of(const soc_options& o)
{
    return sc_core::sc_time(static_cast<double>(clock_period_ps(o.common)), sc_core::SC_PS);
}

bool in_dram(const soc_options& o, std::size_t device)
{
    return o.common.platform.in_dram() || (o.common.platform.memory == "split" && device == large_device);
}

soc_platform_config platform_config_of(const soc_options& o, std::uint64_t sram_bytes)
{
    const auto period = period_of(o);
    const auto& around = o.common.platform;
    soc_platform_config c;
    for (std::size_t d = 0; d < soc_devices; ++d) {
        auto& device = c.devices[d];
        device.mesh = mesh_of(o.jobs[d]);
        device.format = o.jobs[d].transform.format;
        device.fidelity = o.common.fidelity;
        device.clock_period = period;
        device.burst_bytes = around.burst_bytes;
        device.dma.outstanding = around.outstanding;
        device.dma.overlap_runs = around.overlap_runs;
        device.dma.transport = o.transport;
        if (const auto wrong = validate(device)) { throw base::input_error("a device: " + *wrong); }
    }
    c.router.latency = period;
    c.router.clock_period = period;
    c.router.bytes_per_cycle = o.link_bytes;
    c.router.arbitration = o.arbitration;
    c.router.ranks = o.ranks;
    c.router.arbitrate_blocking = o.quantum_ps == 0; // nobody runs ahead: calls can wait for their turn
    c.sram.bytes = sram_bytes;
    c.sram.latency = around.memory_latency * period;
    c.sram.clock_period = period;
    c.sram.ports = around.memory_ports;
    c.sram.banks = o.sram_banks;
    c.dram.dram = around.dram_config;
    c.dma_bits = around.dma_bits;
    c.protocol_checkers = o.checkers;
    return c;
}

/// Shows how many runs are done.
class run_progress {
public:
    run_progress(const soc_options& o) : m_progress(o.common.quiet), m_runs(o.jobs[0].runs + o.jobs[1].runs) {}
    void done()
    {
        ++m_done;
        m_progress.show(static_cast<double>(m_done) / m_runs,
                        "run " + std::to_string(m_done) + " of " + std::to_string(m_runs));
    }

private:
    progress m_progress;
    double m_runs;
    unsigned m_done = 0;
};

template <class T>
bool same_bits(const std::vector<workloads::tensor<T>>& a, const std::vector<workloads::tensor<T>>& b)
{
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (std::memcmp(a[i].data.data(), b[i].data.data(), a[i].data.size() * sizeof(T)) != 0) { return false; }
    }
    return true;
}

// Roughly what a run allocates.
std::uint64_t needed_bytes(const soc_options& o)
{
    std::uint64_t bytes = 0;
    for (const auto& job : o.jobs) {
        const auto memory = memory_of(job.transform, mesh_of(job), o.common.is_stepped());
        bytes += memory.platform + memory.tensors + (o.common.check ? memory.reference : 0);
    }
    return bytes;
}

template <class T> gemt_transform<T> problem_of(const soc_job& job)
{
    return complaining_of("--" + job.name + "-transform", [&] { return gemt_transform<T>::make(job.transform); });
}

// Throws base::input_error when the data does not fit the memory.
template <class T> soc_layout lay_out(const soc_options& o, const std::array<gemt_transform<T>, soc_devices>& problems)
{
    memory_layout sram(soc_sram_base);
    memory_layout dram(soc_dram_base);
    soc_layout layout;
    for (std::size_t d = 0; d < soc_devices; ++d) {
        layout.jobs[d] = problems[d].lay_out(o.jobs[d].transform, mesh_of(o.jobs[d]), in_dram(o, d) ? dram : sram);
    }
    const auto& around = o.common.platform;
    const std::uint64_t capacity = around.dram_config.organisation.bytes();
    if (dram.bytes() > capacity) {
        throw base::input_error("the jobs take " + std::to_string(dram.bytes()) + " bytes of DRAM, expected at most " +
                                std::to_string(capacity) + ", the size of --dram " + around.dram);
    }
    constexpr std::uint64_t page = 4096; // an SRAM has at least so much
    layout.sram_bytes = std::max(sram.bytes(), page);
    return layout;
}

triada::energy_parameters energy_parameters_of(const soc_options& o, std::size_t device)
{
    triada::energy_parameters g{mesh_of(o.jobs[device]), o.jobs[device].transform.format};
    g.dma = dma_build_of(o.common.platform);
    return g;
}

// Costs of a device's events, with the leakage of its mesh.
costs::energy_model device_energy(const soc_options& o, const costs::technology& technology, std::size_t device)
{
    return triada::device_energy(technology, energy_parameters_of(o, device));
}

// As the platform builds it: banks of cells of one port.
costs::sram_build sram_of(const soc_options& o, std::uint64_t sram_bytes)
{
    costs::sram_build build;
    build.bytes = sram_bytes;
    build.banks = o.sram_banks;
    build.ports = o.common.platform.memory_ports;
    build.port_bits = 512;
    return build;
}

// Energy of everything over the time measured, each module once: components "large.mac", "sram", "dram", "leakage", ...
std::vector<costs::component_energy> energy_of(const soc_options& o, const costs::technology& technology,
                                               const shared_activity& activity, const soc_measured& measured)
{
    const double ns = ns_of(measured.cycles, o.common);
    std::vector<costs::component_energy> all;
    for (std::size_t d = 0; d < soc_devices; ++d) {
        const auto model = device_energy(o, technology, d);
        std::vector<costs::component_energy> own;
        costs::add_energy(own, model, activity.totals(d).data(), measured.leaking_ns[d]);
        for (auto& c : own) { all.push_back({o.jobs[d].name + "." + c.component, c.pj, c.estimate, c.more_pj}); }
    }
    for (const auto& module : activity.shared()) {
        std::optional<costs::energy_model> model;
        if (module.object == "platform.sram") {
            model = costs::sram_energy(technology, sram_of(o, measured.sram_bytes));
        }
        if (module.object == "platform.dram") { model = costs::dram_energy(o.common.platform.dram_config); }
        if (!model) { continue; }
        std::vector<costs::component_energy> own;
        costs::add_energy(own, *model, module.counts, ns);
        const std::string name = module.object.substr(std::strlen("platform."));
        for (auto& c : own) {
            const bool own_name = c.component.compare(0, name.size(), name) == 0;
            all.push_back({own_name ? c.component : name + "." + c.component, c.pj, c.estimate, c.more_pj});
        }
    }
    return all;
}

// Components are called as those of the energy.
std::vector<costs::floor_plan> plans_of(const soc_options& o, const costs::technology& technology,
                                        std::uint64_t sram_bytes)
{
    std::vector<costs::floor_plan> plans{costs::sram_plan(technology, sram_of(o, sram_bytes))};
    plans.front().areas.front().component = "sram.memory";
    for (std::size_t d = 0; d < soc_devices; ++d) {
        plans.push_back(triada::device_area(technology, energy_parameters_of(o, d)));
        for (auto& area : plans.back().areas) { area.component = o.jobs[d].name + "." + area.component; }
    }
    return plans;
}

/// Runs both jobs at once: each host writes its program through its driver, starts its device and waits for the
/// interrupt, run after run.
template <class T> class soc_run : public testbench_run {
public:
    explicit soc_run(const soc_options& options)
        : m_options(options), m_activity({device_names[0], device_names[1]}, options.detail())
    {}

    std::vector<costs::floor_plan> devices(const costs::technology& technology) const override
    {
        return plans_of(m_options, technology, m_layout.sram_bytes);
    }

    void prepare(const costs::technology& technology) override
    {
        require_memory(needed_bytes(m_options),
                       m_options.common.is_stepped() ? "smaller jobs, or --fidelity fast" : "smaller jobs");
        for (std::size_t d = 0; d < soc_devices; ++d) { m_problems[d] = problem_of<T>(m_options.jobs[d]); }
        m_layout = lay_out(m_options, m_problems);
        for (std::size_t d = 0; d < soc_devices; ++d) { m_models[d] = device_energy(m_options, technology, d); }
        costs::sram_energy(technology, sram_of(m_options, m_layout.sram_bytes));
    }

    void simulate(const costs::technology& technology) override
    {
        find_baselines();
        run_both();
        m_found.energy = energy_of(m_options, technology, m_activity, m_found.measured);
        m_found.on = die_of(technology, plans_of(m_options, technology, m_found.measured.sram_bytes));
        for (std::size_t d = 0; d < soc_devices; ++d) {
            if (!m_options.common.check || m_options.jobs[d].runs == 0) { continue; }
            m_problems[d].make_tensors(m_options.jobs[d].transform);
            m_found.check[d] = m_problems[d].check(m_options.jobs[d].transform, m_y[d], m_options.common.quiet);
            m_found.passed = m_found.passed && m_found.check[d]->passed;
        }
        for (std::size_t d = 0; d < soc_devices; ++d) {
            if (m_options.jobs[d].output) { workloads::save_npy(*m_options.jobs[d].output, m_y[d].front()); }
        }
    }

    bool passed() const override { return m_found.passed; }
    void write_report(run_report& report) const override
    {
        testbench::write_report(report, m_options, m_found, m_activity);
    }
    void write_programs(const output_directory& directory) const override
    {
        std::vector<device_programs> devices;
        for (std::size_t d = 0; d < soc_devices; ++d) {
            const auto& job = m_options.jobs[d];
            devices.push_back(
                {job.name, &m_activity.runs(d), {{device_names[d], m_models[d]}}, {}, {problem_text(job.transform)}});
        }
        write_program_files(directory, m_options.common, devices, &m_transactions);
        activity::write_transactions_csv(directory.file("transactions.csv").string(), m_transactions);
        activity::write_transactions_scv(directory.file("transactions.txlog").string(), m_transactions);
        activity::write_traffic_csv(directory.file("traffic.csv").string(), m_transactions);
    }

private:
    static constexpr std::size_t most_records = 1'000'000; // of transactions.csv and trace.json, about 100 MB

    // Each job without the other, where both have something to do.
    void find_baselines()
    {
        if (m_options.jobs[large_device].runs == 0 || m_options.jobs[small_device].runs == 0) { return; }
        for (std::size_t d = 0; d < soc_devices; ++d) {
            const double cycles = number_from_child([&] {
                soc_options alone = m_options;
                alone.jobs[large_device + small_device - d].runs = 0;
                alone.common.quiet = true;
                alone.common.out.reset();
                alone.common.vcd.reset();
                alone.common.address_trace.reset();
                soc_run baseline(alone);
                baseline.m_problems = m_problems;
                baseline.m_layout = m_layout;
                baseline.run_both();
                return static_cast<double>(baseline.m_found.measured.end_cycles[d]);
            });
            m_found.measured.alone_cycles[d] = static_cast<std::uint64_t>(cycles);
        }
    }

    // With --power-gating. Power acts at simulated time, so the host does not run ahead of it here.
    void switch_power(bus::host_thread& cpu, soc_platform& platform, std::size_t device, bool on) const
    {
        if (!m_options.power_gating) { return; }
        cpu.fence();
        if (on) {
            platform.device(device).power_on();
        } else if (const auto wrong = platform.device(device).power_off()) {
            throw std::logic_error(*wrong);
        }
    }

    // The tensors X of the problems are gone afterwards.
    void run_both()
    {
        auto config = platform_config_of(m_options, m_layout.sram_bytes);
        // Of the memories in which data lies; the large job's is the first to go to the DRAM.
        const auto& common = m_options.common;
        const auto dram_trace = in_dram(m_options, large_device) ? make_address_trace(common, "dram", true) : nullptr;
        const auto sram_trace = in_dram(m_options, small_device) ? nullptr : make_address_trace(common, "sram", false);
        config.dram_traffic = dram_trace.get();
        config.sram_traffic = sram_trace.get();
        std::array<sc_core::sc_time, soc_devices> done_at;
        run_progress shown(m_options);
        soc_platform* built = nullptr; // before a program runs
        std::array<bus::host_thread::program_type, soc_devices> programs;
        for (std::size_t d = 0; d < soc_devices; ++d) {
            programs[d] = [&, d](bus::host_thread& cpu) {
                const auto& job = m_options.jobs[d];
                switch_power(cpu, *built, d, false);
                if (job.runs == 0) { return; }
                m_problems[d].preload(cpu, job.transform, m_layout.jobs[d]);
                for (std::uint32_t i = 0; i < job.runs; ++i) {
                    switch_power(cpu, *built, d, true);
                    auto outcome = gemt_transform<T>::run(cpu, soc_device_base[d], job.transform, m_layout.jobs[d]);
                    switch_power(cpu, *built, d, false);
                    m_found.measured.run_cycles[d].push_back(outcome.cycles);
                    if (i > 0) { m_found.passed = m_found.passed && same_bits(outcome.y, m_y[d]); }
                    m_y[d] = std::move(outcome.y);
                    shown.done();
                }
                cpu.fence();
                done_at[d] = sc_core::sc_time_stamp();
            };
        }

        tlm_utils::tlm_quantumkeeper::set_global_quantum(
            sc_core::sc_time(static_cast<double>(m_options.quantum_ps), sc_core::SC_PS));
        auto platform = std::make_unique<soc_platform>("platform", config, programs, &m_activity,
                                                       m_options.common.out ? &m_transactions : nullptr);
        std::optional<waveform_file> waveform;
        if (m_options.common.vcd) {
            waveform.emplace(*m_options.common.vcd);
            for (std::size_t d = 0; d < soc_devices; ++d) { platform->device(d).trace(waveform->trace(), {}); }
        }
        auto& left_alive = *platform.release(); // a large detailed mesh takes long to tear down
        built = &left_alive;
        auto& measured = m_found.measured;
        measured.usage = testbench::simulate({&left_alive.host(large_device), &left_alive.host(small_device)});
        if (waveform) { waveform->close(); }
        if (dram_trace) { dram_trace->commit(); }
        if (sram_trace) { sram_trace->commit(); }

        left_alive.dram.settle();
        const auto period = period_of(m_options).value();
        for (std::size_t d = 0; d < soc_devices; ++d) {
            measured.end_cycles[d] = (done_at[d].value() + period - 1) / period;
        }
        measured.cycles = std::max(measured.end_cycles[0], measured.end_cycles[1]);
        for (std::size_t d = 0; d < soc_devices; ++d) {
            measured.leaking_ns[d] = m_options.power_gating ? costs::leaking_ns(left_alive.device(d).residency(), 0)
                                                            : ns_of(measured.cycles, m_options.common);
        }
        for (unsigned i = 0; i < left_alive.router.initiators(); ++i) {
            measured.initiators.push_back({soc_initiators[i], left_alive.router.initiator_traffic(i)});
            measured.contests[i] = left_alive.router.initiator_contests(i);
            measured.targets.push_back({soc_platform::target_names[i], left_alive.router.target_traffic(i)});
        }
        measured.sram_bytes = left_alive.sram.size();
        measured.dram_peak_bytes_per_ns = config.dram.dram.peak_bytes_per_ns();
    }

    const soc_options& m_options;
    shared_activity m_activity;
    activity::transaction_log m_transactions{most_records};
    std::array<gemt_transform<T>, soc_devices> m_problems;
    soc_layout m_layout;
    std::array<typename gemt_transform<T>::results, soc_devices> m_y; // of the last run
    std::array<costs::energy_model, soc_devices> m_models;
    soc_findings m_found;
};

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench_main("soc", argc, argv, read_soc_options, [](const soc_options& o) {
        return with_triada_element(o.jobs[large_device].transform.format,
                                   [&](auto element) -> std::unique_ptr<testbench_run> {
                                       return std::make_unique<soc_run<decltype(element)>>(o);
                                   });
    });
}
