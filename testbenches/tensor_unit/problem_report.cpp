#include "tensor_unit/tensor_unit.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>

namespace tensorloom::testbench {
namespace {

using workloads::tensor_unit_algorithm;
using workloads::tensor_unit_option;

constexpr double rounding_of(base::element_type word) { return word == base::element_type::f32 ? 1e-4 : 1e-9; }

using wide = std::complex<long double>;

template <class T> wide widened(const T& value)
{
    if constexpr (std::is_arithmetic_v<T>) {
        return {static_cast<long double>(value), 0};
    } else {
        return {value.real(), value.imag()};
    }
}

template <class A, class B>
tensor_unit_check compared(const std::vector<A>& found, const std::vector<B>& reference, double rounding)
{
    tensor_unit_check c;
    c.bound = std::is_integral_v<A> && std::is_integral_v<B> ? 0 : rounding;
    long double largest = 0, error = 0;
    for (const auto& value : reference) { largest = std::max(largest, std::abs(widened(value))); }
    const std::size_t both = std::min(found.size(), reference.size());
    for (std::size_t i = 0; i < both; ++i) {
        const long double off = std::abs(widened(found[i]) - widened(reference[i])), allowed = c.bound * largest;
        const bool right = off <= allowed && std::isfinite(off) && std::isfinite(allowed);
        if (!right && !c.first_wrong) { c.first_wrong = i; }
        error = std::isnan(off) ? off : std::max(error, off);
    }
    if (found.size() != reference.size() && !c.first_wrong) { c.first_wrong = both; }
    c.max_abs_error = static_cast<double>(error);
    c.max_rel_error = largest == 0 || !std::isfinite(error) ? c.max_abs_error : static_cast<double>(error / largest);
    c.passed = !c.first_wrong;
    return c;
}

constexpr tensor_unit_option all_options[] = {tensor_unit_option::inner,    tensor_unit_option::sweeps,
                                              tensor_unit_option::nonzeros, tensor_unit_option::points,
                                              tensor_unit_option::cutoff,   tensor_unit_option::edges};

std::uint64_t value_of(const workloads::tensor_unit_problem& p, tensor_unit_option option)
{
    switch (option) {
    case tensor_unit_option::inner: return p.inner;
    case tensor_unit_option::sweeps: return p.sweeps;
    case tensor_unit_option::nonzeros: return p.nonzeros;
    case tensor_unit_option::points: return p.points;
    case tensor_unit_option::cutoff: return p.cutoff;
    case tensor_unit_option::edges: break;
    }
    return p.edges;
}

// 0: the number of edges is not known, or is 0.
bool has(const tensor_unit_algorithm& algorithm, const workloads::tensor_unit_problem& p, tensor_unit_option option)
{
    return algorithm.uses(option) && value_of(p, option) != 0;
}

} // namespace

tensor_unit_check check_values(const workloads::tensor_unit_values& found,
                               const workloads::tensor_unit_values& reference, base::element_type word)
{
    return std::visit([&](const auto& a, const auto& b) { return compared(a, b, rounding_of(word)); }, found,
                      reference);
}

workloads::tensor_unit_cost model_cost(const mmv::counts& counts)
{
    return {counts[mmv::event::matmul_call], counts[mmv::event::matmul_row], counts[mmv::event::cpu_op]};
}

std::string problem_text(const workloads::tensor_unit_algorithm& algorithm, const workloads::tensor_unit_problem& p,
                         std::string (*number)(std::uint64_t))
{
    std::string text = number(p.size);
    for (const auto option : all_options) {
        if (has(algorithm, p, option)) {
            text += ", " + std::string(workloads::option_name(option)) + " " + number(value_of(p, option));
        }
    }
    return text;
}

json problem_json(const workloads::tensor_unit_algorithm& algorithm, const workloads::tensor_unit_problem& p)
{
    json j = {{"size", p.size}};
    for (const auto option : all_options) {
        j[std::string(workloads::option_name(option))] = or_null(has(algorithm, p, option), value_of(p, option));
    }
    j["weak"] = p.shape == workloads::call_shape::square;
    return j;
}

std::string charges_name(workloads::charge_table charges)
{
    return workloads::charge_table_values[static_cast<std::size_t>(charges)].name;
}

json cost_json(const workloads::tensor_unit_cost& cost, unsigned side, std::uint64_t latency)
{
    return {{"calls", cost.calls},
            {"rows", cost.rows},
            {"tensor_time", cost.tensor_time(side, latency)},
            {"cpu_ops", cost.cpu_ops},
            {"time", cost.time(side, latency)}};
}

} // namespace tensorloom::testbench
