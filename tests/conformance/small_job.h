#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace tensorloom::test {

/// A job in a memory: what must lie where, and what lies where afterwards. It takes 32 KiB and a little from `base`.
struct small_job {
    static constexpr std::uint64_t program_offset = 0x100;
    static constexpr std::uint64_t data_offset = 0x1000;
    static constexpr std::uint64_t output_offset = 0x8000;

    explicit small_job(std::uint64_t base = 0)
        : program_at(base + program_offset), output_at(base + output_offset), m_next(base + data_offset)
    {}

    std::vector<std::pair<std::uint64_t, std::vector<unsigned char>>> data;
    std::uint64_t program_at;
    std::vector<unsigned char> program;
    std::uint64_t output_at;
    std::vector<unsigned char> expected_output;
    std::vector<std::string> phases; ///< of the device's log, one after the other

    /// The address of these values, after those placed before.
    template <class T> std::uint64_t place(const std::vector<T>& values)
    {
        const std::uint64_t at = m_next;
        data.emplace_back(at, bytes_of(values));
        m_next += (data.back().second.size() + 15) / 16 * 16;
        return at;
    }
    template <class T> static std::vector<unsigned char> bytes_of(const std::vector<T>& values)
    {
        std::vector<unsigned char> bytes(values.size() * sizeof(T));
        std::memcpy(bytes.data(), values.data(), bytes.size());
        return bytes;
    }

private:
    std::uint64_t m_next;
};

/// x of 10 x 4, r of 4 x 4, and z = x r + x, of whole numbers.
template <class T> struct small_product {
    static constexpr std::uint32_t side = 4, rows = 10, words = side * rows;
    static constexpr std::uint32_t local_x = 0, local_r = 1024, local_z = 2048; ///< where they lie in a scratchpad
    std::vector<T> x, r, z;

    small_product() : x(words), r(side * side), z(words)
    {
        for (std::uint32_t i = 0; i < words; ++i) { x[i] = static_cast<T>(i * i % 31) - 15; }
        for (std::uint32_t i = 0; i < side * side; ++i) { r[i] = static_cast<T>(i * 7 % 11) - 5; }
        for (std::uint32_t i = 0; i < rows; ++i) {
            for (std::uint32_t j = 0; j < side; ++j) {
                z[i * side + j] = x[i * side + j];
                for (std::uint32_t k = 0; k < side; ++k) { z[i * side + j] += x[i * side + k] * r[k * side + j]; }
            }
        }
    }
};

} // namespace tensorloom::test
