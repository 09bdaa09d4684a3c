#include "platform/report/run_report.h"
#include <algorithm>
#include <cmath>
#include <deque>
#include <fstream>
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/base/files/atomic_file.h>
#include "commit.h" // of the sources, made by every build

namespace tensorloom::testbench {
namespace {

std::string csv_cell(const json& value)
{
    if (value.is_null()) { return {}; }
    if (!value.is_string()) { return value.dump(); }
    const auto text = value.get<std::string>();
    if (text.find_first_of(",\"\n") == std::string::npos) { return text; }
    std::string quoted = "\"";
    for (const char c : text) { quoted += c == '"' ? std::string("\"\"") : std::string(1, c); }
    return quoted + "\"";
}

} // namespace

void run_report::begin(const std::string& title, const std::string& schema, json configuration)
{
    m_text << m_testbench << ": " << title << "\n";
    for (const auto& [name, text] : m_options.given) { configuration["options"][name] = text; }
    configuration["options_given"] = json::object();
    for (const auto& o : m_options.options_given) {
        configuration["options_given"][o.name] = o.list ? json(o.texts) : json(o.texts.front());
    }
    configuration["inputs"] = json::array();
    for (const auto& input : m_options.inputs) {
        configuration["inputs"].push_back({{"option", input.option}, {"name", input.name}, {"sha256", input.sha256}});
    }
    const std::string of_sources = TENSORLOOM_COMMIT;
    m_summary = {
        {"schema", schema},
        {"testbench", m_testbench},
        {"version", version()},
        {"commit", or_null(!of_sources.empty(), of_sources)},
        {"configuration", std::move(configuration)},
        {"check",
         {{"passed", nullptr}, {"max_abs_error", nullptr}, {"max_rel_error", nullptr}, {"reference", nullptr}}}};
}

void run_report::cycles(const program_costs& costs, const std::string& more)
{
    const auto causes =
        listed(costs.cycles_by_cause, [](const auto& c) { return c.first + " " + grouped_text(c.second); });
    line("cycles", grouped_text(costs.cycles) + " (" + causes + ")" + more);
    fields(cycles_json(costs, common()));
}

void run_report::time(double ns, const std::string& more)
{
    line("time", quantity_text(ns * 1000, "s") + " at " +
                     number_text(1000.0 / static_cast<double>(clock_period_ps(common()))) + " GHz" +
                     (common().overclocked ? ", overclocked" : "") + more);
}

namespace {

std::string percent(double share) { return number_text(100 * share) + " %"; }

// The resource that saves most, then the others in the same order.
std::string bound_text(const run_bound& bound)
{
    if (!bound.by) { return "nothing, no resource saves a cycle"; }
    std::vector<base::resource> others;
    for (std::size_t r = 0; r < base::resource_count; ++r) {
        const auto other = static_cast<base::resource>(r);
        const bool told = bound.saving(other) > 0 || other == base::resource::compute;
        if (other != *bound.by && told) { others.push_back(other); }
    }
    std::stable_sort(others.begin(), others.end(),
                     [&](base::resource a, base::resource b) { return bound.saving(a) > bound.saving(b); });
    const auto text = [&](base::resource r) { return resource_name(r) + (" " + percent(bound.saving(r))); };
    return text(*bound.by) + " of the cycles" + (others.empty() ? "" : "; " + listed(others, text));
}

std::string bus_idle_text(const run_bound& bound)
{
    return percent(bound.bus.waiting) + " of the cycles for the memory, " + percent(bound.bus.idle) +
           " for the device; " + number_text(bound.bus_bytes_per_cycle) + " of " +
           number_text(bound.peak_bus_bytes_per_cycle) + " B per cycle";
}

const char* mark(bool estimate) { return estimate ? " (estimate)" : ""; }

std::string watts(double mw) { return quantity_text(mw * 1e9, "W"); }

std::string mm2_text(double um2)
{
    const double mm2 = um2 * 1e-6;
    return mm2 < 1000 ? number_text(mm2) : grouped_text(static_cast<std::uint64_t>(std::llround(mm2)));
}

std::string area_text(const die& on)
{
    const auto range = area_range_um2(on);
    return mm2_text(on.um2()) + " mm2, within " + mm2_text(range.least) + " to " + mm2_text(range.most) + ": " +
           listed(on.areas, [](const auto& a) {
               return a.component + " " + mm2_text(a.um2) + (a.synthesized ? " (synthesized)" : mark(a.estimate));
           });
}

// Of what is charged for its wires by another area, or lies in tiers.
std::string layout_text(const costs::component_area& a)
{
    std::string text;
    if (a.by_pitch_um2 > 0) { text = mm2_text(a.by_pitch_um2) + " mm2 by the pitch of their wires"; }
    if (a.tiers > 1) {
        text +=
            (text.empty() ? "" : "; ") + std::to_string(a.tiers) + " tiers of " + mm2_text(a.um2 / a.tiers) + " mm2";
    }
    return text;
}

std::string power_text(const run_power& power)
{
    return watts(power.mw) + " on average, " + watts(power.leakage_mw) + " of it leakage" +
           (power.dram_mw > 0 ? ", " + watts(power.dram_mw) + " of the DRAM" : "") + "; " +
           number_text(power.w_per_mm2) + " W/mm2 of the die";
}

} // namespace

void run_report::utilisation(const program_costs& costs, const array_use& use, unsigned dma_ports)
{
    const auto share = [&](std::uint64_t cycles) {
        return ratio(static_cast<double>(use.macs), use.macs_per_cycle * static_cast<double>(cycles));
    };
    const double whole = share(costs.cycles), working = share(use.working_cycles);
    const auto bound = bound_of(costs, common(), dma_ports);
    const double ceiling = bound.utilisation_ceiling(whole);
    line("utilisation", percent(whole) + " of the " + use.pes + " end to end, " + percent(working) +
                            " while they work, " + percent(ceiling) + " if all else took no time");
    line("bound by", bound_text(bound));
    if (costs.bus_bytes() > 0) { line("bus idle", bus_idle_text(bound)); }
    fields({{"utilisation", whole}, {"utilisation_working", working}, {"bound_by", bound_json(bound, ceiling)}});
}

namespace {

std::vector<costs::component_energy> by_second_source(std::vector<costs::component_energy> components)
{
    for (auto& c : components) { c.pj = c.second_pj(); }
    return components;
}

bool differ_much(double pj, double second_pj) { return pj > 2 * second_pj || second_pj > 2 * pj; }

std::string compared_text(double pj, double second_pj)
{
    return quantity_text(second_pj, "J") + (pj > 0 ? ", " + number_text(second_pj / pj) + " times" : "");
}

// The total and the components that differ by more than a factor of two; empty if none does.
std::string second_source_text(const std::vector<costs::component_energy>& components)
{
    std::string parts;
    for (const auto& c : components) {
        if (!differ_much(c.pj, c.second_pj())) { continue; }
        parts += (parts.empty() ? "" : "; ") + c.component + " " + compared_text(c.pj, c.second_pj());
    }
    const double total = costs::total_pj(components), second = costs::total_pj(by_second_source(components));
    if (parts.empty() && !differ_much(total, second)) { return {}; }
    return compared_text(total, second) + " the total above" + (parts.empty() ? "" : "; " + parts);
}

} // namespace

void run_report::energy(const std::vector<costs::component_energy>& components, double ns, const die& on)
{
    const double total = costs::total_pj(components), leakage = costs::leakage_pj(components);
    const std::string overclocked = common().overclocked ? ", overclocked" : "";
    const auto range = energy_range_pj(on, components);
    line("energy", quantity_text(total, "J") + mark(!activity::estimated(components).empty()) + ", within " +
                       quantity_text(range.least, "J") + " to " + quantity_text(range.most, "J") + overclocked);
    for (const auto& c : components) { line("  " + c.component, quantity_text(c.pj, "J") + mark(c.estimate)); }
    if (const auto text = second_source_text(components); !text.empty()) { line("  by " + m_second_source, text); }
    line("  by leakage", quantity_text(total - leakage, "J") + " without leakage, " +
                             quantity_text(total + leakage, "J") + " with twice the leakage");
    fields(energy_json(components));
    fields(second_source_json(components));

    const double period_ns = static_cast<double>(clock_period_ps(common())) / 1000;
    const run_power power(components, ns, on);
    line("area", area_text(on));
    for (const auto& a : on.areas) {
        if (const auto text = layout_text(a); !text.empty()) { line("  " + a.component, text); }
    }
    line("power", power_text(power) + overclocked);
    for (const auto& warning : warnings_of(on, power, period_ns)) { line("warning", warning); }
    fields(die_json(on, components, ns, period_ns));
}

void run_report::check(const std::optional<bool>& passed, const std::string& more)
{
    line("check", !passed ? "not done (--no-check)" : (*passed ? "passed" : "FAILED") + more);
}

void run_report::simulation(const process_usage& usage, std::uint64_t macs)
{
    const double macs_per_cpu_s = usage.cpu_s > 0 ? static_cast<double>(macs) / usage.cpu_s : 0;
    line("simulation", number_text(usage.wall_s) + " s wall, " + number_text(usage.cpu_s) + " s CPU, " +
                           number_text(macs_per_cpu_s / 1e6) + " million MACs per CPU second, " +
                           number_text(static_cast<double>(usage.peak_rss_bytes) / 1048576) + " MiB");
    m_summary["simulation"] = {{"wall_s", usage.wall_s},
                               {"cpu_s", usage.cpu_s},
                               {"macs_per_cpu_s", macs_per_cpu_s},
                               {"peak_rss_bytes", usage.peak_rss_bytes}};
}

double ns_of(std::uint64_t cycles, const common_options& common)
{
    return static_cast<double>(cycles) * static_cast<double>(clock_period_ps(common)) / 1000;
}

json bound_json(const run_bound& bound, double ceiling)
{
    json savings = json::object();
    for (std::size_t r = 0; r < base::resource_count; ++r) {
        savings[resource_name(static_cast<base::resource>(r))] = bound.savings[r];
    }
    return {{"resource", bound.by ? json(resource_name(*bound.by)) : json(nullptr)},
            {"savings", savings},
            {"utilisation_ceiling", ceiling},
            {"bus_bytes_per_cycle", bound.bus_bytes_per_cycle},
            {"peak_bus_bytes_per_cycle", bound.peak_bus_bytes_per_cycle},
            {"bus", {{"busy", bound.bus.busy}, {"waiting", bound.bus.waiting}, {"idle", bound.bus.idle}}}};
}

json causes_json(const cause_list& causes)
{
    json found = json::object();
    for (const auto& [cause, cycles] : causes) { found[cause] = cycles; }
    return found;
}

json cycles_json(const program_costs& costs, const common_options& common)
{
    return {{"cycles", costs.cycles},
            {"cycles_by_cause", causes_json(costs.cycles_by_cause)},
            {"simulated_time_ns", ns_of(costs.cycles, common)}};
}

json energy_json(const std::vector<costs::component_energy>& components)
{
    json energy = {{"total", costs::total_pj(components)}};
    for (const auto& c : components) { energy[c.component] = c.pj; }
    return {{"energy_pJ", energy}, {"energy_estimated", activity::estimated(components)}};
}

json second_source_json(const std::vector<costs::component_energy>& components)
{
    json second;
    for (const auto& c : components) {
        if (c.more_pj == 0) { continue; }
        if (second.is_null()) { second["total"] = costs::total_pj(by_second_source(components)); }
        second[c.component] = c.second_pj();
    }
    return {{"energy_by_second_source_pJ", second}};
}

json events_json(const base::event_table& events, const std::uint64_t* counts)
{
    json found = json::object();
    for (std::size_t e = 0; e < events.size; ++e) { found[events.events[e].name] = counts[e]; }
    return found;
}

void write_summary(const std::filesystem::path& path, const json& document)
{
    const std::string text = document.dump(4, ' ', false, json::error_handler_t::replace) + '\n';
    base::atomic_file place(path.string());
    std::ofstream file(place.temporary(), std::ios::binary);
    file << text;
    file.close();
    if (!file) { place.fail("the text could not be stored"); }
    place.commit();
}

std::string csv_of(const std::vector<json>& rows)
{
    std::string text;
    const auto add_line = [&text](const json& row, const auto& cell_of) {
        bool first = true;
        for (const auto& [name, value] : row.items()) {
            text += (first ? "" : ",") + cell_of(name, value);
            first = false;
        }
        text += "\n";
    };
    add_line(rows.front(), [](const std::string& name, const json&) { return name; });
    for (const auto& row : rows) {
        add_line(row, [](const std::string&, const json& value) { return csv_cell(value); });
    }
    return text;
}

utilisation_measure mac_utilisation(const char* unit, std::size_t mac, double macs_per_cycle)
{
    return {unit, [mac, macs_per_cycle](const activity::program_log& log, std::size_t record) {
                const auto macs = log.counts(record, 0)[mac];
                const auto cycles = log.records()[record].busy_cycles;
                return cycles == 0 ? 0 : static_cast<double>(macs) / (static_cast<double>(cycles) * macs_per_cycle);
            }};
}

activity::traced_device traced_log(const activity::program_log& log, const activity::energy_report& energy,
                                   const utilisation_measure& utilisation)
{
    activity::traced_device traced{&log, &energy, {}};
    if (utilisation.share) {
        traced.utilisation = {utilisation.unit, [&log, of = utilisation.share](std::size_t r) { return of(log, r); }};
    }
    return traced;
}

namespace {

const std::string& job_of(const device_programs& device, std::size_t number)
{
    return device.jobs.size() == 1 ? device.jobs.front() : device.jobs.at(number);
}

std::string name_in_trace(const device_programs& device, std::size_t number)
{
    const auto before = device.runs->all().size() > 1 ? std::to_string(number) + ": " : "";
    return before + job_of(device, number);
}

} // namespace

void write_program_files(const output_directory& directory, const common_options& common,
                         const std::vector<device_programs>& devices, const activity::transaction_log* transactions)
{
    std::deque<activity::energy_report> energies;
    std::vector<activity::tabled_program> tabled;
    std::vector<activity::traced_device> traced;
    for (const auto& device : devices) {
        unsigned number = 0;
        for (const auto& run : device.runs->all()) {
            const auto* log = run.log.get();
            const auto& energy =
                energies.emplace_back(*log, static_cast<double>(clock_period_ps(common)) / 1000, device.models);
            tabled.push_back({device.name, number, job_of(device, number), log, &energy});
            traced.push_back(traced_log(*log, energy, device.utilisation));
            traced.back().job = name_in_trace(device, number++);
        }
    }
    activity::write_latency_csv(directory.latency().string(), tabled);
    activity::write_energy_csv(directory.energy().string(), tabled);
    std::vector<const activity::energy_report*> all;
    for (const auto& energy : energies) { all.push_back(&energy); }
    activity::write_events_csv(directory.events().string(), all);
    activity::write_trace_json(directory.trace().string(), traced, transactions);
}

void write_banks_file(const output_directory& directory, const std::vector<base::counted_memory>& memories)
{
    activity::write_banks_csv(directory.file(output_directory::banks).string(), memories);
}

} // namespace tensorloom::testbench
