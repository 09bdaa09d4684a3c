#include "orbital/class_run.h"
#include <algorithm>
#include <complex>
#include <iterator>
#include <tensorloom/models/torus/isa/energy.h>
#include <tensorloom/models/torus/isa/multiply_command.h>
#include "platform/report/report_table.h"
#include "orbital/class_product.h"
#include "orbital/orbital.h"
#include "platform/torus/torus_testbed.h"
#include "platform/report/transform_report.h"

namespace tensorloom::testbench {
namespace {

using torus::event;
using torus::matrix_class;

constexpr const char* all_classes = "all";

/// What the literature calls a class of schedules, and the option's synonym for it.
struct named_algorithm {
    const char* name;
    const char* synonym = nullptr;
};
// By class.
constexpr named_algorithm algorithms[] = {
    {"SUMMA", "summa"}, {"Fox", "fox"}, {"Fox, mirrored"}, {"Cannon", "cannon"}, {"systolic array"}};
static_assert(std::size(algorithms) == std::size(torus::matrix_class_values));

const char* algorithm_of(matrix_class cls) { return algorithms[static_cast<unsigned>(cls)].name; }

const char* name_of(matrix_class cls) { return torus::matrix_class_values[static_cast<unsigned>(cls)].name; }
const char* name_of(torus::matrix_form form) { return torus::matrix_form_values[static_cast<unsigned>(form)].name; }
const char* text_of(torus::matrix_form form) { return torus::matrix_form_values[static_cast<unsigned>(form)].meaning; }

// What --class may be.
std::vector<std::string> class_choices()
{
    auto choices = names_of(torus::matrix_class_values);
    for (const auto& algorithm : algorithms) {
        if (algorithm.synonym != nullptr) { choices.emplace_back(algorithm.synonym); }
    }
    choices.emplace_back(all_classes);
    return choices;
}

product_fit fit_of(const orbital_options& o)
{
    const auto size = descriptor_sizes(o.shape);
    return fit_product(o.device, {size[0], size[1], size[2]});
}

/// What a class did.
struct measured_class {
    matrix_class cls = matrix_class::cra;
    device_costs<torus::counts> costs;
    std::uint64_t longest_pitches = 0;
    std::optional<workloads::check_result> check;

    std::uint64_t word_pitches() const
    {
        const auto& counts = costs.counts;
        return counts[event::link_word_pitch_q] + counts[event::link_word_pitch_s] + counts[event::line_word_pitch_q] +
               counts[event::line_word_pitch_s];
    }
    std::uint64_t working_cycles() const
    {
        return costs.counts[event::compute_cycle] + costs.counts[event::exposed_roll_cycle];
    }
    std::uint64_t over_links(torus::axis along) const { return torus::link_words(costs.counts, along); }
    std::uint64_t rolled() const { return over_links(torus::axis::q) + over_links(torus::axis::s); }
    double links_pj() const { return costs.pj_of("links"); }
};

template <class T> class class_run final : public testbench_run {
public:
    explicit class_run(const orbital_options& options)
        : m_options(options), m_fit(fit_of(options)), m_product(options, options.product->form)
    {}

    std::vector<costs::floor_plan> devices(const costs::technology& technology) const override
    {
        return {torus::device_area(technology, parameters())};
    }

    void prepare(const costs::technology& technology) override
    {
        const auto parameters = this->parameters();
        memory_layout memory(memory_base);
        m_program = memory.place(largest_program);
        m_product.lay_out(memory);
        for (const auto cls : m_options.product->classes) {
            m_commands.push_back(m_product.command_of(cls, m_fit.blocks, m_options.vector));
        }
        m_memory_bytes = memory.bytes();
        const auto& around = m_options.common.platform;
        m_models = {{platform_name + std::string(".device"), torus::device_energy(technology, parameters)},
                    {platform_name + std::string(".memory"),
                     memory_energy(around, technology, around.memory_bytes(m_memory_bytes))}};
        for (const auto& distance : torus::node_distances_um(technology, parameters)) {
            m_distance_um = std::max(m_distance_um, distance.value);
        }
        m_die = die_of(technology, {torus::device_area(technology, parameters),
                                    memory_plan(around, technology, around.memory_bytes(m_memory_bytes))});
        require_memory(needed_bytes(),
                       m_options.common.is_stepped() ? "smaller matrices, or --fidelity fast" : "smaller matrices");
        m_product.fill(m_options);
    }

    void simulate(const costs::technology&) override
    {
        require_room(m_options.common.platform, m_memory_bytes);
        testbed_settings settings;
        settings.memory_bytes = m_memory_bytes;
        settings.detail = m_options.detail();
        bus::host_thread::program_type program = [this](bus::host_thread& cpu) {
            m_product.preload(cpu);
            for (const auto& command : m_commands) { m_found.push_back(m_product.run(cpu, command, m_program)); }
        };
        const auto config = device_config(m_options.device, m_options.common, m_fit.device, m_options.format);
        m_testbed =
            std::make_unique<torus_testbed>(platform_name, config, m_options.common, settings, std::move(program));
        m_usage = run_testbeds({m_testbed.get()}, m_options.common, m_testbed->waveform(std::vector<torus::shape3>{}));
        for (std::size_t i = 0; i < m_commands.size(); ++i) { m_runs.push_back(measured(i)); }
    }

    bool passed() const override
    {
        return std::all_of(m_runs.begin(), m_runs.end(), [](const auto& r) { return !r.check || r.check->passed; });
    }
    void write_report(run_report& report) const override;
    void write_programs(const output_directory& directory) const override
    {
        std::vector<std::string> jobs;
        for (const auto cls : m_options.product->classes) { jobs.emplace_back(name_of(cls)); }
        write_program_files(directory, m_options.common,
                            {{"torus", &m_testbed->runs(), m_models,
                              mac_utilisation("of the plane's multipliers", static_cast<std::size_t>(event::mac),
                                              static_cast<double>(multipliers())),
                              jobs}});
    }

private:
    static constexpr std::uint64_t largest_program = 4096;
    static constexpr const char* platform_name = "platform";

    std::uint64_t multipliers() const
    {
        return std::uint64_t{m_fit.device.side} * m_fit.device.side * m_options.device.config.macs_per_cycle;
    }
    /// Of all classes together: each does the product once.
    array_use use_of_all() const
    {
        double working = 0;
        for (const auto& run : m_runs) { working += static_cast<double>(run.working_cycles()); }
        return {m_product.macs() * m_runs.size(), static_cast<double>(multipliers()), working, "plane's multipliers"};
    }
    double utilisation(const measured_class& run) const
    {
        const auto possible = static_cast<double>(multipliers()) * static_cast<double>(run.costs.cycles);
        return possible == 0 ? 0 : static_cast<double>(m_product.macs()) / possible;
    }

    // Roughly: matrices in memory, on the torus and on the host, where each class has its result; nodes.
    std::uint64_t needed_bytes() const
    {
        const std::uint64_t copies = 2 + m_commands.size();
        return copies * m_memory_bytes +
               (m_options.common.is_stepped() ? m_fit.device.nodes() * detailed_node_bytes : 0);
    }

    measured_class measured(std::size_t program) const
    {
        measured_class run;
        run.cls = m_commands[program].cls;
        run.costs = m_testbed->costs(program, program + 1, m_models);
        const auto moved =
            movement_of(m_commands[program].schedule(m_fit.device.side), {}, m_options.device.config.folded);
        run.longest_pitches = moved.longest_line;
        if (m_options.common.check) { run.check = m_product.check(m_found[program]); }
        return run;
    }

    json json_of(const measured_class& run) const
    {
        const auto& c = run.costs.counts;
        json row = {{"class", name_of(run.cls)}, {"algorithm", algorithm_of(run.cls)}, {"steps", c[event::step]}};
        row.update(cycles_json(run.costs, m_options.common));
        row.update({{"macs_done", c[event::mac]},
                    {"utilisation", utilisation(run)},
                    {"words_driven", c[event::drive_word]},
                    {"words_delivered", c[event::deliver_word]},
                    {"words_rolled", {run.over_links(torus::axis::q), run.over_links(torus::axis::s)}},
                    {"words_entered", c[event::enter_word]},
                    {"word_pitches", run.word_pitches()},
                    {"longest_wire_pitches", run.longest_pitches},
                    {"longest_wire_um", static_cast<double>(run.longest_pitches) * m_distance_um},
                    {"wire_pJ", run.links_pj()}});
        row.update(energy_json(run.costs.energy));
        row["events"] = events_json(torus::events, c.data());
        row["max_abs_error"] = or_null(run.check.has_value(), run.check ? run.check->max_abs_error : 0);
        row["bound"] = or_null(run.check.has_value(), run.check ? run.check->bound : 0);
        return row;
    }

    torus::energy_parameters parameters() const
    {
        return energy_parameters_of(m_options.device, m_fit.device, m_options.format,
                                    dma_build_of(m_options.common.platform, m_options.device.config.dma_ports));
    }

    const orbital_options& m_options;
    product_fit m_fit;
    class_product<T> m_product;
    std::vector<activity::module_energy> m_models;
    double m_distance_um = 0; // of adjacent nodes, at most
    die m_die;
    std::uint64_t m_program = 0, m_memory_bytes = 0;
    std::vector<torus::multiply_command> m_commands; // by class, a program each
    std::vector<std::vector<typename class_product<T>::sum>> m_found;
    std::unique_ptr<torus_testbed> m_testbed;
    std::vector<measured_class> m_runs;
    process_usage m_usage;
};

template <class T> void class_run<T>::write_report(run_report& report) const
{
    const auto& o = m_options;
    const auto form = o.product->form;
    json classes = json::array();
    for (const auto cls : o.product->classes) { classes.push_back(name_of(cls)); }
    json configuration = {{"shape", o.shape}, {"classes", classes}, {"form", name_of(form)}};
    configuration.update(device_json(o.device, o.common, m_fit.device, o.format));
    configuration["block"] = m_fit.blocks;
    report.begin(std::string(text_of(form)) + ", I x J x K = " + shape_text(o.shape) + ", " +
                     std::string(base::element_type_name(o.format)) + ", overlap " +
                     torus::overlap_values[static_cast<std::size_t>(o.device.config.overlap)].name + ", " +
                     fidelity_name(o.common),
                 "tensorloom-orbital-class-1", configuration);
    report.line("plane", shape_text(std::array{m_fit.device.side, m_fit.device.side}) + " nodes, blocks of " +
                             shape_text(m_fit.blocks) + " elements along i, j, k, schedule " +
                             torus::text_of(o.vector));
    report.line("MACs", grouped_text(m_product.macs()));
    program_costs all;
    std::uint64_t done = 0;
    std::optional<workloads::check_result> check;
    for (const auto& run : m_runs) {
        add_costs(all, run.costs);
        done += run.costs.counts[event::mac];
        if (run.check && check) {
            take_worse(*check, *run.check);
        } else if (run.check) {
            check = run.check;
        }
    }
    report.cycles(all);
    report.time(ns_of(all.cycles, o.common));
    report.fields({{"macs", m_product.macs()}, {"macs_done", done}});
    report.utilisation(all, use_of_all());
    report.text() << "  classes\n";
    cell_table table(report.text(), 22, {8, 12, 12, 14, 12, 12, 12, 14, 10, 14, 14});
    table.print("", {"steps", "cycles", "working", "MACs done", "driven", "delivered", "rolled", "word-pitches",
                     "longest", "wire energy", "energy"});
    json runs = json::array();
    for (const auto& run : m_runs) {
        const auto& c = run.costs.counts;
        table.print(name_of(run.cls) + std::string(" (") + algorithm_of(run.cls) + ")",
                    {grouped_text(c[event::step]), grouped_text(run.costs.cycles), grouped_text(run.working_cycles()),
                     grouped_text(c[event::mac]), grouped_text(c[event::drive_word]),
                     grouped_text(c[event::deliver_word]), grouped_text(run.rolled()), grouped_text(run.word_pitches()),
                     grouped_text(run.longest_pitches), quantity_text(run.links_pj(), "J"),
                     quantity_text(run.costs.pj(), "J")});
        runs.push_back(json_of(run));
    }
    report["runs"] = std::move(runs);
    report.energy(all.energy, ns_of(all.cycles, o.common), m_die);
    write_check(report, o.format, check);
    report.simulation(m_usage, done);
}

} // namespace

void add_class_options(option_table& table)
{
    table.begin_group("Products of matrices, with --shape IxJxK");
    table.add_value(
        "class", form_of(class_choices()),
        "Compute a product of matrices on the plane R = 0 instead of a transform, by this class of schedules (summa is "
        "bbc, fox bcr-ki, cannon cra) or by all of them; --schedule has the signs of i, j, k.");
    table.add_value("form", form_of(names_of(torus::matrix_form_values)),
                    "C += A B, A += C B^T or B += A^T C, with sums starting at +0; the last two only with --class cra.",
                    name_of(torus::matrix_form::c_ab));
}

std::optional<class_request> read_class(const option_values& values)
{
    if (!values.has("class")) {
        if (values.has("form")) { require_both(values, "form", "class"); }
        return std::nullopt;
    }
    class_request request;
    request.form = get_named<torus::matrix_form>(values, "form", torus::matrix_form_values);
    auto chosen = values.get_choice("class", class_choices());
    for (std::size_t cls = 0; cls < std::size(algorithms); ++cls) {
        const char* synonym = algorithms[cls].synonym;
        if (synonym != nullptr && chosen == synonym) { chosen = torus::matrix_class_values[cls].name; }
    }
    check_absent(values, {"input",   "initial",       "batch",       "transform",    "inverse",       "out-shape",
                          "norm",    "order",         "chain",       "threshold",    "chain-file",    "also",
                          "shift",   "result-format", "keep",        "output",       "double-buffer", "watch",
                          "compare", "sweep",         "step-cycles", "mm-per-cycle", "baselines"},
                 "--class", "without");
    if (!values.has("shape")) {
        throw base::input_error("--class is given without --shape, expected --shape IxJxK with it");
    }
    for (const auto& known : torus::matrix_class_values) {
        const auto cls = static_cast<matrix_class>(known.value);
        if (chosen != all_classes && chosen != known.name) { continue; }
        if (!has_form(cls, request.form)) {
            throw base::input_error(std::string("--form ") + name_of(request.form) + " is given with --class " +
                                    chosen + ", expected it with --class cra");
        }
        request.classes.push_back(cls);
    }
    return request;
}

void check_product(orbital_options& o)
{
    if (base::is_integer(o.format)) {
        throw base::input_error("--class is given with --format " + std::string(base::element_type_name(o.format)) +
                                ", expected f64, f32, c128, c64 or bf16");
    }
    fit_of(o);
    if (torus::has_systolic_array(o.format)) { return; }
    auto& classes = o.product->classes;
    if (o.product->is_one() && classes.front() == matrix_class::asc) {
        throw base::input_error("--class asc is given with --format " + std::string(base::element_type_name(o.format)) +
                                ", expected f64, f32, c128 or bf16, which systolic arrays have");
    }
    classes.erase(std::remove(classes.begin(), classes.end(), matrix_class::asc), classes.end());
}

std::unique_ptr<testbench_run> make_class_run(const orbital_options& options)
{
    return base::with_element<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16>(
        options.format, [&](auto element) -> std::unique_ptr<testbench_run> {
            return std::make_unique<class_run<decltype(element)>>(options);
        });
}

} // namespace tensorloom::testbench
