#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>
#include <cblas.h>
#include <nlohmann/json.hpp>
#include <tensorloom/models/arithmetic/ordered_product.h>
#include "benchmarks/rounds.h"

namespace tensorloom::benchmarks {

/// The order of a product's sums: chains of so many terms, trees of so many parts.
struct sum_order {
    std::size_t length = 1;
    std::size_t parts = 1;
};

/// A square product whose sums are taken in the order of an array of engines, by the kernel of one instruction set,
/// against OpenBLAS in f32, taken in turns.
template <class Psum> class product_speed {
public:
    product_speed(std::string name, std::size_t size, const sum_order& order, const std::string& instructions)
        : m_name(std::move(name)), m_size(size), m_a(operand(1)), m_b(operand(2)), m_y(size * size),
          m_blas_y(size * size), m_product(instructions)
    {
        m_problem.rows = m_problem.columns = m_problem.terms = size;
        m_problem.length = order.length;
        m_problem.parts = order.parts;
        m_problem.a = m_a.data();
        m_problem.b = m_b.data();
        m_problem.y = m_y.data();
        m_problem.a_row = m_problem.b_term = m_problem.y_row = static_cast<std::ptrdiff_t>(size);
        m_problem.a_term = 1;
    }

    /// The record of the case; throws std::runtime_error when the product is further from OpenBLAS's than rounding sums
    /// of relative precision `epsilon` explains.
    nlohmann::ordered_json measure(double epsilon)
    {
        const double macs = static_cast<double>(m_size * m_size * m_size);
        const auto calls = static_cast<unsigned>(std::max(1.0, 1e8 / macs));
        m_product.run(m_problem);
        multiply_by_blas();
        require_equal(epsilon);
        const auto times = times_in_turns(
            calls, [&] { multiply_by_blas(); }, [&] { m_product.run(m_problem); });
        const double call_s = median(times.measured_s) / calls;
        std::printf("  %-38s %8.3f G multiply-adds per CPU second, %.4f ns each, %.3f times OpenBLAS in f32\n",
                    m_name.c_str(), macs / call_s / 1e9, call_s / macs * 1e9, times.speed_ratio());
        std::fflush(stdout);
        return {{"case", m_name},
                {"macs_per_cpu_s", macs / call_s},
                {"ns_per_mac", call_s / macs * 1e9},
                {"ratio", times.speed_ratio()}};
    }

private:
    /// Values of bfloat16.
    std::vector<float> operand(unsigned seed) const
    {
        std::mt19937 random(seed);
        std::uniform_real_distribution<float> part(-1, 1);
        std::vector<float> all(m_size * m_size);
        for (auto& x : all) { x = static_cast<float>(arithmetic::bfloat16(part(random))); }
        return all;
    }
    void multiply_by_blas()
    {
        const auto n = static_cast<int>(m_size);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, m_a.data(), n, m_b.data(), n, 0,
                    m_blas_y.data(), n);
    }
    /// Errors are at most half of epsilon times a sum, each, and add up like random steps.
    void require_equal(double epsilon) const
    {
        double largest = 0;
        for (const float y : m_blas_y) { largest = std::max(largest, std::fabs(double{y})); }
        const double tolerance = epsilon * std::sqrt(static_cast<double>(m_size)) * largest;
        for (std::size_t i = 0; i < m_y.size(); ++i) {
            if (!(std::fabs(double{m_y[i]} - m_blas_y[i]) <= tolerance)) {
                throw std::runtime_error(m_name + ": the product is wrong");
            }
        }
    }

    std::string m_name;
    std::size_t m_size;
    std::vector<float> m_a, m_b, m_y, m_blas_y;
    typename arithmetic::ordered_product<Psum>::problem m_problem;
    arithmetic::ordered_product<Psum> m_product;
};

} // namespace tensorloom::benchmarks
