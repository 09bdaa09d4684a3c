#include <iostream>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/trace_json.h>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/triada/isa/energy.h>
#include "dxt/dxt.h"
#include "dxt/ranks/rank_group.h"
#include "dxt/ranks/shared_run.h"
#include "platform/process/process_resources.h"
#include "platform/report/testbench_run.h"
#include "platform/triada/triada_counts.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

// The options that determine slabs, and hashes of the files read.
std::string problem_of(const dxt_options& o)
{
    static const std::set<std::string> others{"checkpoint", "resume", "ranks",   "out",     "output",
                                              "quiet",      "config", "threads", "no-check"};
    std::string lines;
    for (const auto& [name, text] : o.given) {
        if (others.count(name) == 0) { lines += "--" + name + " " + text + "\n"; }
    }
    for (const auto& input : o.files.hashed_inputs(o.common)) {
        lines += input.option + " " + input.name + " " + input.sha256 + "\n";
    }
    return lines;
}

/// Rank 0: besides its part, the log of the mesh from the counts of all ranks, costs and report.
template <class T> class first_rank_run : public testbench_run {
public:
    first_rank_run(const dxt_options& options, const rank_group& group, bool& met)
        : m_options(options), m_group(group), m_met(met), m_shared(options, group),
          m_energy_parameters(energy_parameters_of(options.device, options.mesh, options.format)),
          m_log(device_name, options.detail())
    {}

    std::vector<costs::floor_plan> devices(const costs::technology& technology) const override
    {
        return {triada::device_area(technology, m_energy_parameters)};
    }
    void prepare(const costs::technology& technology) override
    {
        m_device_energy = triada::device_energy(technology, m_energy_parameters);
        // A limit on the address space is for each process, the memory of a machine for all that are there.
        const bool is_limited = address_space_left_bytes() != std::numeric_limits<std::uint64_t>::max();
        require_memory(m_shared.bytes() * (is_limited ? 1 : m_group.of_machine()),
                       is_limited ? "more ranks, or a smaller problem" : "more machines, or a smaller problem");
    }
    void simulate(const costs::technology& technology) override
    {
        std::optional<base::atomic_file> place;
        if (m_options.output) { place.emplace(*m_options.output); }
        const auto problem = m_options.ranks.checkpoint ? problem_of(m_options) : "";
        m_group.text_of_first("run");
        m_met = true;
        m_shared.run(problem, place ? place->temporary() : "");
        if (place) { place->commit(); }
        write_log();
        m_energy.emplace(m_log, static_cast<double>(clock_period_ps(m_options.common)) / 1000,
                         std::vector<activity::module_energy>{{device_name, m_device_energy}});
        m_found.on = die_of(technology, devices(technology));
        add_program(m_found.costs, m_log, *m_energy);
        m_found.plan = plan_of(m_options, m_options.mesh);
        m_found.usage = m_shared.usage();
        m_found.ranks = m_shared.findings();
    }
    bool passed() const override { return true; } // not checked
    void write_report(run_report& report) const override { testbench::write_report(report, m_options, m_found, m_log); }
    void write_programs(const output_directory& directory) const override
    {
        const auto utilisation = triada_utilisation();
        activity::write_latency_csv(directory.latency().string(), m_log);
        activity::write_energy_csv(directory.energy().string(), m_log, *m_energy);
        activity::write_events_csv(directory.events().string(), {&*m_energy});
        activity::write_trace_json(
            directory.trace().string(), m_log, *m_energy,
            {utilisation.unit, [&](std::size_t record) { return utilisation.share(m_log, record); }});
    }

private:
    void add(bus::log_record record, std::uint64_t cycles, const triada::counts& counts)
    {
        record.during(m_cycle, cycles).with_counts(counts.data());
        m_log.log(device_name, record);
        m_found.active_cell_steps += active_cells(record);
        m_freed += std::string_view(record.cause) == "compute" ? base::freed_cycles::of(base::resource::compute, cycles)
                                                               : base::freed_cycles::of(base::resource::port, cycles);
        m_cycle += cycles;
    }

    // The records of the mesh: matrices in the actuators, transfers through the memory port, and every row.
    void write_log()
    {
        const triada::counts none;
        m_log.attach(device_name, triada::events, none.data());
        m_log.started(device_name, 0);
        add(bus::log_record("fetch"), 0, none);
        add_matrices();
        add_load();
        for (std::size_t s = 0; s < m_shared.plan().stages.size(); ++s) { add_stage(s); }
        add_unload();
        m_log.freed(device_name, m_freed);
        m_log.finished(device_name, m_cycle);
    }
    void add_matrices()
    {
        triada::counts c;
        for (const auto& stage : m_shared.plan().stages) {
            c[triada::event::coefficient_write] +=
                std::uint64_t{m_options.shape[stage.mode]} * m_options.result_shape()[stage.mode];
        }
        add(bus::log_record("matrices"), 0, c);
    }
    static triada::shape3 corner_of(const workloads::shape3& s)
    {
        return {static_cast<std::uint32_t>(s[0]), static_cast<std::uint32_t>(s[1]), static_cast<std::uint32_t>(s[2])};
    }
    std::uint64_t cycles_of(const std::vector<triada::shape3>& corners) const
    {
        const auto& device = m_options.device.config;
        return triada::port_cycles(corners, device.load_elements, device.port_aligner);
    }
    void add_load()
    {
        std::vector<triada::shape3> corners{corner_of(m_options.shape)};
        if (m_options.initial) { corners.push_back(corner_of(m_options.result_shape())); }
        triada::counts c;
        for (const auto& corner : corners) { c[triada::event::element_load] += isa::volume_of(corner); }
        c[triada::event::register_write] = c[triada::event::element_load];
        c[triada::event::load_cycle] = cycles_of(corners);
        add(bus::log_record("load"), c[triada::event::load_cycle], c);
    }
    void add_stage(std::size_t s)
    {
        const auto& stage = m_shared.plan().stages[s];
        triada::stage_lines lines;
        lines.box = corner_of(m_options.box());
        lines.line_cells =
            m_options.device.config.line_extent == triada::line_extent::mesh ? m_options.mesh : lines.box;
        lines.mode = stage.mode;
        lines.x_mode = triada::x_mode_of(m_options.order, stage.position);
        lines.esop = m_options.esop;
        auto driven = m_shared.driven()[s].begin();
        std::uint32_t step = 0;
        for (const auto& row : m_shared.rows(s)) {
            auto record = bus::log_record("compute", stage_phases[stage.position]).with_id(step++).with_detail(row.row);
            if (row.sent == 0) {
                add(record, 0, triada::counts_of_skipped_row(isa::volume_of(lines.box)));
                continue;
            }
            const auto& d = *driven++;
            add(record, m_options.device.config.step_cycles,
                triada::counts_of_step(lines, {row.sent, row.nonzeros, d.operands, d.saturated, d.overflowed}));
        }
    }
    void add_unload()
    {
        triada::counts c;
        const std::vector<triada::shape3> corners{corner_of(m_options.result_shape())};
        c[triada::event::element_unload] = c[triada::event::register_read] = isa::volume_of(corners.front());
        c[triada::event::operand_saturated] = m_shared.saturated_result();
        c[triada::event::unload_cycle] = cycles_of(corners);
        add(bus::log_record("unload"), c[triada::event::unload_cycle], c);
    }

    const dxt_options& m_options;
    const rank_group& m_group;
    bool& m_met;
    shared_run<T> m_shared;
    triada::energy_parameters m_energy_parameters;
    costs::energy_model m_device_energy;
    activity::program_log m_log;
    std::optional<activity::energy_report> m_energy;
    base::freed_cycles m_freed;
    std::uint64_t m_cycle = 0;
    dxt_findings m_found;
};

// The options, for the ranks that MPI has started.
std::optional<dxt_options> read_options(int argc, char** argv, std::ostream& out, const rank_group& group)
{
    auto options = read_dxt_options(argc, argv, out);
    if (options && options->ranks.count != group.size()) {
        base::refuse("--ranks", std::to_string(options->ranks.count),
                     std::to_string(group.size()) + ", the ranks that were started");
    }
    return options;
}

int run_first_rank(int argc, char** argv, const rank_group& group, bool& met)
{
    auto options = read_options(argc, argv, std::cout, group);
    if (!options) { return exit_right; }
    return with_triada_element(options->format, [&](auto element) {
        first_rank_run<decltype(element)> run(*options, group, met);
        return run_to_the_end("dxt", *options, run);
    });
}

// Rank 0 reports what all ranks agree on.
int run_other_rank(int argc, char** argv, const rank_group& group)
{
    std::ostringstream unused;
    const auto options = read_options(argc, argv, unused, group);
    try {
        with_triada_element(options->format, [&](auto element) {
            shared_run<decltype(element)> run(*options, group);
            run.run({}, {});
            return exit_right;
        });
    } catch (const base::input_error&) {
        return exit_bad_input;
    } catch (const wrong_result&) {
        return exit_wrong;
    }
    return exit_right;
}

} // namespace

int sc_main(int argc, char* argv[])
{
    const rank_group group(argc, argv);
    bool met = false; // rank 0 has told the others to run, or not to
    int status = exit_right;
    if (group.rank() == 0) {
        status = run_main(argc, argv,
                          [&](int count, char** arguments) { return run_first_rank(count, arguments, group, met); });
        if (!met) { group.text_of_first("leave"); }
    } else if (group.text_of_first({}) == "run") {
        status =
            run_main(argc, argv, [&](int count, char** arguments) { return run_other_rank(count, arguments, group); });
    }
    if (status == exit_internal) { group.abort(status); }
    return status;
}
