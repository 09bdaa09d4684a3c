#include "platform/mmv/mmv_report.h"
#include <algorithm>

namespace tensorloom::testbench {
namespace {

double ratio(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

// How busy the parts of a device were: what a roofline is drawn from.
struct roofline {
    double macs_per_cycle;
    double peak_macs_per_cycle; ///< side x side, of all pairs
    double scratchpad_words_per_cycle;
    double peak_scratchpad_words_per_cycle; ///< of all banks
    double bus_bytes_per_cycle;
    double peak_bus_bytes_per_cycle; ///< the width of the DMA port
    double macs_per_scratchpad_word; ///< 0 without words
    double macs_per_bus_byte;

    double utilisation() const { return macs_per_cycle / peak_macs_per_cycle; }
};

roofline roofline_of(const mmv_costs& costs, const mmv::config& device, const platform_options& around, unsigned pairs)
{
    const std::uint64_t macs = costs.counts[mmv::event::mac];
    const std::uint64_t words = costs.counts[mmv::event::scratchpad_read] + costs.counts[mmv::event::scratchpad_write];
    return {ratio(macs, costs.cycles),
            static_cast<double>(device.side) * device.side * pairs,
            ratio(words, costs.cycles),
            static_cast<double>(mmv::words_per_bank(device)) * device.banks * pairs,
            ratio(costs.bus_bytes(), costs.cycles),
            static_cast<double>(around.bus_bytes_per_cycle()) * pairs,
            ratio(macs, words),
            ratio(macs, costs.bus_bytes())};
}

std::string of_peak(double value, double peak, const char* unit)
{
    return number_text(value) + " of " + number_text(peak) + " " + unit;
}

void print_roofline(run_report& report, const roofline& r)
{
    report.line("MACs", of_peak(r.macs_per_cycle, r.peak_macs_per_cycle, "per cycle"));
    report.line("scratchpad",
                of_peak(r.scratchpad_words_per_cycle, r.peak_scratchpad_words_per_cycle, "words per cycle") + ", " +
                    number_text(r.macs_per_scratchpad_word) + " MACs per word");
    report.line("bus", of_peak(r.bus_bytes_per_cycle, r.peak_bus_bytes_per_cycle, "bytes per cycle") + ", " +
                           number_text(r.macs_per_bus_byte) + " MACs per byte");
}

json roofline_json(const roofline& r)
{
    return {{"macs_per_cycle", r.macs_per_cycle},
            {"peak_macs_per_cycle", r.peak_macs_per_cycle},
            {"scratchpad_words_per_cycle", r.scratchpad_words_per_cycle},
            {"peak_scratchpad_words_per_cycle", r.peak_scratchpad_words_per_cycle},
            {"bus_bytes_per_cycle", r.bus_bytes_per_cycle},
            {"peak_bus_bytes_per_cycle", r.peak_bus_bytes_per_cycle},
            {"macs_per_scratchpad_word", r.macs_per_scratchpad_word},
            {"macs_per_bus_byte", r.macs_per_bus_byte}};
}

json instructions_json(const mmv_costs& costs)
{
    json list = json::object();
    for (const auto& [name, cost] : costs.instructions) {
        list[name] = {{"instructions", cost.instructions}, {"cycles", cost.cycles}};
    }
    return list;
}

} // namespace

void print_mmv_ram(run_report& report, const mmv::mmv_ram_meter& m, unsigned word_bits)
{
    report.line("model steps", grouped_text(m.steps()) + " (matrix unit " + grouped_text(m.mmu_steps) +
                                   ", vector unit " + grouped_text(m.vcu_steps) + ", scalar unit " +
                                   grouped_text(m.scalar_steps) + ")");
    report.line("model work", counted(m.mmu_rows, "row", "rows") + ", " + grouped_text(m.mmu_macs) + " MACs, " +
                                  counted(m.weight_loads, "weight load", "weight loads") + ", " +
                                  grouped_text(m.vcu_elems) + " vector elements, " + grouped_text(m.vcu_circuit) +
                                  " gates (B = " + std::to_string(word_bits) + ")");
}

void print_tcu(run_report& report, const mmv::tcu_meter& m, std::uint64_t latency)
{
    report.line("model time", grouped_text(m.time) + " (tensor unit " + grouped_text(m.tensor_time) + ", processor " +
                                  grouped_text(m.cpu_ops) + ") at l = " + grouped_text(latency));
    report.line("model work", counted(m.calls, "call", "calls") + ", " + counted(m.rows, "row", "rows") + ", " +
                                  grouped_text(m.cpu_ops) + " operations");
}

json mmv_ram_json(const mmv::mmv_ram_meter& m)
{
    return {{"steps", m.steps()},
            {"mmu_steps", m.mmu_steps},
            {"vcu_steps", m.vcu_steps},
            {"scalar_steps", m.scalar_steps},
            {"mmu_rows", m.mmu_rows},
            {"mmu_macs", m.mmu_macs},
            {"weight_loads", m.weight_loads},
            {"mmu_cycles", m.mmu_cycles},
            {"vcu_elems", m.vcu_elems},
            {"vcu_circuit", m.vcu_circuit}};
}

json tcu_json(const mmv::tcu_meter& m)
{
    return {
        {"calls", m.calls}, {"rows", m.rows}, {"tensor_time", m.tensor_time}, {"cpu_ops", m.cpu_ops}, {"time", m.time}};
}

void print_closed_form(run_report& report, const std::optional<bool>& same)
{
    if (!same) { return; }
    report.line("closed form", *same ? "the same numbers of the model" : "DIFFERS from the numbers of the model");
}

std::string first_wrong_text(const std::optional<std::uint64_t>& index)
{
    return index ? ", first wrong at " + std::to_string(*index) : "";
}

std::uint64_t array_cycles(const program_costs& costs)
{
    std::uint64_t working = 0;
    for (const char* cause : {"weights", "compute", "port", "drain", "latency"}) { working += costs.cycles_of(cause); }
    return working;
}

json costs_json(const mmv_costs& costs, const mmv::config& device, const common_options& common, unsigned pairs)
{
    const auto r = roofline_of(costs, device, common.platform, pairs);
    json j = {{"programs", costs.programs}};
    j.update(cycles_json(costs, common));
    j.update(json{{"macs", costs.counts[mmv::event::mac]},
                  {"utilisation", r.utilisation()},
                  {"roofline", roofline_json(r)},
                  {"instructions", instructions_json(costs)},
                  {"events", events_json(mmv::events, costs.counts.data())}});
    j.update(energy_json(costs.energy));
    return j;
}

void write_costs(run_report& report, const mmv_costs& costs, const mmv::config& device, std::uint64_t scratchpad_bytes,
                 const die& on, std::uint64_t working_cycles, unsigned pairs)
{
    report.fields(costs_json(costs, device, report.common(), pairs));
    report.cycles(costs, " in " + counted(costs.programs, "program", "programs"));
    if (device.overlap) {
        report.line("overlap", grouped_text(costs.counts[mmv::event::overlapped_cycle]) +
                                   " cycles with several units at work: an extension of the papers' machine");
    }
    report.time(ns_of(costs.cycles, report.common()));
    const auto used = roofline_of(costs, device, report.common().platform, pairs);
    print_roofline(report, used);
    report.utilisation(
        costs, {costs.counts[mmv::event::mac], used.peak_macs_per_cycle, static_cast<double>(working_cycles) / pairs},
        pairs);
    const unsigned row = std::max(device.in_words, device.out_words);
    if (device.banks < row) {
        report.line("throttled", "an operand or result gets at most " + std::to_string(device.banks) +
                                     " words per cycle, one per bank, a row of the array has up to " +
                                     std::to_string(row) + ": more banks (--banks) reduce stalls");
    }
    report.line("scratchpad used", grouped_text(scratchpad_bytes) + " bytes");
    report.energy(costs.energy, ns_of(costs.cycles, report.common()), on);
}

device_programs programs_of(const std::string& name, const mmv::config& device, const device_runs& runs,
                            const std::vector<activity::module_energy>& models, const std::vector<std::string>& jobs)
{
    const auto macs_per_row = static_cast<double>(device.side) * device.side;
    return {name, &runs, models,
            mac_utilisation(mmv::utilisation_unit, static_cast<std::size_t>(mmv::event::mac), macs_per_row), jobs};
}

device_programs programs_of(const mmv_testbed& testbed, const std::vector<activity::module_energy>& models,
                            const std::vector<std::string>& jobs)
{
    return programs_of("device", testbed.device(), testbed.runs(), models, jobs);
}

} // namespace tensorloom::testbench
