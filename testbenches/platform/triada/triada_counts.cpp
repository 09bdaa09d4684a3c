#include "platform/triada/triada_counts.h"
#include <algorithm>
#include <limits>

namespace tensorloom::testbench {

std::uint64_t count_of(const std::uint64_t* counts, triada::event event)
{
    return counts[static_cast<std::size_t>(event)];
}

std::uint64_t active_cells(const bus::log_record& record)
{
    if (count_of(record.counts, triada::event::step) == 0) { return 0; }
    return count_of(record.counts, triada::event::mac) + count_of(record.counts, triada::event::mac_skipped);
}

std::uint64_t records_of(const triada::gemt_plan& plan, bool initial)
{
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const auto sum = [](std::uint64_t a, std::uint64_t b) { return a > most - b ? most : a + b; };
    std::uint64_t records = sum(plan.steps(), 6); // fetch, matrices, load, unload, completion, other
    if (plan.fits) { return records; }
    for (const auto& stage : plan.stages) { records = sum(sum(records, stage.passes()), stage.results()); }
    return initial ? sum(records, plan.stages.back().results()) : records;
}

unsigned memory_port_elements(const triada::config& config, const std::array<std::uint32_t, 3>& mesh)
{
    return config.port_aligner ? config.load_elements : std::min(config.load_elements, mesh[2]);
}

step_work work_of(const std::vector<std::uint64_t>& counts, std::uint64_t active_cell_steps,
                  const std::array<std::uint32_t, 3>& mesh)
{
    const auto count = [&](triada::event e) { return count_of(counts.data(), e); };
    step_work work{count(triada::event::step), count(triada::event::step_skipped), count(triada::event::mac),
                   count(triada::event::mac_skipped)};
    if (work.steps == 0) { return work; }
    const double macs = static_cast<double>(work.macs);
    const double mesh_cells = static_cast<double>(mesh[0]) * mesh[1] * mesh[2];
    work.active_utilisation = macs / static_cast<double>(active_cell_steps);
    work.mesh_utilisation = macs / (static_cast<double>(work.steps) * mesh_cells);
    return work;
}

json work_json(const step_work& work)
{
    return {{"steps", work.steps},
            {"steps_skipped", work.steps_skipped},
            {"macs", work.macs},
            {"macs_skipped", work.macs_skipped},
            {"active_utilisation", work.active_utilisation},
            {"mesh_utilisation", work.mesh_utilisation}};
}

void print_work(run_report& report, const step_work& work)
{
    report.line("MACs done", grouped_text(work.macs));
    report.line("MACs skipped", grouped_text(work.macs_skipped));
    report.line("a time-step uses", number_text(100 * work.active_utilisation) + " % " + triada::utilisation_unit +
                                        ", " + number_text(100 * work.mesh_utilisation) + " % of the mesh");
}

array_use use_of(const step_work& work, const program_costs& costs, const std::array<std::uint32_t, 3>& mesh)
{
    return {work.macs, static_cast<double>(mesh[0]) * mesh[1] * mesh[2],
            static_cast<double>(costs.cycles_of("compute")), "cells"};
}

void write_transfers(run_report& report, const std::vector<std::uint64_t>& counts, bool overlap)
{
    const auto count = [&](triada::event e) { return count_of(counts.data(), e); };
    const auto loaded = count(triada::event::element_load);
    const auto unloaded = count(triada::event::element_unload);
    const auto load_cycles = count(triada::event::load_cycle);
    const auto unload_cycles = count(triada::event::unload_cycle);
    const auto overlapped = count(triada::event::overlapped_cycle); // of these, while the core computed
    report.line("loaded", grouped_text(loaded) + " elements in " + grouped_text(load_cycles) + " cycles");
    report.line("unloaded", grouped_text(unloaded) + " elements in " + grouped_text(unload_cycles) + " cycles");
    if (overlap) { report.line("overlap", grouped_text(overlapped) + " of these cycles while computing"); }
    report["transfers"] = {{"elements_loaded", loaded},
                           {"elements_unloaded", unloaded},
                           {"load_cycles", load_cycles},
                           {"unload_cycles", unload_cycles},
                           {"overlapped_cycles", overlapped}};
}

utilisation_measure triada_utilisation()
{
    return {triada::utilisation_unit, [](const activity::program_log& log, std::size_t record) {
                const auto* counts = log.counts(record, 0);
                if (count_of(counts, triada::event::step) == 0) { return 0.0; }
                const auto macs = static_cast<double>(count_of(counts, triada::event::mac));
                return macs / (macs + static_cast<double>(count_of(counts, triada::event::mac_skipped)));
            }};
}

} // namespace tensorloom::testbench
