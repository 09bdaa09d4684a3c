#include <tensorloom/workloads/orbital/ordered_transform.h>
#include <complex>
#include <gtest/gtest.h>
#include "workloads/orbital/golden_transform.h"

namespace tensorloom::test {
namespace {

using torus::direction;
using workloads::orbital_problem;
using workloads::ordered_transform;
using workloads::tensor;

// Every sum of every case, and where the order of additions shows, every bit.
TEST(ordered_transform, golden_sums)
{
    std::size_t with_bits = 0;
    for (const auto& row : golden_torus("cases")) {
        const golden_transform whole(row, 1, 1);
        const auto exact = golden_sums_of(ordered_transform(whole.problem).data);
        EXPECT_EQ(exact.sum(), row["sum"]) << row;
        EXPECT_EQ(exact.weighted(), row["wsum"]) << row;
        if (!row.contains("f64")) { continue; }
        ++with_bits;
        const golden_transform parts(row, 7, 3);
        EXPECT_EQ(golden_sums_of(ordered_transform(parts.problem).data).of_bits(), row["f64"]) << row;
    }
    EXPECT_GT(with_bits, 50u);
}

// With the matrix of a DFT, over the root of its size, the way back is the inverse.
TEST(ordered_transform, back_is_the_inverse_of_a_unitary_transform)
{
    using complex = std::complex<double>;
    constexpr std::uint32_t size = 5; // not a multiple of the side
    std::vector<complex> dft;
    for (unsigned n = 0; n < size; ++n) {
        for (unsigned k = 0; k < size; ++k) {
            dft.push_back(std::polar(1 / std::sqrt(double{size}), -2 * std::acos(-1.0) * n * k / size));
        }
    }
    tensor<complex> x({size, size, size});
    for (std::size_t i = 0; i < x.data.size(); ++i) {
        x.data[i] = {golden_input(static_cast<std::int64_t>(i), 0, 0),
                     golden_input(0, static_cast<std::int64_t>(i), 0)};
    }
    for (const std::array<unsigned, 3>& order : {std::array<unsigned, 3>{3, 1, 2}, {1, 2, 3}, {2, 3, 1}}) {
        orbital_problem<complex> problem;
        problem.side = 3;
        problem.vector = *torus::scheduling_vector_of("+-+");
        problem.order = order;
        problem.matrices = {&dft, &dft, &dft};
        problem.sizes = {size, size, size};
        problem.input = &x;
        const auto there = ordered_transform(problem);
        problem.input = &there;
        problem.way = direction::inverse;
        const auto back = ordered_transform(problem);
        for (std::size_t i = 0; i < x.data.size(); ++i) { EXPECT_LT(std::abs(back.data[i] - x.data[i]), 1e-12); }
    }
}

} // namespace
} // namespace tensorloom::test
