#pragma once
#include <cstdint>

#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/tucker/ttm_engine.h>
#include <tensorloom/workloads/tucker/tucker_tensor.h>
#include <tensorloom/workloads/tucker/tucker_decomposition.h>

#include "eigen_tucker.h"

namespace tensorloom::test {

/// A tensor, ranks to decompose it to, and whether its spectrum falls off.
struct tucker_case {
    workloads::shape3 shape, ranks;
    double noise; ///< of a tensor of these ranks; below 0: nothing but noise
    std::uint64_t seed;

    workloads::tensor<double> tensor() const
    {
        return noise < 0 ? workloads::fill_tensor<double>(workloads::fill_kind::random, shape, 0, seed)
                         : workloads::known_rank_tensor(shape, ranks, noise, seed);
    }
    workloads::tucker_decomposition decompose(const workloads::tensor<double>& x, workloads::tucker_method method,
                                              unsigned iterations = 5) const
    {
        workloads::tucker_request request;
        request.method = method;
        request.ranks = ranks;
        request.max_iterations = iterations;
        request.fit_change.reset();
        workloads::host_ttm engine;
        return workloads::decompose(x, request, engine);
    }
};

inline void PrintTo(const tucker_case& c, std::ostream* out)
{
    *out << c.shape[0] << "x" << c.shape[1] << "x" << c.shape[2] << " to " << c.ranks[0] << "x" << c.ranks[1] << "x"
         << c.ranks[2] << ", noise " << c.noise;
}

inline const tucker_case tucker_cases[] = {
    {{6, 7, 5}, {3, 2, 4}, -1, 1},   {{9, 4, 6}, {4, 2, 2}, -1, 2},  {{5, 5, 5}, {5, 5, 5}, -1, 3},
    {{20, 3, 2}, {4, 3, 2}, -1, 4},  {{2, 3, 20}, {2, 2, 4}, -1, 5}, {{8, 9, 10}, {3, 4, 5}, 0.3, 6},
    {{12, 6, 8}, {1, 1, 1}, 0.5, 7}, {{7, 7, 7}, {2, 1, 2}, -1, 8},  {{11, 8, 9}, {4, 4, 4}, 1e-3, 9},
};

/// |X~ - X| / |X| of a form, with the host's products.
inline double error_of(const workloads::tensor<double>& x, const workloads::tucker_tensor& form)
{
    workloads::host_ttm engine;
    return workloads::relative_error(x, workloads::expand(form, engine));
}

/// By its own loops.
inline double energy_of(const workloads::tensor<double>& x)
{
    double sum = 0;
    for (const double value : x.data) { sum += value * value; }
    return sum;
}

} // namespace tensorloom::test
