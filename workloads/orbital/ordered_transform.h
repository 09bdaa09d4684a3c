#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/torus/isa/schedule.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// A transform on an orbital torus of side P: Y[k1,k2,k3] = sum of X[n1,n2,n3] C1[n1,k1] C2[n2,k2] C3[n3,k3], or the
/// inverse, X = sum of Y conj(C1[n1,k1]) conj(C2[n2,k2]) conj(C3[n3,k3]).
template <class T> struct orbital_problem {
    std::uint32_t side = 1; ///< P
    torus::scheduling_vector vector;
    torus::direction way = torus::direction::forward;
    std::array<unsigned, 3> order{3, 1, 2}; ///< summation order of the forward transform
    const tensor<T>* input = nullptr;       ///< N1 x N2 x N3; inverse: K1 x K2 x K3
    /// C_s, N_s x K_s, row-major. nullptr: the mode, at the end of the order, is not summed, and K_s = N_s.
    std::array<const std::vector<T>*, 3> matrices{};
    std::array<std::uint32_t, 3> sizes{}; ///< of the result
    std::array<unsigned, 3> shifts{};     ///< int8: right shift of the sums of stages I, II, III
    /// The result's sums start here, where they otherwise start at +0.
    const tensor<arithmetic::accumulator_of<T>>* initial = nullptr;
};

/// The result, bit for bit: sums begin with +0, or in the last stage with the initial ones, blocks follow the order of
/// the schedule (docs/torus.md, by formula, without moving blocks), indices within a block ascend, one multiply-add
/// each (arithmetic/mac.h); sums are rounded to T at the end of their stage. A mode of n elements has P blocks of
/// ceil(n / P); products of padding zeros count, too.
template <class T> tensor<T> ordered_transform(const orbital_problem<T>& problem);

} // namespace tensorloom::workloads
