#pragma once
#include <algorithm>
#include <array>
#include <cstddef>

namespace tensorloom::fetta {

/// The registers at the left edge of an engine that delay element i of a row by i cycles.
///
/// Written as a ring of the last rows: turning it moves every element into the next of its registers.
template <unsigned side> class skew_buffer {
public:
    /// A cycle: a row enters.
    void shift(const float* row)
    {
        m_newest = (m_newest + 1) % side;
        std::copy_n(row, side, m_rows.data() + std::size_t{m_newest} * side);
    }
    /// Element i of the row that entered i cycles before the last one.
    float operator[](unsigned i) const { return m_rows[std::size_t{(m_newest + side - i) % side} * side + i]; }

private:
    std::array<float, std::size_t{side} * side> m_rows{};
    unsigned m_newest = 0;
};

} // namespace tensorloom::fetta
