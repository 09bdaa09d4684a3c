#pragma once
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>
#include <systemc>

namespace tensorloom::test {

/// The dice of a random test: the same seed gives the same throws.
class random_source {
public:
    explicit random_source(std::uint64_t seed) : m_engine(seed) {}

    std::uint64_t word() { return m_engine(); }
    std::uint64_t below(std::uint64_t n) { return m_engine() % n; } ///< 0..n-1
    std::uint64_t between(std::uint64_t first, std::uint64_t last)
    {
        return first + below(last - first + 1);
    } ///< inclusive
    bool one_in(std::uint64_t n) { return below(n) == 0; }
    template <class T> const T& of(const std::vector<T>& choices) { return choices[below(choices.size())]; }
    std::vector<unsigned char> bytes(std::size_t n)
    {
        std::vector<unsigned char> b(n);
        for (std::size_t i = 0; i < n; i += 8) {
            std::uint64_t w = m_engine();
            for (std::size_t j = i; j < n && j < i + 8; ++j, w >>= 8) { b[j] = static_cast<unsigned char>(w); }
        }
        return b;
    }
    /// Up to `most` picoseconds.
    sc_core::sc_time time(std::uint64_t most)
    {
        return sc_core::sc_time(static_cast<double>(below(most + 1)), sc_core::SC_PS);
    }

private:
    std::mt19937_64 m_engine;
};

} // namespace tensorloom::test
