#include "tnn_step/tnn_step.h"
#include <algorithm>
#include <limits>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/workloads/step_planner/sequence_costs.h>
#include <tensorloom/workloads/step_planner/step_run.h>
#include "platform/process/process_resources.h"
#include "platform/process/progress.h"
#include "platform/report/testbench_run.h"
#include "platform/run/step_costs.h"
#include "platform/fetta/fetta_run.h"
#include "platform/fetta/fetta_memory_estimate.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

using fetta::event;

// Each command by itself, whose phase is known.
activity::log_detail detail_of(const tnn_step_options& o)
{
    return o.common.out ? activity::log_detail::every_record : activity::log_detail::per_command;
}

const workloads::step_command& command_of(const tnn_step_findings& f, const activity::phase_record& record)
{
    return f.program.commands[command_number(record, f.program.commands.size())];
}

std::array<phase_costs, workloads::step_phases> phases_of(const tnn_step_findings& f)
{
    std::array<phase_costs, workloads::step_phases> phases;
    const auto& log = *f.testbed->runs().all().front().log;
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& record = log.records()[r];
        auto& phase = phases[static_cast<std::size_t>(command_of(f, record).phase)];
        phase.cycles += record.cycles;
        add_cause(phase.cycles_by_cause, record.cause, record.cycles);
        const auto* counts = log.counts(r, 0);
        const auto count = [counts](event e) { return counts[static_cast<std::size_t>(e)]; };
        phase.engine_cycles += count(event::compute_cycle) + count(event::fill_cycle) + count(event::reload_cycle) +
                               count(event::psum_cycle) + count(event::conflict_cycle);
        phase.conflict_cycles += count(event::conflict_cycle);
        phase.macs += count(event::mac);
    }
    for (const auto& e : f.plan.executions()) {
        phases[static_cast<std::size_t>(e.phase)].ideal_engine_cycles += f.plan.ideal_engine_cycles(e);
    }
    return phases;
}

step_costs costs_by_step(const tnn_step_options& o, const tnn_step_findings& f)
{
    step_costs costs;
    const auto& log = *f.testbed->runs().all().front().log;
    const activity::energy_report energy(log, f.testbed->clock_period_ns(), f.energy_models);
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& record = log.records()[r];
        const auto& command = command_of(f, record);
        costs.add(o.layer, workloads::step_phase_values[static_cast<unsigned>(command.phase)].name,
                  record.cause == "fetch" ? "fetch the program" : command.what, log, r, energy,
                  log.counts(r, 0)[static_cast<std::size_t>(event::mac)]);
    }
    return costs;
}

// By estimate: the best step of all candidates, and its plan.
workloads::step_plan plan_best_sequence(const tnn_step_options& o, const workloads::step_settings& settings,
                                        workloads::contraction_tree& best)
{
    workloads::sequence_costs costs(
        o.network, [&](const auto& tree) { return workloads::step_graph(o.shape, tree, o.dx); }, o.device.config.limits,
        settings);
    workloads::search_request request;
    request.top = 4;
    best = costs.ranked(workloads::candidates_of(o.network, request).trees, request).best.front().tree;
    if (const auto& plan = costs.planned(best)) { return *plan; }
    return workloads::plan_step(workloads::step_graph(o.shape, best, o.dx), o.device.config.limits,
                                settings); // says why
}

// The options that decide whether a step fits.
std::string planned_text(const tnn_step_options& o)
{
    const auto& g = o.device.config.limits;
    const auto& block = o.settings.block;
    return "layer " + o.layer + ", --batch " + std::to_string(o.shape.batch) + ", --sequence " + o.sequence +
           (block ? ", --block-samples " + std::to_string(*block) : "") + ", --bank-bytes " +
           std::to_string(g.bank_bytes) + ", --engines " + std::to_string(g.engines);
}

/// Plans, writes the program, runs it in a simulation, checks.
class tnn_step_run : public fetta_run<tnn_step_options, tnn_step_findings> {
public:
    using fetta_run::fetta_run;

    void simulate(const costs::technology& technology) override
    {
        progress shown(m_options.common.quiet);
        shown.show("planning");
        const auto& o = m_options;
        const auto base = testbench::data_base;
        auto settings = o.settings;
        settings.memory = memory_estimate_of(o.common, technology, 0);
        settings.lanes = o.device.config.lanes;
        settings.costs =
            workloads::mapping_costs(fetta::device_energy(technology, energy_settings_of(o.device, o.common)),
                                     static_cast<double>(clock_period_ps(o.common)) / 1000);
        base::complaining_of(planned_text(o), [&] { plan(settings); });
        const auto& graph = m_found.plan.graph;
        std::uint64_t elements = 0;
        const auto of_data = workloads::with_batch(graph, settings.samples);
        for (std::size_t t = 0; t < graph.tensors.size(); ++t) { elements += of_data.elements(t); }
        require_memory(elements * (o.common.check ? 3 * sizeof(double) : 2 * sizeof(float)), "a smaller --batch");
        m_found.program = workloads::write_step(m_found.plan, base, data_room(o.common));
        shown.show("generating the operands");
        const auto& step = m_found.plan.graph;
        auto data = workloads::random_values(workloads::with_batch(step, settings.samples), o.common.seed);
        put(o.given, step, data);
        auto batch = workloads::shuffled_samples(settings.samples, o.shape.batch, o.common.seed);
        // The user's samples keep their order, so that results have it.
        if (o.given.has_samples()) { std::sort(batch.begin(), batch.end()); }

        workloads::step_run run;
        m_found.testbed = make_fetta_testbed(
            "platform", o.device, o.common, sram_bytes_for(m_found.program.addresses.end - base), detail_of(o),
            [&](workloads::fetta_session& session) {
                m_found.placed_bytes = workloads::place_data(session, m_found.plan, m_found.program, data, o.rate);
                run = workloads::run_batch(session, m_found.plan, m_found.program, batch);
            },
            &shown);
        run_testbed(technology);
        m_found.phases = phases_of(m_found);
        m_found.results = std::move(run.values);
        if (o.output) { save_arrays(*o.output, results_of(o.shape, m_found.plan, m_found.results)); }
        if (o.common.check) {
            shown.show("checking the result");
            const auto given = workloads::batch_of(step, data, batch);
            m_found.check = workloads::check_step(m_found.plan, given, m_found.results, o.rate);
        }
    }

    void plan(const workloads::step_settings& settings)
    {
        const auto& o = m_options;
        if (!o.tree) {
            m_found.plan = plan_best_sequence(o, settings, m_found.tree);
            return;
        }
        m_found.tree = *o.tree;
        m_found.plan =
            workloads::plan_step(workloads::step_graph(o.shape, *o.tree, o.dx), o.device.config.limits, settings);
    }

    void write_report(run_report& report) const override { testbench::write_report(report, m_options, m_found); }
    void write_programs(const output_directory& directory) const override
    {
        write_program_files(directory, m_options.device, m_options.common, m_found,
                            m_options.layer + ", " + m_options.phases);
        costs_by_step(m_options, m_found).write(directory.file(step_costs::file_name));
    }
    std::string failure() const override { return failure_text(m_options, m_found); }
};

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench_main("tnn_step", argc, argv, read_tnn_step_options,
                          [](const tnn_step_options& o) { return std::make_unique<tnn_step_run>(o); });
}
