#include <tensorloom/workloads/tensor_unit/lower_bounds.h>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>

namespace tensorloom::workloads {
namespace {

using problem = tensor_unit_problem;

std::uint64_t one_product(const problem&) { return 1; }
std::uint64_t two_per_level(const problem& p) { return 2 * distance_levels(p.size); }

// Products of matrices that an algorithm makes by additions and multiplications alone.
struct products_row {
    std::string_view algorithm;
    product_size (*size)(const problem&);
    std::uint64_t (*count)(const problem&);
};
constexpr products_row semiring_products[] = {{"dense", square_size, one_product},
                                              {"rect", rectangle_size, one_product},
                                              {"recursive8", square_size, one_product},
                                              {"apsd", square_size, two_per_level}};

constexpr std::string_view no_call = "makes no call";
constexpr std::string_view subtracts = "subtracts, which is no semiring operation";
constexpr std::string_view eliminates = "divides and subtracts, and is no product of two matrices";
constexpr std::string_view convolves = "a convolution, no product of two matrices";
constexpr std::string_view is_fourier = "one factor is a Fourier matrix, the same in every run";
constexpr std::string_view evaluates = "one factor has powers of the points, which depend on each other";

struct reason_row {
    std::string_view algorithm, reason;
};
constexpr reason_row not_semiring[] = {{"strassen", subtracts},
                                       {"laderman", subtracts},
                                       {"sparse", "subtracts, and makes no products with elements that are 0"},
                                       {"ge_forward", eliminates},
                                       {"solve", eliminates},
                                       {"tclosure", "a closure, no product of two matrices"},
                                       {"apsd_strassen", subtracts},
                                       {"dft", is_fourier},
                                       {"dft_inverse", is_fourier},
                                       {"stencil", is_fourier},
                                       {"intmul", convolves},
                                       {"karatsuba", convolves},
                                       {"polyeval", evaluates},
                                       {"polynomial", evaluates}};

// Products that make every product of elements, in whatever order.
struct io_row {
    std::string_view algorithm;
    product_size (*size)(const problem&);
};
constexpr io_row all_products[] = {{"dense", square_size},
                                   {"rect", rectangle_size},
                                   {"recursive8", square_size},
                                   {"dense_scalar", square_size},
                                   {"rect_scalar", rectangle_size}};

double time_of_product(const product_size& size, call_shape shape, std::uint64_t side, std::uint64_t latency)
{
    const auto q = static_cast<double>(side), l = static_cast<double>(latency);
    const auto weights = static_cast<double>(size.inner * size.columns), rows = static_cast<double>(size.rows);
    const double calls = weights / (q * q) * (shape == call_shape::tall ? 1 : rows / q);
    return weights * rows / q + calls * l;
}

std::optional<double> ratio(double value, const lower_bound& bound)
{
    return bound.value ? std::optional(value / *bound.value) : std::nullopt;
}

} // namespace

lower_bound semiring_bound(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& p, std::uint64_t side,
                           std::uint64_t latency)
{
    if (const auto* row = row_of(semiring_products, algorithm.name)) {
        return {static_cast<double>(row->count(p)) * time_of_product(row->size(p), p.shape, side, latency), {}};
    }
    const auto* without = row_of(not_semiring, algorithm.name);
    return {{}, without != nullptr ? without->reason : no_call};
}

std::uint64_t simulated_io(const tensor_unit_cost& cost, std::uint64_t side)
{
    return side * side * cost.calls + 2 * side * cost.rows + 3 * cost.cpu_ops;
}

std::optional<double> product_io_bound(const product_size& size, std::uint64_t side)
{
    const auto n = static_cast<double>(size.rows), inner = static_cast<double>(size.inner);
    const auto columns = static_cast<double>(size.columns), m = static_cast<double>(side * side);
    const double bound = 2 * n * inner * columns / std::sqrt(3 * m) - 6 * m;
    return bound > 0 ? std::optional<double>(bound) : std::nullopt;
}

lower_bound io_bound(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& p, std::uint64_t side)
{
    const auto* row = row_of(all_products, algorithm.name);
    if (row == nullptr) { return {{}, "no bound on its transfers is known with its constant"}; }
    const auto bound = product_io_bound(row->size(p), side);
    return {bound, bound ? "" : "F is not positive: the operands are small"};
}

run_bounds::run_bounds(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& p,
                       const tensor_unit_cost& cost, std::uint64_t side, std::uint64_t latency)
    : time(cost.time(side, latency)), products(semiring_bound(algorithm, p, side, latency)),
      io(simulated_io(cost, side)), least_io(io_bound(algorithm, p, side))
{}

std::optional<double> run_bounds::time_over_bound() const { return ratio(static_cast<double>(time), products); }
std::optional<double> run_bounds::io_over_bound() const { return ratio(static_cast<double>(io), least_io); }

bool run_bounds::hold() const
{
    return time_over_bound().value_or(1) >= 1 && io_over_bound().value_or(1) >= 1 && 3 * time >= io;
}

std::optional<std::uint64_t> largest_paying_latency(const tensor_unit_cost& cost, std::uint64_t side,
                                                    std::uint64_t baseline_ops)
{
    const std::uint64_t least = cost.time(side, 0);
    if (least >= baseline_ops) { return std::nullopt; }
    return (baseline_ops - 1 - least) / cost.calls;
}

std::optional<std::uint64_t> largest_paying_latency(const tensor_unit_algorithm& algorithm, const problem& p,
                                                    std::uint64_t side, std::uint64_t baseline_ops)
{
    // The cut-off that is best at a limit may be a better one beyond it, so the limit grows with it.
    std::optional<std::uint64_t> limit;
    for (std::uint64_t latency = 0;; latency = *limit + 1) {
        const auto completed = completed_problem(algorithm, p, side, latency);
        const auto next = largest_paying_latency(algorithm.cost(completed, side).value(), side, baseline_ops);
        if (!next || (limit && *next <= *limit)) { return limit; }
        limit = next;
    }
}

} // namespace tensorloom::workloads
