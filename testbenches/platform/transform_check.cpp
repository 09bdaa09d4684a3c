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
    worst.max_abs_error_against_float64 =
        std::max(worst.max_abs_error_against_float64, other.max_abs_error_against_float64);
    worst.max_rel_error_against_float64 =
        std::max(worst.max_rel_error_against_float64, other.max_rel_error_against_float64);
    worst.saturated += other.saturated;
    worst.overflowed += other.overflowed;
}

} // namespace

template <class T>
workloads::check_result check_transform(const transform_job& job, const transform_problem<T>& problem,
                                        const std::vector<workloads::tensor<arithmetic::accumulator_of<T>>>& results,
                                        bool quiet)
{
    progress shown(quiet);
    std::optional<workloads::check_result> worst;
    workloads::gemt_problem<T> gemt;
    for (std::size_t m = 0; m < 3; ++m) { gemt.matrices[m] = &problem.matrices[m]; }
    gemt.order = job.order;
    gemt.shifts = job.shifts;
    gemt.rounds_result = job.result == result_format::element;
    gemt.threshold = job.esop ? job.zero_threshold : 0;
    gemt.initial = problem.initial ? &*problem.initial : nullptr;
    std::optional<workloads::gemt_reference<T>> reference;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const auto show = [&](double done) {
            shown.show((static_cast<double>(i) + done) / static_cast<double>(results.size()),
                       results.size() > 1 ? "reference of tensor " + std::to_string(i + 1) : "reference");
        };
        if (shown.active()) { gemt.progress = show; }
        gemt.x = &problem.tensor(i);
        if (!reference || problem.x.size() > 1) { reference = workloads::compute_reference(gemt); }
        const auto result = workloads::check_gemt(results[i], gemt, *reference);
        if (worst) {
            take_worse(*worst, result);
        } else {
            worst = result;
        }
    }
    return *worst;
}

template workloads::check_result
check_transform(const transform_job&, const transform_problem<double>&,
                const std::vector<workloads::tensor<arithmetic::accumulator_of<double>>>&, bool);
template workloads::check_result
check_transform(const transform_job&, const transform_problem<float>&,
                const std::vector<workloads::tensor<arithmetic::accumulator_of<float>>>&, bool);
template workloads::check_result
check_transform(const transform_job&, const transform_problem<std::complex<double>>&,
                const std::vector<workloads::tensor<arithmetic::accumulator_of<std::complex<double>>>>&, bool);
template workloads::check_result
check_transform(const transform_job&, const transform_problem<std::complex<float>>&,
                const std::vector<workloads::tensor<arithmetic::accumulator_of<std::complex<float>>>>&, bool);
template workloads::check_result
check_transform(const transform_job&, const transform_problem<arithmetic::bfloat16>&,
                const std::vector<workloads::tensor<arithmetic::accumulator_of<arithmetic::bfloat16>>>&, bool);
template workloads::check_result
check_transform(const transform_job&, const transform_problem<std::int8_t>&,
                const std::vector<workloads::tensor<arithmetic::accumulator_of<std::int8_t>>>&, bool);

} // namespace tensorloom::testbench
