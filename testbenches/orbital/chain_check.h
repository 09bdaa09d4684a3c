#pragma once
#include <vector>
#include <tensorloom/workloads/gemt_check.h>
#include "platform/torus/orbit_job.h"

namespace tensorloom::testbench {

/// Results of chains, forward and back, and their references. T: as orbit_transform.
template <class T> struct chain_check {
    using results = typename orbit_transform<T>::results;

    /// Compares results with the same sums in long double.
    ///
    /// The intermediate result has the error d: the uncertainty of its reference (workloads/gemt_reference.h) plus its
    /// rounding to T. The transform back adds 1.01 sum d |C1| |C2| |C3| to its own error, where 0.01 covers the
    /// rounding of d. Passes when every element is within this bound. Fails where the intermediate
    /// result may overflow.
    static workloads::check_result result(const orbit_transform<T>& problem, const orbit_job& job, const results& found,
                                          bool quiet);

    /// The largest modulus of the difference between result and X; one tensor X may stand for all.
    static double distance(const std::vector<workloads::tensor<T>>& x, const results& found);
};

} // namespace tensorloom::testbench
