#include "segmented/segmented.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/csr_matrix.h>
#include <tensorloom/workloads/finite_data.h>
#include <tensorloom/workloads/input_file.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/segmented/inputs.h>
#include "platform/process/process_resources.h"
#include "platform/process/text.h"

namespace tensorloom::testbench {
namespace {

// ---- bits of operands ----

using workloads::product_use;
using workloads::segmented_operation;
using workloads::segmented_problem;

constexpr unsigned int8_bits = 7;
constexpr unsigned default_bits = 8;

// Nonzeros of a matrix that is generated, but not by formula.
std::uint64_t generated_nonzeros(const segmented_source& source, std::uint64_t rows, std::uint64_t columns)
{
    if (source.attention) { return source.attention->nonzeros(rows); }
    return static_cast<std::uint64_t>(
        std::llround(source.density * static_cast<double>(rows) * static_cast<double>(columns)));
}

// Of any result; 0 when that is known only from files.
std::uint64_t most_products_in_a_sum(const segmented_options& o)
{
    switch (o.operation) {
    case segmented_operation::product: return 1;
    case segmented_operation::matrix_product: return o.source.shape.inner;
    default: break;
    }
    return std::max<std::uint64_t>(1, generated_nonzeros(o.source, o.source.length, o.source.columns));
}

unsigned ceil_log2(std::uint64_t n)
{
    unsigned bits = 0;
    while ((std::uint64_t{1} << bits) < n) { ++bits; }
    return bits;
}

// For operands that do not have the bits of a default: which variant takes them ("..; --variant mul ..").
std::string advice_without_bits(const segmented_options& o)
{
    if (!o.bits_by_default) { return {}; }
    const char* free = o.operation == segmented_operation::product ? "mul" : "gemm_tiled";
    return ", the default without --bits" +
           (o.variant != nullptr ? " of --variant " + std::string(o.variant->name) : std::string(" of a comparison")) +
           "; --variant " + free + " takes any that fit the format";
}

// ---- operands ----

constexpr unsigned bits_without_any = 4; // of the formulas for products, when products multiply

// What is generated at random differs by what it is for.
enum seed_use : std::uint64_t { seed_x, seed_y, seed_flags, seed_matrix };
std::uint64_t seed_of(const segmented_options& o, seed_use use) { return o.common.seed * 4 + use; }

template <class T> std::vector<T> converted(const std::vector<std::int64_t>& values)
{
    return {values.begin(), values.end()};
}

// The nearest numbers of the device's format.
template <class T> std::vector<T> in_format(const segmented_options& o, std::vector<T> values)
{
    if constexpr (std::is_floating_point_v<T>) {
        for (T& v : values) { v = workloads::rounded_to(o.format, v); }
    }
    return values;
}

template <class T> std::vector<T> operand(const segmented_options& o, std::uint64_t n, unsigned which, seed_use use)
{
    if (!o.source.formula) { return in_format(o, workloads::random_values<T>(n, seed_of(o, use), o.bits.value_or(0))); }
    return converted<T>(workloads::formula_operand(n, which, o.bits.value_or(bits_without_any)));
}

// `of`: what such elements are.
template <class T>
void check_within(const std::string& option, const std::vector<T>& values, T least, T most, const std::string& of)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] < least || values[i] > most) {
            throw base::input_error(option + ": element " + std::to_string(i) + " is " + std::to_string(values[i]) +
                                    ", expected " + (least == 0 ? "0" : std::to_string(least)) + " to " +
                                    std::to_string(most) + " for " + of);
        }
    }
}

template <class T> void check_bits(const segmented_options& o, const std::string& option, const std::vector<T>& values)
{
    if (!o.bits) { return; }
    check_within(option, values, T{0}, static_cast<T>((std::uint64_t{1} << *o.bits) - 1),
                 "operands of " + std::to_string(*o.bits) + " bits" + advice_without_bits(o));
}

// T is wide enough for all integer formats; the device's may be narrower.
template <class T> void check_range(const segmented_options& o, const std::string& option, const std::vector<T>& values)
{
    if (o.format != base::element_type::int8 && o.format != base::element_type::int32) { return; }
    const T most = o.format == base::element_type::int8 ? std::numeric_limits<std::int8_t>::max()
                                                        : std::numeric_limits<std::int32_t>::max();
    check_within(option, values, -most - 1, most, "--format " + std::string(base::element_type_name(o.format)));
}

// In C order.
void require_finite_values(const std::string& where, const std::vector<double>& values)
{
    workloads::require_finite(values, std::array<std::size_t, 1>{values.size()}, where + ": ");
}

// Real numbers as the format holds them: rounded, but not to infinity.
std::vector<double> rounded(const segmented_options& o, const std::string& option, const std::vector<double>& values)
{
    if (!o.source.allow_nonfinite) { require_finite_values(option, values); }
    auto held = in_format(o, values);
    for (std::size_t i = 0; i < held.size(); ++i) {
        if (std::isfinite(held[i]) || !std::isfinite(values[i])) { continue; }
        throw base::input_error(option + ": element " + std::to_string(i) + " is " + number_text(values[i]) +
                                ", expected numbers that " + std::string(base::element_type_name(o.format)) + " holds");
    }
    return held;
}

// Whole numbers that the format does not hold exactly are refused, not rounded.
template <class T> std::vector<T> load_exactly(const segmented_options& o, const std::string& path)
{
    if constexpr (std::is_floating_point_v<T>) {
        const auto kind = workloads::read_npy_header(path).kind;
        if (kind == workloads::npy_kind::signed_integer || kind == workloads::npy_kind::unsigned_integer) {
            const auto whole = workloads::load_npy_as<std::int64_t>(path).data;
            const auto wrong = std::find_if_not(whole.begin(), whole.end(), [&](std::int64_t v) {
                const auto real = static_cast<double>(v);
                return workloads::is_exact_double(v) && workloads::rounded_to(o.format, real) == real;
            });
            if (wrong != whole.end()) {
                throw base::input_error(path + ": element " + std::to_string(wrong - whole.begin()) + " is " +
                                        std::to_string(*wrong) + ", expected a number that " +
                                        std::string(base::element_type_name(o.format)) + " holds exactly");
            }
            return converted<T>(whole);
        }
    }
    return workloads::load_npy_as<T>(path).data;
}

template <class T> std::vector<T> loaded(const segmented_options& o, const std::string& path)
{
    auto values = complaining_of("--input", [&] { return load_exactly<T>(o, path); });
    check_range(o, "--input: " + path, values);
    check_bits(o, "--input: " + path, values);
    if constexpr (std::is_floating_point_v<T>) { values = rounded(o, "--input: " + path, values); }
    return values;
}

std::vector<std::uint8_t> loaded_flags(const std::string& path)
{
    const auto values = workloads::load_npy_as<double>(path).data;
    require_finite_values("--flags: " + path, values);
    std::vector<std::uint8_t> flags;
    for (const double value : values) { flags.push_back(value != 0 ? 1 : 0); }
    return flags;
}

template <class T> workloads::csr_matrix<T> loaded_matrix(const segmented_options& o)
{
    const std::string& path = *o.source.matrix;
    auto matrix = complaining_of("--matrix", [&] { return workloads::load_matrix_market<T>(path).matrix; });
    check_range(o, "--matrix: " + path, matrix.value);
    check_bits(o, "--matrix: " + path, matrix.value);
    if constexpr (std::is_floating_point_v<T>) { matrix.value = rounded(o, "--matrix: " + path, matrix.value); }
    return matrix;
}

template <class T>
workloads::csr_matrix<T> generated_matrix(const segmented_options& o, std::uint64_t rows, std::uint64_t columns)
{
    if (o.source.formula) {
        const auto whole = workloads::formula_matrix(rows);
        return {whole.rows, whole.columns, whole.row_starts, whole.column, converted<T>(whole.value)};
    }
    const std::uint64_t nonzeros = generated_nonzeros(o.source, rows, columns);
    constexpr std::uint64_t most = 1u << 26;
    if (nonzeros > most) {
        throw base::input_error(std::string(o.source.attention ? "--attention" : "--density") + " asks for " +
                                std::to_string(nonzeros) + " elements in a matrix of " + std::to_string(rows) + " x " +
                                std::to_string(columns) + ", expected at most " + std::to_string(most));
    }
    const std::uint64_t seed = seed_of(o, seed_matrix);
    const unsigned bits = o.bits.value_or(0);
    auto matrix = o.source.attention ? workloads::attention_matrix<T>(rows, *o.source.attention, seed, bits)
                                     : workloads::random_matrix<T>(rows, columns, nonzeros, seed, bits);
    matrix.value = in_format(o, std::move(matrix.value));
    return matrix;
}

// What a sparse product takes besides the process itself, as measured: a row has its place in the matrix on the host,
// on its way to the device and in its memory, and a result; a column an element of x; algorithms that combine elements
// by segments hold some of them twice.
struct sparse_bytes {
    static constexpr std::uint64_t row = 88, column = 24, element = 88, combined_element = 136;
};

void require_sparse_memory(const segmented_options& o, std::uint64_t rows, std::uint64_t columns)
{
    std::uint64_t elements = 0; // by formula: a few per row
    if (!o.source.formula && !o.source.matrix) { elements = generated_nonzeros(o.source, rows, columns); }
    if (o.source.matrix) {
        const auto header = workloads::read_matrix_market_header(*o.source.matrix);
        rows = header.rows;
        columns = header.columns;
        // as many as the file can have at "1 1" and a line's end each; of an array, zeros take nothing
        const std::uint64_t most = workloads::input_file_bytes(*o.source.matrix, "a MatrixMarket file") / 4;
        const bool general = header.symmetry == workloads::matrix_market_header::symmetry_kind::general;
        elements = header.coordinate ? std::min(header.entries, most) * (general ? 1 : 2) : 0;
    }
    const bool plain = o.variant != nullptr && o.variant == &workloads::default_variant(o.operation);
    require_memory(rows * sparse_bytes::row + columns * sparse_bytes::column +
                       elements * (plain ? sparse_bytes::element : sparse_bytes::combined_element),
                   "a smaller matrix");
}

template <class T> void make_sparse(const segmented_options& o, segmented_problem<T>& p, std::uint64_t rows)
{
    const bool square = o.source.inputs.empty() && o.source.columns == o.source.length;
    require_sparse_memory(o, rows, square ? rows : o.source.columns);
    p.matrix = o.source.matrix ? loaded_matrix<T>(o) : generated_matrix<T>(o, rows, square ? rows : o.source.columns);
    if (!o.source.inputs.empty()) {
        p.x = loaded<T>(o, o.source.inputs[0]);
        if (p.x.size() != p.matrix.columns) {
            throw base::input_error("--input: " + o.source.inputs[0] + " has " + std::to_string(p.x.size()) +
                                    " elements, expected " + std::to_string(p.matrix.columns) +
                                    " as the matrix has columns");
        }
    } else {
        p.x = operand<T>(o, p.matrix.columns, 3, seed_x);
    }
}

template <class T> void make_operands(const segmented_options& o, segmented_problem<T>& p)
{
    const bool matrices = o.operation == segmented_operation::matrix_product;
    p.shape = o.source.shape;
    if (!o.source.inputs.empty()) {
        p.x = loaded<T>(o, o.source.inputs[0]);
        p.y = loaded<T>(o, o.source.inputs[1]);
        return;
    }
    const std::uint64_t n = o.source.length;
    const std::uint64_t elements = matrices ? n * n : n;
    if (o.source.formula && !o.bits) {
        p.x = converted<T>(workloads::formula_values(elements));
        p.y = converted<T>(workloads::formula_values(elements, 5));
        return;
    }
    p.x = operand<T>(o, elements, 1, seed_x);
    p.y = operand<T>(o, elements, 2, seed_y);
}

template <class T> void make_vector(const segmented_options& o, segmented_problem<T>& p)
{
    const std::uint64_t n = o.source.length;
    if (!o.source.inputs.empty()) {
        p.x = loaded<T>(o, o.source.inputs[0]);
    } else if (o.source.formula) {
        p.x = converted<T>(workloads::formula_values(n));
    } else {
        p.x = in_format(o, workloads::random_values<T>(n, seed_of(o, seed_x)));
    }
    if (!has_flags(o.operation)) { return; }
    if (o.source.flags) {
        p.flags = loaded_flags(*o.source.flags);
    } else if (o.source.formula) {
        p.flags = workloads::formula_flags(n);
    } else {
        p.flags = workloads::random_flags(n, o.source.density, seed_of(o, seed_flags));
    }
}

// Of a square matrix, row by row.
template <class T>
std::vector<T> corner(const std::vector<T>& matrix, std::uint64_t columns, std::uint64_t rows, std::uint64_t taken)
{
    std::vector<T> part;
    for (std::uint64_t r = 0; r < rows; ++r) {
        const auto row = matrix.begin() + static_cast<std::ptrdiff_t>(r * columns);
        part.insert(part.end(), row, row + static_cast<std::ptrdiff_t>(taken));
    }
    return part;
}

} // namespace

void complete_bits(segmented_options& o)
{
    const auto by_bits = [](const workloads::segmented_variant* v) { return v->products == product_use::by_bits; };
    const bool needed =
        o.variant != nullptr ? by_bits(o.variant) : std::any_of(o.compared.begin(), o.compared.end(), by_bits);
    o.bits_by_default = needed && !o.bits && base::is_integer(o.format);
    if (o.bits_by_default) { o.bits = o.format == base::element_type::int8 ? int8_bits : default_bits; }
}

std::string why_not_bits(const workloads::segmented_variant& variant, const segmented_options& o)
{
    if (o.format != base::element_type::int8 || !variant.is(workloads::inputs_as_left) ||
        o.bits.value_or(0) <= int8_bits) {
        return {};
    }
    return "operands of " + std::to_string(*o.bits) + " bits found (--bits), expected at most " +
           std::to_string(int8_bits) + " as elements in int8";
}

void check_bits_fit(const segmented_options& o)
{
    if (!o.bits || !o.source.generated() || o.source.formula || !base::is_integer(o.format)) { return; }
    const auto word = base::accumulator_type(o.format);
    const auto most = static_cast<unsigned>(base::element_bits(word)) - 1; // besides the sign
    const std::uint64_t products = most_products_in_a_sum(o);
    const unsigned more = ceil_log2(products);
    if (2 * *o.bits + more <= most) { return; }
    throw base::input_error("--bits is " + std::to_string(*o.bits) + ": " +
                            (products == 1 ? "a product" : "a sum of up to " + std::to_string(products) + " products") +
                            " takes " + std::to_string(2 * *o.bits + more) + " bits, " +
                            std::string(base::element_type_name(word)) + " has " + std::to_string(most) +
                            " besides the sign, expected --bits " + std::to_string((most - more) / 2) + " at most");
}

template <class T> segmented_problem<T> make_problem(const segmented_options& o)
{
    segmented_problem<T> p;
    p.bits = o.bits;
    switch (o.operation) {
    case segmented_operation::spmv: make_sparse(o, p, o.source.length); break;
    case segmented_operation::product:
    case segmented_operation::matrix_product: make_operands(o, p); break;
    default: make_vector(o, p); break;
    }
    return p;
}

template <class T>
segmented_problem<T> part_of(const segmented_options& o, const segmented_problem<T>& whole, std::uint64_t length)
{
    segmented_problem<T> p;
    p.bits = whole.bits;
    if (o.operation == segmented_operation::spmv) {
        if (o.source.matrix || o.source.attention) { return whole; }
        make_sparse(o, p, length);
        return p;
    }
    if (o.operation == segmented_operation::matrix_product) {
        const auto& s = whole.shape;
        p.shape = {std::min(s.rows, length), std::min(s.inner, length), std::min(s.columns, length)};
        p.x = corner(whole.x, s.inner, p.shape.rows, p.shape.inner);
        p.y = corner(whole.y, s.columns, p.shape.inner, p.shape.columns);
        return p;
    }
    const auto first = [&](const auto& values) {
        using values_type = std::decay_t<decltype(values)>;
        return values_type(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(
                                                                std::min<std::uint64_t>(length, values.size())));
    };
    p.x = first(whole.x);
    p.y = first(whole.y);
    p.flags = first(whole.flags);
    return p;
}

template segmented_problem<std::int64_t> make_problem(const segmented_options&);
template segmented_problem<double> make_problem(const segmented_options&);
template segmented_problem<std::int64_t> part_of(const segmented_options&, const segmented_problem<std::int64_t>&,
                                                 std::uint64_t);
template segmented_problem<double> part_of(const segmented_options&, const segmented_problem<double>&, std::uint64_t);

} // namespace tensorloom::testbench
