#include <tensorloom/workloads/orbital/ordered_transform.h>
#include <complex>
#include <cstring>
#include <gtest/gtest.h>
#include "models/arch/torus/golden_torus.h"

namespace tensorloom::test {
namespace {

using arch::torus::direction;
using workloads::orbital_problem;
using workloads::ordered_transform;
using workloads::tensor;

// The inputs that the golden file was made with.
double input_at(std::int64_t a, std::int64_t b, std::int64_t c)
{
    return static_cast<double>((31 * a * a + 17 * b * b + 13 * c * c + 7 * a * b + 5 * b * c + 3 * a * c + 11 * a +
                                29 * b + 37 * c + 41) %
                               17) -
           8;
}
double coefficient_at(std::int64_t s, std::int64_t n, std::int64_t k)
{
    return static_cast<double>(((7 + s) * n * n + 5 * k * k + 3 * s * n * k + 2 * n + 9 * k + s) % 11) - 5;
}

constexpr std::uint64_t modulus = (std::uint64_t{1} << 61) - 1;
std::uint64_t times(std::uint64_t a, std::uint64_t b)
{
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>(wide{a} * b % modulus);
}

struct golden_run {
    std::array<std::uint32_t, 3> n{}, k{};
    tensor<double> input;
    std::array<std::vector<double>, 3> matrices;
    orbital_problem<double> problem;

    // X / by_x and C / by_c.
    golden_run(const nlohmann::json& row, double by_x, double by_c)
    {
        problem.side = row["P"];
        problem.vector = *arch::torus::scheduling_vector_of(row["schedule"]);
        problem.way = golden_direction(row["dir"]);
        const auto blocks = golden_blocks(row["b"]);
        for (unsigned m = 0; m < 3; ++m) {
            n[m] = problem.side * blocks.given[m];
            k[m] = problem.side * blocks.made[m];
            for (std::uint32_t i = 0; i < n[m]; ++i) {
                for (std::uint32_t j = 0; j < k[m]; ++j) { matrices[m].push_back(coefficient_at(m + 1, i, j) / by_c); }
            }
            problem.matrices[m] = &matrices[m];
        }
        const bool back = problem.way == direction::inverse;
        const auto& from = back ? k : n;
        problem.sizes = back ? n : k;
        input = tensor<double>({from[0], from[1], from[2]});
        std::size_t at = 0;
        for (std::uint32_t a = 0; a < from[0]; ++a) {
            for (std::uint32_t b = 0; b < from[1]; ++b) {
                for (std::uint32_t c = 0; c < from[2]; ++c) { input.data[at++] = input_at(a, b, c) / by_x; }
            }
        }
        problem.input = &input;
    }
};

// Every sum of every case, and where the order of additions shows, every bit.
TEST(ordered_transform, golden_sums)
{
    std::size_t with_bits = 0;
    for (const auto& row : golden_torus("cases")) {
        const golden_run whole(row, 1, 1);
        const auto exact = ordered_transform(whole.problem);
        std::uint64_t sum = 0, weighted = 0;
        for (std::size_t i = 0; i < exact.data.size(); ++i) {
            const auto value = static_cast<std::int64_t>(exact.data[i]);
            const auto residue =
                static_cast<std::uint64_t>(value < 0 ? value + static_cast<std::int64_t>(modulus) : value);
            sum = (sum + residue) % modulus;
            weighted = (weighted + times(i + 1, residue)) % modulus;
        }
        EXPECT_EQ(sum, row["sum"]) << row;
        EXPECT_EQ(weighted, row["wsum"]) << row;
        if (!row.contains("f64")) { continue; }
        ++with_bits;
        const golden_run parts(row, 7, 3);
        const auto rounded = ordered_transform(parts.problem);
        std::uint64_t bits = 0;
        for (std::size_t i = 0; i < rounded.data.size(); ++i) {
            std::uint64_t of = 0;
            std::memcpy(&of, &rounded.data[i], sizeof of);
            bits = (bits + times(i + 1, of % modulus)) % modulus;
        }
        EXPECT_EQ(bits, row["f64"]) << row;
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
        x.data[i] = {input_at(static_cast<std::int64_t>(i), 0, 0), input_at(0, static_cast<std::int64_t>(i), 0)};
    }
    for (const std::array<unsigned, 3>& order : {std::array<unsigned, 3>{3, 1, 2}, {1, 2, 3}, {2, 3, 1}}) {
        orbital_problem<complex> problem;
        problem.side = 3;
        problem.vector = *arch::torus::scheduling_vector_of("+-+");
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
