#include <tensorloom/workloads/tensor_unit/external_memory.h>
#include <cmath>

namespace tensorloom::workloads {

std::optional<double> product_io_bound(std::uint64_t size, std::uint64_t side)
{
    const auto n = static_cast<double>(size), m = static_cast<double>(side * side);
    const double bound = 2 * n * n * n / std::sqrt(3 * m) - 6 * m;
    return bound > 0 ? std::optional<double>(bound) : std::nullopt;
}

std::uint64_t simulated_io(const tensor_unit_cost& cost, std::uint64_t side)
{
    return 3 * side * side * cost.calls + 3 * cost.cpu_ops;
}

} // namespace tensorloom::workloads
