#pragma once
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>
#include <tensorloom/models/torus/isa/matrix_classes.h>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include "array_bench.h"
#include "models/torus/isa/golden_matrices.h"

namespace tensorloom::test {

/// Three matrices, of which one accumulates the product of the others.
template <class T> struct matrix_case {
    using sum = arithmetic::accumulator_of<T>;

    torus::matrix_schedule schedule;
    torus::matrix_blocks blocks, sizes;
    std::array<std::vector<T>, 3> data;

    matrix_case(const torus::matrix_schedule& of, const torus::matrix_blocks& block, const torus::matrix_blocks& size)
        : schedule(of), blocks(block), sizes(size)
    {}
    matrix_case(const torus::matrix_schedule& of, const torus::matrix_blocks& block, const torus::matrix_blocks& size,
                std::mt19937& random, elements kind = elements::ordinary)
        : matrix_case(of, block, size)
    {
        for (const auto which : {torus::matrix::a, torus::matrix::b, torus::matrix::c}) {
            const auto shape = shape_of(which, sizes);
            this->of(which) = random_elements<T>(random, std::size_t{shape[0]} * shape[1], kind);
        }
    }

    std::vector<T>& of(torus::matrix which) { return data[static_cast<unsigned>(which)]; }
    const std::vector<T>& of(torus::matrix which) const { return data[static_cast<unsigned>(which)]; }

    /// From the equation of a class, not from where blocks are: which of a block's terms comes in step t. Blocks are
    /// those of P, the last ones padded with +0 (arithmetic of padding is done); tiles of P blocks follow each other.
    /// Without `adds` the sums begin with +0.
    std::vector<sum> ordered_sums(std::vector<sum> sums, bool adds = true) const
    {
        using torus::matrix_class;
        using torus::matrix_form;
        const bool a_cb = schedule.form == matrix_form::a_cb, b_ac = schedule.form == matrix_form::b_ac;
        const bool systolic = schedule.cls == matrix_class::asc;
        const std::uint32_t rows = b_ac ? sizes.k : sizes.i, columns = a_cb ? sizes.k : sizes.j;
        const std::uint32_t all_terms = a_cb ? sizes.j : b_ac ? sizes.i : sizes.k;
        const std::uint32_t terms = a_cb ? blocks.j : b_ac ? blocks.i : blocks.k, tile = schedule.side * terms;
        const std::uint32_t row_block = b_ac ? blocks.k : blocks.i, column_block = a_cb ? blocks.k : blocks.j;
        for (std::uint32_t r = 0; r < rows; ++r) {
            for (std::uint32_t c = 0; c < columns; ++c) {
                sum& onto = sums[std::size_t{r} * columns + c];
                if (!adds) { onto = sum{}; }
                for (std::uint32_t first_of_tile = 0; first_of_tile < all_terms; first_of_tile += tile) {
                    sum s = systolic ? sum{} : onto;
                    for (std::uint32_t t = 0; t < schedule.side; ++t) {
                        const std::uint32_t first =
                            first_of_tile + block_of(r / row_block, c / column_block, t) * terms;
                        for (std::uint32_t n = first; n < first + terms; ++n) {
                            // x of A, C, C and c of B, B, A
                            const T x = a_cb   ? at(torus::matrix::c, r, n)
                                        : b_ac ? at(torus::matrix::c, n, c)
                                               : at(torus::matrix::a, r, n);
                            const T coefficient = a_cb   ? at(torus::matrix::b, c, n)
                                                  : b_ac ? at(torus::matrix::a, n, r)
                                                         : at(torus::matrix::b, n, c);
                            s = arithmetic::mac(s, x, coefficient);
                        }
                    }
                    const bool is_first = !adds && first_of_tile == 0;
                    onto = systolic && !is_first ? added(onto, s) : s;
                }
            }
        }
        return sums;
    }
    /// Onto what the matrix holds, rounded once.
    std::vector<T> ordered_result() const
    {
        const auto& from = of(program_of(schedule).accumulator);
        std::vector<T> result;
        for (const auto& s : ordered_sums({from.begin(), from.end()})) {
            result.push_back(arithmetic::narrowed<T>(s, 0).value);
        }
        return result;
    }

private:
    // NaN is canonical.
    template <class R> static R added(const R& a, const R& b)
    {
        return std::isnan(a + b) ? std::numeric_limits<R>::quiet_NaN() : a + b;
    }
    template <class R> static std::complex<R> added(const std::complex<R>& a, const std::complex<R>& b)
    {
        return {added(a.real(), b.real()), added(a.imag(), b.imag())};
    }
    std::uint32_t block_of(std::uint32_t row, std::uint32_t column, std::uint32_t step) const
    {
        using torus::matrix_class;
        using torus::matrix_form;
        const auto [i, j, k] = schedule.vector.sign;
        const auto r = static_cast<int>(row), c = static_cast<int>(column), t = static_cast<int>(step);
        const auto p = static_cast<int>(schedule.side);
        int block = t;
        if (schedule.cls == matrix_class::bcr_row) { block = r + t; }
        if (schedule.cls == matrix_class::bcr_column) { block = c + t; }
        if (schedule.cls == matrix_class::cra) {
            block = schedule.form == matrix_form::a_cb   ? j * (t - i * r - k * c)
                    : schedule.form == matrix_form::b_ac ? i * (t - k * r - j * c)
                                                         : k * (t - i * r - j * c);
        }
        return static_cast<std::uint32_t>((block % p + p) % p);
    }
    T at(torus::matrix which, std::uint32_t row, std::uint32_t column) const
    {
        const auto shape = shape_of(which, sizes);
        return row < shape[0] && column < shape[1] ? of(which)[std::size_t{row} * shape[1] + column] : T{};
    }
};

/// A row of the golden table "twod": its matrices, and which of them is its result.
struct golden_product {
    matrix_case<double> input;
    torus::matrix result;

    explicit golden_product(const nlohmann::json& row)
        : input(golden_schedule(row), cube(row["b"]),
                cube(row["b"].get<std::uint32_t>() * row["P"].get<std::uint32_t>())),
          result(program_of(input.schedule).accumulator)
    {
        const std::int64_t size = input.sizes.i;
        for (std::int64_t s = 1; s <= 3; ++s) {
            for (std::int64_t n = 0; n < size; ++n) {
                for (std::int64_t k = 0; k < size; ++k) {
                    const std::int64_t x = (7 + s) * n * n + 5 * k * k + 3 * s * n * k + 2 * n + 9 * k + s;
                    input.data[s - 1].push_back(static_cast<double>(x % 11 - 5));
                }
            }
        }
    }

private:
    static torus::matrix_blocks cube(std::uint32_t n) { return {n, n, n}; }
};

inline constexpr std::int64_t golden_modulus = (std::int64_t{1} << 61) - 1;
inline std::int64_t golden_weighted_sum(const std::vector<double>& values, std::int64_t weight = 1)
{
    std::int64_t sum = 0, index = 0;
    for (const double v : values) { sum += (weight == 0 ? 1 : ++index) * static_cast<std::int64_t>(v); }
    return (sum % golden_modulus + golden_modulus) % golden_modulus;
}
inline std::int64_t golden_sum(const std::vector<double>& values) { return golden_weighted_sum(values, 0); }

} // namespace tensorloom::test
