// The transforms of Aizu TR 2012-001, section 2, as they are printed there and with the factors that they lack: there
// and back on a torus.
#include <tensorloom/workloads/orbital/ordered_transform.h>
#include <cmath>
#include <complex>
#include <functional>
#include <gtest/gtest.h>

namespace tensorloom::test {
namespace {

using torus::direction;
using number = std::complex<double>;
using matrix = std::vector<number>; // N x N, row by row

constexpr std::size_t size = 8; // N
constexpr double pi = 3.141592653589793238462643;

matrix matrix_of(const std::function<number(std::size_t n, std::size_t k)>& element)
{
    matrix c;
    for (std::size_t n = 0; n < size; ++n) {
        for (std::size_t k = 0; k < size; ++k) { c.push_back(element(n, k)); }
    }
    return c;
}
matrix printed_dft()
{
    return matrix_of([](std::size_t n, std::size_t k) { return std::polar(1.0, -2 * pi * double(n * k) / size); });
}
matrix printed_dht()
{
    return matrix_of([](std::size_t n, std::size_t k) {
        const double angle = 2 * pi * double(n * k) / size;
        return std::cos(angle) - std::sin(angle);
    });
}
matrix printed_dct()
{
    return matrix_of([](std::size_t n, std::size_t k) { return std::cos(pi / (2 * size) * double((2 * n + 1) * k)); });
}
matrix printed_dwht()
{
    return matrix_of([](std::size_t n, std::size_t k) { return __builtin_parity(unsigned(n & k)) ? -1.0 : 1.0; });
}
matrix times(const matrix& c, double by_first, double by_others)
{
    return matrix_of([&](std::size_t n, std::size_t k) { return c[n * size + k] * (k == 0 ? by_first : by_others); });
}
matrix conjugate(matrix c)
{
    for (auto& element : c) { element = std::conj(element); }
    return c;
}

workloads::tensor<number> some_tensor()
{
    workloads::tensor<number> x({size, size, size});
    for (std::size_t i = 0; i < x.data.size(); ++i) {
        x.data[i] = number(double((7 * i + 3) % 29) - 14, double(i % 5));
    }
    return x;
}
const number& at(const workloads::tensor<number>& x, std::size_t a, std::size_t b, std::size_t c)
{
    return x.data[(a * size + b) * size + c];
}

// Forward, then the inverse, on a torus of 4 x 4 x 4 nodes. The torus multiplies by the conjugate transpose, the report
// by the transpose.
workloads::tensor<number> there_and_back(const workloads::tensor<number>& x, const matrix& c, bool conjugated = true)
{
    const matrix back = conjugated ? c : conjugate(c);
    workloads::orbital_problem<number> problem;
    problem.side = 4;
    problem.sizes = {size, size, size};
    problem.input = &x;
    problem.matrices = {&c, &c, &c};
    const auto transformed = ordered_transform(problem);
    problem.way = direction::inverse;
    problem.input = &transformed;
    problem.matrices = {&back, &back, &back};
    return ordered_transform(problem);
}

double largest_difference(const workloads::tensor<number>& a, const workloads::tensor<number>& b, double by = 1)
{
    double largest = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i) {
        largest = std::max(largest, std::abs(a.data[i] / by - b.data[i]));
    }
    return largest;
}

constexpr double rounding = 1e-12;
constexpr double cubed = size * size * size;

TEST(printed_transforms, come_back_when_they_are_scaled)
{
    const auto x = some_tensor();
    const double root = 1 / std::sqrt(double(size));
    for (const auto& c : {printed_dft(), printed_dht(), printed_dwht()}) {
        EXPECT_LT(largest_difference(there_and_back(x, times(c, root, root)), x), rounding);
    }
    EXPECT_LT(largest_difference(there_and_back(x, times(printed_dct(), root, std::sqrt(2.0) * root)), x), rounding);
}

TEST(printed_transforms, do_not_come_back_as_printed)
{
    const auto x = some_tensor();
    for (const auto& c : {printed_dft(), printed_dht(), printed_dct(), printed_dwht()}) {
        EXPECT_GT(largest_difference(there_and_back(x, c, false), x), 100);
    }
    // Of two it is N^3 x.
    for (const auto& c : {printed_dht(), printed_dwht()}) {
        EXPECT_LT(largest_difference(there_and_back(x, c, false), x, cubed), rounding);
    }
    // Of the DCT it is no multiple of x: every mode is N/2 x + 1/2 of its sum.
    workloads::tensor<number> one({size, size, size});
    one.data[0] = 1;
    const auto back = there_and_back(one, printed_dct(), false);
    EXPECT_NEAR(at(back, 0, 0, 0).real(), std::pow(size / 2.0 + 0.5, 3), 1e-9);
    EXPECT_NEAR(at(back, 5, 0, 3).real(), 0.5 * (size / 2.0 + 0.5) * 0.5, 1e-9);
}

// The inverse of the DFT as printed transposes and does not conjugate: it gives N^3 x(-n), scaled or not.
TEST(printed_transforms, dft_comes_back_turned_round_without_the_conjugate)
{
    const auto x = some_tensor();
    const auto back = there_and_back(x, printed_dft(), false);
    for (std::size_t a = 0; a < size; ++a) {
        for (std::size_t b = 0; b < size; ++b) {
            for (std::size_t c = 0; c < size; ++c) {
                const auto& turned = at(x, (size - a) % size, (size - b) % size, (size - c) % size);
                EXPECT_LT(std::abs(at(back, a, b, c) / cubed - turned), rounding) << a << b << c;
            }
        }
    }
    const double root = 1 / std::sqrt(double(size));
    EXPECT_GT(largest_difference(there_and_back(x, times(printed_dft(), root, root), false), x), 10);
}

} // namespace
} // namespace tensorloom::test
