#include "segmented/segmented.h"
#include <algorithm>
#include <cmath>
#include <tensorloom/models/mmv/isa/meters.h>
#include <tensorloom/workloads/segmented/references.h>
#include "platform/mmv/mmv_report.h"
#include "segmented/ranking.h"

namespace tensorloom::testbench {
namespace {

struct scale {
    const char* platform;
    double factor;
};
constexpr scale scales[] = {{"vector_half", 0.5}, {"vector_once", 1}, {"vector_twice", 2}};
constexpr std::size_t unscaled = 1;

constexpr std::uint64_t first_length = 4;

std::vector<std::uint64_t> lengths_of(const segmented_options& o, std::uint64_t largest)
{
    if (o.source.matrix) { return {largest}; }
    std::vector<std::uint64_t> lengths;
    for (std::uint64_t n = std::min(first_length, largest); n < largest; n *= 2) { lengths.push_back(n); }
    lengths.push_back(largest);
    return lengths;
}

// What one program of the host's gave, before energy.
struct raw_run {
    std::size_t first_program = 0;
    std::size_t end_program = 0;
    std::uint64_t scratchpad_bytes = 0;
    bool passed = true;
};

/// One variant at one length, on the device with its vector costs as they are.
struct variant_result {
    const workloads::segmented_variant* variant = nullptr;
    std::uint64_t length = 0;
    std::uint64_t elements = 0;    ///< spmv: of the matrix; else as length
    std::size_t first_program = 0; ///< of the testbed
    std::uint64_t scratchpad_bytes = 0;
    bool passed = true; ///< true also where nothing was checked
    mmv_costs costs;
};

/// All curves with the vector unit's estimates multiplied by a factor: cycles and energy per operation.
struct scaled_curves {
    double factor = 1;
    std::vector<cost_curve> curves; ///< by variant
};

/// What a comparison found.
struct segmented_comparison {
    std::vector<std::uint64_t> lengths;
    std::vector<variant_result> runs;                          ///< variant by variant, length by length
    std::vector<scaled_curves> sensitivity;                    ///< factors 0.5, 1, 2
    std::vector<std::pair<std::string, std::string>> left_out; ///< name and reason
    std::uint64_t macs = 0;                                    ///< that were simulated
    process_usage usage;
    std::vector<activity::module_energy> energy_models; ///< of factor 1
    std::unique_ptr<mmv_testbed> testbed;               ///< of factor 1

    const std::vector<cost_curve>& curves() const { return sensitivity[1].curves; }
    std::vector<std::string> jobs() const ///< of every program of `testbed`
    {
        std::vector<std::string> names(testbed->programs());
        for (const auto& run : runs) {
            const auto first = names.begin() + static_cast<std::ptrdiff_t>(run.first_program);
            std::fill_n(first, run.costs.programs,
                        std::string(run.variant->name) + " of " + std::to_string(run.length));
        }
        return names;
    }
    bool passed() const
    {
        return std::all_of(runs.begin(), runs.end(), [](const variant_result& r) { return r.passed; });
    }
};

// The estimated costs of the vector unit, depth and cycles per group of every instruction, multiplied: rounded up, at
// least 1. Whole cycles cannot be halved below 1: one word per lane and cycle stays what it is.
isa::vector::costs scaled_costs(const isa::vector::costs& costs, double factor)
{
    const auto times = [factor](unsigned cycles) {
        return std::max(1u, static_cast<unsigned>(std::ceil(factor * cycles)));
    };
    auto scaled = costs;
    for (auto& c : scaled) { c = {times(c.depth), times(c.cycles_per_group)}; }
    return scaled;
}

template <class T>
segmented_comparison compare_variants(const segmented_options& o, const costs::technology& technology)
{
    require_energies(technology, device_config(o.device, o.common, o.side, o.format));
    progress shown(o.common.quiet);
    shown.show("generating the data");
    const auto whole = make_problem<T>(o);
    segmented_comparison found;
    found.left_out = o.left_out;
    const bool spmv = o.operation == workloads::segmented_operation::spmv;
    const auto& s = whole.shape;
    found.lengths = lengths_of(o, spmv                ? whole.matrix.rows
                                  : !whole.shape.rows ? whole.x.size()
                                                      : std::max({s.rows, s.inner, s.columns}));
    std::vector<workloads::segmented_problem<T>> problems;
    for (const auto length : found.lengths) { problems.push_back(part_of(o, whole, length)); }

    auto variants = o.compared;
    const bool empty_rows =
        spmv && std::any_of(problems.begin(), problems.end(), [](const auto& p) { return p.matrix.empty_rows() > 0; });
    const auto full_only = std::stable_partition(
        variants.begin(), variants.end(), [&](const auto* v) { return !(v->is(workloads::full_rows) && empty_rows); });
    for (auto v = full_only; v != variants.end(); ++v) {
        found.left_out.emplace_back((*v)->name, "found empty rows, expected none");
    }
    variants.erase(full_only, variants.end());

    std::uint64_t largest = 0;
    for (const auto* v : variants) { largest = std::max(largest, workloads::largest_transfer(*v, whole, o.side)); }

    // The same on three devices, which differ in the costs of their vector units.
    const std::size_t all = variants.size() * problems.size();
    std::size_t done = 0;
    std::vector<std::vector<raw_run>> raw(std::size(scales), std::vector<raw_run>(all));
    std::vector<std::unique_ptr<mmv_testbed>> testbeds(std::size(scales));
    for (std::size_t k = 0; k < std::size(scales); ++k) {
        auto device = device_config(o.device, o.common, o.side, o.format, std::size(scales));
        device.vector_costs = scaled_costs(device.vector_costs, scales[k].factor);
        const auto program = [&, k](workloads::mmv_session& session) {
            for (std::size_t i = 0; i < all; ++i) {
                const auto& problem = problems[i % problems.size()];
                const auto& variant = *variants[i / problems.size()];
                auto& run = raw[k][i];
                run.first_program = testbeds[k]->programs();
                const auto result = workloads::run_segmented(variant, session, problem);
                run.end_program = testbeds[k]->programs();
                run.scratchpad_bytes = result.scratchpad_bytes;
                if (o.common.check && k == unscaled) {
                    run.passed = workloads::check_segmented(variant, problem, result.values, o.side).passed;
                }
                ++done;
                shown.show(static_cast<double>(done) / static_cast<double>(all * std::size(scales)),
                           std::string(variant.name) + " of " + std::to_string(found.lengths[i % problems.size()]));
            }
        };
        testbeds[k] = make_mmv_testbed(scales[k].platform, device, o.common, mmv_memory_for(largest),
                                       k == unscaled ? o.detail() : activity::log_detail::totals, program);
    }
    std::vector<testbed*> together;
    for (const auto& testbed : testbeds) { together.push_back(testbed.get()); }
    found.usage = run_testbeds(together, o.common, {});

    // One scratchpad for all of them: the largest that any needs.
    std::uint64_t scratchpad_bytes = 0;
    for (const auto& run : raw[unscaled]) { scratchpad_bytes = std::max(scratchpad_bytes, run.scratchpad_bytes); }
    scratchpad_bytes = o.device.scratchpad_bytes.value_or(scratchpad_bytes);
    for (std::size_t k = 0; k < std::size(scales); ++k) {
        const auto models = testbeds[k]->energy_models(
            technology, device_energy(testbeds[k]->device(), technology, scratchpad_bytes, scales[k].factor));
        scaled_curves scaled{scales[k].factor, {}};
        for (std::size_t i = 0; i < all; ++i) {
            const auto* variant = variants[i / problems.size()];
            const std::uint64_t length = found.lengths[i % problems.size()];
            if (i % problems.size() == 0) { scaled.curves.push_back({variant->name, {}}); }
            auto costs = mmv_costs_of(testbeds[k]->runs(), raw[k][i].first_program, raw[k][i].end_program,
                                      testbeds[k]->clock_period_ns(), models);
            scaled.curves.back().points.push_back({length, mmv::mmv_ram_meter_of(costs.counts, o.side).steps(),
                                                   costs.cycles, costs.pj(), costs.pj_of("vector_unit")});
            found.macs += costs.counts[mmv::event::mac];
            if (k != unscaled) { continue; }
            found.runs.push_back({variant, length, spmv ? problems[i % problems.size()].matrix.nonzeros() : length,
                                  raw[k][i].first_program, raw[k][i].scratchpad_bytes, raw[k][i].passed,
                                  std::move(costs)});
        }
        found.sensitivity.push_back(std::move(scaled));
        if (k == unscaled) { found.energy_models = models; }
    }
    found.testbed = std::move(testbeds[unscaled]);
    return found;
}

// ---- what is told of it ----

constexpr int column = 14;

std::string padded(const std::string& text)
{
    return text.size() >= column ? " " + text : std::string(column - text.size(), ' ') + text;
}

std::string metric_text(const cost_point& point, cost_metric metric)
{
    return metric == cost_metric::energy ? quantity_text(point.pj, "J")
                                         : grouped_text(metric == cost_metric::steps ? point.steps : point.cycles);
}

void print_metric(std::ostream& out, const std::vector<cost_curve>& curves, cost_metric metric)
{
    out << "  " << name_of(metric) << (metric == cost_metric::steps ? " of the model" : "") << "\n";
    out << "  " << padded("length");
    for (const auto& c : curves) { out << padded(c.variant); }
    out << "\n";
    for (std::size_t i = 0; i < curves.front().points.size(); ++i) {
        out << "  " << padded(grouped_text(curves.front().points[i].length));
        for (const auto& c : curves) { out << padded(metric_text(c.points[i], metric)); }
        out << "\n";
    }
}

std::string crossover_text(const std::vector<std::uint64_t>& lengths, const std::optional<std::uint64_t>& from)
{
    if (!from) { return "never"; }
    return *from == lengths.front() ? "always" : "from " + grouped_text(*from);
}

void print_crossovers(std::ostream& out, const segmented_comparison& c)
{
    out << "  crossover: the smallest length tried from which on the first costs less than the second\n";
    for (const auto& a : c.curves()) {
        for (const auto& b : c.curves()) {
            if (&a == &b) { continue; }
            std::string text;
            bool ever = false;
            for (const auto metric : cost_metrics) {
                const auto from = crossover(a, b, metric);
                ever = ever || from;
                text += std::string(text.empty() ? "" : ", ") + name_of(metric) + " " + crossover_text(c.lengths, from);
            }
            if (ever) { out << "    " << a.variant << " before " << b.variant << ": " << text << "\n"; }
        }
    }
}

void print_sensitivity(std::ostream& out, const segmented_comparison& c)
{
    out << "  sensitivity: the vector unit's estimated cycles and energies multiplied; where variants rank "
           "differently\n";
    for (const auto& scaled : c.sensitivity) {
        if (scaled.factor == 1) { continue; }
        for (const auto metric : {cost_metric::cycles, cost_metric::energy}) {
            const auto changed = changed_rankings(c.curves(), scaled.curves, metric);
            out << "    x " << number_text(scaled.factor) << ", " << name_of(metric) << ": "
                << (changed.empty() ? "the same at every length" : "at length " + listed(changed, grouped_text))
                << "\n";
        }
    }
}

json ranking_json(const std::vector<cost_curve>& curves, std::size_t at)
{
    json by_metric = json::object();
    for (const auto metric : cost_metrics) {
        json names = json::array();
        for (const auto i : ranking(curves, at, metric)) { names.push_back(curves[i].variant); }
        by_metric[name_of(metric)] = names;
    }
    return by_metric;
}

json runs_json(const segmented_options& o, const segmented_comparison& c)
{
    json list = json::array();
    for (const auto& run : c.runs) {
        json entry = {{"variant", run.variant->name},
                      {"length", run.length},
                      {"elements", run.elements},
                      {"passed", or_null(o.common.check, run.passed)},
                      {"first_run", run.first_program},
                      {"scratchpad_bytes_used", run.scratchpad_bytes},
                      {"model", mmv_ram_json(mmv::mmv_ram_meter_of(run.costs.counts, o.side))}};
        entry.update(costs_json(run.costs, *c.testbed, o.common));
        list.push_back(entry);
    }
    return list;
}

json crossovers_json(const segmented_comparison& c)
{
    json list = json::array();
    for (const auto& a : c.curves()) {
        for (const auto& b : c.curves()) {
            if (&a == &b) { continue; }
            json entry = {{"first", a.variant}, {"second", b.variant}};
            for (const auto metric : cost_metrics) {
                const auto from = crossover(a, b, metric);
                entry[name_of(metric)] = or_null(from);
            }
            list.push_back(entry);
        }
    }
    return list;
}

json sensitivity_json(const segmented_comparison& c)
{
    json list = json::array();
    for (const auto& scaled : c.sensitivity) {
        json points = json::array();
        for (const auto& curve : scaled.curves) {
            for (const auto& p : curve.points) {
                points.push_back({{"variant", curve.variant},
                                  {"length", p.length},
                                  {"steps", p.steps},
                                  {"cycles", p.cycles},
                                  {"energy_pJ", p.pj},
                                  {"vector_unit_pJ", p.vector_pj}});
            }
        }
        json rankings = json::array();
        for (std::size_t i = 0; i < c.lengths.size(); ++i) {
            json entry = {{"length", c.lengths[i]}};
            entry.update(ranking_json(scaled.curves, i));
            rankings.push_back(entry);
        }
        json changed = json::object();
        for (const auto metric : cost_metrics) {
            changed[name_of(metric)] = changed_rankings(c.curves(), scaled.curves, metric);
        }
        list.push_back(
            {{"factor", scaled.factor}, {"points", points}, {"rankings", rankings}, {"ranking_changed_at", changed}});
    }
    return list;
}

template <class T> class comparison_run : public testbench_run {
public:
    explicit comparison_run(const segmented_options& options) : m_options(options) {}

    void simulate(const costs::technology& technology) override
    {
        m_found = compare_variants<T>(m_options, technology);
    }
    bool passed() const override { return m_found.passed(); }

    void write_report(run_report& report) const override
    {
        std::uint64_t scratchpad_bytes = 0;
        for (const auto& run : m_found.runs) { scratchpad_bytes = std::max(scratchpad_bytes, run.scratchpad_bytes); }
        report.begin("variants of " + std::string(workloads::name_of(m_options.operation)) + ", " +
                         device_text(m_options),
                     "tensorloom-segmented-comparison-1",
                     configuration_json(m_options, m_found.testbed->memory_bytes(), m_found.testbed->device(),
                                        m_options.device.scratchpad_bytes.value_or(scratchpad_bytes)));
        report["check"] = {{"passed", or_null(m_options.common.check, m_found.passed())}};
        json left_out = json::array();
        for (const auto& [name, why] : m_found.left_out) {
            report.line("left out", name + ": " + why);
            left_out.push_back({{"variant", name}, {"reason", why}});
        }
        for (const auto metric : cost_metrics) { print_metric(report.text(), m_found.curves(), metric); }
        if (m_found.testbed->device().overlap) { report.line("overlap", "on: an extension of the papers' machine"); }
        print_crossovers(report.text(), m_found);
        print_sensitivity(report.text(), m_found);
        for (const auto& run : m_found.runs) {
            if (!run.passed) {
                report.line("wrong", std::string(run.variant->name) + " of length " + grouped_text(run.length));
            }
        }
        report.fields({{"lengths", m_found.lengths},
                       {"left_out", left_out},
                       {"runs", runs_json(m_options, m_found)},
                       {"crossovers", crossovers_json(m_found)},
                       {"sensitivity", sensitivity_json(m_found)}});
        report.check(m_options.common.check ? std::optional(m_found.passed()) : std::nullopt);
        report.simulation(m_found.usage, m_found.macs);
    }

    void write_programs(const output_directory& directory) const override
    {
        write_program_files(directory, m_options.common,
                            {programs_of(*m_found.testbed, m_found.energy_models, m_found.jobs())});
        write_banks_file(directory, m_found.testbed->counted_memories());
    }

    std::string failure() const override
    {
        const auto wrong = std::find_if_not(m_found.runs.begin(), m_found.runs.end(),
                                            [](const variant_result& r) { return r.passed; });
        return "check failed: " + std::string(wrong->variant->name) + " of length " + std::to_string(wrong->length);
    }

private:
    const segmented_options& m_options;
    segmented_comparison m_found;
};

} // namespace

template <class T> std::unique_ptr<testbench_run> make_comparison(const segmented_options& options)
{
    return std::make_unique<comparison_run<T>>(options);
}

template std::unique_ptr<testbench_run> make_comparison<std::int64_t>(const segmented_options&);
template std::unique_ptr<testbench_run> make_comparison<double>(const segmented_options&);

} // namespace tensorloom::testbench
