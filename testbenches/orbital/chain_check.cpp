#include "orbital/chain_check.h"
#include <algorithm>
#include <cmath>
#include <tensorloom/workloads/gemt_reference.h>

namespace tensorloom::testbench {
namespace {

using workloads::tensor;

template <class T> using wide = typename workloads::wide_type<T>::type;

template <class T, class W> T rounded(const W& value)
{
    if constexpr (std::is_same_v<T, arithmetic::bfloat16>) {
        return T(static_cast<float>(value));
    } else if constexpr (std::is_same_v<W, long double>) {
        return static_cast<T>(value);
    } else {
        using part = typename T::value_type;
        return {static_cast<part>(value.real()), static_cast<part>(value.imag())};
    }
}

template <class T> wide<T> exactly(const T& value)
{
    if constexpr (std::is_same_v<T, arithmetic::bfloat16>) {
        return arithmetic::widened<T>(value);
    } else {
        return wide<T>(value);
    }
}

template <class T> using matrix_set = std::array<std::vector<T>, 3>;

// Moduli, for what uncertainties become.
template <class T> matrix_set<double> moduli_of(const matrix_set<T>& matrices)
{
    matrix_set<double> moduli;
    for (std::size_t m = 0; m < 3; ++m) {
        for (const auto& c : matrices[m]) { moduli[m].push_back(static_cast<double>(std::abs(exactly(c)))); }
    }
    return moduli;
}

template <class T>
workloads::gemt_reference<T> sums_of(const tensor<T>& x, const matrix_set<T>& matrices,
                                     const std::array<unsigned, 3>& order, bool rounds,
                                     const std::function<void(double)>& progress)
{
    workloads::gemt_problem<T> gemt;
    gemt.x = &x;
    for (std::size_t m = 0; m < 3; ++m) { gemt.matrices[m] = matrices[m].empty() ? nullptr : &matrices[m]; }
    gemt.order = order;
    gemt.rounds_result = rounds;
    gemt.progress = progress;
    return workloads::compute_reference(gemt);
}

// Progress of one of three parts.
std::function<void(double)> part_of(const std::function<void(double)>& progress, int part)
{
    constexpr int parts = 3;
    if (!progress) { return {}; }
    return [progress, part](double done) { progress((part + done) / parts); };
}

} // namespace

template <class T>
workloads::check_result chain_check<T>::result(const orbit_transform<T>& problem, const orbit_job& job,
                                               const results& found, bool quiet)
{
    matrix_set<T> back;
    for (std::size_t m = 0; m < 3; ++m) { back[m] = conjugate_transpose(problem.matrices[m], job.shape[m]); }
    const std::array<unsigned, 3> back_order{job.order[2], job.order[1], job.order[0]};
    const auto moduli = moduli_of(back);
    const auto reference_of = [&](const tensor<T>& x, const std::function<void(double)>& progress) {
        constexpr bool rounds = true; // what becomes an operand again
        const auto there = sums_of(x, problem.matrices, job.order, rounds, part_of(progress, 0));
        const auto& shape = there.values.shape;
        tensor<T> middle({shape[0], shape[1], shape[2]});
        tensor<double> unsure({shape[0], shape[1], shape[2]});
        for (std::size_t i = 0; i < middle.data.size(); ++i) {
            middle.data[i] = rounded<T>(there.values.data[i]);
            unsure.data[i] =
                there.uncertainty[i] + static_cast<double>(std::abs(exactly(middle.data[i]) - there.values.data[i]));
        }
        auto reference = sums_of(middle, back, back_order, job.result == result_format::element, part_of(progress, 1));
        const auto spread = sums_of(unsure, moduli, back_order, false, part_of(progress, 2));
        for (std::size_t i = 0; i < reference.uncertainty.size(); ++i) {
            reference.uncertainty[i] += 1.01 * static_cast<double>(spread.values.data[i]);
        }
        reference.probable.clear(); // that of the way back alone
        reference.in_format = nullptr;
        reference.unrounded.clear();
        const auto is_unknown = [&](std::size_t i) {
            return there.comparable[i] == 0 && (there.not_finite.empty() || there.not_finite[i] == 0);
        };
        bool unknown = false;
        for (std::size_t i = 0; i < there.comparable.size(); ++i) { unknown = unknown || is_unknown(i); }
        if (unknown) {
            reference.not_finite.clear();
            reference.comparable.assign(reference.values.data.size(), 0);
            reference.uncertainty.assign(reference.values.data.size(), INFINITY);
        }
        return reference;
    };
    return problem.check(reference_of, found, quiet);
}

template <class T> double chain_check<T>::distance(const std::vector<tensor<T>>& x, const results& found)
{
    double largest = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        const auto& from = x[x.size() == 1 ? 0 : i].data;
        for (std::size_t e = 0; e < from.size(); ++e) {
            const auto difference = wide<T>(found[i].data[e]) - exactly(from[e]);
            largest = std::max(largest, static_cast<double>(std::abs(difference)));
        }
    }
    return largest;
}

template struct chain_check<double>;
template struct chain_check<float>;
template struct chain_check<std::complex<double>>;
template struct chain_check<std::complex<float>>;
template struct chain_check<arithmetic::bfloat16>;

} // namespace tensorloom::testbench
