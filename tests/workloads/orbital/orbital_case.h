#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>
#include <tensorloom/workloads/orbital/ordered_transform.h>

namespace tensorloom::test {

/// What random elements are like: their products and sums are rounded, or also leave the range of the format, vanish in
/// it, or are no numbers.
enum class elements { ordinary, wild };

template <class T> T random_element(std::mt19937& random, elements kind = elements::ordinary)
{
    if constexpr (arithmetic::number_format<T>::parts == 2) {
        using part = typename T::value_type;
        const auto re = random_element<part>(random, kind);
        return {re, random_element<part>(random, kind)};
    } else if constexpr (std::is_same_v<T, arithmetic::bfloat16>) {
        return T(random_element<float>(random, kind));
    } else if constexpr (std::is_integral_v<T>) { // sums far from the limits of their range
        return static_cast<T>(std::uniform_int_distribution<int>(sizeof(T) == 1 ? -128 : -(1 << 20),
                                                                 sizeof(T) == 1 ? 127 : 1 << 20)(random));
    } else {
        using limits = std::numeric_limits<T>;
        if (kind == elements::wild && random() % 4 == 0) {
            const T values[] = {T(0),
                                -T(0),
                                limits::infinity(),
                                -limits::infinity(),
                                limits::quiet_NaN(),
                                -limits::quiet_NaN(),
                                limits::max(),
                                limits::denorm_min(),
                                -limits::min()};
            return values[random() % std::size(values)];
        }
        return static_cast<T>(std::uniform_real_distribution<double>(-1, 1)(random));
    }
}
template <class T>
std::vector<T> random_elements(std::mt19937& random, std::size_t count, elements kind = elements::ordinary)
{
    std::vector<T> all(count);
    for (auto& x : all) { x = random_element<T>(random, kind); }
    return all;
}

/// A problem with what it works on. Whoever makes one says which vector and order.
template <class T> struct orbital_case {
    using sizes = std::array<std::uint32_t, 3>; ///< by mode

    sizes n, k;
    workloads::tensor<T> input; ///< n, or back k
    std::array<std::vector<T>, 3> matrices;
    workloads::tensor<arithmetic::accumulator_of<T>> initial; ///< empty: sums start at +0
    workloads::orbital_problem<T> problem;

    /// All of it zero.
    orbital_case(std::uint32_t side, const sizes& n_sizes, const sizes& k_sizes, torus::direction way)
        : n(n_sizes), k(k_sizes)
    {
        const bool back = way == torus::direction::inverse;
        const auto& from = back ? k : n;
        input = workloads::tensor<T>({from[0], from[1], from[2]});
        for (unsigned m = 0; m < 3; ++m) {
            matrices[m].resize(std::size_t{n[m]} * k[m]);
            problem.matrices[m] = &matrices[m];
        }
        problem.side = side;
        problem.way = way;
        problem.input = &input;
        problem.sizes = back ? n : k;
    }
    /// Of ordinary elements.
    orbital_case(std::uint32_t side, const sizes& n_sizes, const sizes& k_sizes, torus::direction way,
                 std::mt19937& random)
        : orbital_case(side, n_sizes, k_sizes, way)
    {
        fill(random);
    }
    orbital_case(const orbital_case&) = delete;
    orbital_case& operator=(const orbital_case&) = delete;

    /// Sums start at random values.
    void start_anywhere(std::mt19937& random)
    {
        const auto& to = problem.sizes;
        initial = workloads::tensor<arithmetic::accumulator_of<T>>({to[0], to[1], to[2]});
        initial.data = random_elements<arithmetic::accumulator_of<T>>(random, initial.data.size());
        problem.initial = &initial;
    }
    void fill(std::mt19937& random, elements kind = elements::ordinary)
    {
        input.data = random_elements<T>(random, input.data.size(), kind);
        for (auto& m : matrices) { m = random_elements<T>(random, m.size(), kind); }
    }
};

} // namespace tensorloom::test
