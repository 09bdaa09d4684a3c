#include "tensor_unit/tensor_unit.h"
#include <algorithm>
#include <iterator>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/tensor_unit/polynomials.h>

namespace tensorloom::testbench {
namespace {

using workloads::tensor_unit_algorithm;
using workloads::tensor_unit_option;

constexpr std::uint64_t default_size = 64;
constexpr std::uint64_t largest_latency = 1'000'000'000'000;
constexpr unsigned smallest_theorem_side = 4;

struct problem_option {
    tensor_unit_option option;
    const char* form;
    const char* help;
    std::uint64_t workloads::tensor_unit_problem::*field;
    std::uint64_t least = 1, most = workloads::largest_problem_size;
};

constexpr problem_option problem_options[] = {
    {tensor_unit_option::inner, "R",
     "Columns of the left operand (default: as the columns of the first file of --input, else 16).",
     &workloads::tensor_unit_problem::inner},
    {tensor_unit_option::sweeps, "K", "Sweeps of the stencil (default: 4).", &workloads::tensor_unit_problem::sweeps},
    {tensor_unit_option::nonzeros, "Z", "Upper bound of the non-zeros of the sparse product (default: N).",
     &workloads::tensor_unit_problem::nonzeros},
    {tensor_unit_option::points, "P",
     "Number of points at which the polynomial is evaluated (default: as the second file of --input, else 64).",
     &workloads::tensor_unit_problem::points},
    {tensor_unit_option::cutoff, "LENGTH",
     "Size at which a recursion stops: limbs, rows of blocks (default: of karatsuba m, else the best by closed "
     "form).",
     &workloads::tensor_unit_problem::cutoff},
    {tensor_unit_option::kappa, "BITS",
     "Bits of a word of the model, a multiple of 4: a limb of a long integer is a quarter of a word (default: 64).",
     &workloads::tensor_unit_problem::kappa, 4, workloads::largest_kappa},
    {tensor_unit_option::edges, "COUNT",
     "Edges of the generated graph, drawn with --seed beyond those of the formula (default: the formula's).",
     &workloads::tensor_unit_problem::edges},
};

std::vector<std::string> algorithm_names()
{
    std::vector<std::string> names;
    for (const auto& a : workloads::tensor_unit_algorithms()) { names.emplace_back(a.name); }
    return names;
}

std::string option_text(tensor_unit_option option) { return std::string(workloads::option_name(option)); }

option_table tensor_unit_table()
{
    option_table table(
        "tensor_unit",
        "Algorithms for a tensor unit of m = q x q weights and latency l: runs one on an MMU/VCU pair and "
        "reports model time, cycles and energy; or runs every theorem about them.");
    table.begin_group("Problem (--algorithm or --theorems)");
    table.add_value("algorithm", "NAME", "Algorithm to run, see the docs.", "dense");
    table.add_flag("theorems", "Run every theorem over growing sizes at q = 4 and q = 16: ratio of time to bound.");
    table.add_value("size", "N",
                    "Side of matrices or grids, vertices, points of a transform, limbs, coefficients (default: as the "
                    "first file of --input, else 64).");
    for (const auto& p : problem_options) { table.add_value(option_text(p.option), p.form, p.help); }
    table.add_flag("weak", "The weak unit: every call has q rows.");
    table.add_flag("scalar", "Run the algorithm's baseline on the scalar unit, without the tensor unit.");
    table.add_value("input", "FILE.npy,..", "The inputs of the algorithm, in the order of the docs.");
    add_nonfinite_option(table);
    table.add_value("output", "FILE.npy", "Write the result here.");
    table.one_run_alone();
    table.begin_group("Model");
    table.add_value(
        "latency", "L",
        "The model's latency l of a call, in its time units. It affects model time only (the device's cycles: "
        "--call-latency).",
        "0");
    table.add_value("charges", form_of(names_of(workloads::charge_table_values)),
                    "What the model charges for moves, of an algorithm and of its baselines: some (v1), none or all.",
                    "v1");
    table.begin_group("Device");
    table.add_value("array", "SIDE", "Rows and columns of the array, q.", "16");
    table.add_value("m", "M", "Weights of the array, q x q: a perfect square; in place of --array.");
    table.add_value(
        "format", "f64|f32|c128|bf16|f16|int8|int32|int64",
        "Format of elements (default: the first that the algorithm runs in). Words and sums have it, too, but "
        "in bf16 and f16 they are f32, in int8 int32.");
    add_mmv_options(table);
    add_common_options(table);
    return table;
}

unsigned read_side(const option_values& values)
{
    if (!values.has("m")) { return static_cast<unsigned>(values.get_unsigned("array", 2, 1024)); }
    require_at_most_one(values, "array", "m");
    const auto m = values.get_unsigned("m", 4, 1024 * 1024);
    unsigned side = 2;
    while (std::uint64_t{side} * side < m) { ++side; }
    if (std::uint64_t{side} * side != m) { throw values.error("m", "a perfect square from 4 to 1048576"); }
    return side;
}

void read_algorithm(const option_values& values, tensor_unit_options& o)
{
    const auto name = values.get_choice("algorithm", algorithm_names());
    o.algorithm = &workloads::find_tensor_unit_algorithm(name);
    for (const auto& p : problem_options) {
        if (!values.has(option_text(p.option)) || o.algorithm->uses(p.option)) { continue; }
        std::string users;
        for (const auto& a : workloads::tensor_unit_algorithms()) {
            if (a.uses(p.option)) { users += (users.empty() ? "" : ", ") + std::string(a.name); }
        }
        throw base::input_error("--" + option_text(p.option) + " is given with --algorithm " + name +
                                ", expected it with " + users);
    }
    if (values.get_flag("weak") && (values.get_flag("scalar") || o.algorithm->theorem.empty())) {
        throw base::input_error("--weak is given with " +
                                std::string(values.get_flag("scalar") ? "--scalar" : "--algorithm " + name) +
                                ", which never uses the tensor unit");
    }
    if (!values.get_flag("scalar")) { return; }
    if (o.algorithm->baselines.empty()) {
        throw base::input_error("--scalar is given with --algorithm " + name + ", which never uses the tensor unit");
    }
    o.algorithm = &workloads::find_tensor_unit_algorithm(std::string(o.algorithm->baselines.front()));
}

// A field of the problem that a file tells where its option is not given.
struct size_in_file {
    std::string name;
    std::uint64_t workloads::tensor_unit_problem::*field;
    std::size_t file, mode;
};

std::vector<size_in_file> sizes_in_files(const workloads::tensor_unit_algorithm& algorithm)
{
    std::vector<size_in_file> all{{"size", &workloads::tensor_unit_problem::size, 0, 0}};
    const auto add = [&](tensor_unit_option option, std::size_t file, std::size_t mode) {
        if (!algorithm.uses(option)) { return; }
        const auto found = std::find_if(std::begin(problem_options), std::end(problem_options),
                                        [option](const problem_option& p) { return p.option == option; });
        all.push_back({option_text(option), found->field, file, mode});
    };
    add(tensor_unit_option::inner, 0, 1);
    add(tensor_unit_option::points, 1, 0);
    return all;
}

void read_sizes_from_files(const option_values& values, tensor_unit_options& o)
{
    for (const auto& s : sizes_in_files(*o.algorithm)) {
        if (values.has(s.name) || s.file >= o.inputs.size()) { continue; }
        const auto& path = o.inputs[s.file];
        const auto header = workloads::read_npy_header(path);
        if (header.shape.size() <= s.mode || header.elements == 0) {
            throw base::input_error("--input: " + path + " has no elements in " + (s.mode == 0 ? "rows" : "columns") +
                                    ", expected at least 1, or --" + s.name);
        }
        o.problem.*s.field = header.shape[s.mode];
        if (header.shape[s.mode] > workloads::largest_problem_size) {
            throw base::input_error("--input: " + path + " has " + std::to_string(header.shape[s.mode]) +
                                    (s.mode == 0 ? " rows" : " columns") + ", expected at most " +
                                    std::to_string(workloads::largest_problem_size));
        }
    }
}

void read_problem(const option_values& values, tensor_unit_options& o)
{
    if (values.has("input")) { o.inputs = values.get_words("input"); }
    o.allow_nonfinite = read_nonfinite_option(values);
    if (values.has("edges") && values.has("input")) { throw_conflict("edges", "--input", "with a generated graph"); }
    auto& p = o.problem;
    p.size = values.has("size") ? values.get_unsigned("size", 1, workloads::largest_problem_size) : default_size;
    for (const auto& option : problem_options) {
        const auto name = option_text(option.option);
        if (values.has(name)) { p.*option.field = values.get_unsigned(name, option.least, option.most); }
    }
    read_sizes_from_files(values, o);
    if (values.get_flag("weak")) { p.shape = workloads::call_shape::square; }
    p.seed = o.common.seed;
    p = complaining_of(problem_options_text(o),
                       [&] { return workloads::completed_problem(*o.algorithm, p, o.side, o.latency); });
}

void read_format(const option_values& values, tensor_unit_options& o)
{
    o.format = o.algorithm->formats.front();
    if (!values.has("format")) { return; }
    std::vector<std::string> names;
    for (const auto f : o.algorithm->formats) { names.emplace_back(base::element_type_name(f)); }
    o.format = *base::parse_element_type(values.get_choice("format", names));
}

// Before data and reference are made: what can be known of the scratchpad now.
void require_scratchpad(const tensor_unit_options& o, std::uint64_t bytes)
{
    const auto least = workloads::least_scratchpad_bytes(*o.algorithm, o.problem, o.side, o.format);
    if (least > bytes) {
        throw base::input_error(problem_options_text(o) + ": found a scratchpad of " + std::to_string(bytes) +
                                " bytes, expected at least " + std::to_string(least));
    }
}

} // namespace

std::string problem_options_text(const tensor_unit_options& o)
{
    std::string text = "--size " + std::to_string(o.problem.size);
    for (const auto& p : problem_options) {
        if (o.algorithm->uses(p.option) && o.problem.*p.field != 0) {
            text += ", --" + option_text(p.option) + " " + std::to_string(o.problem.*p.field);
        }
    }
    return text;
}

std::optional<tensor_unit_options> read_tensor_unit_options(int argc, char** argv, std::ostream& out)
{
    const auto values = tensor_unit_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    tensor_unit_options o;
    o.common = read_common_options(*values);
    o.theorems = values->get_flag("theorems");
    o.latency = values->get_unsigned("latency", 0, largest_latency);
    o.problem.charges = get_named<workloads::charge_table>(*values, "charges", workloads::charge_table_values);
    if (o.theorems) {
        check_absent(*values, {"algorithm",     "size",     "inner",           "sweeps", "nonzeros", "points",
                               "cutoff",        "kappa",    "edges",           "array",  "m",        "weak",
                               "scalar",        "input",    "allow-nonfinite", "output", "format",   "vcd",
                               "address-trace", "in-words", "out-words",       "watch"},
                     "--theorems", "with a single run");
        o.device = read_mmv_options(*values, o.common, smallest_theorem_side);
    } else {
        o.side = read_side(*values);
        read_algorithm(*values, o);
        read_problem(*values, o);
        read_format(*values, o);
        o.device = read_mmv_options(*values, o.common, o.side);
        const auto device = device_config(o.device, o.common, o.side, o.format); // refuses what cannot be built
        require_scratchpad(o, device.scratchpad_bytes);
    }
    for (const auto& path : o.inputs) { o.files.add_input("--input", path); }
    o.read_output(*values);
    o.finish(*values, {output_directory::banks});
    return o;
}

} // namespace tensorloom::testbench
