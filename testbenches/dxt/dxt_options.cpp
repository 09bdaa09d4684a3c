#include "dxt/dxt.h"
#include <algorithm>
#include <tensorloom/models/arch/triada/driver.h>
#include <tensorloom/models/shell/device_shell.h>
#include "platform/transform/transform_job.h"

namespace tensorloom::testbench {
namespace {

const std::vector<arch::element_type>& dxt_formats()
{
    using arch::element_type;
    static const std::vector<element_type> formats{element_type::f64, element_type::f32,  element_type::c128,
                                                   element_type::c64, element_type::bf16, element_type::int8};
    return formats;
}

option_table dxt_table()
{
    option_table table("dxt",
                       "3D discrete transforms on a TriADA device: runs one, checks it, and tells what it cost.");
    table.begin_group("Problem (--input or --shape)");
    table.add_value("input", "FILE.npy",
                    "The tensor, of three modes; integers are converted, Fortran order is handled.");
    table.add_value("shape", "N1xN2xN3", "Size of a tensor that is filled instead.");
    table.add_value("fill", "random|ramp|sparse",
                    "How it is filled: uniform in [-1, 1), of int8 -8 to 8, or the integer formulas of the docs.",
                    "random");
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
    table.add_value(
        "out-shape", "K1xK2xK3",
        "Size of the result: rectangular matrices, the first N rows and K columns (default: as the problem).");
    table.add_value("norm", "orthonormal|backward", "Scaling; backward is that of FFTW.", "orthonormal");
    table.add_value("order", "312", "The modes in the order in which they are summed.", "312");
    table.add_value("tags", "diagonal|reverse|random", "The order in which rows are streamed.", "diagonal");
    table.add_value("shift", "S,S,S",
                    "int8: bits by which the sums of the 1st, 2nd and 3rd stage are shifted right, 0 to 31.", "0,0,0");
    table.add_value("result-format", "element|accumulator",
                    "bf16, int8: the result rounded to the format, or as the sums (float32, int32).", "accumulator");
    table.add_value("keep", "FRACTION",
                    "Of the result, keep the ceil(F x size) elements of largest modulus and zero the rest.");
    table.add_value("output", "FILE.npy", "Write the result here.");
    table.one_run_alone();
    table.begin_group("Device");
    add_format_option(table, dxt_formats(), "c128 for dft or complex input, else f64");
    add_gemt_options(table);
    add_triada_options(table);
    table.add_list("watch", "I,J,K", "Show this cell (from 0) in the waveform; needs --vcd.");
    table.one_run_alone();
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
    const std::uint64_t frame = arch::triada::driver::program_bytes(0);
    return (shell::shell_config{}.max_program_bytes - frame) / (arch::triada::driver::program_bytes(1) - frame);
}

void read_problem(const option_values& values, dxt_options& o, bool& complex_data)
{
    require_one_of(values, "input", "shape");
    if (values.has("input")) {
        refuse_any(values, {"fill", "zeros"}, "--input", "with --shape");
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
}

void read_transform(const option_values& values, dxt_options& o, bool& complex_matrix)
{
    o.transforms = parse_transforms(read_transform_names(values, "transform"));
    for (const auto& t : o.transforms) { complex_matrix = complex_matrix || workloads::needs_complex(t); }
    o.inverse = values.get_flag("inverse");
    if (values.has("out-shape")) { o.out_shape = values.get_shape("out-shape"); }
    o.scaling = workloads::parse_normalization(values.get_choice("norm", {"orthonormal", "backward"}));
    o.order = read_order(values);
    o.tags = workloads::parse_tags(values.get_choice("tags", {"diagonal", "reverse", "random"}));
    if (values.has("keep")) { o.keep = values.get_number("keep", 0, 1); }
}

void read_initial(const option_values& values, dxt_options& o, bool& complex_data)
{
    if (!values.has("initial")) { return; }
    o.initial = values.get_string("initial");
    const auto header = tensor_header("initial", *o.initial);
    const workloads::shape3 found{header.shape[0], header.shape[1], header.shape[2]};
    if (found != o.result_shape()) {
        throw arch::input_error("--initial: " + *o.initial + " is " + text_of(found) + ", expected " +
                                text_of(o.result_shape()));
    }
    complex_data = complex_data || header.is_complex();
}

void read_device(const option_values& values, dxt_options& o, bool complex_data, bool complex_matrix)
{
    const std::optional<std::string> complex_because = complex_data     ? std::optional("the data is complex")
                                                       : complex_matrix ? std::optional("a transform is complex")
                                                                        : std::nullopt;
    static_cast<gemt_settings&>(o) = read_gemt_settings(values);
    o.device = read_triada_options(values);
    o.format = read_format(values, dxt_formats(), complex_because);
    o.mesh = mesh_for(o.device, o.box());
    const auto out = o.result_shape();
    for (std::size_t m = 0; m < 3; ++m) {
        if (o.shape[m] > o.device.config.matrix_elements / out[m]) {
            throw arch::input_error("the matrix of mode " + std::to_string(m + 1) + " has " +
                                    std::to_string(o.shape[m]) + " x " + std::to_string(out[m]) +
                                    " elements, expected at most " + std::to_string(o.device.config.matrix_elements) +
                                    ", the --matrix-elements of an actuator");
        }
    }
    o.result = parse_result_format(values.get_choice("result-format", {"element", "accumulator"}));
    if (o.result == result_format::element && arch::accumulator_type(o.format) == o.format) {
        throw values.complaint("result-format", "accumulator, or --format bf16 or int8");
    }
    o.shifts = values.get_three("shift", 31);
    if (!arch::is_integer(o.format) && o.shifts != std::array<unsigned, 3>{}) {
        throw values.complaint("shift", "0,0,0, or --format int8");
    }
}

void read_files(const option_values& values, dxt_options& o)
{
    require_both(values, "watch", "vcd");
    auto watchable = o.box();
    for (std::size_t m = 0; m < 3; ++m) { watchable[m] = std::min<std::size_t>(watchable[m], o.mesh[m]); }
    for (const auto& at : values.get_positions("watch", watchable)) { o.watch.push_back(narrow(at)); }

    if (o.input) { o.files.add_input("--input", *o.input); }
    if (o.initial) { o.files.add_input("--initial", *o.initial); }
    for (const auto& t : o.transforms) {
        if (t.kind == workloads::transform_kind::file) { o.files.add_input("--transform", t.path); }
    }
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
    bool complex_data = false;
    bool complex_matrix = false;
    read_problem(*values, o, complex_data);
    read_transform(*values, o, complex_matrix);
    read_initial(*values, o, complex_data);
    read_device(*values, o, complex_data, complex_matrix);
    read_files(*values, o);
    return o;
}

} // namespace tensorloom::testbench
