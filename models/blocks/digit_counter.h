#pragma once
#include <array>
#include <cstdint>

namespace tensorloom::blocks {

struct index_digit {
    std::uint64_t size = 1; ///< at least 1
    std::int64_t stride = 0;
};

/// A mixed-radix counter: the digits of a flat index, and the address that they make. Plain C++.
///
///     flat = (.. (d0 size1 + d1) size2 + d2 ..)     last digit fastest, as the modes of a C-order tensor
///     address = sum of digit x stride               exact while it fits 64 bits
///
/// One step on is a carry, anywhere else a division per digit.
class digit_counter {
public:
    static constexpr unsigned max_digits = 8;

    /// 0 to max_digits digits; the flat index is 0.
    void start(const index_digit* digits, unsigned count);

    std::uint64_t flat() const { return m_flat; }
    std::int64_t address() const { return m_address; }

    /// To a flat index below the product of the sizes: free where the counter stands, cheap one step on.
    void seek(std::uint64_t flat)
    {
        if (flat == m_flat) { return; }
        if (flat == m_flat + 1) {
            step();
        } else {
            divide(flat);
        }
    }
    /// To the next flat index; from the last one to 0.
    void step();

private:
    void divide(std::uint64_t flat);

    std::array<index_digit, max_digits> m_digit{};
    std::array<std::uint64_t, max_digits> m_value{};
    unsigned m_digits = 0;
    std::uint64_t m_flat = 0;
    std::int64_t m_address = 0;
};

} // namespace tensorloom::blocks
