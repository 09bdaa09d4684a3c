#pragma once
#include <cstdint>

namespace tensorloom::blocks {

/// When rows can enter an array: each needs a row's words at the input port, a row's places at the output port, and the
/// memory's time. Plain C++.
///
/// All three flow steadily, cycle by cycle; what a row leaves over is the next one's.
class row_flow {
public:
    row_flow(unsigned side, unsigned in_words, unsigned out_words, std::uint64_t row_cycles)
        : m_input{side, in_words}, m_output{side, out_words}, m_memory{row_cycles, 1}
    {}

    /// A cycle begins: true when a row enters in it.
    bool next()
    {
        m_input.there += m_input.per_cycle;
        m_output.there += m_output.per_cycle;
        m_memory.there += m_memory.per_cycle;
        if (!m_input.enough() || !m_output.enough() || !m_memory.enough()) { return false; }
        m_input.there -= m_input.per_row;
        m_output.there -= m_output.per_row;
        m_memory.there -= m_memory.per_row;
        return true;
    }

private:
    struct flow {
        std::uint64_t per_row;
        std::uint64_t per_cycle;
        std::uint64_t there = 0;
        bool enough() const { return there >= per_row; }
    };

    flow m_input, m_output, m_memory;
};

} // namespace tensorloom::blocks
