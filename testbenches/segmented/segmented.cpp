#include <algorithm>
#include <array>
#include <type_traits>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/mmv/isa/meters.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/segmented/closed_forms.h>
#include <tensorloom/workloads/segmented/parts.h>
#include <tensorloom/workloads/segmented/references.h>
#include "platform/mmv/mmv_pairs.h"
#include "platform/mmv/mmv_report.h"
#include "platform/mmv/mmv_run.h"
#include "platform/run/child_process.h"
#include "segmented/divided_run.h"
#include "segmented/measures.h"
#include "segmented/segmented.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

using workloads::segmented_operation;

/// What one run of a variant gave.
struct segmented_findings {
    std::uint64_t results = 0;            ///< elements of the result
    std::uint64_t nonzeros = 0;           ///< spmv
    std::optional<std::int64_t> checksum; ///< of integers
    std::optional<workloads::segmented_check> check;
    mmv::mmv_ram_meter model;           ///< the MMV-RAM model's numbers, as counted
    mmv::mmv_ram_meter expected;        ///< by the closed form
    std::uint64_t scratchpad_bytes = 0; ///< as given, else what the run needed
    mmv_costs costs;
    std::uint64_t working_cycles = 0; ///< of the arrays
    segmented_measures measures;
    die on;
    process_usage usage;
    mmv::config device;
    std::uint64_t memory_bytes = 0;
    std::vector<device_programs> programs; ///< with the logs of testbed or pairs
    std::vector<base::counted_memory> banks;
    std::unique_ptr<mmv_testbed> testbed; ///< one pair
    std::unique_ptr<mmv_pairs> pairs;     ///< several
    std::optional<divided_run> divided;   ///< how they shared the work

    /// Values as the reference, and counts as the closed form; true also when nothing was checked.
    bool passed() const { return !check || (check->passed && model == expected); }
};

template <class T>
void write_result(const segmented_options& o, const workloads::segmented_problem<T>& problem,
                  const std::vector<T>& values)
{
    const bool matrix = o.operation == workloads::segmented_operation::matrix_product;
    workloads::tensor<T> result;
    result.shape = matrix ? std::vector<std::size_t>{problem.shape.rows, problem.shape.columns}
                          : std::vector<std::size_t>{values.size()};
    result.data = values;
    workloads::save_npy(*o.output, result);
}

std::string size_text(const segmented_options& o, std::uint64_t length, std::uint64_t nonzeros)
{
    if (o.operation == segmented_operation::spmv) {
        return grouped_text(nonzeros) + " elements in " + grouped_text(length) + " rows";
    }
    if (o.operation == segmented_operation::matrix_product) {
        const auto& s = o.source.shape;
        return shape_text(std::array{s.rows, s.inner, s.columns});
    }
    return counted(length, "element", "elements");
}

json bound_json(const std::optional<workloads::segmented_bound>& bound)
{
    if (!bound) { return nullptr; }
    return {{"formula", bound->formula},
            {"c", bound->additions},
            {"worst_element", bound->worst},
            {"at_worst_element", bound->at_worst},
            {"error_at_worst_element", bound->error},
            {"at_max_abs_element", bound->at_largest}};
}

json check_json(const segmented_findings& f)
{
    return {{"passed", f.passed()},
            {"max_abs_error", f.check->max_abs_error},
            {"max_rel_error", f.check->max_rel_error},
            {"max_abs_element", f.check->max_abs_element},
            {"max_rel_element", f.check->max_rel_element},
            {"worst_of_bound", f.check->worst_of_bound},
            {"first_wrong", or_null(f.check->first_wrong)},
            {"as_closed_form", f.model == f.expected},
            {"reference", f.check->reference},
            {"bound", bound_json(f.check->bound)},
            {"warning", or_null(f.check->warning)}};
}

void write_check(run_report& report, const segmented_findings& f)
{
    print_closed_form(report, f.model == f.expected);
    if (!f.check) { return report.check(std::nullopt); }
    report["check"] = check_json(f);
    const auto& c = *f.check;
    const bool says_where = c.bound && c.max_abs_error > 0;
    const auto at = [&](std::uint64_t element) { return says_where ? " at element " + grouped_text(element) : ""; };
    report.line("error", "max " + number_text(c.max_abs_error) + " absolute" + at(c.max_abs_element) +
                             (says_where ? " (bound there " + number_text(c.bound->at_largest) + ")" : "") + ", " +
                             number_text(c.max_rel_error) + " relative" + at(c.max_rel_element) + ", against a " +
                             c.reference);
    if (c.bound) {
        report.line("bound", "per element, " + c.bound->formula + " = " + number_text(c.bound->additions));
        report.line("nearest to its bound", "element " + grouped_text(c.bound->worst) + ": off by " +
                                                number_text(c.bound->error) + " of " + number_text(c.bound->at_worst) +
                                                " allowed, " + number_text(c.worst_of_bound) + " of its bound");
    }
    if (c.warning) { report.line("warning", *c.warning); }
    report.check(f.passed(), first_wrong_text(c.first_wrong));
}

/// One variant: runs it in a simulation, checks and writes the result. T: int64_t, double.
template <class T> class variant_run : public mmv_run<segmented_options> {
public:
    using mmv_run::mmv_run;

    void simulate(const costs::technology& technology) override
    {
        progress shown(m_options.common.quiet);
        shown.show("generating the data");
        const auto problem = make_problem<T>(m_options);
        const auto result =
            m_options.pairs > 1 ? run_on_pairs(problem, technology, shown) : run_alone(problem, technology, shown);
        m_found.results = result.values.size();
        m_found.nonzeros = problem.matrix.nonzeros();
        if constexpr (std::is_integral_v<T>) { m_found.checksum = workloads::weighted_checksum(result.values); }
        m_found.model = mmv::mmv_ram_meter_of(m_found.costs.counts, m_options.side);
        m_found.measures.elements = workloads::sizes_of(*m_options.variant, problem).elements;
        m_found.measures.bytes = result.data_bytes;
        if (m_options.common.check) {
            shown.show("checking the result");
            m_found.check = workloads::check_segmented(*m_options.variant, problem, result.values, m_options.side,
                                                       base::accumulator_type(m_options.format));
        }
        if (m_options.output) { write_result(m_options, problem, result.values); }
    }

    bool passed() const override { return m_found.passed(); }

    void write_report(run_report& report) const override
    {
        const bool spmv = m_options.operation == segmented_operation::spmv;
        report.begin(std::string(workloads::name_of(m_options.operation)) + " by " + m_options.variant->name + ", " +
                         size_text(m_options, spmv ? m_found.results : m_options.source.length, m_found.nonzeros) +
                         ", " + device_text(m_options),
                     "tensorloom-segmented-summary-2",
                     configuration_json(m_options, m_found.memory_bytes, m_found.device, m_found.scratchpad_bytes));
        report.line("algorithm", m_options.variant->description);
        report.line("result", counted(m_found.results, "element", "elements"));
        report["result"] = {{"elements", m_found.results},
                            {"nonzeros", or_null(spmv, m_found.nonzeros)},
                            {"checksum", or_null(m_found.checksum)}};
        print_mmv_ram(report, m_found.model, m_found.device.word_bits);
        report["model"] = mmv_ram_json(m_found.model);
        report["model_closed_form"] = mmv_ram_json(m_found.expected);
        write_costs(report, m_found.costs, m_found.device, m_found.scratchpad_bytes, m_found.on, m_found.working_cycles,
                    m_options.pairs);
        write_measures(report, m_found.measures, ns_of(m_found.costs.cycles, m_options.common));
        write_divided(report, m_found.divided, m_found.costs);
        write_check(report, m_found);
        report.simulation(m_found.usage, m_found.costs.counts[mmv::event::mac]);
    }

    void write_programs(const output_directory& directory) const override
    {
        write_program_files(directory, m_options.common, m_found.programs);
        write_banks_file(directory, m_found.banks);
    }

    std::string failure() const override
    {
        return "check failed: " + std::string(m_options.variant->name) +
               (m_found.check->first_wrong ? ", first wrong at " + std::to_string(*m_found.check->first_wrong) +
                                                 ", against a " + m_found.check->reference
                                           : ", the counts are not those of the closed form");
    }

private:
    using sizes = workloads::segmented_sizes;

    workloads::segmented_result<T> run_alone(const workloads::segmented_problem<T>& problem,
                                             const costs::technology& technology, progress& shown)
    {
        const auto& variant = *m_options.variant;
        m_found.device = this->device();
        workloads::segmented_result<T> result;
        // All tiles are in memory at once, with their flags and results.
        const std::uint64_t arrays = m_options.tile ? 2 : 1;
        m_found.testbed = make_mmv_testbed(
            "platform", m_found.device, m_options.common,
            mmv_memory_for(arrays * workloads::largest_transfer(variant, problem, m_options.side)), m_options.detail(),
            [&](workloads::mmv_session& session) {
                result = m_options.tile ? run_segmented_in_tiles(variant, session, problem, *m_options.tile)
                                        : workloads::run_segmented(variant, session, problem);
            },
            &shown);
        auto& testbed = *m_found.testbed;
        m_found.usage = run_testbeds({&testbed}, m_options.common, testbed.waveform(m_options.device.watched));

        note_scratchpad(result.scratchpad_bytes);
        const auto models = testbed.energy_models(technology, energy_of_one(technology));
        m_found.on = testbed.die_with(technology, area_of_one(technology));
        m_found.costs = mmv_costs_of(testbed.runs(), 0, testbed.programs(), testbed.clock_period_ns(), models);
        m_found.working_cycles = array_cycles(m_found.costs);
        m_found.measures.primitives = costs_by_part(testbed.runs(), 0, result.parts);
        m_found.measures.cycles = m_found.costs.cycles;
        m_found.memory_bytes = testbed.memory_bytes();
        m_found.programs = {programs_of(testbed, models, {variant.name})};
        m_found.banks = testbed.counted_memories();
        const auto limits = mmv::limits_of(m_found.device);
        const unsigned word_bits = m_found.device.word_bits;
        if (!m_options.tile) {
            m_found.expected =
                workloads::expected_meter(variant, workloads::sizes_of(variant, problem), limits, word_bits);
            return result;
        }
        std::vector<sizes> tiles;
        for (const auto& tile : workloads::tiles_of(variant, problem, *m_options.tile)) {
            tiles.push_back(workloads::sizes_of(variant, tile));
        }
        m_found.expected = workloads::expected_meter_of_tiles(variant, tiles, limits, word_bits);
        return result;
    }

    workloads::segmented_result<T> run_on_pairs(const workloads::segmented_problem<T>& problem,
                                                const costs::technology& technology, progress& shown)
    {
        const auto& variant = *m_options.variant;
        shown.show("running one pair alone");
        m_found.divided.emplace();
        m_found.divided->one_pair_cycles = cycles_alone(problem, technology);
        m_found.device = this->device(m_options.pairs);
        workloads::segmented_parts<T> parts(variant, problem, m_options.pairs);
        std::vector<sizes> filled;
        std::uint64_t largest = 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            m_found.divided->elements.push_back(parts.elements(i));
            if (!parts.problem(i)) { continue; }
            filled.push_back(workloads::sizes_of(variant, *parts.problem(i)));
            largest = std::max(largest, workloads::largest_transfer(variant, *parts.problem(i), m_options.side));
        }
        std::vector<workloads::segmented_result<T>> results(parts.size());
        m_found.pairs = std::make_unique<mmv_pairs>(
            parts.size(), m_found.device, m_options.common, mmv_memory_for(largest), m_options.detail(),
            [&](std::size_t i, workloads::mmv_session& session, const std::function<void()>& meet) {
                shown.show("pair " + std::to_string(i) + " of " + std::to_string(parts.size()));
                results[i] = parts.run(i, session, meet);
            });
        auto& pairs = *m_found.pairs;
        m_found.usage = pairs.run(m_options.device.watched);

        workloads::segmented_result<T> result;
        result.values = parts.joined(results);
        result.data_bytes = parts.data_bytes(results);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            result.scratchpad_bytes = std::max(result.scratchpad_bytes, results[i].scratchpad_bytes);
            add_parts(m_found.measures.primitives, costs_by_part(pairs.runs(i), 0, results[i].parts));
        }
        note_scratchpad(result.scratchpad_bytes);
        const auto energy = energy_of_one(technology);
        auto found = pairs.costs(technology, energy);
        m_found.on = pairs.die_with(technology, area_of_one(technology));
        for (const auto& each : found.each) {
            m_found.divided->steps.push_back(mmv::mmv_ram_meter_of(each.counts, m_options.side).steps());
            m_found.working_cycles += array_cycles(each);
            m_found.measures.cycles += each.cycles;
        }
        m_found.costs = std::move(found.whole);
        m_found.divided->each = std::move(found.each);
        m_found.memory_bytes = pairs.memory_bytes();
        m_found.programs = pairs.programs(energy, variant.name);
        m_found.banks = pairs.counted_memories();
        m_found.expected = workloads::expected_meter_of_parts(variant, filled, mmv::limits_of(m_found.device),
                                                              m_found.device.word_bits);
        return result;
    }

    // Cycles of the whole problem on one pair; none where that cannot run it.
    std::optional<std::uint64_t> cycles_alone(const workloads::segmented_problem<T>& problem,
                                              const costs::technology& technology) const
    {
        auto alone = m_options;
        alone.pairs = 1;
        alone.common.quiet = true;
        alone.common.out.reset();
        alone.common.vcd.reset();
        alone.common.address_trace.reset();
        const double cycles = number_from_child([&]() -> double {
            try {
                variant_run<T> one(alone);
                progress silent(true);
                one.run_alone(problem, technology, silent);
                return static_cast<double>(one.m_found.costs.cycles);
            } catch (const base::input_error&) { // a scratchpad that holds only a part
                return 0;
            } catch (const wrong_result&) { // a sum out of range that the parts do not have
                return 0;
            }
        });
        return cycles > 0 ? std::optional(static_cast<std::uint64_t>(cycles)) : std::nullopt;
    }

    void note_scratchpad(std::uint64_t used_bytes)
    {
        m_scratchpad_bytes = used_bytes;
        m_found.scratchpad_bytes = m_options.device.scratchpad_bytes.value_or(used_bytes);
    }

    costs::energy_model energy_of_one(const costs::technology& technology) const
    {
        return device_energy(m_found.device, m_options.common.platform, technology, m_found.scratchpad_bytes);
    }

    costs::floor_plan area_of_one(const costs::technology& technology) const
    {
        return device_area(m_found.device, m_options.common.platform, technology, m_found.scratchpad_bytes);
    }

    segmented_findings m_found;
};

template <class T> std::unique_ptr<testbench_run> make_run(const segmented_options& o)
{
    if (o.compare) { return make_comparison<T>(o); }
    return std::make_unique<variant_run<T>>(o);
}

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench_main("segmented", argc, argv, read_segmented_options, [](const segmented_options& o) {
        if (o.theorems) { return make_theorem_run(o); }
        return base::is_integer(o.format) ? make_run<std::int64_t>(o) : make_run<double>(o);
    });
}
