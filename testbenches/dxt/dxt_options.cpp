#include "dxt/dxt.h"
#include <algorithm>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/models/triada/isa/driver.h>
#include <tensorloom/models/shell/device_shell.h>
#include "dxt/ranks/rank_plan.h"
#include "platform/run/transform_options.h"
#include "platform/triada/gemt_chain.h"
#include "platform/triada/line_time.h"

namespace tensorloom::testbench {
namespace {

const std::vector<base::element_type>& dxt_formats()
{
    using base::element_type;
    static const std::vector<element_type> formats{element_type::f64, element_type::f32,  element_type::c128,
                                                   element_type::c64, element_type::bf16, element_type::int8};
    return formats;
}

void add_rank_options(option_table& table)
{
    table.begin_group("Ranks");
    table.add_value(
        "ranks", "COUNT",
        "Share the stages of one transform among this many processes of MPI, 1 to 65536; needs --no-check.");
    table.add_value("checkpoint", "DIR", "Ranks: store the slabs here after every stage.");
    table.one_run_alone();
    table.add_flag("resume", "Ranks: continue after the last complete stage in --checkpoint.");
    table.one_run_alone();
}

option_table dxt_table()
{
    option_table table("dxt",
                       "Runs a 3D discrete transform on a TriADA device, checks the result and reports its costs.");
    table.begin_group("Problem (--input or --shape)");
    add_problem_options(table, "uniform in [-1, 1), for int8 integers from -8 to 8");
    add_initial_option(table);
    table.begin_group("Transform");
    add_transform_options(table, "none ");
    table.add_value("matrix-zeros", "F[,F,F]",
                    "Probability, 0 to 1, that a coefficient of the matrices, or of those of modes 1, 2, 3, is set to "
                    "zero; the seed decides which ones.",
                    "0");
    table.add_value("tags", "diagonal|reverse|random", "Order in which rows are streamed.", "diagonal");
    add_shift_option(table);
    add_chain_options(table);
    add_result_options(table, "bf16, int8", "float32, int32");
    table.begin_group("Device");
    add_format_option(table, dxt_formats(),
                      "c128 for dft or complex input, else f64; c64, f32 when the data is of single precision");
    add_gemt_options(table);
    add_triada_options(table);
    table.add_value("mm-per-cycle", "MM",
                    "Distance that a signal travels in a cycle, 0.001 to 1e6: a time-step has a multiply-add and twice "
                    "the time along the longest line (default: --step-cycles, for lines of any length).");
    add_tile_options(table);
    table.add_list("watch", "I,J,K", "Show this cell in the waveform (indices from 0); needs --vcd.");
    table.one_run_alone();
    add_rank_options(table);
    add_common_options(table);
    return table;
}

// --matrix-zeros
void read_matrix_zeros(const option_values& values, transform_job& job)
{
    const auto words = values.get_words("matrix-zeros");
    const auto wrong = [&] { return values.error("matrix-zeros", "a number from 0 to 1, or three for modes 1, 2, 3"); };
    if (words.size() != 1 && words.size() != 3) { throw wrong(); }
    for (std::size_t m = 0; m < 3; ++m) {
        const auto fraction = base::parse_number<double>(words[words.size() == 1 ? 0 : m]);
        if (!fraction || !(*fraction >= 0 && *fraction <= 1)) { throw wrong(); }
        if (job.sums(m)) {
            job.matrix_zeros[m] = *fraction;
        } else if (words.size() == 3 && *fraction != 0) {
            throw values.error("matrix-zeros",
                               "0 for mode " + std::to_string(m + 1) + ", which --transform leaves as it is");
        }
    }
}

triada::shape3 narrow(const std::array<std::size_t, 3>& shape)
{
    return {static_cast<std::uint32_t>(shape[0]), static_cast<std::uint32_t>(shape[1]),
            static_cast<std::uint32_t>(shape[2])};
}

// One command per tensor, in the longest program that the device takes.
std::uint64_t largest_batch()
{
    const std::uint64_t frame = triada::driver::program_bytes(0);
    return (shell::shell_config{}.max_program_bytes - frame) / (triada::driver::program_bytes(1) - frame);
}

// The matrices of a transform of these sizes, which the actuators hold.
void check_matrices(const dxt_options& o, const workloads::chain_step& step)
{
    for (std::size_t m = 0; step.is_transform() && m < 3; ++m) {
        const auto rows = step.in_shape[m], columns = step.out_shape[m];
        if (!step.sums(m) || rows <= o.device.config.matrix_elements / columns) { continue; }
        throw base::input_error("the matrix of mode " + std::to_string(m + 1) + " has " + std::to_string(rows) + " x " +
                                std::to_string(columns) + " elements, expected at most " +
                                std::to_string(o.device.config.matrix_elements) +
                                ", the --matrix-elements of an actuator");
    }
}

// --mm-per-cycle, for a mesh and a format that are known
void read_lines(const option_values& values, dxt_options& o)
{
    if (!values.has("mm-per-cycle")) { return; }
    check_absent(values, {"step-cycles"}, "--mm-per-cycle", "without");
    auto& lines = o.lines.emplace();
    lines.mm_per_cycle = values.get_number("mm-per-cycle", 1e-3, 1e6);
    lines.longest_um =
        longest_line_um(costs::load_technology(o.common.technology), energy_parameters_of(o.device, o.mesh, o.format));
    lines.cycles = wire_cycles(lines.longest_um, lines.mm_per_cycle);
    o.device.config.step_cycles =
        static_cast<unsigned>(time_step_cycles(lines.longest_um, lines.mm_per_cycle, o.device.mac_latency));
}

// A chain stays in the cells; so do the tensors of a batch that are loaded beside the work on others.
void check_cells(const option_values& values, const dxt_options& o)
{
    const std::string option = o.chain.empty() ? "--double-buffer" : o.chain_option();
    const auto box = o.box();
    const workloads::shape3 mesh{o.mesh[0], o.mesh[1], o.mesh[2]};
    if (!o.chain.empty() && (box[0] > mesh[0] || box[1] > mesh[1] || box[2] > mesh[2])) {
        throw base::input_error(option + " is given with a tensor of " + shape_text(box) + " on a mesh of " +
                                shape_text(mesh) + " cells, expected a mesh with a cell for every element");
    }
    if (o.chain.empty() && !moves_beside_work(o, o.mesh)) { return; }
    const unsigned needed = registers_needed(o, o.mesh), there = o.device.config.registers();
    if (needed > there) {
        throw base::input_error(option + " needs " + std::to_string(needed) + " registers of a cell, which has " +
                                std::to_string(there) + ", expected at least --cell-registers " +
                                std::to_string(needed - 2));
    }
    check_program(values, o, chain_program_bytes(o), shell::shell_config{}.max_program_bytes);
}

void read_device(const option_values& values, dxt_options& o, const needed_format& found)
{
    static_cast<gemt_settings&>(o) = read_gemt_settings(values);
    o.device = read_triada_options(values);
    o.format = read_format(values, dxt_formats(), found);
    o.mesh = mesh_for(o.device, o.box());
    read_lines(values, o);
    if (o.chain.empty()) { check_matrices(o, transform_step(o)); }
    for (std::size_t s = 0; s < o.chain.size(); ++s) {
        base::complaining_of(o.chain_option() + ": " + workloads::place_text(o.chain, s),
                             [&] { check_matrices(o, o.chain[s]); });
    }
    read_result_format(values, o, "bf16 or int8");
    read_shifts(values, o);
    check_chain(o);
    check_cells(values, o);
    o.tiling = read_tile_settings(values, o.device);
    if (o.chain.empty()) { choose_tiles(o, o.tiling, rates_of(o.device, o.common, o.mesh)); }
}

// The ranks simulate the stages of one mesh: nothing around it, and no other fidelity.
void read_ranks(const option_values& values, dxt_options& o)
{
    require_both(values, "resume", "checkpoint");
    require_both(values, "checkpoint", "ranks");
    if (!values.has("ranks")) { return; }
    o.ranks.count = static_cast<unsigned>(values.get_unsigned("ranks", 1, 65536));
    if (values.has("checkpoint")) { o.ranks.checkpoint = values.get_string("checkpoint"); }
    o.ranks.resume = values.get_flag("resume");
    check_absent(
        values, {"batch",         "chain",       "chain-file",       "keep",           "double-buffer", "look-ahead",
                 "tensor-layout", "partials",    "dma-ports",        "watch",          "vcd",           "address-trace",
                 "memory",        "dram",        "memory-bandwidth", "memory-latency", "memory-ports",  "dma-width",
                 "burst",         "outstanding", "overlap-runs"},
        "--ranks", "without");
    if (o.common.is_stepped()) { throw values.error("fidelity", "fast with --ranks"); }
    if (o.common.check) { base::refuse("--ranks", "a run that is checked", "--no-check"); }
    const auto box = o.box();
    if (box[0] > o.mesh[0] || box[1] > o.mesh[1] || box[2] > o.mesh[2]) {
        base::refuse("--ranks", "a tensor of " + shape_text(box) + " on a mesh of " + shape_text(o.mesh) + " cells",
                     "a mesh with a cell for every element");
    }
    for (const auto& file : {o.input, o.initial}) {
        if (file && workloads::read_npy_header(*file).fortran_order) {
            base::refuse("--ranks", *file + " in Fortran order", "C order");
        }
    }
    plan_ranks(o, o.ranks.count);
}

void read_files(const option_values& values, dxt_options& o)
{
    require_both(values, "watch", "vcd");
    auto watchable = o.box();
    for (std::size_t m = 0; m < 3; ++m) { watchable[m] = std::min<std::size_t>(watchable[m], o.mesh[m]); }
    for (const auto& at : values.get_positions("watch", watchable)) { o.watch.push_back(narrow(at)); }

    add_inputs(o.files, o);
    o.read_output(values);
    o.finish(values);
}

} // namespace

std::optional<dxt_options> read_dxt_options(int argc, char** argv, std::ostream& out)
{
    const auto values = dxt_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    dxt_options o;
    o.common = read_common_options(*values);
    o.seed = o.common.seed;
    needed_format found;
    require_one_of(*values, "input", "shape");
    read_problem(*values, o, found, largest_batch());
    read_transform(*values, o, found);
    read_matrix_zeros(*values, o);
    o.tags = workloads::parse_tags(values->get_choice("tags", {"diagonal", "reverse", "random"}));
    read_chain(*values, o, found);
    if (!o.chain.empty()) { check_absent(*values, {"initial", "tags", "matrix-zeros"}, o.chain_option(), "without"); }
    if (o.chain_file) { check_absent(*values, {"shift"}, "--chain-file", "without"); }
    if (values->has("keep")) { o.keep = values->get_number("keep", 0, 1); }
    read_initial(*values, o, found);
    read_device(*values, o, found);
    read_ranks(*values, o);
    read_files(*values, o);
    return o;
}

} // namespace tensorloom::testbench
