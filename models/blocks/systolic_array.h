#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/blocks/fidelity.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::blocks {

/// When things happen in a weight-stationary array of s x s elements, as formulas. Plain C++; cycles from 0, the start
/// of a load or of a stream.
///
/// A port brings or takes whole words, so many per cycle, as a steady flow: what is left over in one cycle serves the
/// next row. Source: (m,l)-TCU (arXiv 1908.06649), section 2.2, with the cycle numbers corrected.
struct systolic_schedule {
    unsigned side = 1;      ///< s
    unsigned in_words = 1;  ///< words per cycle into the array, 1 to side
    unsigned out_words = 1; ///< words per cycle out of it, 1 to side

    /// The row of weights that comes as number `row` of s enters in this cycle; the memory takes `row_cycles` for each.
    std::uint64_t load_entry(std::uint64_t row, std::uint64_t row_cycles = 1) const
    {
        return last_entry(row + 1, row_cycles, in_words);
    }
    std::uint64_t load_cycles(std::uint64_t row_cycles = 1) const { return load_entry(side - 1, row_cycles) + 1; }

    /// Row r of a stream enters the first element in this cycle. A result needs its place at the output port as an
    /// operand does at the input's.
    std::uint64_t entry(std::uint64_t row, std::uint64_t row_cycles = 1) const
    {
        return last_entry(row + 1, row_cycles, std::min(in_words, out_words));
    }

    /// Element j of row r of the result is there at the end of this cycle.
    std::uint64_t output(std::uint64_t row, std::uint64_t column, std::uint64_t row_cycles = 1) const
    {
        return entry(row, row_cycles) + side - 1 + column;
    }

    /// From the first row's entry to the last result: 1 or more rows.
    std::uint64_t stream_cycles(std::uint64_t rows, std::uint64_t row_cycles = 1) const
    {
        return output(rows - 1, side - 1, row_cycles) + 1;
    }

    /// Cycles at the end of a stream in which no row can enter.
    std::uint64_t drain_cycles() const { return 2 * std::uint64_t{side} - 2; }

    /// Streaming, from a tile's beginning to the next one's: its rows enter, and `next_load` is what the load of the
    /// next one's weights takes meanwhile, 0 for the last tile. The end of a tile may follow the one before at a
    /// distance of `side`, so bubbles follow the rows of a short tile, those of the last one too.
    std::uint64_t slot_cycles(std::uint64_t rows, std::uint64_t row_cycles = 1, std::uint64_t next_load = 0) const
    {
        return std::max({entry(rows - 1, row_cycles) + 1, std::uint64_t{side}, next_load});
    }

private:
    std::uint64_t last_entry(std::uint64_t rows, std::uint64_t row_cycles, std::uint64_t port_words) const
    {
        return std::max(rows * row_cycles, (rows * side + port_words - 1) / port_words) - 1;
    }
};

enum class array_phase : unsigned { idle = 0, load = 1, stream = 2 };

/// What a waveform shows of a systolic array: in a cycle, what it does in it.
struct array_waveform {
    unsigned phase = static_cast<unsigned>(array_phase::idle);
    std::uint64_t row = 0; ///< rows of weights, or of the stream, that had entered when the cycle began
};

/// What a waveform shows of one processing element: its registers.
struct element_waveform {
    bool valid = false;                ///< data arrived in the cycle that has just ended
    arithmetic::traced_element a_out;  ///< the last left operand that arrived
    arithmetic::traced_element c_out;  ///< the last sum that left
    arithmetic::traced_element weight; ///< that it multiplies with; 0 before the first load
    arithmetic::traced_element shadow; ///< streaming: the weight of the next tile, on its way down or there
};

/// A systolic array.
struct systolic_array_config {
    unsigned side = 16;                                  ///< rows and columns, 1 to 1024
    base::element_type format = base::element_type::f64; ///< f64, c128, bf16 (sums are f32), int8 (int32), int32, int64
    unsigned in_words = 0;                               ///< words per cycle into the array, 1 to side; 0: side
    unsigned out_words = 0;                              ///< words per cycle out of the array, 1 to side; 0: side
    /// Elements have two registers for weights: those of the next tile come while the rows of this one pass, through a
    /// port of their own that is as wide as that of the rows.
    bool streaming = false;
    fidelity model = fidelity::fast;
    sc_core::sc_time clock_period{1, sc_core::SC_NS}; ///< above 0
};

systolic_schedule schedule_of(const systolic_array_config& config);

/// The first thing wrong with a configuration.
std::optional<std::string> validate(const systolic_array_config& config);

/// Weights in memory, row by row, aligned to an element.
struct array_weights {
    const unsigned char* first = nullptr;
    std::ptrdiff_t stride = 0;    ///< from a row to the next, in elements
    unsigned rows = 0;            ///< at most the side; the other weights are 0
    unsigned columns = 0;         ///< likewise
    std::uint64_t row_cycles = 1; ///< that the memory takes for a row, 1 or more
};

/// Rows that stream through the array, and where the results go; aligned to an element and to a word.
///
/// Element (r, i) of the left operand exists when i < left_columns and r * side + i < elements, the others are 0;
/// likewise results, of which those that do not exist are not written. Results may replace the operands (same address
/// and stride, word = element); other overlaps are not allowed, nor of the results' rows.
struct array_rows {
    const unsigned char* left = nullptr;
    std::ptrdiff_t left_stride = 0; ///< in elements
    unsigned left_columns = 0;
    unsigned char* result = nullptr;
    std::ptrdiff_t result_stride = 0; ///< in words
    unsigned result_columns = 0;
    std::uint64_t elements = 0;   ///< 1 or more; ceil(elements / side) rows stream
    std::uint64_t row_cycles = 1; ///< that the memory takes for a row, 1 or more
    bool accumulate = false;      ///< a result is added to the word that is there (there + result, one rounding)

    std::uint64_t rows(unsigned side) const { return (elements + side - 1) / side; }
    /// How many of the first `columns` of a row exist.
    unsigned in_row(std::uint64_t row, unsigned columns, unsigned side) const
    {
        return static_cast<unsigned>(std::min<std::uint64_t>(columns, elements - row * side));
    }
};

/// Weights, and the rows that stream past them.
struct array_tile {
    array_weights weights;
    array_rows rows;
};

/// Products of matrices in memory, Y[g] = X[g] W[g], row by row without gaps; all sizes 1 or more.
struct array_product {
    const unsigned char* left = nullptr;    ///< X: batch x rows x depth elements
    const unsigned char* weights = nullptr; ///< W: batch x depth x columns elements
    unsigned char* result = nullptr;        ///< Y: batch x rows x columns words
    std::uint64_t batch = 1;                ///< G
    std::uint64_t rows = 1;                 ///< M
    std::uint64_t depth = 1;                ///< K
    std::uint64_t columns = 1;              ///< N
};

/// Its G ceil(K / side) ceil(N / side) tiles, of M rows each: product by product, columns of W ascending, of these its
/// rows ascending. The first tile of a result stores, the others add:
///
///     y = ((t[0] + t[1]) + t[2]) + ...    t[b]: the sum over k = b side .. b side + side-1
std::vector<array_tile> tiles_of(const array_product& product, const systolic_array_config& config);

struct load_outcome {
    std::uint64_t cycles = 0;
    bool stopped = false;
};

struct stream_outcome {
    std::uint64_t cycles = 0;
    /// Multiply-adds and additions to memory whose exact sum left the range of the sums, which wrap; 0 when it was
    /// stopped.
    std::uint64_t overflowed = 0;
    bool stopped = false;
};

/// Told of every result as it leaves the array, also of those that do not exist in memory. In the order of cycles; of
/// one cycle from the left to the right.
class output_listener {
public:
    virtual ~output_listener() = default;
    /// At the end of this cycle of the stream. Of tiles, rows and cycles count on from the first one.
    virtual void result_out(std::uint64_t row, unsigned column, std::uint64_t cycle) = 0;
};

/// A weight-stationary systolic array of side x side processing elements. This is the interface of both fidelities;
/// make_systolic_array() chooses.
///
/// Source: (m,l)-TCU (arXiv 1908.06649), section 2.2 and figure 1. Element (i, j) holds R[i][j]; left operands move to
/// the right, sums move down:
///
///     a_out = a_in;   c_out = c_in + a_in R[i][j]      every cycle in which valid data arrives; c_in of the top row is
///                     +0
///     z[r][j] = sum over i = 0 .. side-1 of x[r][i] R[i][j], ascending, one multiply-add (arithmetic/mac.h) per term
///
/// Cycles: systolic_schedule. Calls do not overlap: a stream begins when the one before has left the array. All calls
/// wait in the thread that makes them, from a cycle boundary to a later one; a stop acts at the first boundary after it
/// was requested, and what has left the array by then has been written.
///
/// Streaming (config), multiply() lets tiles follow one another without a gap. The weights of a tile shift down the
/// columns through the second registers, column j delayed by j cycles, the t-th row of them as far as row t. The end of
/// a tile is a token that enters with its last cycle and moves as the data does, right and down: an element that it
/// passes swaps its two registers, and when it has passed the last element the tile has left.
///
///     cycles of n tiles    load + the sum of their slots + 2 side - 2
///                          of M rows, ports and memory wide:    n max(M, side) + 3 side - 2
///     not streaming        a load and a stream per tile:        n (M + 3 side - 2)
///
/// Not modelled: wires, the registers that skew rows at the edges, buffers at the ports (a row that does not fit
/// through waits in memory), the adders that accumulate (a result is in memory in the cycle in which it leaves).
class systolic_array : public sc_core::sc_module {
public:
    /// Puts new weights into the array. Stopped, it holds none.
    virtual load_outcome load(const array_weights& weights) = 0;
    /// The weights have been loaded.
    virtual stream_outcome stream(const array_rows& rows) = 0;
    /// Tile after tile, streaming where the configuration says so; the array then holds no weights for stream(). No
    /// tile reads what another one writes, apart from the words that both accumulate into.
    stream_outcome multiply(const std::vector<array_tile>& tiles);

    const systolic_schedule& schedule() const { return m_schedule; }

    /// From now on this one is told of results; nullptr: nobody. It must outlive the streams.
    void listen(output_listener* listener) { m_listener = listener; }

    /// Elaboration: the waveform of the array; from now on it is kept up to date, cycle by cycle.
    const array_waveform& watch();
    /// Likewise of the element in this row and column. nullptr in the fast fidelity, which has no elements.
    virtual const element_waveform* watch(unsigned row, unsigned column) = 0;

protected:
    systolic_array(sc_core::sc_module_name name, const systolic_array_config& config, const bus::stop_request& stop);

    /// Of an array that is streaming, 1 or more tiles.
    virtual stream_outcome stream_tiles(const std::vector<array_tile>& tiles) = 0;

    const systolic_array_config& settings() const { return m_config; }
    const bus::stop_request& stop() const { return m_stop; }
    output_listener* listener() const { return m_listener; }
    bool is_watched() const { return m_is_watched; }
    array_waveform& waveform() { return m_waveform; }
    void begin(array_phase phase) { m_waveform = {static_cast<unsigned>(phase), 0}; }
    void end() { m_waveform.phase = static_cast<unsigned>(array_phase::idle); }

private:
    systolic_array_config m_config;
    systolic_schedule m_schedule;
    const bus::stop_request& m_stop;
    output_listener* m_listener = nullptr;
    array_waveform m_waveform;
    bool m_is_watched = false;
};

/// The array of a configuration's format and fidelity; stop outlives it. A configuration with a complaint is an
/// SC_ERROR.
std::unique_ptr<systolic_array> make_systolic_array(sc_core::sc_module_name name, const systolic_array_config& config,
                                                    const bus::stop_request& stop);

/// Of these, the one of a fidelity, whatever the configuration says; nullptr for a format that no array has.
std::unique_ptr<systolic_array> make_fast_systolic_array(sc_core::sc_module_name name,
                                                         const systolic_array_config& config,
                                                         const bus::stop_request& stop);
std::unique_ptr<systolic_array> make_detailed_systolic_array(sc_core::sc_module_name name,
                                                             const systolic_array_config& config,
                                                             const bus::stop_request& stop);

} // namespace tensorloom::blocks
