#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/blocks/systolic_array.h>

namespace tensorloom::blocks {

// Input of a systolic array, cycle by cycle, for its detailed fidelity; independent of the formulas of
// systolic_schedule. Plain C++.

/// Decides when rows can enter an array: each needs a row's words at the input port, a row's places at the output port,
/// and the memory's time.
///
/// All three flow steadily, cycle by cycle; the remainder of a row is available to the next one.
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

/// Input at the top left corner of an array in a cycle.
struct entering {
    bool row = false;     ///< a row of operands
    bool end = false;     ///< the end of a tile: elements that it passes swap their weights
    bool weights = false; ///< a row of the next tile's weights
};

/// Determines the input of every cycle while tiles stream.
///
/// The weights of a tile enter with the rows of the previous tile; those of the first tile enter alone. A tile ends
/// when its rows have entered, the next tile's weights have arrived, and the previous end is `side` cycles ago.
class tile_control {
public:
    tile_control(const std::vector<array_tile>& tiles, const systolic_schedule& schedule)
        : m_tiles(tiles), m_schedule(schedule)
    {
        begin_weights();
    }

    /// A cycle begins.
    entering next()
    {
        entering now;
        if (m_next > m_tiles.size()) { return now; }
        now.row = m_rows_left > 0 && m_rows->next();
        now.weights = m_weights_left > 0 && m_weights->next();
        m_rows_left -= now.row ? 1 : 0;
        m_entered += now.row ? 1 : 0;
        m_weights_left -= now.weights ? 1 : 0;
        now.end = ++m_since_end >= m_schedule.side && m_rows_left == 0 && m_weights_left == 0;
        if (now.end) { pass_on(); }
        return now;
    }

    bool is_first_load() const { return m_next == 0; }
    unsigned weights_left() const { return m_weights_left; } ///< remaining rows of the tile being loaded
    std::uint64_t entered() const { return m_entered; }      ///< rows of operands, of all tiles

private:
    void pass_on()
    {
        m_since_end = 0;
        if (m_next < m_tiles.size()) {
            const array_rows& rows = m_tiles[m_next].rows;
            m_rows_left = rows.rows(m_schedule.side);
            m_rows.emplace(m_schedule.side, m_schedule.in_words, m_schedule.out_words, rows.row_cycles);
        }
        ++m_next;
        begin_weights();
    }
    void begin_weights()
    {
        if (m_next >= m_tiles.size()) { return; }
        m_weights_left = m_schedule.side;
        m_weights.emplace(m_schedule.side, m_schedule.in_words, m_schedule.side, m_tiles[m_next].weights.row_cycles);
    }

    const std::vector<array_tile>& m_tiles;
    const systolic_schedule& m_schedule;
    std::size_t m_next = 0; // the tile whose weights enter; the previous one streams
    std::uint64_t m_rows_left = 0;
    std::uint64_t m_entered = 0;
    unsigned m_weights_left = 0;
    std::uint64_t m_since_end = 0;
    std::optional<row_flow> m_rows, m_weights;
};

} // namespace tensorloom::blocks
