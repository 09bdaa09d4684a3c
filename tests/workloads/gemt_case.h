#pragma once
#include <algorithm>
#include <array>
#include <complex>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include <tensorloom/workloads/gemt_reference.h>

namespace tensorloom::test {

/// All orders of the three modes.
constexpr std::array<unsigned, 3> mode_orders[] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};

using wide_element_types = testing::Types<double, float, std::complex<double>, std::complex<float>>;

template <class T> struct random_value {
    static T draw(std::mt19937& bits) { return static_cast<T>(static_cast<double>(bits()) / 2147483648.0 - 1); }
};
template <class R> struct random_value<std::complex<R>> {
    static std::complex<R> draw(std::mt19937& bits)
    {
        const R re = random_value<R>::draw(bits);
        return {re, random_value<R>::draw(bits)};
    }
};

template <> struct random_value<arithmetic::bfloat16> {
    static arithmetic::bfloat16 draw(std::mt19937& bits)
    {
        return arithmetic::bfloat16(random_value<float>::draw(bits));
    }
};
template <> struct random_value<std::int8_t> {
    static std::int8_t draw(std::mt19937& bits) { return static_cast<std::int8_t>(bits() >> 24); }
};
template <> struct random_value<std::int32_t> {
    static std::int32_t draw(std::mt19937& bits) { return static_cast<std::int32_t>(bits() >> 15) - 65536; }
};

/// A GEMT with data of its own: n -> k sizes per mode.
template <class T> struct gemt_case {
    workloads::shape3 n, k;
    workloads::tensor<T> x;
    workloads::tensor<arithmetic::accumulator_of<T>> initial;
    std::array<std::vector<T>, 3> c;

    gemt_case(workloads::shape3 inputs, workloads::shape3 results, unsigned seed = 1)
        : n(inputs), k(results), x({inputs[0], inputs[1], inputs[2]}), initial({results[0], results[1], results[2]})
    {
        std::mt19937 bits(seed);
        const auto fill = [&](auto& values) {
            using value = typename std::decay_t<decltype(values)>::value_type;
            std::generate(values.begin(), values.end(), [&] { return random_value<value>::draw(bits); });
        };
        fill(x.data);
        fill(initial.data);
        for (int s = 0; s < 3; ++s) {
            c[s].resize(n[s] * k[s]);
            fill(c[s]);
        }
    }

    workloads::gemt_problem<T> problem(std::array<unsigned, 3> order = {3, 1, 2}, bool accumulate = false) const
    {
        workloads::gemt_problem<T> result;
        result.x = &x;
        for (std::size_t s = 0; s < 3; ++s) { result.matrices[s] = &c[s]; }
        result.order = order;
        result.initial = accumulate ? &initial : nullptr;
        return result;
    }

    /// One element straight from the definition, six loops deep over all elements, in the format V.
    template <class V> V direct(std::size_t k1, std::size_t k2, std::size_t k3, bool accumulate) const
    {
        const auto wide = [](const T& element) { return V(arithmetic::widened(element)); };
        V sum = accumulate ? V(initial.data[(k1 * k[1] + k2) * k[2] + k3]) : V(0);
        for (std::size_t n1 = 0; n1 < n[0]; ++n1) {
            for (std::size_t n2 = 0; n2 < n[1]; ++n2) {
                for (std::size_t n3 = 0; n3 < n[2]; ++n3) {
                    sum += wide(x.data[(n1 * n[1] + n2) * n[2] + n3]) * wide(c[0][n1 * k[0] + k1]) *
                           wide(c[1][n2 * k[1] + k2]) * wide(c[2][n3 * k[2] + k3]);
                }
            }
        }
        return sum;
    }

    template <class V> workloads::tensor<V> direct(bool accumulate) const
    {
        workloads::tensor<V> result({k[0], k[1], k[2]});
        for (std::size_t at = 0; at < result.data.size(); ++at) {
            result.data[at] = direct<V>(at / (k[1] * k[2]), at / k[2] % k[1], at % k[2], accumulate);
        }
        return result;
    }
};

} // namespace tensorloom::test
