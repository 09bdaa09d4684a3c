#include "platform/transform_check.h"
#include <algorithm>
#include <complex>
#include <optional>
#include <string>
#include <tensorloom/workloads/gemt_reference.h>
#include "platform/progress.h"

namespace tensorloom::testbench {
namespace {

void take_worse(workloads::check_result& worst, const workloads::check_result& other)
{
    worst.passed = worst.passed && other.passed;
    worst.finite = worst.finite && other.finite;
    worst.max_abs_error = std::max(worst.max_abs_error, other.max_abs_error);
    worst.max_rel_error = std::max(worst.max_rel_error, other.max_rel_error);
    worst.bound = std::max(worst.bound, other.bound);
    worst.compared += other.compared;
}

} // namespace

template <class T>
workloads::check_result check_transform(const transform_job& job, const transform_problem<T>& problem,
                                        const std::vector<workloads::tensor<T>>& results, bool quiet)
{
    progress shown(quiet);
    std::optional<workloads::check_result> worst;
    workloads::gemt_problem<T> gemt;
    for (std::size_t m = 0; m < 3; ++m) { gemt.matrices[m] = &problem.matrices[m]; }
    gemt.order = job.order;
    gemt.initial = problem.initial ? &*problem.initial : nullptr;
    std::optional<workloads::gemt_reference<T>> reference;
    for (std::size_t i = 0; i < results.size(); ++i) {
        shown.show(static_cast<double>(i) / static_cast<double>(results.size()),
                   "reference of tensor " + std::to_string(i + 1));
        gemt.x = &problem.tensor(i);
        if (!reference || problem.x.size() > 1) { reference = workloads::compute_reference(gemt); }
        const auto result = workloads::check_gemt(results[i], gemt, *reference, job.esop ? job.zero_threshold : 0);
        if (worst) {
            take_worse(*worst, result);
        } else {
            worst = result;
        }
    }
    return *worst;
}

template workloads::check_result check_transform(const transform_job&, const transform_problem<double>&,
                                                 const std::vector<workloads::tensor<double>>&, bool);
template workloads::check_result check_transform(const transform_job&, const transform_problem<float>&,
                                                 const std::vector<workloads::tensor<float>>&, bool);
template workloads::check_result check_transform(const transform_job&, const transform_problem<std::complex<double>>&,
                                                 const std::vector<workloads::tensor<std::complex<double>>>&, bool);
template workloads::check_result check_transform(const transform_job&, const transform_problem<std::complex<float>>&,
                                                 const std::vector<workloads::tensor<std::complex<float>>>&, bool);

} // namespace tensorloom::testbench
