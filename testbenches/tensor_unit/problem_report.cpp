#include "tensor_unit/tensor_unit.h"
#include <tensorloom/models/mmv/isa/meters.h>

namespace tensorloom::testbench {
namespace {

using workloads::tensor_unit_algorithm;
using workloads::tensor_unit_option;

constexpr tensor_unit_option all_options[] = {
    tensor_unit_option::inner,  tensor_unit_option::sweeps, tensor_unit_option::nonzeros, tensor_unit_option::points,
    tensor_unit_option::cutoff, tensor_unit_option::kappa,  tensor_unit_option::edges};

std::uint64_t value_of(const workloads::tensor_unit_problem& p, tensor_unit_option option)
{
    switch (option) {
    case tensor_unit_option::inner: return p.inner;
    case tensor_unit_option::sweeps: return p.sweeps;
    case tensor_unit_option::nonzeros: return p.nonzeros;
    case tensor_unit_option::points: return p.points;
    case tensor_unit_option::cutoff: return p.cutoff;
    case tensor_unit_option::kappa: return p.kappa;
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

workloads::tensor_unit_cost model_cost(const mmv::counts& counts)
{
    const auto meter = mmv::tcu_meter_of(counts, 1, 0);
    return {meter.calls, meter.rows, meter.cpu_ops};
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

json bounds_json(const workloads::run_bounds& b)
{
    return {{"semiring_products", or_null(b.products.value)},
            {"time_over_semiring_products", or_null(b.time_over_bound())},
            {"no_semiring_products", or_null(!b.products.value, b.products.reason)},
            {"simulated_io", b.io},
            {"io_bound", or_null(b.least_io.value)},
            {"io_over_bound", or_null(b.io_over_bound())},
            {"no_io_bound", or_null(!b.least_io.value, b.least_io.reason)}};
}

} // namespace tensorloom::testbench
