#include "contract/contract.h"
#include <cmath>
#include <tensorloom/workloads/contraction/run.h>
#include <tensorloom/workloads/finite_data.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::testbench {
namespace {

// An infinity among the values is kept if it is allowed; one that rounding makes would change the contraction.
void require_in_range(const std::vector<double>& values, const std::vector<float>& rounded, base::element_type type,
                      const std::string& where)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]) || std::isfinite(rounded[i])) { continue; }
        throw base::input_error(where + "element " + std::to_string(i) + " in C order is " + number_text(values[i]) +
                                ", expected a number in the range of " + std::string(base::element_type_name(type)));
    }
}

reordering_costs reordering_of(const contract_findings& f, const fetta_testbed& testbed)
{
    reordering_costs sum;
    for (std::size_t p = 0; p < testbed.programs(); ++p) {
        if (f.job.programs[p].phase == workloads::program_phase::contract) { continue; }
        const auto costs = testbed.costs(p, p + 1, f.energy_models);
        sum.cycles += costs.cycles;
        sum.read_bytes += costs.bus_read_bytes;
        sum.written_bytes += costs.bus_written_bytes;
    }
    return sum;
}

void write_result(const contract_options& o, const std::vector<float>& c)
{
    workloads::tensor<float> result;
    result.shape = o.problem.shape(o.problem.c);
    result.data = c;
    workloads::save_npy(*o.output, result);
}

} // namespace

std::vector<float> operand_of(const contract_options& o, const std::vector<double>& values,
                              const std::vector<std::size_t>& shape, const std::string& where)
{
    if (!o.allow_nonfinite) { workloads::require_finite(values, shape, where); }
    const auto type = o.device.config.limits.operand;
    auto rounded = workloads::rounded_operand(values, type);
    require_in_range(values, rounded, type, where);
    return rounded;
}

std::vector<float> operand_of_file(const contract_options& o, const std::string& path)
{
    const auto file = workloads::load_npy_as<double>(path);
    return operand_of(o, file.data, file.shape, "--input: " + path + ": ");
}

std::vector<float> run_planned(workloads::fetta_session& session, const contract_job& job, const std::vector<float>& a,
                               const std::vector<float>& b)
{
    return workloads::run_programs(session, *job.plan, {job.addresses, job.programs}, a, b).c;
}

void take_result(const contract_options& o, const contract_values& values, contract_findings& found)
{
    found.tcu_cycles = fetta::engine_cycles(found.costs.counts);
    if (o.common.check) {
        const auto store = o.store_bf16() ? base::element_type::bf16 : base::element_type::f32;
        found.check =
            workloads::check_contraction(workloads::contract_in_double(o.problem, values.a, values.b), values.c,
                                         o.problem.extent(o.problem.contracted), o.device.config.limits.psum, store);
    }
    if (o.output) { write_result(o, values.c); }
}

void take_details(const contract_options& o, const costs::technology& technology, const fetta_testbed& testbed,
                  contract_findings& found)
{
    found.reordering = reordering_of(found, testbed);
    found.steady_power =
        steady_power(technology, energy_settings_of(o.device, o.common), found.costs.counts, found.tcu_cycles);
}

} // namespace tensorloom::testbench
