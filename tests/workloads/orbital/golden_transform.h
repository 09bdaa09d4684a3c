#pragma once
#include <cstdint>
#include <cstring>
#include <vector>
#include "models/torus/isa/golden_torus.h"
#include "workloads/orbital/orbital_case.h"

namespace tensorloom::test {

/// The elements that the golden file was made with: of the input, and of matrix s = 1, 2, 3.
inline double golden_input(std::int64_t a, std::int64_t b, std::int64_t c)
{
    return static_cast<double>((31 * a * a + 17 * b * b + 13 * c * c + 7 * a * b + 5 * b * c + 3 * a * c + 11 * a +
                                29 * b + 37 * c + 41) %
                               17) -
           8;
}
inline double golden_coefficient(std::int64_t s, std::int64_t n, std::int64_t k)
{
    return static_cast<double>(((7 + s) * n * n + 5 * k * k + 3 * s * n * k + 2 * n + 9 * k + s) % 11) - 5;
}

/// A row of the golden file's table "cases" as a transform.
struct golden_transform : orbital_case<double> {
    /// X / by_x and C / by_c.
    golden_transform(const nlohmann::json& row, double by_x, double by_c)
        : orbital_case(row["P"], row["N"], row["K"], golden_direction(row["dir"]))
    {
        problem.vector = *torus::scheduling_vector_of(row["schedule"]);
        for (unsigned m = 0; m < 3; ++m) {
            for (std::size_t i = 0; i < matrices[m].size(); ++i) {
                matrices[m][i] = golden_coefficient(m + 1, static_cast<std::int64_t>(i / k[m]),
                                                    static_cast<std::int64_t>(i % k[m])) /
                                 by_c;
            }
        }
        std::size_t at = 0;
        for (std::size_t a = 0; a < input.shape[0]; ++a) {
            for (std::size_t b = 0; b < input.shape[1]; ++b) {
                for (std::size_t c = 0; c < input.shape[2]; ++c) {
                    input.data[at++] = golden_input(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b),
                                                    static_cast<std::int64_t>(c)) /
                                       by_x;
                }
            }
        }
    }
};

/// What the golden file says of a result instead of its elements: weighted sums modulo 2^61 - 1, of whole numbers or of
/// their bits.
class golden_sums {
public:
    void add(double value)
    {
        const auto whole = static_cast<std::int64_t>(value);
        const auto residue = static_cast<std::uint64_t>(whole < 0 ? whole + static_cast<std::int64_t>(modulus) : whole);
        std::uint64_t bits = 0;
        std::memcpy(&bits, &value, sizeof bits);
        ++m_count;
        m_sum = (m_sum + residue) % modulus;
        m_weighted = (m_weighted + times(m_count, residue)) % modulus;
        m_of_bits = (m_of_bits + times(m_count, bits % modulus)) % modulus;
    }
    std::uint64_t sum() const { return m_sum; }
    std::uint64_t weighted() const { return m_weighted; }
    std::uint64_t of_bits() const { return m_of_bits; }

private:
    static constexpr std::uint64_t modulus = (std::uint64_t{1} << 61) - 1;
    static std::uint64_t times(std::uint64_t a, std::uint64_t b)
    {
        __extension__ using wide = unsigned __int128;
        return static_cast<std::uint64_t>(wide{a} * b % modulus);
    }

    std::uint64_t m_count = 0, m_sum = 0, m_weighted = 0, m_of_bits = 0;
};
inline golden_sums golden_sums_of(const std::vector<double>& values)
{
    golden_sums sums;
    for (const double x : values) { sums.add(x); }
    return sums;
}

} // namespace tensorloom::test
