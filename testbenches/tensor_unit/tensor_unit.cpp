#include <algorithm>
#include <cmath>
#include <complex>
#include <variant>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/finite_data.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/tensor_unit/value_check.h>
#include "platform/process/process_resources.h"
#include "platform/process/text.h"
#include "platform/mmv/mmv_report.h"
#include "platform/mmv/mmv_run.h"
#include "tensor_unit/tensor_unit.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

using workloads::tensor_unit_input;
using workloads::tensor_unit_values;

// Numbers as the file has them: whole, real or complex.
tensor_unit_values load_values(const std::string& path, std::vector<std::uint64_t>& shape)
{
    const auto header = workloads::read_npy_header(path);
    shape.assign(header.shape.begin(), header.shape.end());
    switch (header.kind) {
    case workloads::npy_kind::real: return workloads::load_npy_as<double>(path).data;
    case workloads::npy_kind::complex: return workloads::load_npy_as<std::complex<double>>(path).data;
    default: return workloads::load_npy_as<std::int64_t>(path).data;
    }
}

// The nearest numbers of the format. Whole ones that it does not hold are refused, and numbers beyond its range.
tensor_unit_values rounded_values(const tensor_unit_options& o, const std::string& what, tensor_unit_values values)
{
    const auto require = [&](bool held, std::size_t element, double value, const char* exactly) {
        if (held) { return; }
        throw base::input_error(what + ": element " + std::to_string(element) + " is " + number_text(value) +
                                ", expected numbers that " + std::string(base::element_type_name(o.format)) + " holds" +
                                exactly);
    };
    if (auto* reals = std::get_if<std::vector<double>>(&values)) {
        for (std::size_t i = 0; i < reals->size(); ++i) {
            const double held = workloads::rounded_to(o.format, (*reals)[i]);
            require(std::isfinite(held) || !std::isfinite((*reals)[i]), i, (*reals)[i], "");
            (*reals)[i] = held;
        }
    } else if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&values)) {
        for (std::size_t i = 0; i < whole->size(); ++i) {
            const auto real = static_cast<double>((*whole)[i]);
            require(base::is_integer(o.format) || workloads::rounded_to(o.format, real) == real, i, real, " exactly");
        }
    }
    return values;
}

// The numbers that a device of this format can hold at all; whole ones become so.
tensor_unit_values fitting_values(const tensor_unit_options& o, const std::string& name,
                                  const std::vector<std::uint64_t>& shape, tensor_unit_values values)
{
    const std::string what = "--input: " + name;
    if (base::is_integer(o.format)) { return workloads::whole_numbers(values, what.c_str()); }
    if (!base::is_complex(o.format) && std::holds_alternative<std::vector<std::complex<double>>>(values)) {
        throw base::input_error(what + " is complex, expected real numbers for --format " +
                                std::string(base::element_type_name(o.format)));
    }
    if (!o.allow_nonfinite) {
        std::visit([&](const auto& numbers) { workloads::require_finite(numbers, shape, what + ": "); }, values);
    }
    return rounded_values(o, what, std::move(values));
}

std::vector<tensor_unit_input> make_inputs(const tensor_unit_options& o)
{
    auto inputs = o.algorithm->inputs(o.problem);
    if (o.inputs.empty()) {
        for (auto& i : inputs) { i.values = rounded_values(o, i.name, std::move(i.values)); }
        return inputs;
    }
    if (o.inputs.size() != inputs.size()) {
        const auto names = listed(inputs, [](const auto& i) { return i.name; });
        throw base::input_error(
            "--input names " + std::to_string(o.inputs.size()) + (o.inputs.size() == 1 ? " file" : " files") +
            ", expected " + std::to_string(inputs.size()) + " for " + std::string(o.algorithm->name) + ": " + names);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        auto values = load_values(o.inputs[i], inputs[i].shape);
        inputs[i].values =
            fitting_values(o, inputs[i].name + " (" + o.inputs[i] + ")", inputs[i].shape, std::move(values));
    }
    try {
        workloads::check_inputs(*o.algorithm, o.problem, inputs);
    } catch (const base::input_error& e) {
        throw base::input_error(std::string("--input: ") + e.what() + " for " + problem_options_text(o));
    }
    return inputs;
}

// What an algorithm refuses of values from files names the files.
workloads::tensor_unit_result run_on(workloads::mmv_session& session, const tensor_unit_options& o,
                                     const std::vector<tensor_unit_input>& inputs)
{
    const auto run = [&] { return o.algorithm->run(session, o.problem, inputs); };
    if (o.inputs.empty()) { return run(); }
    const auto files = listed(
        o.inputs, [](const auto& path) { return path; }, ",");
    return complaining_of("--input " + files, run);
}

std::uint64_t largest_array(const std::vector<tensor_unit_input>& inputs)
{
    std::uint64_t largest = 0;
    for (const auto& i : inputs) { largest = std::max<std::uint64_t>(largest, workloads::count_of(i.values)); }
    return largest;
}

// Operands and result: as made or read, on the memory's bus, as they come back, and once more for the reference; and
// the scratchpad.
std::uint64_t needed_bytes(const tensor_unit_options& o)
{
    const std::uint64_t number = base::is_complex(o.format) ? sizeof(std::complex<double>) : sizeof(double);
    const std::uint64_t copies = o.common.check ? 4 : 3;
    return copies * number * o.algorithm->numbers(o.problem) +
           workloads::least_scratchpad_bytes(*o.algorithm, o.problem, o.side, o.format);
}

void write_result(const std::string& path, const workloads::tensor_unit_result& result)
{
    std::visit(
        [&](const auto& values) {
            workloads::tensor<typename std::decay_t<decltype(values)>::value_type> file;
            file.shape.assign(result.shape.begin(), result.shape.end());
            file.data = values;
            workloads::save_npy(path, file);
        },
        result.values);
}

/// What one run of an algorithm gave.
struct tensor_unit_findings {
    workloads::tensor_unit_problem problem; ///< with the edges of the graph
    std::vector<std::uint64_t> shape;       ///< of the result
    std::int64_t checksum = 0;
    std::uint64_t rounds = 0;                            ///< of the sparse product
    workloads::tensor_unit_cost model;                   ///< the (m,l)-TCU model's numbers, as counted
    std::optional<workloads::tensor_unit_cost> expected; ///< by the closed form, where there is one
    std::optional<workloads::tensor_unit_check> check;
    std::uint64_t scratchpad_bytes = 0; ///< as given, else what the run needed
    mmv_costs costs;
    std::vector<activity::module_energy> energy_models;
    die on;
    process_usage usage;
    std::unique_ptr<mmv_testbed> testbed; ///< with its log

    bool as_closed_form() const { return !expected || *expected == model; }
    /// Values as the reference, and counts as the closed form; true also when nothing was checked.
    bool passed() const { return !check || (check->passed && as_closed_form()); }
};

// A bound of whole numbers.
std::string at_least_text(double bound) { return grouped_text(static_cast<std::uint64_t>(std::ceil(bound))); }

json check_json(const tensor_unit_findings& f)
{
    return {{"passed", f.passed()},
            {"max_abs_error", f.check->max_abs_error},
            {"max_rel_error", f.check->max_rel_error},
            {"worst_of_bound", f.check->worst_of_bound},
            {"bound", f.check->bound},
            {"bounded", f.check->bounded},
            {"backward_error", or_null(f.check->backward_error)},
            {"first_wrong", or_null(f.check->first_wrong)},
            {"as_closed_form", or_null(f.expected.has_value(), f.as_closed_form())},
            {"reference", "a plain loop on the host"}};
}

json configuration_json(const tensor_unit_options& o, const tensor_unit_findings& f)
{
    json configuration = {{"algorithm", o.algorithm->name},
                          {"theorem", or_null(!o.algorithm->theorem.empty(), o.algorithm->theorem)},
                          {"source", o.inputs.empty() ? "formula" : "file"}};
    configuration.update(problem_json(*o.algorithm, f.problem));
    configuration["m"] = o.side * o.side;
    configuration["latency"] = o.latency;
    configuration["charges"] = charges_name(o.problem.charges);
    configuration["memory_bytes"] = f.testbed->memory_bytes();
    configuration.update(device_json(f.testbed->device(), o.common, f.scratchpad_bytes));
    return configuration;
}

void write_check(run_report& report, const tensor_unit_findings& f)
{
    print_closed_form(report, f.expected ? std::optional(f.as_closed_form()) : std::nullopt);
    if (!f.check) { return report.check(std::nullopt); }
    report["check"] = check_json(f);
    report.line("error", "max " + number_text(f.check->max_abs_error) + " absolute, " +
                             number_text(f.check->max_rel_error) + " relative, against a plain loop");
    report.line("bound", f.check->bounded == "equal"
                             ? "equal"
                             : number_text(f.check->worst_of_bound) + " of it at most: " + f.check->bounded);
    if (f.check->backward_error) { report.line("backward error", number_text(*f.check->backward_error)); }
    report.check(f.passed(), first_wrong_text(f.check->first_wrong));
}

/// One algorithm: loads or makes the inputs, runs it in a simulation, checks and writes the result.
class algorithm_run : public mmv_run<tensor_unit_options> {
public:
    using mmv_run::mmv_run;

    void prepare(const costs::technology& technology) override
    {
        mmv_run::prepare(technology);
        require_memory(needed_bytes(m_options), "a smaller problem");
    }

    void simulate(const costs::technology& technology) override
    {
        progress shown(m_options.common.quiet);
        shown.show("generating the inputs");
        const auto inputs = make_inputs(m_options);
        m_found.problem = m_options.problem;
        if (m_options.algorithm->edges != nullptr) { m_found.problem.edges = m_options.algorithm->edges(inputs); }
        const auto device = this->device();

        workloads::tensor_unit_result result;
        m_found.testbed = make_mmv_testbed(
            "platform", device, m_options.common, mmv_memory_for(2 * largest_array(inputs)), m_options.detail(),
            [&](workloads::mmv_session& session) { result = run_on(session, m_options, inputs); }, &shown);
        m_found.usage = run_testbeds({m_found.testbed.get()}, m_options.common,
                                     m_found.testbed->waveform(m_options.device.watched));

        m_found.shape = result.shape;
        m_found.checksum = workloads::checksum_of(result.values);
        m_found.rounds = result.rounds;
        m_found.expected = m_options.algorithm->cost(m_options.problem, m_options.side);
        m_scratchpad_bytes = result.scratchpad_bytes;
        m_found.scratchpad_bytes = m_options.device.scratchpad_bytes.value_or(result.scratchpad_bytes);
        m_found.energy_models = m_found.testbed->energy_models(
            technology, device_energy(device, m_options.common.platform, technology, m_found.scratchpad_bytes));
        m_found.on = m_found.testbed->die_with(
            technology, device_area(device, m_options.common.platform, technology, m_found.scratchpad_bytes));
        m_found.costs = mmv_costs_of(m_found.testbed->runs(), 0, m_found.testbed->programs(),
                                     m_found.testbed->clock_period_ns(), m_found.energy_models);
        m_found.model = model_cost(m_found.costs.counts);
        if (m_options.common.check) {
            shown.show("checking the result");
            m_found.check = workloads::check_values(*m_options.algorithm, m_options.problem, inputs, result.values,
                                                    m_options.side, base::accumulator_type(m_options.format));
        }
        if (m_options.output) { write_result(*m_options.output, result); }
    }

    bool passed() const override { return m_found.passed(); }

    void write_report(run_report& report) const override
    {
        const auto meter = mmv::tcu_meter_of(m_found.costs.counts, m_options.side, m_options.latency);
        const bool weak = m_options.problem.shape == workloads::call_shape::square;
        report.begin(std::string(m_options.algorithm->name) + ", size " +
                         problem_text(*m_options.algorithm, m_found.problem, grouped_text) + ", " +
                         std::string(base::element_type_name(m_options.format)) +
                         ", m = " + std::to_string(m_options.side * m_options.side) + (weak ? " weak" : "") + ", " +
                         fidelity_name(m_options.common),
                     "tensorloom-tensor-unit-summary-2", configuration_json(m_options, m_found));
        report.line(
            "algorithm",
            std::string(m_options.algorithm->description) +
                (m_options.algorithm->theorem.empty() ? "" : " (" + std::string(m_options.algorithm->theorem) + ")"));
        report.line("result", shape_text(m_found.shape, "a number") +
                                  (m_found.rounds != 0 ? " in " + std::to_string(m_found.rounds) + " rounds" : ""));
        report["result"] = {{"shape", m_found.shape},
                            {"checksum", m_found.checksum},
                            {"rounds", or_null(m_found.rounds != 0, m_found.rounds)}};
        print_tcu(report, meter, m_options.latency);
        write_bounds(report);
        if (m_options.problem.charges != workloads::charge_table::v1) {
            report.line("charges", charges_name(m_options.problem.charges) + ": a move of a number costs " +
                                       std::to_string(workloads::charge_of_moves(m_options.problem.charges, 1)) +
                                       " in model time (--charges)");
        }
        const auto call_latency = m_found.testbed->device().call_latency;
        if (m_options.latency != call_latency) {
            report.line("latencies", "two: l = " + grouped_text(m_options.latency) +
                                         " (--latency) is in model time alone, a call of the device takes " +
                                         grouped_text(call_latency) + " cycles more (--call-latency)");
        }
        report["model"] = tcu_json(meter);
        report["model_closed_form"] =
            m_found.expected ? cost_json(*m_found.expected, m_options.side, m_options.latency) : json(nullptr);
        write_costs(report, m_found.costs, m_found.testbed->device(), m_found.scratchpad_bytes, m_found.on,
                    array_cycles(m_found.costs));
        write_check(report, m_found);
        report.simulation(m_found.usage, m_found.costs.counts[mmv::event::mac]);
    }

    void write_programs(const output_directory& directory) const override
    {
        write_program_files(
            directory, m_options.common,
            {programs_of(*m_found.testbed, m_found.energy_models, {std::string(m_options.algorithm->name)})});
        write_banks_file(directory, m_found.testbed->counted_memories());
    }

    std::string failure() const override
    {
        return "check failed: " + std::string(m_options.algorithm->name) +
               (m_found.check->first_wrong ? ", first wrong at " + std::to_string(*m_found.check->first_wrong) +
                                                 ", error " + number_text(m_found.check->max_rel_error) + " (bound " +
                                                 number_text(m_found.check->bound) + ")"
                                           : ", the counts are not those of the closed form");
    }

private:
    void write_bounds(run_report& report) const
    {
        const workloads::run_bounds b(*m_options.algorithm, m_options.problem, m_found.model, m_options.side,
                                      m_options.latency);
        report.line("lower bound", b.products.value ? "time " + at_least_text(*b.products.value) +
                                                          " of semiring products (theorem 2), model time " +
                                                          number_text(*b.time_over_bound()) + " times that"
                                                    : "- (theorem 2): " + std::string(b.products.reason));
        report.line("transfers", grouped_text(b.io) + " of a memory of 3m words that simulates the run (theorem 12), " +
                                     (b.least_io.value ? number_text(*b.io_over_bound()) + " times the lower bound " +
                                                             at_least_text(*b.least_io.value)
                                                       : "lower bound -: " + std::string(b.least_io.reason)));
        report["lower_bounds"] = bounds_json(b);
    }

    tensor_unit_findings m_found;
};

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench_main("tensor_unit", argc, argv, read_tensor_unit_options,
                          [](const tensor_unit_options& o) -> std::unique_ptr<testbench_run> {
                              if (o.theorems) { return make_theorem_run(o); }
                              return std::make_unique<algorithm_run>(o);
                          });
}
