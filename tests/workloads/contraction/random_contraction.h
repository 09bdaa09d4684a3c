#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/contraction/einsum.h>

namespace tensorloom::test {

/// A device whose buffers even small contractions fill: 16 KB of operands.
inline fetta::device_limits small_device()
{
    fetta::device_limits g;
    g.engines = 4;
    g.bank_bytes = 4096;
    g.accumulator_bank_bytes = 1024;
    return g;
}

/// A contraction of random modes in random order; sizes of 1 to `largest`, the product of all at most `most`
/// multiply-adds.
inline workloads::contraction random_contraction(std::mt19937& random, unsigned largest, std::uint64_t most)
{
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    std::string a, b, c, sizes;
    std::uint64_t macs = 1;
    const unsigned letters = below(13);
    std::string alphabet = "abcdefghijklmXYZW";
    std::shuffle(alphabet.begin(), alphabet.end(), random);
    for (unsigned i = 0; i < letters; ++i) {
        const char letter = alphabet[i];
        const unsigned group = below(4);
        const bool in_a = group != 3, in_b = group != 2, in_c = group != 1;
        const bool room = (!in_a || a.size() < 8) && (!in_b || b.size() < 8) && (!in_c || c.size() < 8);
        if (!room) { continue; }
        std::uint64_t size = 1 + below(largest);
        if (macs * size > most) { size = 1; }
        macs *= size;
        if (in_a) { a += letter; }
        if (in_b) { b += letter; }
        if (in_c) { c += letter; }
        sizes += (sizes.empty() ? "" : ",") + std::string(1, letter) + "=" + std::to_string(size);
    }
    std::shuffle(a.begin(), a.end(), random);
    std::shuffle(b.begin(), b.end(), random);
    std::shuffle(c.begin(), c.end(), random);
    return workloads::parse_einsum(a + "," + b + "->" + c, sizes);
}

/// Elements of bfloat16 of magnitudes 2^-5 to 2^5, so that sums in float32 are rounded and their order shows; some
/// zeros.
inline std::vector<float> random_elements(std::mt19937& random, std::uint64_t count)
{
    std::vector<float> values(count);
    for (float& v : values) {
        const int mantissa = 128 + static_cast<int>(random() % 128), exponent = static_cast<int>(random() % 10) - 12;
        v = random() % 16 == 0 ? 0.0f
                               : std::ldexp(static_cast<float>(random() % 2 == 0 ? mantissa : -mantissa), exponent);
    }
    return values;
}

/// Counts through the digits of some modes of a contraction, the last fastest.
class mode_counter {
public:
    mode_counter(const workloads::contraction& problem, std::string over) : m_problem(problem), m_over(std::move(over))
    {}

    bool next()
    {
        for (std::size_t m = m_over.size(); m-- > 0;) {
            auto& digit = m_digit[static_cast<unsigned char>(m_over[m])];
            if (++digit < m_problem.size_of(m_over[m])) { return true; }
            digit = 0;
        }
        return false;
    }
    /// The element of a tensor of these modes, with the digits of this counter and of another.
    std::size_t offset(const std::string& modes, const mode_counter* other = nullptr) const
    {
        std::size_t at = 0;
        for (const char m : modes) {
            const auto letter = static_cast<unsigned char>(m);
            at = at * m_problem.size_of(m) + m_digit[letter] + (other != nullptr ? other->m_digit[letter] : 0);
        }
        return at;
    }

private:
    const workloads::contraction& m_problem;
    std::string m_over;
    std::array<std::uint32_t, 128> m_digit{};
};

} // namespace tensorloom::test
