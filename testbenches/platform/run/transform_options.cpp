#include "platform/run/transform_options.h"
#include <limits>
#include <optional>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/workloads/gemt_order.h>
#include "platform/options/testbench_options.h"
#include "platform/run/chain_job.h"

namespace tensorloom::testbench {
namespace {

std::vector<std::string> names_of(const std::vector<base::element_type>& formats)
{
    std::vector<std::string> names;
    for (const auto f : formats) { names.emplace_back(base::element_type_name(f)); }
    return names;
}

std::string text_of(const workloads::shape3& s)
{
    return std::to_string(s[0]) + "x" + std::to_string(s[1]) + "x" + std::to_string(s[2]);
}

} // namespace

void add_problem_options(option_table& table, const std::string& fills)
{
    table.add_value("input", "FILE.npy", "The tensor, of three modes; integers are converted; C or Fortran order.");
    add_nonfinite_option(table);
    table.add_value("shape", "N1xN2xN3", "Size of a generated tensor.");
    table.add_value("fill", "random|ramp|sparse",
                    "Contents of the generated tensor: " + fills + ", or the integer formulas of the docs.", "random");
    table.add_value("zeros", "FRACTION", "Probability, 0 to 1, that an element of the fill is set to zero.", "0");
    table.add_value(
        "batch", "COUNT",
        "Number of tensors to transform with resident matrices: fills with seeds S, S+1, ..., or the input repeated.",
        "1");
}

void add_transform_options(option_table& table, const std::string& more)
{
    table.add_value(
        "transform", "T[,T,T]",
        "One transform for all modes, or three for modes 1, 2, 3: dft dht dct dst dwht dwht-sequency identity " + more +
            "file:PATH.",
        "dct");
    table.add_flag("inverse", "The inverse transform.");
    table.add_value(
        "out-shape", "K1xK2xK3",
        "Size of the result, with rectangular matrices: the first N rows and K columns (default: as the problem).");
    table.add_value("norm", "orthonormal|backward", "Scaling; backward is the scaling of FFTW.", "orthonormal");
    table.add_value("order", "312", "Summation order of the modes.", "312");
}

void add_initial_option(option_table& table)
{
    table.add_value("initial", "FILE.npy", "Start from this tensor instead of zero (affine).");
}

void add_shift_option(option_table& table)
{
    table.add_value("shift", "S,S,S", "int8: right shift, in bits, of the sums of the 1st, 2nd and 3rd stage, 0 to 31.",
                    "0,0,0");
}

void add_chain_options(option_table& table)
{
    table.add_flag(
        "chain", "Forward and inverse transform, without moving data in between: the identity for unitary transforms.");
    table.add_value("threshold", "VALUE",
                    "With --chain: between both, set elements whose modulus is at most this to zero.");
    table.add_value("chain-file", "FILE.yaml",
                    "Instead of one transform: transforms and operations on elements, in this order.");
}

void add_result_options(option_table& table, const std::string& formats, const std::string& sums)
{
    table.add_value("result-format", "element|accumulator",
                    formats + ": the result rounded to the format, or in the format of the sums (" + sums + ").",
                    "accumulator");
    table.add_value(
        "keep", "FRACTION",
        "Keep the ceil(F x size) elements of the result with the largest modulus and set the rest to zero.");
    table.add_value("output", "FILE.npy", "Write the result here.");
    table.one_run_alone();
}

void add_format_option(option_table& table, const std::vector<base::element_type>& formats,
                       const std::string& format_default)
{
    table.add_value("format", form_of(names_of(formats)), "Element format (default: " + format_default + ").");
}

void read_problem(const option_values& values, transform_job& job, needed_format& found, std::uint64_t most)
{
    if (values.has("input")) {
        check_absent(values, {"fill", "zeros"}, "--input", "with --shape");
        job.input = values.get_string("input");
        const auto header = tensor_header("input", *job.input);
        job.shape = {header.shape[0], header.shape[1], header.shape[2]};
        found.add(header);
    } else if (values.has("shape")) {
        job.shape = values.get_shape("shape");
        found.double_data = true;
    }
    job.allow_nonfinite = read_nonfinite_option(values);
    job.fill = workloads::parse_fill(values.get_choice("fill", {"random", "ramp", "sparse"}));
    job.zeros = values.get_number("zeros", 0, 1);
    job.batch = static_cast<std::uint32_t>(values.get_unsigned("batch", 1, most));
}

void read_transform(const option_values& values, transform_job& job, needed_format& found)
{
    job.transforms = parse_transforms(read_transform_names(values, "transform"));
    for (const auto& t : job.transforms) {
        found.complex_transform = found.complex_transform || workloads::needs_complex(t);
    }
    job.inverse = values.get_flag("inverse");
    if (values.has("out-shape")) { job.out_shape = values.get_shape("out-shape"); }
    if (!job.sums(0) && !job.sums(1) && !job.sums(2)) {
        throw values.error("transform", "a transform of at least one mode");
    }
    for (std::size_t m = 0; m < 3; ++m) {
        if (job.sums(m) || job.result_shape()[m] == job.shape[m]) { continue; }
        throw values.error("out-shape", std::to_string(job.shape[m]) + " elements in mode " + std::to_string(m + 1) +
                                            ", which --transform leaves as it is");
    }
    job.scaling = workloads::parse_normalization(values.get_choice("norm", {"orthonormal", "backward"}));
    job.order = read_order(values);
}

void read_initial(const option_values& values, transform_job& job, needed_format& found)
{
    if (!values.has("initial")) { return; }
    job.initial = values.get_string("initial");
    const auto header = tensor_header("initial", *job.initial);
    const workloads::shape3 shape{header.shape[0], header.shape[1], header.shape[2]};
    if (shape != job.result_shape()) {
        throw base::input_error("--initial: " + *job.initial + " is " + text_of(shape) + ", expected " +
                                text_of(job.result_shape()));
    }
    found.add(header);
}

void read_shifts(const option_values& values, transform_job& job)
{
    job.shifts = values.get_three("shift", 31);
    if (!base::is_integer(job.format) && job.shifts != std::array<unsigned, 3>{}) {
        throw values.error("shift", "0,0,0, or --format int8");
    }
    for (std::size_t s = 0; s < 3; ++s) {
        if (job.shifts[s] == 0 || job.sums(job.order[s] - 1)) { continue; }
        throw values.error("shift", "0 for stage " + std::to_string(s + 1) + ", whose mode " +
                                        std::to_string(job.order[s]) + " --transform leaves as it is");
    }
    if (!job.chain.empty() && !job.chain_file) { // there and back: by mode the same
        job.chain.front().shifts = job.shifts;
        job.chain.back().shifts = {job.shifts[2], job.shifts[1], job.shifts[0]};
    }
}

void read_chain(const option_values& values, transform_job& job, needed_format& found)
{
    const bool there_and_back = values.get_flag("chain");
    require_both(values, "threshold", "chain");
    if (there_and_back) {
        check_absent(values, {"chain-file"}, "--chain", "without");
        std::optional<double> threshold;
        if (values.has("threshold")) {
            threshold = values.get_number("threshold", 0, std::numeric_limits<double>::max());
        }
        job.chain = workloads::there_and_back(transform_step(job), threshold);
        for (auto& step : job.chain) { step.place = step.is_transform() ? "--transform" : "--threshold"; }
    }
    if (!values.has("chain-file")) { return; }
    check_absent(values, {"transform", "inverse", "out-shape", "norm", "order"}, "--chain-file", "without");
    job.chain_file = values.get_string("chain-file");
    base::complaining_of("--chain-file", [&] {
        job.chain = workloads::read_chain(*job.chain_file, job.shape);
        for (std::size_t s = 0; s < job.chain.size(); ++s) {
            const auto& step = job.chain[s];
            if (step.has_operand()) { found.add(workloads::read_npy_header(step.path)); }
            const bool is_complex = step.has_operand() ? step.value.imag() != 0 : workloads::needs_complex(step);
            if (is_complex && !found.complex_step) {
                found.complex_step = "step " + std::to_string(s + 1) + " (" + step.place + ")";
            }
        }
    });
}

void check_chain(const transform_job& job)
{
    base::complaining_of(job.chain_option(), [&] {
        workloads::check_chain(job.chain, job.format);
        check_resident_operands(job.chain);
    });
}

void check_program(const option_values& values, const transform_job& job, std::uint64_t bytes, std::uint64_t most)
{
    constexpr std::uint64_t frame = isa::program_header::encoded_bytes + isa::command_header::encoded_bytes; // HALT
    if (bytes <= most) { return; }
    const auto of_tensor = (bytes - frame) / job.batch;
    const auto largest = (most - frame) / of_tensor;
    const std::string limit = std::to_string(most) + ", the longest program of a device";
    if (largest == 0) {
        throw base::input_error("a tensor takes " + std::to_string(of_tensor) +
                                " bytes of commands, expected at most " + limit);
    }
    throw values.error("batch", "an integer from 1 to " + std::to_string(largest) + ": a tensor takes " +
                                    std::to_string(of_tensor) + " bytes of commands of at most " + limit);
}

void read_result_format(const option_values& values, transform_job& job, const std::string& low_precision)
{
    job.result = values.get_choice("result-format", {"element", "accumulator"}) == "element"
                     ? result_format::element
                     : result_format::accumulator;
    if (job.result == result_format::element && base::accumulator_type(job.format) == job.format) {
        throw values.error("result-format", "accumulator, or --format " + low_precision);
    }
}

std::array<unsigned, 3> read_order(const option_values& values)
{
    return workloads::parse_mode_order(values.get_choice("order", {"123", "132", "213", "231", "312", "321"}));
}

void needed_format::add(const workloads::npy_header& header)
{
    complex_data = complex_data || header.is_complex();
    const bool single = header.is_complex() ? header.element_bytes == 8
                                            : header.kind == workloads::npy_kind::real && header.element_bytes == 4;
    (single ? single_data : double_data) = true;
}

base::element_type needed_format::format() const
{
    using base::element_type;
    const bool single = single_data && !double_data;
    if (complex_because()) { return single ? element_type::c64 : element_type::c128; }
    return single ? element_type::f32 : element_type::f64;
}

base::element_type read_format(const option_values& values, const std::vector<base::element_type>& formats,
                               const needed_format& needed)
{
    if (!values.has("format")) { return needed.format(); }
    const auto format = *base::parse_element_type(values.get_choice("format", names_of(formats)));
    const auto complex_because = needed.complex_because();
    if (complex_because && !base::is_complex(format)) {
        throw values.error("format", "a complex format (c128, c64) because " + *complex_because);
    }
    return format;
}

workloads::npy_header tensor_header(const std::string& option, const std::string& path)
{
    const auto header = workloads::read_npy_header(path);
    if (header.shape.size() != 3) {
        throw base::input_error("--" + option + ": " + path + " has rank " + std::to_string(header.shape.size()) +
                                ", expected 3");
    }
    for (std::size_t m = 0; m < 3; ++m) {
        if (header.shape[m] == 0) {
            throw base::input_error("--" + option + ": " + path + ": mode " + std::to_string(m + 1) +
                                    " is empty, expected at least 1 element");
        }
    }
    return header;
}

std::array<std::string, 3> read_transform_names(const option_values& values, const std::string& option)
{
    const auto names = values.get_words(option);
    if (names.size() == 1) { return {names[0], names[0], names[0]}; }
    if (names.size() == 3) { return {names[0], names[1], names[2]}; }
    throw values.error(option, "one transform, or three separated by commas");
}

std::array<workloads::transform, 3> parse_transforms(const std::array<std::string, 3>& names)
{
    return {workloads::parse_transform(names[0]), workloads::parse_transform(names[1]),
            workloads::parse_transform(names[2])};
}

void add_inputs(run_files& files, const transform_job& job)
{
    if (job.input) { files.add_input("--input", *job.input); }
    if (job.initial) { files.add_input("--initial", *job.initial); }
    if (!job.chain_file) { return add_inputs(files, "--transform", job.transforms); }
    files.add_input("--chain-file", *job.chain_file);
    for (const auto& step : job.chain) {
        if (step.has_operand()) { files.add_input("--chain-file", step.path); }
        add_inputs(files, "--chain-file", step.transforms);
    }
}

void add_inputs(run_files& files, const std::string& option, const std::array<workloads::transform, 3>& transforms)
{
    for (const auto& t : transforms) {
        if (t.kind == workloads::transform_kind::file) { files.add_input(option, t.path); }
    }
}

} // namespace tensorloom::testbench
