#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/blocks/systolic_array.h>

namespace tensorloom::blocks {

// Input of a systolic array, cycle by cycle, for its detailed fidelity; independent of the formulas of
// systolic_schedule. Plain C++.

/// Decides when rows can enter an array: each needs a row's words at the input port, a row's places at the output port,
/// and the memory's time.
///
/// All three flow steadily, cycle by cycle; the remainder of a row is available to the next one of its call.
class row_flow {
public:
    row_flow(unsigned side, unsigned in_words, unsigned out_words, const row_pace& pace)
        : m_input{side, in_words}, m_output{side, out_words}, m_memory{pace.row_cycles, 1}, m_pace(pace)
    {}

    /// A cycle begins: true when a row enters in it.
    bool next()
    {
        if (m_pace.call_rows != 0 && m_in_call == m_pace.call_rows && is_call_over()) { begin_call(); }
        ++m_since_call;
        if (m_pace.call_rows != 0 && m_in_call == m_pace.call_rows) { return false; }
        return flow_on();
    }

    /// A cycle in which no row is wanted.
    void pass() { ++m_since_call; }

    /// Calls that have begun.
    std::uint64_t calls() const { return m_calls; }

    /// The next call can begin: this one's interval has passed.
    bool is_call_over() const { return m_since_call >= m_pace.call_interval; }

private:
    struct flow {
        std::uint64_t per_row;
        std::uint64_t per_cycle;
        std::uint64_t there = 0;
        bool enough() const { return there >= per_row; }
    };

    void begin_call()
    {
        ++m_calls;
        m_in_call = m_since_call = 0;
        m_input.there = m_output.there = m_memory.there = 0;
    }

    bool flow_on()
    {
        m_input.there += m_input.per_cycle;
        m_output.there += m_output.per_cycle;
        m_memory.there += m_memory.per_cycle;
        if (!m_input.enough() || !m_output.enough() || !m_memory.enough()) { return false; }
        m_input.there -= m_input.per_row;
        m_output.there -= m_output.per_row;
        m_memory.there -= m_memory.per_row;
        ++m_in_call;
        return true;
    }

    flow m_input, m_output, m_memory;
    row_pace m_pace;
    std::uint64_t m_in_call = 0;    // rows that have entered
    std::uint64_t m_since_call = 0; // cycles
    std::uint64_t m_calls = 1;
};

/// Input at the top left corner of an array in a cycle.
struct entering {
    bool row = false;     ///< a row of operands
    bool end = false;     ///< the end of a tile: elements that it passes swap their weights
    bool weights = false; ///< a row of the next tile's weights
};

/// Determines the input of every cycle while tiles stream.
///
/// The weights of a tile enter with the rows of the previous tile, or of its last call; those of the first tile enter
/// alone. A tile ends when its rows have entered and the last call's interval has passed, the next tile's weights have
/// arrived, and the previous end is `side` cycles ago.
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
        if (m_rows_left > 0) {
            now.row = m_rows.next();
        } else {
            m_rows.pass();
        }
        const bool is_last_call = m_rows.calls() >= m_calls_of_tile;
        now.weights = m_weights_left > 0 && is_last_call && m_weights.next();
        m_rows_left -= now.row ? 1 : 0;
        m_entered += now.row ? 1 : 0;
        m_weights_left -= now.weights ? 1 : 0;
        const bool rows_over = m_rows_left == 0 && m_rows.is_call_over();
        now.end = ++m_since_end >= m_schedule.side && rows_over && m_weights_left == 0;
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
            m_calls_of_tile = rows.pace.call_rows == 0 ? 1 : (m_rows_left - 1) / rows.pace.call_rows + 1;
            m_rows = {m_schedule.side, m_schedule.in_words, m_schedule.out_words, rows.pace};
        }
        ++m_next;
        begin_weights();
    }
    void begin_weights()
    {
        if (m_next >= m_tiles.size()) { return; }
        m_weights_left = m_schedule.side;
        m_weights = {m_schedule.side, m_schedule.in_words, m_schedule.side,
                     row_pace{m_tiles[m_next].weights.row_cycles}};
    }

    const std::vector<array_tile>& m_tiles;
    const systolic_schedule& m_schedule;
    std::size_t m_next = 0; // the tile whose weights enter; the previous one streams
    std::uint64_t m_rows_left = 0;
    std::uint64_t m_calls_of_tile = 1;
    std::uint64_t m_entered = 0;
    unsigned m_weights_left = 0;
    std::uint64_t m_since_end = 0;
    row_flow m_rows{1, 1, 1, {}}, m_weights{1, 1, 1, {}}; // of no tile yet
};

} // namespace tensorloom::blocks
