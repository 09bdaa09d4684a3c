#include "segmented/segmented.h"
#include <algorithm>
#include <cmath>
#include <tensorloom/models/mmv/isa/meters.h>
#include <tensorloom/workloads/segmented/closed_forms.h>
#include <tensorloom/workloads/segmented/references.h>
#include "platform/mmv/mmv_report.h"
#include "platform/mmv/mmv_run.h"
#include "segmented/measures.h"
#include "segmented/ranking.h"

namespace tensorloom::testbench {
namespace {

// A device that all variants run on.
struct compared_device {
    std::string platform;
    device_sizes sizes;
    double factor = 1; // of the costs of its vector unit
};

// The device asked for, with its vector costs at half, once and twice; then those of other sizes.
constexpr std::size_t scales = 3, unscaled = 1;
std::vector<compared_device> devices_of(const segmented_options& o)
{
    const device_sizes own{o.side, o.device.config.lanes, o.device.config.banks};
    std::vector<compared_device> devices{{"vector_half", own, 0.5}, {"vector_once", own, 1}, {"vector_twice", own, 2}};
    for (const auto& sizes : o.varied) {
        devices.push_back({"varied_" + std::to_string(devices.size() - scales), sizes, 1});
    }
    return devices;
}

constexpr std::uint64_t first_length = 4;

std::vector<std::uint64_t> lengths_of(const segmented_options& o, std::uint64_t largest)
{
    if (o.source.matrix || o.source.attention) { return {largest}; }
    std::vector<std::uint64_t> lengths;
    for (std::uint64_t n = std::min(first_length, largest); n < largest; n *= 2) { lengths.push_back(n); }
    lengths.push_back(largest);
    return lengths;
}

// What one program of the host's gave, before energy.
struct raw_run {
    std::size_t first_program = 0;
    std::size_t end_program = 0;
    workloads::session_costs session;
    std::uint64_t data_bytes = 0;
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
    segmented_measures measures;
};

/// All curves with the vector unit's estimates multiplied by a factor: cycles and energy per operation.
struct scaled_curves {
    double factor = 1;
    std::vector<cost_curve> curves; ///< by variant
};

/// The curves on a device of other sizes.
struct varied_curves {
    device_sizes sizes;
    std::vector<cost_curve> curves; ///< by variant
};

/// What a comparison found.
struct segmented_comparison {
    std::vector<std::uint64_t> lengths;
    std::vector<variant_result> runs;       ///< variant by variant, length by length
    std::vector<scaled_curves> sensitivity; ///< factors 0.5, 1, 2
    std::vector<varied_curves> varied;
    std::vector<std::string> wrong;                            ///< runs whose values are wrong
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
    bool passed() const { return wrong.empty(); }
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

    const auto devices = devices_of(o);
    std::uint64_t largest = 0;
    for (const auto& device : devices) {
        for (const auto* v : variants) {
            largest = std::max(largest, workloads::largest_transfer(*v, whole, device.sizes.array));
        }
    }

    const std::size_t all = variants.size() * problems.size();
    const auto name_of_run = [&](std::size_t i) {
        return std::string(variants[i / problems.size()]->name) + " of " +
               std::to_string(found.lengths[i % problems.size()]);
    };
    std::size_t done = 0;
    std::vector<std::vector<raw_run>> raw(devices.size(), std::vector<raw_run>(all));
    std::vector<std::unique_ptr<mmv_testbed>> testbeds(devices.size());
    for (std::size_t k = 0; k < devices.size(); ++k) {
        auto device = sized_device(o, devices[k].sizes, devices.size());
        device.vector_costs = scaled_costs(device.vector_costs, devices[k].factor);
        const auto program = [&, k](workloads::mmv_session& session) {
            for (std::size_t i = 0; i < all; ++i) {
                const auto& problem = problems[i % problems.size()];
                const auto& variant = *variants[i / problems.size()];
                auto& run = raw[k][i];
                run.first_program = testbeds[k]->programs();
                const auto result = workloads::run_segmented(variant, session, problem);
                run.end_program = testbeds[k]->programs();
                run.session = result;
                run.data_bytes = result.data_bytes;
                if (o.common.check && devices[k].factor == 1) {
                    const auto side = devices[k].sizes.array;
                    const auto word = base::accumulator_type(o.format);
                    run.passed = workloads::check_segmented(variant, problem, result.values, side, word).passed;
                    if (!run.passed) { found.wrong.push_back(name_of_run(i) + " with " + text_of(devices[k].sizes)); }
                }
                ++done;
                shown.show(static_cast<double>(done) / static_cast<double>(all * devices.size()), name_of_run(i));
            }
        };
        testbeds[k] = make_mmv_testbed(devices[k].platform, device, o.common, mmv_memory_for(largest),
                                       k == unscaled ? o.detail() : activity::log_detail::totals, program);
    }
    std::vector<testbed*> together;
    for (const auto& testbed : testbeds) { together.push_back(testbed.get()); }
    found.usage = run_testbeds(together, o.common, {});

    for (std::size_t k = 0; k < devices.size(); ++k) {
        // One scratchpad for all runs: the largest that any needs.
        std::uint64_t scratchpad_bytes = 0;
        for (const auto& run : raw[k]) { scratchpad_bytes = std::max(scratchpad_bytes, run.session.scratchpad_bytes); }
        scratchpad_bytes = o.device.scratchpad_bytes.value_or(scratchpad_bytes);
        const auto models =
            testbeds[k]->energy_models(technology, device_energy(testbeds[k]->device(), o.common.platform, technology,
                                                                 scratchpad_bytes, devices[k].factor));
        std::vector<cost_curve> curves;
        for (std::size_t i = 0; i < all; ++i) {
            const auto* variant = variants[i / problems.size()];
            const std::uint64_t length = found.lengths[i % problems.size()];
            if (i % problems.size() == 0) { curves.push_back({variant->name, {}}); }
            auto costs = mmv_costs_of(testbeds[k]->runs(), raw[k][i].first_program, raw[k][i].end_program,
                                      testbeds[k]->clock_period_ns(), models);
            curves.back().points.push_back({length, mmv::mmv_ram_meter_of(costs.counts, devices[k].sizes.array).steps(),
                                            costs.cycles, costs.pj(), costs.pj_of("vector_unit")});
            found.macs += costs.counts[mmv::event::mac];
            if (k != unscaled) { continue; }
            const std::uint64_t cycles = costs.cycles;
            const auto& problem = problems[i % problems.size()];
            const auto& run = raw[k][i];
            found.runs.push_back({variant,
                                  length,
                                  spmv ? problem.matrix.nonzeros() : length,
                                  run.first_program,
                                  run.session.scratchpad_bytes,
                                  run.passed,
                                  std::move(costs),
                                  {workloads::sizes_of(*variant, problem).elements, run.data_bytes,
                                   costs_by_part(testbeds[k]->runs(), run.first_program, run.session.parts), cycles}});
        }
        if (k < scales) {
            found.sensitivity.push_back({devices[k].factor, std::move(curves)});
        } else {
            found.varied.push_back({devices[k].sizes, std::move(curves)});
        }
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

// A row per length, a column per variant; `cell`: the text at a variant and a length.
template <class Cell>
void print_table(std::ostream& out, const segmented_comparison& c, const std::string& title, Cell cell)
{
    out << "  " << title << "\n  " << padded("length");
    for (const auto& curve : c.curves()) { out << padded(curve.variant); }
    out << "\n";
    for (std::size_t i = 0; i < c.lengths.size(); ++i) {
        out << "  " << padded(grouped_text(c.lengths[i]));
        for (std::size_t v = 0; v < c.curves().size(); ++v) { out << padded(cell(v, i)); }
        out << "\n";
    }
}

void print_metric(std::ostream& out, const segmented_comparison& c, cost_metric metric)
{
    print_table(out, c, std::string(name_of(metric)) + (metric == cost_metric::steps ? " of the model" : ""),
                [&](std::size_t v, std::size_t i) { return metric_text(c.curves()[v].points[i], metric); });
}

void print_throughput(std::ostream& out, const segmented_comparison& c, const common_options& common)
{
    const auto print = [&](const char* unit, double (*per_ns)(const segmented_measures&, double)) {
        print_table(out, c, unit, [&](std::size_t v, std::size_t i) {
            const auto& run = c.runs[v * c.lengths.size() + i];
            return number_text(per_ns(run.measures, ns_of(run.costs.cycles, common)));
        });
    };
    print("Gelem/s", elements_per_ns);
    print("GB/s of operands and result", bytes_per_ns);
}

// By metric: "steps from 1,024, cycles not up to 4,096, energy from 256"; nothing when the first never costs less.
std::string crossover_text(const cost_curve& a, const cost_curve& b)
{
    std::string text;
    bool ever = false;
    for (const auto metric : cost_metrics) {
        const auto from = crossover(a, b, metric);
        ever = ever || from;
        text += std::string(text.empty() ? "" : ", ") + name_of(metric) +
                (from ? " from " + grouped_text(*from) : " not up to " + grouped_text(a.points.back().length));
    }
    return ever ? text : "";
}

void print_crossovers(std::ostream& out, const segmented_comparison& c)
{
    out << "  crossover: the smallest length from which on the first costs less than the second; tried "
        << (c.lengths.size() == 1 ? grouped_text(c.lengths.front())
                                  : grouped_text(c.lengths.front()) + " to " + grouped_text(c.lengths.back()))
        << "\n";
    for (std::size_t a = 0; a < c.curves().size(); ++a) {
        for (std::size_t b = 0; b < c.curves().size(); ++b) {
            if (a == b) { continue; }
            const auto pair = "    " + c.curves()[a].variant + " before " + c.curves()[b].variant;
            const auto text = crossover_text(c.curves()[a], c.curves()[b]);
            if (!text.empty()) { out << pair << ": " << text << "\n"; }
            for (const auto& device : c.varied) {
                const auto with = crossover_text(device.curves[a], device.curves[b]);
                if (!with.empty()) { out << pair << " with " << text_of(device.sizes) << ": " << with << "\n"; }
            }
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
        entry.update(costs_json(run.costs, c.testbed->device(), o.common));
        entry.update(measures_json(run.measures, ns_of(run.costs.cycles, o.common)));
        list.push_back(entry);
    }
    return list;
}

json crossovers_json(const std::vector<cost_curve>& curves)
{
    json list = json::array();
    for (const auto& a : curves) {
        for (const auto& b : curves) {
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

json points_json(const std::vector<cost_curve>& curves)
{
    json points = json::array();
    for (const auto& curve : curves) {
        for (const auto& p : curve.points) {
            points.push_back({{"variant", curve.variant},
                              {"length", p.length},
                              {"steps", p.steps},
                              {"cycles", p.cycles},
                              {"energy_pJ", p.pj},
                              {"vector_unit_pJ", p.vector_pj}});
        }
    }
    return points;
}

json varied_json(const segmented_comparison& c)
{
    json list = json::array();
    for (const auto& device : c.varied) {
        list.push_back({{"array", device.sizes.array},
                        {"lanes", device.sizes.lanes},
                        {"banks", device.sizes.banks},
                        {"points", points_json(device.curves)},
                        {"crossovers", crossovers_json(device.curves)}});
    }
    return list;
}

json sensitivity_json(const segmented_comparison& c)
{
    json list = json::array();
    for (const auto& scaled : c.sensitivity) {
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
        list.push_back({{"factor", scaled.factor},
                        {"points", points_json(scaled.curves)},
                        {"rankings", rankings},
                        {"ranking_changed_at", changed}});
    }
    return list;
}

template <class T> class comparison_run : public mmv_run<segmented_options> {
public:
    using mmv_run::mmv_run;

    void simulate(const costs::technology& technology) override
    {
        m_found = compare_variants<T>(m_options, technology);
        for (const auto& run : m_found.runs) {
            m_scratchpad_bytes = std::max(m_scratchpad_bytes, run.scratchpad_bytes);
        }
    }
    bool passed() const override { return m_found.passed(); }

    void write_report(run_report& report) const override
    {
        report.begin("variants of " + std::string(workloads::name_of(m_options.operation)) + ", " +
                         device_text(m_options),
                     "tensorloom-segmented-comparison-1",
                     configuration_json(m_options, m_found.testbed->memory_bytes(), m_found.testbed->device(),
                                        m_options.device.scratchpad_bytes.value_or(m_scratchpad_bytes)));
        report["check"] = {{"passed", or_null(m_options.common.check, m_found.passed())}};
        json left_out = json::array();
        for (const auto& [name, why] : m_found.left_out) {
            report.line("left out", name + ": " + why);
            left_out.push_back({{"variant", name}, {"reason", why}});
        }
        for (const auto metric : cost_metrics) { print_metric(report.text(), m_found, metric); }
        print_throughput(report.text(), m_found, report.common());
        if (m_found.testbed->device().overlap) { report.line("overlap", "on: an extension of the papers' machine"); }
        print_crossovers(report.text(), m_found);
        print_sensitivity(report.text(), m_found);
        for (const auto& run : m_found.wrong) { report.line("wrong", run); }
        report.fields({{"lengths", m_found.lengths},
                       {"left_out", left_out},
                       {"runs", runs_json(m_options, m_found)},
                       {"crossovers", crossovers_json(m_found.curves())},
                       {"varied", varied_json(m_found)},
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

    std::string failure() const override { return "check failed: " + m_found.wrong.front(); }

private:
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
