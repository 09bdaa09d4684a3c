#include "segmented/product_bits.h"
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tensorloom::testbench {
namespace {

using workloads::product_use;
using workloads::segmented_operation;

constexpr unsigned int8_bits = 7;
constexpr unsigned default_bits = 8;

// Of any result; 0 when that is known only from files.
std::uint64_t most_products_in_a_sum(const segmented_options& o)
{
    switch (o.operation) {
    case segmented_operation::product: return 1;
    case segmented_operation::matrix_product: return o.source.shape.inner;
    default: break;
    }
    const double places = static_cast<double>(o.source.length) * static_cast<double>(o.source.columns);
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(o.source.density * places)));
}

unsigned ceil_log2(std::uint64_t n)
{
    unsigned bits = 0;
    while ((std::uint64_t{1} << bits) < n) { ++bits; }
    return bits;
}

} // namespace

void complete_bits(segmented_options& o)
{
    const auto by_bits = [](const workloads::segmented_variant* v) { return v->products == product_use::by_bits; };
    const bool needed =
        o.variant != nullptr ? by_bits(o.variant) : std::any_of(o.compared.begin(), o.compared.end(), by_bits);
    o.bits_by_default = needed && !o.bits && arch::is_integer(o.format);
    if (o.bits_by_default) { o.bits = o.format == arch::element_type::int8 ? int8_bits : default_bits; }
}

std::string why_not_bits(const workloads::segmented_variant& variant, const segmented_options& o)
{
    if (o.format != arch::element_type::int8 || !variant.is(workloads::inputs_as_left) ||
        o.bits.value_or(0) <= int8_bits) {
        return {};
    }
    return "operands of " + std::to_string(*o.bits) + " bits found (--bits), expected at most " +
           std::to_string(int8_bits) + " as elements in int8";
}

void check_bits_fit(const segmented_options& o)
{
    if (!o.bits || !o.source.generated() || o.source.formula || !arch::is_integer(o.format)) { return; }
    const auto word = arch::accumulator_type(o.format);
    const auto most = static_cast<unsigned>(arch::element_bits(word)) - 1; // besides the sign
    const std::uint64_t products = most_products_in_a_sum(o);
    const unsigned more = ceil_log2(products);
    if (2 * *o.bits + more <= most) { return; }
    throw arch::input_error("--bits is " + std::to_string(*o.bits) + ": " +
                            (products == 1 ? "a product" : "a sum of up to " + std::to_string(products) + " products") +
                            " takes " + std::to_string(2 * *o.bits + more) + " bits, " +
                            std::string(arch::element_type_name(word)) + " has " + std::to_string(most) +
                            " besides the sign, expected --bits " + std::to_string((most - more) / 2) + " at most");
}

std::string advice_without_bits(const segmented_options& o)
{
    if (!o.bits_by_default) { return {}; }
    const char* free = o.operation == segmented_operation::product ? "mul" : "gemm_tiled";
    return ", the default without --bits" +
           (o.variant != nullptr ? " of --variant " + std::string(o.variant->name) : std::string(" of a comparison")) +
           "; --variant " + free + " takes any that fit the format";
}

} // namespace tensorloom::testbench
