#include "segmented/segmented_options.h"
#include <algorithm>
#include "segmented/product_bits.h"
#include "segmented/segmented_source.h"

namespace tensorloom::testbench {
namespace {

using workloads::product_use;
using workloads::segmented_operation;
using workloads::segmented_variant;

std::vector<std::string> operation_names()
{
    std::vector<std::string> names;
    for (const auto& o : workloads::segmented_operations) { names.emplace_back(o.name); }
    return names;
}

std::vector<std::string> variant_names(std::optional<segmented_operation> of)
{
    std::vector<std::string> names;
    for (const auto& v : workloads::segmented_variants) {
        if (!of || v.operation == *of) { names.emplace_back(v.name); }
    }
    return names;
}

std::string joined(const std::vector<std::string>& words, const char* between)
{
    std::string all;
    for (const auto& w : words) { all += (all.empty() ? "" : between) + w; }
    return all;
}

bool has_products(segmented_operation o)
{
    return o == segmented_operation::product || o == segmented_operation::matrix_product ||
           o == segmented_operation::spmv;
}

option_table segmented_table()
{
    option_table table(
        "segmented",
        "Scans, segmented sums and scans, products and sparse matrix-vector products on a matrix unit with "
        "a vector unit: runs one of their algorithms, or all, and tells steps, cycles and energy.");
    table.begin_group("Problem");
    table.add_value("operation", joined(operation_names(), "|"), "What is computed.", "scan");
    table.add_value("variant", "NAME", "By which algorithm (default: that of the matrix unit).");
    table.add_flag("vector-only", "By an algorithm that never uses the matrix unit.");
    table.add_flag("compare", "Run every algorithm of the operation at growing sizes and compare them.");
    table.add_value("length", "N",
                    "Size of generated data: elements, rows of spmv, each side of matrix products (default: 4096, spmv "
                    "256, matrix-product 16).");
    table.add_value("columns", "N", "spmv: columns of the generated matrix (default: as its rows).");
    table.add_value("density", "FRACTION", "Of flags that are set, and of the generated matrix that is not 0.", "0.1");
    table.add_value("fill", "random|formula", "How data is generated: by chance, or the formulas of the docs.",
                    "random");
    table.add_value("bits", "B",
                    "Operands of products are 0 to 2^B - 1, and products are made without multiplying (default: 8, of "
                    "int8 7, where "
                    "an algorithm needs it; else products multiply).");
    table.add_value("matrix", "FILE.mtx", "spmv: the matrix, a MatrixMarket file.");
    table.add_value("input", "FILE.npy[,FILE.npy]", "The operands in place of generated ones.");
    table.add_value("flags", "FILE.npy", "The flags in place of generated ones.");
    table.add_value("output", "FILE.npy", "Write the result here.");
    table.begin_group("Device");
    table.add_value("s", "SIDE", "Rows and columns of the array, and the block length of the algorithms.", "16");
    table.add_value("format", "f64|int8|int32|int64",
                    "Format of elements and words (default: int64, f64 when a file has real numbers).");
    add_mmv_options(table);
    add_common_options(table);
    return table;
}

void read_operation(const option_values& values, segmented_options& o)
{
    if (values.has("variant")) {
        std::optional<segmented_operation> asked;
        if (values.has("operation")) {
            asked = workloads::parse_segmented_operation(values.get_choice("operation", operation_names()));
        }
        o.variant = &workloads::find_segmented_variant(values.get_choice("variant", variant_names(asked)));
        o.operation = o.variant->operation;
        return;
    }
    o.operation = workloads::parse_segmented_operation(values.get_choice("operation", operation_names()));
}

// The vector-only variant that makes products as asked.
const segmented_variant& vector_variant(segmented_operation operation, bool bits)
{
    const segmented_variant* found = nullptr;
    for (const auto& v : workloads::segmented_variants) {
        if (v.operation != operation || !v.is(workloads::vector_only)) { continue; }
        if (found == nullptr || (v.products == product_use::by_bits) == bits) { found = &v; }
    }
    return *found;
}

void read_variant(const option_values& values, segmented_options& o)
{
    o.compare = values.get_flag("compare");
    const bool vector_only = values.get_flag("vector-only");
    if (values.has("bits")) {
        if (!has_products(o.operation)) {
            refuse_together("bits", std::string("the operation ") + workloads::name_of(o.operation),
                            "with product, matrix-product or spmv");
        }
        o.bits = static_cast<unsigned>(values.get_unsigned("bits", 1, 62));
    }
    if (o.compare) {
        if (o.variant != nullptr) { refuse_together("variant", "--compare", "without it: all of them run"); }
        for (const char* one_run : {"output", "vcd", "watch"}) {
            if (values.has(one_run)) { refuse_together(one_run, "--compare", "with a single run"); }
        }
        for (const auto& v : workloads::segmented_variants) {
            if (v.operation == o.operation && (v.is(workloads::vector_only) || !vector_only)) {
                o.compared.push_back(&v);
            }
        }
        return;
    }
    if (o.variant == nullptr) {
        o.variant = vector_only ? &vector_variant(o.operation, o.bits.has_value()) : &default_variant(o.operation);
    } else if (vector_only && !o.variant->is(workloads::vector_only)) {
        refuse_together("vector-only", std::string("--variant ") + o.variant->name,
                        std::string("with ") + vector_variant(o.operation, o.bits.has_value()).name +
                            " or without --variant");
    }
    const bool can_use_bits = o.variant->products == product_use::by_bits || o.variant->products == product_use::choice;
    if (o.bits && !can_use_bits) {
        refuse_together("bits", std::string("the variant ") + o.variant->name, "with one that makes products of bits");
    }
}

void read_format(const option_values& values, segmented_options& o, bool real)
{
    o.format = real ? arch::element_type::f64 : arch::element_type::int64;
    if (values.has("format")) {
        o.format = *arch::parse_element_type(values.get_choice("format", {"f64", "int8", "int32", "int64"}));
    }
}

arch::mmv::limits limits_of_run(const segmented_options& o)
{
    return mmv::limits_of(device_config(o.device, o.common, o.side, o.format));
}

// When the default variant cannot run: which do.
std::string advice_on_variants(const segmented_options& o, const arch::mmv::limits& limits)
{
    std::vector<std::string> able;
    for (const auto& v : workloads::segmented_variants) {
        const bool uses_bits = v.products == product_use::by_bits || v.products == product_use::choice;
        const bool heeds_bits = uses_bits || !o.bits || o.bits_by_default;
        if (v.operation == o.operation && heeds_bits && workloads::why_not(v, limits, o.bits).empty()) {
            able.emplace_back(v.name);
        }
    }
    return able.empty() ? "" : "; without --variant it is the default, --variant " + joined(able, " or ") + " can run";
}

// `chosen`: the variant was named.
void check_variants(segmented_options& o, bool chosen)
{
    const auto limits = limits_of_run(o);
    if (o.variant != nullptr) {
        const auto why = workloads::why_not(*o.variant, limits, o.bits);
        if (why.empty()) { return; }
        throw arch::input_error("--variant " + why + (chosen ? "" : advice_on_variants(o, limits)));
    }
    std::vector<const segmented_variant*> able;
    for (const auto* v : o.compared) {
        auto why = workloads::why_not(*v, limits, o.bits);
        why = why.empty() ? why_not_bits(*v, o) : why.substr(std::string(v->name).size() + 2); // behind its name
        if (why.empty()) {
            able.push_back(v);
        } else {
            o.left_out.emplace_back(v->name, why);
        }
    }
    if (able.empty()) {
        throw arch::input_error("--compare: no variant of " + std::string(workloads::name_of(o.operation)) +
                                " can run, for one " + o.left_out.front().first + ": " + o.left_out.front().second);
    }
    o.compared = std::move(able);
}

void read_files(const option_values& values, segmented_options& o)
{
    for (const auto& path : o.source.inputs) { o.files.add_input("--input", path); }
    if (o.source.flags) { o.files.add_input("--flags", *o.source.flags); }
    if (o.source.matrix) { o.files.add_input("--matrix", *o.source.matrix); }
    if (values.has("output")) {
        o.output = values.get_string("output");
        o.files.add_output("--output", *o.output);
    }
    o.files.add_common(values, o.common);
    o.files.check_outputs(o.common);
}

} // namespace

std::optional<segmented_options> read_segmented_options(int argc, char** argv, std::ostream& out)
{
    const auto values = segmented_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    segmented_options o;
    o.common = read_common_options(*values);
    read_operation(*values, o);
    read_variant(*values, o);
    const bool real = read_source(*values, o);
    read_format(*values, o, real);
    complete_bits(o);
    o.side = static_cast<unsigned>(values->get_unsigned("s", 2, 1024));
    o.device = read_mmv_options(*values, o.common, o.side);
    check_variants(o, values->has("variant"));
    check_bits_fit(o);
    read_files(*values, o);
    o.given = values->all();
    return o;
}

} // namespace tensorloom::testbench
