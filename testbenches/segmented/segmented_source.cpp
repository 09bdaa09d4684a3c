#include "segmented/segmented_source.h"
#include <tensorloom/workloads/matrix_market.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/segmented/inputs.h>

namespace tensorloom::testbench {
namespace {

using workloads::segmented_operation;

bool has_flags(segmented_operation o)
{
    return o == segmented_operation::compress || o == segmented_operation::segmented_sum ||
           o == segmented_operation::segmented_scan;
}

std::size_t operands_of(segmented_operation o)
{
    return o == segmented_operation::product || o == segmented_operation::matrix_product ? 2 : 1;
}

std::uint64_t default_length(segmented_operation o)
{
    switch (o) {
    case segmented_operation::matrix_product: return 16;
    case segmented_operation::spmv: return 256;
    default: return 4096;
    }
}

std::uint64_t largest_length(segmented_operation o)
{
    switch (o) {
    case segmented_operation::matrix_product: return 1024;
    case segmented_operation::spmv: return 1u << 20;
    default: return 1u << 24;
    }
}

workloads::npy_header operand_header(const std::string& option, const std::string& path, std::size_t rank)
{
    const auto header = workloads::read_npy_header(path);
    if (header.is_complex()) {
        throw arch::input_error("--" + option + ": " + path + " is complex, expected real elements");
    }
    if (header.shape.size() != rank) {
        throw arch::input_error("--" + option + ": " + path + " has rank " + std::to_string(header.shape.size()) +
                                ", expected " + std::to_string(rank));
    }
    if (header.elements == 0) {
        throw arch::input_error("--" + option + ": " + path + " has no elements, expected at least 1");
    }
    return header;
}

bool is_real(const workloads::npy_header& header) { return header.kind == workloads::npy_kind::real; }

void check_length(const std::string& option, const std::string& path, std::uint64_t found, std::uint64_t expected,
                  const char* of)
{
    if (found != expected) {
        throw arch::input_error("--" + option + ": " + path + " has " + std::to_string(found) + " elements, expected " +
                                std::to_string(expected) + " as " + of);
    }
}

// Looks at the operands' headers; whether one has real numbers.
bool read_inputs(const option_values& values, segmented_options& o)
{
    auto& source = o.source;
    if (!values.has("input")) { return false; }
    source.inputs = values.get_words("input");
    const std::size_t expected = operands_of(o.operation);
    if (source.inputs.size() != expected) {
        throw values.complaint("input", expected == 1 ? "one file" : "two files with a comma between them");
    }
    const bool matrices = o.operation == segmented_operation::matrix_product;
    const auto first = operand_header("input", source.inputs[0], matrices ? 2 : 1);
    bool real = is_real(first);
    if (o.operation == segmented_operation::spmv) {
        source.columns = first.elements;
    } else {
        source.length = first.elements;
    }
    if (expected == 2) {
        const auto second = operand_header("input", source.inputs[1], matrices ? 2 : 1);
        real = real || is_real(second);
        if (matrices) {
            if (second.shape[0] != first.shape[1]) {
                throw arch::input_error("--input: " + source.inputs[1] + " has " + std::to_string(second.shape[0]) +
                                        " rows, expected " + std::to_string(first.shape[1]) + " as " +
                                        source.inputs[0] + " has columns");
            }
            source.shape = {first.shape[0], first.shape[1], second.shape[1]};
        } else {
            check_length("input", source.inputs[1], second.elements, first.elements, "the first operand");
        }
    }
    return real;
}

// Looks at the first lines of the matrix; whether it has real numbers.
bool read_matrix(const option_values& values, segmented_options& o)
{
    if (!values.has("matrix")) { return false; }
    if (o.operation != segmented_operation::spmv) {
        refuse_together("matrix", std::string("the operation ") + workloads::name_of(o.operation), "with spmv");
    }
    o.source.matrix = values.get_string("matrix");
    try {
        return workloads::read_matrix_market_header(*o.source.matrix).field ==
               workloads::matrix_market_header::field_kind::real;
    } catch (const arch::input_error& e) {
        throw arch::input_error(std::string("--matrix: ") + e.what());
    }
}

void read_flags(const option_values& values, segmented_options& o)
{
    if (!values.has("flags")) { return; }
    if (!has_flags(o.operation)) {
        refuse_together("flags", std::string("the operation ") + workloads::name_of(o.operation),
                        "with compress, segmented-sum or segmented-scan");
    }
    o.source.flags = values.get_string("flags");
    const auto header = operand_header("flags", *o.source.flags, 1);
    if (o.source.inputs.empty()) {
        o.source.length = header.elements;
    } else {
        check_length("flags", *o.source.flags, header.elements, o.source.length, "--input has");
    }
}

bool generates_operands(const segmented_options& o) { return o.source.inputs.empty(); }

bool generates_flags(const segmented_options& o) { return has_flags(o.operation) && !o.source.flags; }

bool generates_matrix(const segmented_options& o)
{
    return o.operation == segmented_operation::spmv && !o.source.matrix;
}

// An option that changes nothing is a mistake.
void refuse_idle(const option_values& values, const segmented_options& o)
{
    const bool anything = generates_operands(o) || generates_flags(o) || generates_matrix(o);
    for (const char* option : {"fill", "seed"}) {
        if (values.has(option) && !anything) { refuse_together(option, "files for all data", "with generated data"); }
    }
    if (values.has("seed") && o.source.formula) { refuse_together("seed", "--fill formula", "with --fill random"); }
    if (!values.has("density")) { return; }
    if (o.source.formula) { refuse_together("density", "--fill formula", "with --fill random"); }
    if (!has_flags(o.operation) && o.operation != segmented_operation::spmv) {
        refuse_together("density", std::string("the operation ") + workloads::name_of(o.operation),
                        "with compress, segmented-sum, segmented-scan or spmv");
    }
    if (!generates_flags(o) && !generates_matrix(o)) {
        refuse_together("density", o.source.matrix ? "--matrix" : "--flags", "with generated ones");
    }
}

void read_generated(const option_values& values, segmented_options& o)
{
    auto& source = o.source;
    const bool spmv = o.operation == segmented_operation::spmv;
    const bool sized = source.length != 0 || source.matrix;
    if (values.has("length") && sized) { refuse_together("length", "a file that has one", "with generated data"); }
    if (values.has("columns") && (!spmv || source.matrix || !source.inputs.empty())) {
        refuse_together("columns",
                        spmv ? "a file that has them" : std::string("the operation ") + workloads::name_of(o.operation),
                        "with a generated matrix of spmv");
    }
    source.formula = values.get_choice("fill", {"random", "formula"}) == "formula";
    if (values.has("columns") && source.formula) {
        refuse_together("columns", "--fill formula, which has its own", "with --fill random");
    }
    source.density = values.get_number("density", 0, 1);
    refuse_idle(values, o);
    if (!sized) {
        source.length = values.has("length") ? values.get_unsigned("length", 1, largest_length(o.operation))
                                             : default_length(o.operation);
    }
    if (spmv && !source.matrix && source.columns == 0) {
        source.columns = source.formula          ? workloads::formula_columns
                         : values.has("columns") ? values.get_unsigned("columns", 1, 1u << 20)
                                                 : source.length;
    }
    if (o.operation == segmented_operation::matrix_product && source.inputs.empty()) {
        source.shape = {source.length, source.length, source.length};
    }
}

} // namespace

bool read_source(const option_values& values, segmented_options& o)
{
    const bool real = read_inputs(values, o);
    const bool real_matrix = read_matrix(values, o);
    read_flags(values, o);
    read_generated(values, o);
    return real || real_matrix;
}

} // namespace tensorloom::testbench
