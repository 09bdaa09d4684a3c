#include "dxt/dxt_options.h"
#include <limits>
#include <tensorloom/models/arch/triada_driver.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/workloads/mode_order.h>
#include <tensorloom/workloads/npy_header.h>

namespace tensorloom::testbench {
namespace {

option_table dxt_table()
{
    option_table table("dxt",
                       "3D discrete transforms on a TriADA device: runs one, checks it, and tells what it cost.");
    table.begin_group("Problem (--input or --shape)");
    table.add_value("input", "FILE.npy",
                    "The tensor, of three modes; integers are converted, Fortran order is handled.");
    table.add_value("shape", "N1xN2xN3", "Size of a tensor that is filled instead.");
    table.add_value("fill", "random|ramp|sparse",
                    "How it is filled: uniform in [-1, 1), or the integer formulas of the docs.", "random");
    table.add_value("zeros", "FRACTION", "Each element of the fill is zeroed with this probability, 0 to 1.", "0");
    table.add_value("batch", "COUNT",
                    "Transform this many tensors with resident matrices: fills with seeds S, S+1, ..., or the input.",
                    "1");
    table.add_value("initial", "FILE.npy", "Start from this tensor instead of zero (affine).");
    table.begin_group("Transform");
    table.add_value("transform", "T[,T,T]",
                    "For all modes or for modes 1, 2, 3: dft dht dct dst dwht dwht-sequency identity file:PATH.",
                    "dct");
    table.add_flag("inverse", "The inverse transform.");
    table.add_value("norm", "orthonormal|backward", "Scaling; backward is that of FFTW.", "orthonormal");
    table.add_value("order", "312", "The modes in the order in which they are summed.", "312");
    table.add_value("tags", "diagonal|reverse|random", "The order in which rows are streamed.", "diagonal");
    table.add_value("keep", "FRACTION",
                    "Of the result, keep the ceil(F x size) elements of largest modulus and zero the rest.");
    table.add_value("output", "FILE.npy", "Write the result here.");
    table.begin_group("Device");
    table.add_value("format", "f64|f32|c128|c64", "Element format (default: c128 for dft or complex input, else f64).");
    table.add_value("sparsity", "esop|dense",
                    "Skip zeros (elastic sparse outer products), or send and multiply everything.", "esop");
    table.add_value("zero-threshold", "X", "ESOP: a stored operand of at most this modulus counts as zero.", "0");
    table.add_value("mesh", "P1xP2xP3", "Cells of the mesh (default: as the problem).");
    table.add_value("step-cycles", "CYCLES", "Clock cycles of a time-step.", "3");
    table.add_value("load-elements", "PER_CYCLE", "Elements per cycle through the core's memory port.", "8");
    table.add_value("line-extent", "mesh|active",
                    "The wire that a send charges: the whole line, or its part in the active box.", "mesh");
    table.add_value("vertical-mode", "0|1|2|3", "Lines along this mode go through stacked tiers (vias); 0: none.", "2");
    table.add_list("watch", "I,J,K", "Show this cell (from 0) in the waveform; needs --vcd.");
    add_common_options(table);
    return table;
}

triada::shape3 narrow(const std::array<std::size_t, 3>& shape)
{
    return {static_cast<std::uint32_t>(shape[0]), static_cast<std::uint32_t>(shape[1]),
            static_cast<std::uint32_t>(shape[2])};
}

std::string text_of(const workloads::shape3& s)
{
    return std::to_string(s[0]) + "x" + std::to_string(s[1]) + "x" + std::to_string(s[2]);
}

// One command per tensor, in the longest program that the device takes.
std::uint64_t largest_batch()
{
    const std::uint64_t frame = arch::triada_driver::program_bytes(0);
    return (shell::shell_config{}.max_program_bytes - frame) / (arch::triada_driver::program_bytes(1) - frame);
}

// The header of a tensor that the device can take: three modes, none of them empty.
workloads::npy_header tensor_header(const std::string& option, const std::string& path)
{
    const auto header = workloads::read_npy_header(path);
    if (header.shape.size() != 3) {
        throw arch::input_error("--" + option + ": " + path + " has rank " + std::to_string(header.shape.size()) +
                                ", expected 3");
    }
    for (std::size_t m = 0; m < 3; ++m) {
        if (header.shape[m] == 0) {
            throw arch::input_error("--" + option + ": " + path + ": mode " + std::to_string(m + 1) +
                                    " is empty, expected at least 1 element");
        }
    }
    return header;
}

void read_problem(const option_values& values, dxt_options& o, bool& complex_data)
{
    if (values.has("input") == values.has("shape")) {
        throw arch::input_error(values.has("input") ? "--input and --shape are both given, expected one of them"
                                                    : "neither --input nor --shape is given, expected one of them");
    }
    if (values.has("input")) {
        for (const char* other : {"fill", "zeros"}) {
            if (values.has(other)) {
                throw arch::input_error(std::string("--") + other + " is given with --input, expected it with --shape");
            }
        }
        o.input = values.get_string("input");
        const auto header = tensor_header("input", *o.input);
        o.shape = {header.shape[0], header.shape[1], header.shape[2]};
        complex_data = header.is_complex();
    } else {
        o.shape = values.get_shape("shape");
    }
    o.fill = workloads::parse_fill(values.get_choice("fill", {"random", "ramp", "sparse"}));
    o.zeros = values.get_number("zeros", 0, 1);
    o.batch = static_cast<std::uint32_t>(values.get_unsigned("batch", 1, largest_batch()));
    if (values.has("initial")) {
        o.initial = values.get_string("initial");
        const auto header = tensor_header("initial", *o.initial);
        const workloads::shape3 found{header.shape[0], header.shape[1], header.shape[2]};
        if (found != o.shape) {
            throw arch::input_error("--initial: " + *o.initial + " is " + text_of(found) + ", expected " +
                                    text_of(o.shape));
        }
        complex_data = complex_data || header.is_complex();
    }
}

void read_transform(const option_values& values, dxt_options& o, bool& complex_matrix)
{
    const auto names = values.get_words("transform");
    if (names.size() != 1 && names.size() != 3) {
        throw values.complaint("transform", "one transform, or three separated by commas");
    }
    for (std::size_t m = 0; m < 3; ++m) {
        o.transforms[m] = workloads::parse_transform(names[names.size() == 1 ? 0 : m]);
        complex_matrix = complex_matrix || workloads::needs_complex(o.transforms[m]);
    }
    o.inverse = values.get_flag("inverse");
    o.scaling = workloads::parse_normalization(values.get_choice("norm", {"orthonormal", "backward"}));
    o.order = workloads::parse_mode_order(values.get_string("order"));
    o.tags = workloads::parse_tags(values.get_choice("tags", {"diagonal", "reverse", "random"}));
    if (values.has("keep")) { o.keep = values.get_number("keep", 0, 1); }
}

void read_device(const option_values& values, dxt_options& o, bool complex_data, bool complex_matrix)
{
    const bool needs_complex = complex_data || complex_matrix;
    o.format = needs_complex ? arch::element_type::c128 : arch::element_type::f64;
    if (values.has("format")) {
        o.format = *arch::parse_element_type(values.get_choice("format", {"f64", "f32", "c128", "c64"}));
        if (needs_complex && !arch::is_complex(o.format)) {
            throw values.complaint("format", complex_data
                                                 ? "a complex format (c128, c64) because the data is complex"
                                                 : "a complex format (c128, c64) because a transform is complex");
        }
    }
    o.esop = values.get_choice("sparsity", {"esop", "dense"}) == "esop";
    o.zero_threshold = values.get_number("zero-threshold", 0, std::numeric_limits<double>::max());

    o.mesh = narrow(values.has("mesh") ? values.get_shape("mesh") : o.shape);
    constexpr std::uint32_t largest_mesh = 1024;
    for (std::size_t m = 0; m < 3; ++m) {
        if (values.has("mesh") && o.mesh[m] > largest_mesh) { throw values.complaint("mesh", "sizes from 1 to 1024"); }
        if (o.shape[m] > o.mesh[m] || o.mesh[m] > largest_mesh) {
            throw arch::input_error("the problem of " + text_of(o.shape) + " does not fit a mesh of " +
                                    (values.has("mesh") ? values.get_string("mesh") : "at most 1024x1024x1024") +
                                    ", expected a mesh of at least the problem's size in every mode");
        }
    }
    o.step_cycles = static_cast<unsigned>(values.get_unsigned("step-cycles", 1, 1000000));
    o.load_elements = static_cast<unsigned>(values.get_unsigned("load-elements", 1, 1u << 20));
    o.line_extent = values.get_choice("line-extent", {"mesh", "active"}) == "mesh" ? triada::line_extent::mesh
                                                                                   : triada::line_extent::active;
    o.vertical_mode = static_cast<unsigned>(values.get_unsigned("vertical-mode", 0, 3));
}

void read_files(const option_values& values, dxt_options& o)
{
    if (values.has("watch") && !o.common.vcd) {
        throw arch::input_error("--watch is given without --vcd, expected both");
    }
    for (const auto& at : values.get_positions("watch", {o.shape[0], o.shape[1], o.shape[2]})) {
        o.watch.push_back(narrow(at));
    }

    if (values.has("output")) { o.output = values.get_string("output"); }
    if (o.input) { o.files.add_input("--input", *o.input); }
    if (o.initial) { o.files.add_input("--initial", *o.initial); }
    for (const auto& t : o.transforms) {
        if (t.kind == workloads::transform_kind::file) { o.files.add_input("--transform", t.path); }
    }
    if (o.output) { o.files.add_output("--output", *o.output); }
    o.files.add_common(values, o.common);
    o.files.check_outputs(o.common);
}

} // namespace

std::optional<dxt_options> read_dxt_options(int argc, char** argv, std::ostream& out)
{
    const auto values = dxt_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    dxt_options o;
    o.common = read_common_options(*values);
    o.seed = o.common.seed;
    bool complex_data = false;
    bool complex_matrix = false;
    read_problem(*values, o, complex_data);
    read_transform(*values, o, complex_matrix);
    read_device(*values, o, complex_data, complex_matrix);
    read_files(*values, o);
    o.given = values->all();
    return o;
}

} // namespace tensorloom::testbench
