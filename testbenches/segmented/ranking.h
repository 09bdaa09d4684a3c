#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tensorloom::testbench {

/// Metrics of the comparison: the model's steps, the device's cycles, its energy (pJ).
enum class cost_metric { steps, cycles, energy };
inline constexpr cost_metric cost_metrics[] = {cost_metric::steps, cost_metric::cycles, cost_metric::energy};

const char* name_of(cost_metric metric); ///< "steps", "cycles", "energy"

/// Costs of a variant at one length.
struct cost_point {
    std::uint64_t length = 0;
    std::uint64_t steps = 0;
    std::uint64_t cycles = 0;
    double pj = 0;
    double vector_pj = 0; ///< the vector unit's part, without leakage

    double by(cost_metric metric) const;
};

/// Costs of a variant at growing lengths; all variants of a comparison have the same lengths.
struct cost_curve {
    std::string variant;
    std::vector<cost_point> points;
};

/// The smallest length from which `a` costs less than `b` at every tried length; none if not at the largest.
std::optional<std::uint64_t> crossover(const cost_curve& a, const cost_curve& b, cost_metric metric);

/// The curves' indices at point `at`, cheapest first; equal ones keep their order.
std::vector<std::size_t> ranking(const std::vector<cost_curve>& curves, std::size_t at, cost_metric metric);

/// The lengths at which two sets of curves of the same variants rank differently.
std::vector<std::uint64_t> changed_rankings(const std::vector<cost_curve>& a, const std::vector<cost_curve>& b,
                                            cost_metric metric);

} // namespace tensorloom::testbench
