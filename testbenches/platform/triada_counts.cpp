#include "platform/triada_counts.h"
#include <limits>
#include <nlohmann/json.hpp>

namespace tensorloom::testbench {

std::uint64_t count_of(const std::uint64_t* counts, arch::triada::event event)
{
    return counts[static_cast<std::size_t>(event)];
}

std::uint64_t active_cells(const bus::log_record& record)
{
    if (count_of(record.counts, arch::triada::event::step) == 0) { return 0; }
    return count_of(record.counts, arch::triada::event::mac) +
           count_of(record.counts, arch::triada::event::mac_skipped);
}

std::uint64_t records_of(const arch::triada::gemt_plan& plan, bool initial)
{
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const auto sum = [](std::uint64_t a, std::uint64_t b) { return a > most - b ? most : a + b; };
    std::uint64_t records = sum(plan.steps(), 6); // fetch, matrices, load, unload, completion, other
    if (plan.fits) { return records; }
    for (const auto& stage : plan.stages) { records = sum(sum(records, stage.passes()), stage.results()); }
    return initial ? sum(records, plan.stages.back().results()) : records;
}

double utilisation_of(const std::uint64_t* counts)
{
    if (count_of(counts, arch::triada::event::step) == 0) { return 0; }
    const auto macs = static_cast<double>(count_of(counts, arch::triada::event::mac));
    return macs / (macs + static_cast<double>(count_of(counts, arch::triada::event::mac_skipped)));
}

port_transfers transfers_of(const std::vector<std::uint64_t>& counts)
{
    const auto count = [&](arch::triada::event e) { return count_of(counts.data(), e); };
    return {count(arch::triada::event::element_load), count(arch::triada::event::element_unload),
            count(arch::triada::event::load_cycle), count(arch::triada::event::unload_cycle),
            count(arch::triada::event::overlapped_cycle)};
}

void print_transfers(report_table& lines, const port_transfers& moved, bool overlap)
{
    lines.line("loaded",
               grouped_text(moved.elements_loaded) + " elements in " + grouped_text(moved.load_cycles) + " cycles");
    lines.line("unloaded",
               grouped_text(moved.elements_unloaded) + " elements in " + grouped_text(moved.unload_cycles) + " cycles");
    if (overlap) { lines.line("overlap", grouped_text(moved.overlapped_cycles) + " of these cycles while computing"); }
}

nlohmann::ordered_json transfers_json(const port_transfers& moved)
{
    return {{"elements_loaded", moved.elements_loaded},
            {"elements_unloaded", moved.elements_unloaded},
            {"load_cycles", moved.load_cycles},
            {"unload_cycles", moved.unload_cycles},
            {"overlapped_cycles", moved.overlapped_cycles}};
}

nlohmann::ordered_json events_json(const std::vector<std::uint64_t>& counts)
{
    auto events = nlohmann::ordered_json::object();
    for (std::size_t e = 0; e < counts.size(); ++e) { events[arch::triada::events.events[e].name] = counts[e]; }
    return events;
}

} // namespace tensorloom::testbench
