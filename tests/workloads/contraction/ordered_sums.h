#pragma once
#include <vector>
#include <tensorloom/workloads/contraction/plan.h>

namespace tensorloom::test {

/// A contraction summed element by element in the order that contract_command.h prints for the plan's mapping, split
/// and blocks of the contracted index, in the plan's formats: bit for bit what a device gives. NaNs are not expected.
std::vector<float> ordered_sums(const workloads::contraction_plan& plan, const std::vector<float>& a,
                                const std::vector<float>& b);

} // namespace tensorloom::test
