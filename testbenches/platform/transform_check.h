#pragma once
#include <vector>
#include <tensorloom/workloads/gemt_check.h>
#include <tensorloom/workloads/tensor.h>
#include "platform/transform_job.h"

namespace tensorloom::testbench {

/// Compares the results, one per tensor of the batch, with the reference of `workloads`; the worst of all. Shows
/// progress unless `quiet`.
///
/// Results in the element format come widened, which is exact.
template <class T>
workloads::check_result check_transform(const transform_job& job, const transform_problem<T>& problem,
                                        const std::vector<workloads::tensor<arithmetic::accumulator_of<T>>>& results,
                                        bool quiet);

} // namespace tensorloom::testbench
