#pragma once
#include <vector>
#include <tensorloom/workloads/gemt_check.h>
#include "platform/torus/orbit_job.h"

namespace tensorloom::testbench {

/// What chains gave, there and back, beside what they should give. T: as orbit_transform.
template <class T> struct chain_check {
    using results = typename orbit_transform<T>::results;

    /// Compares results with the same sums in long double.
    ///
    /// What comes there is known within d, the uncertainty of its reference (workloads/gemt_reference.h) and its
    /// rounding to T; the way back adds 1.01 sum d |C1| |C2| |C3| to its own, where 0.01 covers what rounding makes of
    /// d. Passes when every element is within that. Fails with data that is not finite.
    static workloads::check_result result(const orbit_transform<T>& problem, const orbit_job& job, const results& found,
                                          bool quiet);

    /// The largest modulus of an element less the one in its place in X; one tensor may stand for all.
    static double distance(const std::vector<workloads::tensor<T>>& x, const results& found);
};

} // namespace tensorloom::testbench
