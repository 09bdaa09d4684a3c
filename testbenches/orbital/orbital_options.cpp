#include "orbital/orbital.h"
#include <algorithm>
#include <tensorloom/models/torus/isa/driver.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/models/shell/device_shell.h>
#include "platform/triada/gemt_chain.h"
#include "platform/triada/triada_options.h"
#include "platform/run/transform_options.h"
#include "platform/torus/orbit_chain.h"

namespace tensorloom::testbench {
namespace {

const std::vector<base::element_type>& orbital_formats()
{
    static const std::vector<base::element_type> formats(std::begin(torus::formats), std::end(torus::formats));
    return formats;
}

option_table orbital_table()
{
    option_table table("orbital",
                       "Runs a 3D discrete transform on an orbital torus, checks the result, reports its costs and "
                       "compares them with those of a TriADA.");
    table.begin_group("Problem (--input, --shape or --sweep)");
    add_problem_options(table, "uniform in [-1, 1), for int8 integers from -8 to 8");
    add_initial_option(table);
    table.begin_group("Transform");
    add_transform_options(table, "none ");
    add_chain_options(table);
    table.add_list("also", "T[,T,T]",
                   "Transform the same tensor, which stays on the nodes, with this set of transforms, too.");
    add_shift_option(table);
    add_result_options(table, "bf16, int8", "float32, int32");
    table.begin_group("Torus");
    add_format_option(table, orbital_formats(),
                      "c128 for dft or complex input, else f64; c64, f32 when the data is of single precision");
    add_torus_options(table);
    table.add_flag("double-buffer",
                   "Batches and tiles: load the next tensor and unload the last result while nodes work.");
    table.add_list("watch", "Q,R,S",
                   "Show this node in the waveform (indices from 0); needs --vcd and --fidelity detailed.");
    table.one_run_alone();
    add_class_options(table);
    table.begin_group("Comparison");
    table.add_value("compare", "triada", "Also run the problem on a dense TriADA with a cell for every element.");
    table.add_flag("baselines",
                   "Also count fast Fourier transforms of the problem on the same nodes, divided into slabs, "
                   "pencils and blocks; with --transform dft.");
    table.add_value("sweep", "N,N,...", "Run cubes of these sizes instead of one problem.");
    table.add_value(
        "step-cycles", "CYCLES",
        "Cycles of TriADA's time-step, 1 to 1000000 (default: twice the time of a signal along a line, plus the "
        "multiply-add: --mac-latency if given, else one cycle).");
    table.add_value(
        "mm-per-cycle", "MM",
        "Distance that a signal travels in a cycle, on lines and links, 0.001 to 1e6 (default: lines take one "
        "cycle, links as --cycles-per-pitch).");
    add_common_options(table);
    return table;
}

// In the longest program that the device takes.
std::uint64_t most_commands()
{
    const std::uint64_t frame = torus::driver::program_bytes(0);
    return (shell::shell_config{}.max_program_bytes - frame) / (torus::driver::program_bytes(1) - frame);
}

workloads::shape3 cube_of(std::uint32_t size) { return {size, size, size}; }

std::vector<std::uint32_t> read_sizes(const option_values& values)
{
    constexpr std::uint32_t most = 1024;
    std::vector<std::uint32_t> sizes;
    for (const auto& word : values.get_words("sweep")) {
        const auto size = base::parse_number<std::uint32_t>(word);
        const bool again = size && std::find(sizes.begin(), sizes.end(), *size) != sizes.end();
        if (!size || *size < 1 || *size > most || again) {
            throw values.error("sweep", "different sizes from 1 to " + std::to_string(most) + " separated by commas");
        }
        sizes.push_back(*size);
    }
    return sizes;
}

void read_comparison(const option_values& values, orbital_options& o)
{
    o.compares = values.has("compare") && values.get_choice("compare", {"triada"}) == "triada";
    if (values.has("step-cycles")) {
        require_both(values, "step-cycles", "compare");
        o.wires.triada_step = static_cast<unsigned>(values.get_unsigned("step-cycles", 1, 1'000'000));
    }
    if (o.compares && values.has("mac-latency")) { o.wires.mac_latency = o.device.config.mac_latency; }
    if (values.has("mm-per-cycle")) {
        check_absent(values, {"cycles-per-pitch"}, "--mm-per-cycle", "without");
        o.wires.mm_per_cycle = values.get_number("mm-per-cycle", 1e-3, 1e6);
    }
}

// --baselines
void read_baselines(const option_values& values, orbital_options& o)
{
    o.baselines = values.get_flag("baselines");
    if (!o.baselines) { return; }
    check_absent(values, {"sweep", "also", "chain", "chain-file", "out-shape"}, "--baselines", "without");
    if (o.batch != 1) { throw values.error("batch", "1, or a run without --baselines"); }
    for (const auto& t : o.transforms) {
        if (t.kind == workloads::transform_kind::dft) { continue; }
        throw values.error("transform", "dft for all modes with --baselines, whose fast transforms are those of a DFT");
    }
}

// --also
void read_more_sets(const option_values& values, orbital_options& o, needed_format& found)
{
    for (const auto& text : values.get_list("also")) {
        const auto names = base::split(text, ',');
        if (names.size() != 1 && names.size() != 3) {
            base::refuse("--also", base::in_quotes(text), "one transform, or three separated by commas");
        }
        std::array<std::string, 3> of_mode;
        for (std::size_t m = 0; m < 3; ++m) { of_mode[m] = names[names.size() == 1 ? 0 : m]; }
        o.more_sets.push_back(complaining_of("--also", [&] { return parse_transforms(of_mode); }));
        for (std::size_t m = 0; m < 3; ++m) {
            if (o.of_set(o.more_sets.size()).sums(m) == o.sums(m)) { continue; }
            base::refuse("--also", base::in_quotes(text), "none for the modes with none in --transform, and no others");
        }
        for (const auto& t : o.more_sets.back()) {
            found.complex_transform = found.complex_transform || workloads::needs_complex(t);
        }
    }
    if (o.more_sets.empty()) { return; }
    check_absent(values, {"chain", "chain-file", "sweep", "compare"}, "--also", "without");
    if (o.batch != 1) { throw values.error("batch", "1, or a run without --also"); }
    if (o.sets() > most_commands()) {
        throw base::input_error("--also is given " + std::to_string(o.more_sets.size()) + " times, expected at most " +
                                std::to_string(most_commands() - 1) + ", the longest program of the device");
    }
}

void read_what(const option_values& values, orbital_options& o, needed_format& found)
{
    if (values.has("sweep")) {
        o.sweep = read_sizes(values);
        check_absent(values, {"input", "shape"}, "--sweep", "without");
        check_absent(values, {"out-shape", "keep", "output", "vcd", "address-trace", "initial"}, "--sweep",
                     "with --shape");
    }
    if (o.sweep.empty()) { require_one_of(values, "input", "shape"); }
    read_problem(values, o, found, most_commands()); // check_programs() counts those of a chain
    if (!o.sweep.empty()) { o.shape = cube_of(o.sweep.front()); }
    read_transform(values, o, found);
    read_chain(values, o, found);
    if (!o.chain.empty()) {
        const std::string option = o.chain_option();
        check_absent(values, {"initial"}, option, "without");
        if (o.chain_file) { check_absent(values, {"sweep", "shift"}, option, "without"); }
        base::complaining_of(option, [&] { o.chain = chain_of_torus(o.chain); });
        o.transforms = o.chain.front().transforms; // the modes that are summed, and their order
        o.order = o.chain.front().order;
    }
    read_initial(values, o, found);
    read_more_sets(values, o, found);
    o.double_buffer = values.get_flag("double-buffer");
    if (values.has("keep")) { o.keep = values.get_number("keep", 0, 1); }
}

// Fast Fourier transforms on a torus that holds the problem.
void check_baselines(const orbital_options& o, const torus_fit& fit)
{
    if (fit.tiled) {
        throw base::input_error("--baselines is given with a problem larger than the torus, expected a larger --array "
                                "or --block");
    }
    base::complaining_of("--baselines", [&] { plan_fft(workloads::fft_division::slabs, fit.side, o.shape); });
}

// What no run could do.
void check_misfits(const orbital_options& o)
{
    for (const auto& job : problems_of(o)) {
        const auto sizes = sizes_of(job);
        const auto fit = fit_torus(o.device, sizes.in_size, sizes.out_size, job.summed_modes());
        if (o.baselines) { check_baselines(o, fit); }
        const auto box = job.box();
        const bool is_chain = !job.chain.empty();
        if ((is_chain || job.sets() > 1) && fit.tiled) {
            throw base::input_error((is_chain ? job.chain_option() : "--also") +
                                    " is given with a problem larger than the torus, " + shape_text(box) +
                                    " elements on " + std::to_string(fit.side) + " blocks of " + shape_text(fit.block) +
                                    " along each mode, expected a larger --array or --block");
        }
        if (is_chain && job.allow_nonfinite && is_padded(job, fit)) {
            throw base::input_error("--allow-nonfinite is given with a chain of " + shape_text(box) + " elements on " +
                                    std::to_string(fit.side) + " blocks of " + shape_text(fit.block) +
                                    " along each mode, expected blocks without padding, whose zeros turn infinities "
                                    "into NaN");
        }
        if (o.compares && *std::max_element(box.begin(), box.end()) > largest_mesh) {
            throw base::input_error("--compare is given with " + shape_text(box) + " elements, expected at most " +
                                    std::to_string(largest_mesh) + " in a mode, the largest mesh of a TriADA");
        }
    }
}

// The program of either device has a command for each step of every tensor; the torus has one for a batch without
// chain.
void check_programs(const option_values& values, const orbital_options& o)
{
    std::uint64_t bytes = o.chain.empty() ? 0 : chain_program_bytes(o);
    if (o.compares) {
        gemt_job triada;
        static_cast<transform_job&>(triada) = o;
        bytes = std::max(bytes, chain_program_bytes(triada));
    }
    check_program(values, o, bytes, shell::shell_config{}.max_program_bytes);
}

void read_watched(const option_values& values, orbital_options& o)
{
    if (!values.has("watch")) { return; }
    require_both(values, "watch", "vcd");
    if (!o.common.is_stepped()) {
        throw base::input_error("--watch is given with --fidelity fast, which has no nodes, expected --fidelity "
                                "detailed");
    }
    const auto sizes = sizes_of(o);
    const std::size_t side = fit_torus(o.device, sizes.in_size, sizes.out_size, o.summed_modes()).side;
    for (const auto& at : values.get_positions("watch", {side, side, side})) {
        o.watch.push_back(
            {static_cast<std::uint32_t>(at[0]), static_cast<std::uint32_t>(at[1]), static_cast<std::uint32_t>(at[2])});
    }
}

} // namespace

std::vector<orbit_job> problems_of(const orbital_options& o)
{
    if (o.sweep.empty()) { return {o}; }
    std::vector<orbit_job> jobs;
    for (const auto size : o.sweep) {
        jobs.push_back(o);
        auto& job = jobs.back();
        job.shape = cube_of(size);
        for (auto& step : job.chain) { step.in_shape = step.out_shape = job.shape; } // there and back
    }
    return jobs;
}

std::optional<orbital_options> read_orbital_options(int argc, char** argv, std::ostream& out)
{
    const auto values = orbital_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    orbital_options o;
    o.common = read_common_options(*values);
    o.seed = o.common.seed;
    needed_format found;
    o.device = read_torus_options(*values);
    o.vector = o.device.vector;
    o.product = read_class(*values);
    if (o.product) {
        read_problem(*values, o, found, 1);
        o.format = read_format(*values, orbital_formats(), found);
        check_product(o);
        o.finish(*values);
        return o;
    }
    read_what(*values, o, found);
    read_comparison(*values, o);
    read_baselines(*values, o);
    o.format = read_format(*values, orbital_formats(), found);
    read_result_format(*values, o, "bf16 or int8");
    read_shifts(*values, o);
    if (o.initial && o.result == result_format::element) {
        throw values->error("result-format", "accumulator with --initial, to whose sums the results are added");
    }
    check_chain(o);
    check_misfits(o);
    check_programs(*values, o);
    read_watched(*values, o);
    add_inputs(o.files, o);
    for (const auto& set : o.more_sets) { add_inputs(o.files, "--also", set); }
    o.read_output(*values);
    if (o.common.address_trace && o.compares) { o.common.address_trace->further = {"triada"}; }
    o.finish(*values,
             o.compares || !o.sweep.empty() ? std::vector<std::string>{"comparison.csv"} : std::vector<std::string>{});
    return o;
}

} // namespace tensorloom::testbench
