#include "segmented/segmented.h"
#include <algorithm>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/csr_matrix.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/segmented/inputs.h>
#include "platform/mmv/mmv_pairs.h"

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

std::vector<std::string> format_names() { return {"f64", "f32", "bf16", "f16", "int8", "int32", "int64"}; }

// What an operation takes, in the order of the operations.
struct operation_facts {
    bool has_products;
    std::size_t operands;
    std::uint64_t default_length, compared_length, largest_length; // of one run, up to which runs are compared
};
constexpr unsigned smallest_theorem_side = 4;
constexpr unsigned most_pairs = 64;
constexpr std::uint64_t largest_block = 1u << 16; // of attention; rows of spmv are at most 2^20
constexpr operation_facts facts[] = {
    {false, 1, 4096, 1u << 18, 1u << 24}, // scan
    {false, 1, 4096, 1u << 18, 1u << 24}, // compress
    {false, 1, 4096, 1u << 18, 1u << 24}, // difference
    {false, 1, 4096, 1u << 18, 1u << 24}, // segmented sum
    {false, 1, 4096, 1u << 18, 1u << 24}, // segmented scan
    {true, 2, 4096, 1u << 18, 1u << 24},  // product
    {true, 2, 16, 64, 1024},              // matrix product
    {true, 1, 256, 1024, 1u << 20},       // spmv
    {false, 1, 4096, 1u << 18, 1u << 24}, // copy
};
static_assert(std::size(facts) == std::size(workloads::segmented_operations));

const operation_facts& facts_of(const segmented_options& o) { return facts[static_cast<std::size_t>(o.operation)]; }

// The option stands with operations that have no use for it.
[[noreturn]] void throw_operation_conflict(const char* option, const segmented_options& o, const std::string& expected)
{
    throw_conflict(option, std::string("the operation ") + workloads::name_of(o.operation), expected);
}

option_table segmented_table()
{
    option_table table(
        "segmented",
        "Scans, segmented sums and scans, products and sparse matrix-vector products on a matrix unit with "
        "a vector unit: runs one algorithm or all of them, and reports steps, cycles and energy.");
    table.begin_group("Problem");
    table.add_value("operation", form_of(operation_names()), "Operation to compute.", "scan");
    table.add_value("variant", "NAME", "Algorithm of the operation (default: that of the matrix unit).");
    table.add_flag("vector-only", "Use an algorithm that never uses the matrix unit.");
    table.add_flag("compare", "Run every algorithm of the operation at growing sizes and compare them.");
    table.add_flag("theorems", "Run every theorem of MMV-RAM at growing sizes and compare it with its bounds.");
    table.add_list("vary", "NAME=VALUE,VALUE,..",
                   "With --compare: compare also on devices with these values of array, lanes or banks, in all "
                   "combinations.");
    table.add_value("length", "N",
                    "Size of generated data: elements, rows of spmv, each side of matrix products (default: 4096, spmv "
                    "256, matrix-product 16; with --compare 262144, spmv 1024, matrix-product 64).");
    table.add_value("columns", "N", "spmv: columns of the generated matrix (default: as its rows).");
    table.add_value("density", "FRACTION", "Share of flags that are set, and of non-zeros of the generated matrix.",
                    "0.1");
    table.add_value("attention", "BLOCK,RANDOM",
                    "spmv: the generated matrix is block-sparse attention, with this side of a block and so many "
                    "random blocks per row of blocks.");
    table.add_value("fill", "random|formula", "Generated data: random, or the formulas of the docs.", "random");
    table.add_value(
        "bits", "B",
        "Operands of products are 0 to 2^B - 1, and products are computed without multiplying (default: 8, of "
        "int8 7, where an algorithm needs it; else products multiply).");
    table.add_value("matrix", "FILE.mtx", "spmv: the matrix, a MatrixMarket file.");
    table.add_value("input", "FILE.npy[,FILE.npy]", "The operands instead of generated ones.");
    add_nonfinite_option(table);
    table.add_value("flags", "FILE.npy", "The flags instead of generated ones.");
    table.add_value("tile", "ELEMENTS",
                    "Pass the data through a scratchpad for so many elements at a time (of scan, segmented-scan, "
                    "compress, difference or copy) (default: all at once).");
    table.add_value("output", "FILE.npy", "Write the result here.");
    table.one_run_alone();
    table.begin_group("Device");
    table.add_value("array", "SIDE", "Rows and columns of the array, and the block length of the algorithms.", "16");
    table.add_synonym("s");
    table.add_value(
        "format", form_of(format_names()),
        "Format of elements (default: int64, f64 when a file has real numbers). Words and sums have it, too, "
        "but in bf16 and f16 they are f32, in int8 int32.");
    table.add_value("pairs", "N", "Divide the work among so many devices on one bus, 1 to 64.", "1");
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
        const auto as_asked = [bits](const segmented_variant& w) {
            return (w.products == product_use::by_bits) == bits;
        };
        if (found == nullptr || (!as_asked(*found) && as_asked(v))) { found = &v; }
    }
    return *found;
}

void read_variant(const option_values& values, segmented_options& o)
{
    o.compare = values.get_flag("compare");
    const bool vector_only = values.get_flag("vector-only");
    if (values.has("bits")) {
        if (!facts_of(o).has_products) { throw_operation_conflict("bits", o, "with product, matrix-product or spmv"); }
        o.bits = static_cast<unsigned>(values.get_unsigned("bits", 1, 62));
    }
    if (o.compare) {
        if (o.variant != nullptr) { throw_conflict("variant", "--compare", "without it: all of them run"); }
        check_absent(values, {"output", "vcd", "address-trace", "watch"}, "--compare", "with a single run");
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
        throw_conflict("vector-only", std::string("--variant ") + o.variant->name,
                       std::string("with ") + vector_variant(o.operation, o.bits.has_value()).name +
                           " or without --variant");
    }
    const bool can_use_bits = o.variant->products == product_use::by_bits || o.variant->products == product_use::choice;
    if (o.bits && !can_use_bits) {
        throw_conflict("bits", std::string("the variant ") + o.variant->name, "with one that makes products of bits");
    }
}

// ---- where the data comes from ----

workloads::npy_header operand_header(const std::string& option, const std::string& path, std::size_t rank)
{
    const auto header = workloads::read_npy_header(path);
    if (header.is_complex()) {
        throw base::input_error("--" + option + ": " + path + " is complex, expected real elements");
    }
    if (header.shape.size() != rank) {
        throw base::input_error("--" + option + ": " + path + " has rank " + std::to_string(header.shape.size()) +
                                ", expected " + std::to_string(rank));
    }
    if (header.elements == 0) {
        throw base::input_error("--" + option + ": " + path + " has no elements, expected at least 1");
    }
    return header;
}

bool is_real(const workloads::npy_header& header) { return header.kind == workloads::npy_kind::real; }

void check_length(const std::string& option, const std::string& path, std::uint64_t found, std::uint64_t expected,
                  const char* of)
{
    if (found != expected) {
        throw base::input_error("--" + option + ": " + path + " has " + std::to_string(found) + " elements, expected " +
                                std::to_string(expected) + " as " + of);
    }
}

// Looks at the operands' headers; whether one has real numbers.
bool read_inputs(const option_values& values, segmented_options& o)
{
    auto& source = o.source;
    if (!values.has("input")) { return false; }
    source.allow_nonfinite = read_nonfinite_option(values);
    source.inputs = values.get_words("input");
    const std::size_t expected = facts_of(o).operands;
    if (source.inputs.size() != expected) {
        throw values.error("input", expected == 1 ? "one file" : "two files separated by a comma");
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
                throw base::input_error("--input: " + source.inputs[1] + " has " + std::to_string(second.shape[0]) +
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
    if (o.operation != segmented_operation::spmv) { throw_operation_conflict("matrix", o, "with spmv"); }
    o.source.matrix = values.get_string("matrix");
    return complaining_of("--matrix", [&] {
        return workloads::read_matrix_market_header(*o.source.matrix).field ==
               workloads::matrix_market_header::field_kind::real;
    });
}

void read_flags(const option_values& values, segmented_options& o)
{
    if (!values.has("flags")) { return; }
    if (!has_flags(o.operation)) {
        throw_operation_conflict("flags", o, "with compress, segmented-sum or segmented-scan");
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
void check_idle(const option_values& values, const segmented_options& o)
{
    const bool anything = generates_operands(o) || generates_flags(o) || generates_matrix(o);
    for (const char* option : {"fill", "seed"}) {
        if (values.has(option) && !anything) { throw_conflict(option, "files for all data", "with generated data"); }
    }
    if (values.has("seed") && o.source.formula) { throw_conflict("seed", "--fill formula", "with --fill random"); }
    if (!values.has("density")) { return; }
    if (o.source.attention) { throw_conflict("density", "--attention", "with a random matrix"); }
    if (o.source.formula) { throw_conflict("density", "--fill formula", "with --fill random"); }
    if (!has_flags(o.operation) && o.operation != segmented_operation::spmv) {
        throw_operation_conflict("density", o, "with compress, segmented-sum, segmented-scan or spmv");
    }
    if (!generates_flags(o) && !generates_matrix(o)) {
        throw_conflict("density", o.source.matrix ? "--matrix" : "--flags", "with generated ones");
    }
}

void read_attention(const option_values& values, segmented_options& o)
{
    if (!values.has("attention")) { return; }
    if (o.operation != segmented_operation::spmv) { throw_operation_conflict("attention", o, "with spmv"); }
    if (o.source.matrix) { throw_conflict("attention", "--matrix", "with a generated matrix"); }
    check_absent(values, {"columns"}, "--attention", "with a random matrix");
    if (o.source.formula) { throw_conflict("attention", "--fill formula", "with --fill random"); }
    const auto words = values.get_words("attention");
    const auto block = base::parse_number<std::uint64_t>(words[0]);
    const auto random = base::parse_number<std::uint64_t>(words.back());
    if (words.size() != 2 || !block || *block < 1 || *block > largest_block || !random || *random > largest_block) {
        throw values.error("attention", "the side of a block, 1 to " + std::to_string(largest_block) +
                                            ", and the random blocks per row of blocks, 0 to " +
                                            std::to_string(largest_block) + ", separated by a comma");
    }
    o.source.attention = workloads::attention_pattern{*block, *random};
}

// The matrix has whole blocks, and enough of them.
void check_attention_rows(const segmented_source& source)
{
    const auto& pattern = *source.attention;
    const std::uint64_t blocks = source.length / pattern.block;
    if (source.length % pattern.block != 0 || blocks < pattern.least_blocks()) {
        throw base::input_error(
            "--attention is " + std::to_string(pattern.block) + "," + std::to_string(pattern.random_blocks) + " with " +
            std::to_string(source.length) + " rows (--length), expected a multiple of " +
            std::to_string(pattern.block) + ", at least " + std::to_string(pattern.least_blocks() * pattern.block) +
            ": two global blocks, three of the window, " + std::to_string(pattern.random_blocks) + " random ones");
    }
}

void read_generated(const option_values& values, segmented_options& o)
{
    auto& source = o.source;
    const bool spmv = o.operation == segmented_operation::spmv;
    const bool sized = source.length != 0 || source.matrix;
    if (values.has("length") && sized) { throw_conflict("length", "a file that has one", "with generated data"); }
    if (values.has("columns") && (!spmv || source.matrix || !source.inputs.empty())) {
        throw_conflict("columns",
                       spmv ? "a file that has them" : std::string("the operation ") + workloads::name_of(o.operation),
                       "with a generated matrix of spmv");
    }
    source.formula = values.get_choice("fill", {"random", "formula"}) == "formula";
    if (values.has("columns") && source.formula) {
        throw_conflict("columns", "--fill formula, which has its own", "with --fill random");
    }
    read_attention(values, o);
    source.density = values.get_number("density", 0, 1);
    check_idle(values, o);
    if (!sized) {
        source.length = values.has("length") ? values.get_unsigned("length", 1, facts_of(o).largest_length)
                        : o.compare          ? facts_of(o).compared_length
                                             : facts_of(o).default_length;
    }
    if (source.attention) { check_attention_rows(source); }
    if (spmv && !source.matrix && source.columns == 0) {
        source.columns = source.formula          ? workloads::formula_columns
                         : values.has("columns") ? values.get_unsigned("columns", 1, 1u << 20)
                                                 : source.length;
    }
    if (o.operation == segmented_operation::matrix_product && source.inputs.empty()) {
        source.shape = {source.length, source.length, source.length};
    }
}

// Files, of which it looks at the headers, or what is generated; whether a file has real numbers.
bool read_source(const option_values& values, segmented_options& o)
{
    const bool real = read_inputs(values, o);
    const bool real_matrix = read_matrix(values, o);
    read_flags(values, o);
    read_generated(values, o);
    return real || real_matrix;
}

// ---- the device ----

void read_format(const option_values& values, segmented_options& o, bool real)
{
    o.format = real ? base::element_type::f64 : base::element_type::int64;
    if (values.has("format")) { o.format = *base::parse_element_type(values.get_choice("format", format_names())); }
}

mmv::limits limits_of_run(const segmented_options& o)
{
    return mmv::limits_of(device_config(o.device, o.common, o.side, o.format));
}

// When the default variant cannot run: which do.
std::string advice_on_variants(const segmented_options& o, const mmv::limits& limits)
{
    std::vector<std::string> able;
    for (const auto& v : workloads::segmented_variants) {
        const bool uses_bits = v.products == product_use::by_bits || v.products == product_use::choice;
        const bool heeds_bits = uses_bits || !o.bits || o.bits_by_default;
        if (v.operation == o.operation && heeds_bits && workloads::why_not(v, limits, o.bits).empty()) {
            able.emplace_back(v.name);
        }
    }
    return able.empty() ? ""
                        : "; without --variant it is the default, --variant " +
                              listed(
                                  able, [](const auto& name) { return name; }, " or ") +
                              " can run";
}

// `chosen`: the variant was named.
void check_variants(segmented_options& o, bool chosen)
{
    const auto limits = limits_of_run(o);
    if (o.variant != nullptr) {
        const auto why = workloads::why_not(*o.variant, limits, o.bits);
        if (why.empty()) { return; }
        throw base::input_error("--variant " + why + (chosen ? "" : advice_on_variants(o, limits)));
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
        throw base::input_error("--compare: no variant of " + std::string(workloads::name_of(o.operation)) +
                                " can run, for one " + o.left_out.front().first + ": " + o.left_out.front().second);
    }
    o.compared = std::move(able);
}

struct varied_size {
    const char* name;
    unsigned device_sizes::*member;
    unsigned least, most;
};
constexpr varied_size varied_sizes[] = {{"array", &device_sizes::array, 2, 1024},
                                        {"lanes", &device_sizes::lanes, 1, 65536},
                                        {"banks", &device_sizes::banks, 1, 4096}};
constexpr std::size_t most_varied = 64;

[[noreturn]] void throw_wrong_vary(const std::string& text)
{
    throw base::input_error(
        "--vary is " + base::in_quotes(text) +
        ", expected array (2 to 1024), lanes (1 to 65536) or banks (a power of two from 1 to 4096), "
        "then = and values with commas between them, each name once");
}

// Every device there is so far, with each of these values.
std::vector<device_sizes> varied_by(const std::vector<device_sizes>& before, const std::string& text)
{
    const auto at = text.find('=');
    const auto* size = std::find_if(std::begin(varied_sizes), std::end(varied_sizes),
                                    [&](const varied_size& v) { return text.substr(0, at) == v.name; });
    if (at == std::string::npos || size == std::end(varied_sizes)) { throw_wrong_vary(text); }
    std::vector<device_sizes> devices;
    for (const auto& device : before) {
        for (const auto part : base::split(std::string_view(text).substr(at + 1), ',')) {
            const auto value = base::parse_number<unsigned>(part);
            const bool fits = value && *value >= size->least && *value <= size->most &&
                              (size->member != &device_sizes::banks || (*value & (*value - 1)) == 0);
            if (!fits) { throw_wrong_vary(text); }
            devices.push_back(device);
            devices.back().*size->member = *value;
        }
    }
    return devices;
}

void read_varied(const option_values& values, segmented_options& o)
{
    if (!values.has("vary")) { return; }
    if (!o.compare) { throw base::input_error("--vary is given without --compare, expected both"); }
    std::vector<std::string> names;
    o.varied = {{o.side, o.device.config.lanes, o.device.config.banks}};
    for (const auto& text : values.get_list("vary")) {
        const auto name = text.substr(0, text.find('='));
        if (std::find(names.begin(), names.end(), name) != names.end()) { throw_wrong_vary(text); }
        names.push_back(name);
        o.varied = varied_by(o.varied, text);
        if (o.varied.size() > most_varied) {
            throw base::input_error("--vary makes more than " + std::to_string(most_varied) +
                                    " devices, expected at most " + std::to_string(most_varied));
        }
    }
    for (const auto& sizes : o.varied) {
        base::complaining_of("--vary, " + text_of(sizes), [&] { return sized_device(o, sizes, 1); });
    }
}

void read_tile(const option_values& values, segmented_options& o)
{
    if (!values.has("tile")) { return; }
    if (o.compare) { throw_conflict("tile", "--compare", "with a single run"); }
    const auto reason = workloads::why_not_in_tiles(*o.variant, o.format);
    if (!reason.empty()) { throw base::input_error("--tile: " + reason); }
    o.tile = values.get_unsigned("tile", 1, facts_of(o).largest_length);
}

void read_pairs(const option_values& values, segmented_options& o)
{
    o.pairs = static_cast<unsigned>(values.get_unsigned("pairs", 1, most_pairs));
    if (o.pairs == 1) { return; }
    if (o.compare) { throw_conflict("pairs", "--compare", "with a single run"); }
    if (o.tile) { throw_conflict("pairs", "--tile", "with all data at once"); }
    require_room_for_pairs(o.pairs, o.common.platform);
}

void read_files(const option_values& values, segmented_options& o)
{
    for (const auto& path : o.source.inputs) { o.files.add_input("--input", path); }
    if (o.source.flags) { o.files.add_input("--flags", *o.source.flags); }
    if (o.source.matrix) { o.files.add_input("--matrix", *o.source.matrix); }
    o.read_output(values);
    o.finish(values, {output_directory::banks});
}

json attention_json(const segmented_source& source)
{
    if (!source.attention) { return nullptr; }
    return {{"block", source.attention->block}, {"random_blocks", source.attention->random_blocks}};
}

const char* source_text(const segmented_options& o)
{
    if (!o.source.generated()) { return "file"; }
    return o.source.formula ? "formula" : "random";
}

// The theorems have data, sizes and arrays of their own.
void read_theorem_options(const option_values& values, segmented_options& o)
{
    check_absent(values,
                 {"operation", "variant",   "vector-only", "compare",       "vary",   "length",    "columns",
                  "density",   "attention", "fill",        "bits",          "matrix", "input",     "allow-nonfinite",
                  "flags",     "output",    "array",       "format",        "blocks", "word-bits", "in-words",
                  "tile",      "vcd",       "out-words",   "address-trace", "watch",  "pairs"},
                 "--theorems", "with a single run");
    o.device = read_mmv_options(values, o.common, smallest_theorem_side);
    o.finish(values, {output_directory::banks});
}

} // namespace

std::optional<segmented_options> read_segmented_options(int argc, char** argv, std::ostream& out)
{
    const auto values = segmented_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    segmented_options o;
    o.common = read_common_options(*values);
    o.theorems = values->get_flag("theorems");
    if (o.theorems) {
        read_theorem_options(*values, o);
        return o;
    }
    read_operation(*values, o);
    read_variant(*values, o);
    const bool real = read_source(*values, o);
    read_format(*values, o, real);
    complete_bits(o);
    o.side = static_cast<unsigned>(values->get_unsigned("array", 2, 1024));
    o.device = read_mmv_options(*values, o.common, o.side);
    read_varied(*values, o);
    read_tile(*values, o);
    read_pairs(*values, o);
    check_variants(o, values->has("variant"));
    check_bits_fit(o);
    read_files(*values, o);
    return o;
}

mmv::config sized_device(const segmented_options& o, const device_sizes& sizes, std::size_t devices)
{
    auto device = o.device;
    device.config.lanes = sizes.lanes;
    device.config.banks = sizes.banks;
    return device_config(device, o.common, sizes.array, o.format, devices);
}

std::string text_of(const device_sizes& sizes)
{
    return "s = " + std::to_string(sizes.array) + ", " + std::to_string(sizes.lanes) + " lanes, " +
           std::to_string(sizes.banks) + " banks";
}

std::string device_text(const segmented_options& o)
{
    return std::string(base::element_type_name(o.format)) + ", s = " + std::to_string(o.side) + ", " +
           std::to_string(o.device.config.lanes) + " lanes, " +
           (o.pairs > 1 ? std::to_string(o.pairs) + " pairs, " : "") + fidelity_name(o.common);
}

json configuration_json(const segmented_options& o, std::uint64_t memory_bytes, const mmv::config& device,
                        std::uint64_t scratchpad_bytes)
{
    const bool spmv = o.operation == segmented_operation::spmv;
    const bool matrices = o.operation == segmented_operation::matrix_product;
    json j = {{"operation", workloads::name_of(o.operation)},
              {"variant", o.variant != nullptr ? json(o.variant->name) : json(nullptr)},
              {"source", source_text(o)},
              {"length", o.source.length},
              {"shape", or_null(matrices, {o.source.shape.rows, o.source.shape.inner, o.source.shape.columns})},
              {"columns", or_null(spmv && !o.source.matrix, o.source.columns)},
              {"density", or_null(!o.source.attention, o.source.density)},
              {"attention", attention_json(o.source)},
              {"tile", or_null(o.tile)},
              {"pairs", o.pairs},
              {"bits", or_null(o.bits)},
              {"memory_bytes", memory_bytes}};
    j.update(device_json(device, o.common, scratchpad_bytes));
    return j;
}

} // namespace tensorloom::testbench
