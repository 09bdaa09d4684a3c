#pragma once
#include <vector>
#include <tensorloom/workloads/gemt_check.h>
#include <tensorloom/workloads/tensor.h>
#include "platform/transform_job.h"

namespace tensorloom::testbench {

/// Compares the results, one per tensor of the batch, with the reference in long double; the worst of all. Shows progress unless `quiet`.
template <class T>
workloads::check_result check_transform(const transform_job& job, const transform_problem<T>& problem,
                                        const std::vector<workloads::tensor<T>>& results, bool quiet);

} // namespace tensorloom::testbench
