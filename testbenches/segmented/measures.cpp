#include "segmented/measures.h"
#include <tensorloom/workloads/segmented/mmv_ram.h>

namespace tensorloom::testbench {
namespace {

constexpr const char* rest_name = "rest";

// Cycles of no instruction: load, store, fetch, control, wait.
part_list with_rest(const segmented_measures& measures)
{
    part_list parts = measures.primitives;
    instruction_cost rest{0, measures.cycles};
    for (const auto& [name, cost] : parts) { rest.cycles -= cost.cycles; }
    parts.emplace_back(rest_name, rest);
    return parts;
}

double share_of(std::uint64_t cycles, const segmented_measures& measures)
{
    return static_cast<double>(cycles) / static_cast<double>(measures.cycles);
}

std::string primitives_text(const segmented_measures& measures)
{
    std::string text;
    for (const auto& [name, cost] : with_rest(measures)) {
        text += (text.empty() ? "" : ", ") + name + " " + grouped_text(cost.cycles) + " (" +
                number_text(100 * share_of(cost.cycles, measures)) + " %)";
    }
    return text;
}

} // namespace

double elements_per_ns(const segmented_measures& measures, double ns)
{
    return static_cast<double>(measures.elements) / ns;
}

double bytes_per_ns(const segmented_measures& measures, double ns) { return static_cast<double>(measures.bytes) / ns; }

json measures_json(const segmented_measures& measures, double ns)
{
    json primitives = json::object();
    const auto add = [&](const std::string& name, const instruction_cost& cost) {
        primitives[name] = {
            {"steps", cost.instructions}, {"cycles", cost.cycles}, {"share", share_of(cost.cycles, measures)}};
    };
    for (const char* name : workloads::primitives::all) { add(name, {}); }
    for (const auto& [name, cost] : with_rest(measures)) { add(name, cost); }
    return {{"throughput",
             {{"elements", measures.elements},
              {"bytes", measures.bytes},
              {"Gelem_per_s", elements_per_ns(measures, ns)},
              {"GB_per_s", bytes_per_ns(measures, ns)}}},
            {"primitives", primitives}};
}

void write_measures(run_report& report, const segmented_measures& measures, double ns)
{
    report.fields(measures_json(measures, ns));
    report.line("throughput", number_text(elements_per_ns(measures, ns)) + " Gelem/s, " +
                                  number_text(bytes_per_ns(measures, ns)) +
                                  " GB/s: " + counted(measures.elements, "element", "elements") + ", " +
                                  grouped_text(measures.bytes) + " bytes of operands and result");
    report.line("primitives", primitives_text(measures));
}

} // namespace tensorloom::testbench
