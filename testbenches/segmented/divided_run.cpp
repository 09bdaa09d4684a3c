#include "segmented/divided_run.h"

namespace tensorloom::testbench {
namespace {

std::string text_of(const costs_of_pair& pair, std::uint64_t elements, std::uint64_t steps)
{
    if (pair.programs == 0) { return "nothing to do"; }
    return counted(elements, "element", "elements") + ", " + counted(steps, "step", "steps") + ", " +
           grouped_text(pair.cycles) + " cycles (" +
           listed(pair.cycles_by_cause, [](const auto& c) { return c.first + " " + grouped_text(c.second); }) +
           ") in " + counted(pair.programs, "program", "programs") + ", from cycle " + grouped_text(pair.start_cycle) +
           " to " + grouped_text(pair.end_cycle);
}

json json_of(const costs_of_pair& pair, std::uint64_t elements, std::uint64_t steps)
{
    return {{"elements", elements},
            {"steps", steps},
            {"programs", pair.programs},
            {"cycles", pair.cycles},
            {"cycles_by_cause", causes_json(pair.cycles_by_cause)},
            {"start_cycle", pair.start_cycle},
            {"end_cycle", pair.end_cycle},
            {"macs", pair.counts[mmv::event::mac]},
            {"bus_read_bytes", pair.bus_read_bytes},
            {"bus_written_bytes", pair.bus_written_bytes},
            {"bus_stalled_cycles", pair.bus_stalled_cycles}};
}

} // namespace

void write_divided(run_report& report, const std::optional<divided_run>& run, const mmv_costs& whole)
{
    if (!run) {
        report["pairs"] = nullptr;
        return;
    }
    const auto pairs = static_cast<double>(run->each.size());
    report["pairs"] = {{"one_pair_cycles", nullptr}, {"speedup", nullptr}, {"efficiency", nullptr}};
    if (run->one_pair_cycles) {
        const double speedup = static_cast<double>(*run->one_pair_cycles) / static_cast<double>(whole.cycles);
        report.line("one pair", grouped_text(*run->one_pair_cycles) + " cycles: " + number_text(pairs) + " pairs are " +
                                    number_text(speedup) + " times as fast, " + number_text(100 * speedup / pairs) +
                                    " % of " + number_text(pairs) + " times");
        report["pairs"] = {
            {"one_pair_cycles", *run->one_pair_cycles}, {"speedup", speedup}, {"efficiency", speedup / pairs}};
    } else {
        report.line("one pair", "cannot run this");
    }
    json each = json::array();
    for (std::size_t i = 0; i < run->each.size(); ++i) {
        report.line("pair " + std::to_string(i), text_of(run->each[i], run->elements[i], run->steps[i]));
        each.push_back(json_of(run->each[i], run->elements[i], run->steps[i]));
    }
    report["pairs"]["each"] = each;
}

} // namespace tensorloom::testbench
