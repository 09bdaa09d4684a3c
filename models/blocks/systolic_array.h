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
#include <tensorloom/tlm/device_clock.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::blocks {

/// How fast rows come to an array: what the memory takes for each, and their calls. A call is an instruction for some
/// of the rows; the next one follows after the rows of a call and at least `call_interval` cycles after its start. The
/// weights of the next tile enter during the last call of a tile; without calls, during all rows.
struct row_pace {
    std::uint64_t row_cycles = 1;    ///< cycles of the memory per row, 1 or more
    std::uint64_t call_rows = 0;     ///< rows of a call, the last one may have fewer; 0: all rows in one call
    std::uint64_t call_interval = 0; ///< cycles from the start of a call to that of the next, at least
};

/// Timing of a weight-stationary array of s x s elements, as formulas. Plain C++; cycles from 0, the start of a load or
/// of a stream.
///
/// A port moves whole words, a fixed number per cycle, as a steady flow: the remainder of one cycle serves the next
/// row. Source: (m,l)-TCU (arXiv 1908.06649), section 2.2, with the cycle numbers corrected.
struct systolic_schedule {
    unsigned side = 1;           ///< s
    unsigned in_words = 1;       ///< words per cycle into the array, 1 to side
    unsigned out_words = 1;      ///< words per cycle out of it, 1 to side
    unsigned pipeline_depth = 1; ///< d: cycles of a multiply-add

    /// Cycle in which the row of weights number `row` of s enters; the memory takes `row_cycles` for each.
    std::uint64_t load_entry(std::uint64_t row, std::uint64_t row_cycles = 1) const
    {
        return last_entry(row + 1, row_cycles, in_words);
    }
    std::uint64_t load_cycles(std::uint64_t row_cycles = 1) const { return load_entry(side - 1, row_cycles) + 1; }

    /// Cycle in which row r of a stream enters the first element. A result needs a place at the output port, as an
    /// operand does at the input port. The ports begin anew with each call.
    std::uint64_t entry(std::uint64_t row, const row_pace& pace = {}) const
    {
        const std::uint64_t in_call = pace.call_rows == 0 ? row : row % pace.call_rows;
        const std::uint64_t before = pace.call_rows == 0 ? 0 : row / pace.call_rows;
        return before * call_cycles(pace.call_rows, pace) + last_entry(in_call + 1, pace.row_cycles, port_words());
    }
    /// Cycles from the start of a call of so many rows to that of the next.
    std::uint64_t call_cycles(std::uint64_t rows, const row_pace& pace) const
    {
        if (rows == 0) { return 0; }
        return std::max(last_entry(rows, pace.row_cycles, port_words()) + 1, pace.call_interval);
    }

    /// Cycle at whose end element j of row r of the result is available.
    std::uint64_t output(std::uint64_t row, std::uint64_t column, const row_pace& pace = {}) const
    {
        return entry(row, pace) + latency() + column;
    }
    /// From the entry of a row to the cycle at whose end the first element of its result is available: d s - 1.
    std::uint64_t latency() const { return std::uint64_t{pipeline_depth} * side - 1; }

    /// Cycles from the first row's entry to the last result, for 1 or more rows.
    std::uint64_t stream_cycles(std::uint64_t rows, const row_pace& pace = {}) const
    {
        return output(rows - 1, side - 1, pace) + 1;
    }

    /// Cycles at the end of a stream in which no row can enter.
    std::uint64_t drain_cycles() const { return latency() + side - 1; }

    /// Streaming: cycles from the start of a tile to the start of the next, in which its calls begin and its rows
    /// enter. `next_load`: cycles to load the next tile's weights meanwhile, 0 for the last tile. Ends of tiles are at
    /// least `side` cycles apart, so bubbles follow the rows of a short tile, also of the last one.
    std::uint64_t slot_cycles(std::uint64_t rows, const row_pace& pace = {}, std::uint64_t next_load = 0) const
    {
        const std::uint64_t before = rows_cycles(rows, pace) - last_call_cycles(rows, pace);
        return std::max(before + std::max(last_call_cycles(rows, pace), next_load), std::uint64_t{side});
    }
    /// Cycles of the calls of so many rows.
    std::uint64_t rows_cycles(std::uint64_t rows, const row_pace& pace) const
    {
        return calls_before(rows, pace) * call_cycles(pace.call_rows, pace) + last_call_cycles(rows, pace);
    }
    /// Those of the last call; without calls, of all rows.
    std::uint64_t last_call_cycles(std::uint64_t rows, const row_pace& pace) const
    {
        return call_cycles(rows - calls_before(rows, pace) * pace.call_rows, pace);
    }

private:
    static std::uint64_t calls_before(std::uint64_t rows, const row_pace& pace)
    {
        return pace.call_rows == 0 ? 0 : (rows - 1) / pace.call_rows;
    }
    std::uint64_t port_words() const { return std::min(in_words, out_words); }
    std::uint64_t last_entry(std::uint64_t rows, std::uint64_t row_cycles, std::uint64_t port_words) const
    {
        return std::max(rows * row_cycles, (rows * side + port_words - 1) / port_words) - 1;
    }
};

enum class array_phase : unsigned { idle = 0, load = 1, stream = 2 };

/// Waveform of a systolic array: its activity in a cycle.
struct array_waveform {
    unsigned phase = static_cast<unsigned>(array_phase::idle);
    std::uint64_t row = 0; ///< rows of weights or of the stream that entered before the cycle
};

/// Waveform of one processing element: its registers.
struct element_waveform {
    bool valid = false;                ///< data arrived in the last cycle
    arithmetic::traced_element a_out;  ///< the last left operand that arrived
    arithmetic::traced_element c_out;  ///< the last sum that left
    arithmetic::traced_element weight; ///< active weight; 0 before the first load
    arithmetic::traced_element shadow; ///< streaming: the weight of the next tile, moving down or in place
};

/// Parameters of a systolic array.
struct systolic_array_config {
    unsigned side = 16;                                  ///< rows and columns, 1 to 1024
    base::element_type format = base::element_type::f64; ///< one of base::systolic_formats
    unsigned in_words = 0;                               ///< words per cycle into the array, 1 to side; 0: side
    unsigned out_words = 0;                              ///< words per cycle out of the array, 1 to side; 0: side
    /// Elements have two weight registers: the next tile's weights enter while the rows of this one pass, through a
    /// separate port as wide as that of the rows.
    bool streaming = false;
    /// d, cycles of a multiply-add, 1 to 64: whatever moves down passes d registers per row, and row i of the operands
    /// enters d cycles after row i - 1. rtl has 1.
    unsigned pipeline_depth = 1;
    fidelity model = fidelity::fast;
    bus::clock_source clock_period{sc_core::sc_time(1, sc_core::SC_NS)}; ///< above 0
};

systolic_schedule schedule_of(const systolic_array_config& config);

/// The first error of a configuration as text; nothing when it is valid.
std::optional<std::string> validate(const systolic_array_config& config);

/// Weights in memory, row by row, aligned to an element.
struct array_weights {
    const unsigned char* first = nullptr;
    std::ptrdiff_t stride = 0;    ///< from a row to the next, in elements
    unsigned rows = 0;            ///< at most the side; further weights are 0
    unsigned columns = 0;         ///< at most the side; further weights are 0
    std::uint64_t row_cycles = 1; ///< cycles of the memory per row, 1 or more
};

/// Rows that stream through the array, and the place of the results; aligned to an element and to a word.
///
/// Element (r, i) of the left operand exists when i < left_columns and r * side + i < elements; the others are 0.
/// Results likewise; those that do not exist are not written. Results may replace the operands (same address and
/// stride, word = element). No other overlaps are allowed, neither with operands nor between result rows.
struct array_rows {
    const unsigned char* left = nullptr;
    std::ptrdiff_t left_stride = 0; ///< in elements
    unsigned left_columns = 0;
    unsigned char* result = nullptr;
    std::ptrdiff_t result_stride = 0; ///< in words
    unsigned result_columns = 0;
    std::uint64_t elements = 0; ///< 1 or more; ceil(elements / side) rows stream
    row_pace pace = {};
    bool accumulate = false; ///< a result is added to the stored word (stored + result, one rounding)

    std::uint64_t rows(unsigned side) const { return (elements + side - 1) / side; }
    /// Number of the first `columns` of a row that exist.
    unsigned in_row(std::uint64_t row, unsigned columns, unsigned side) const
    {
        return static_cast<unsigned>(std::min<std::uint64_t>(columns, elements - row * side));
    }
};

/// Weights and the rows that stream past them.
struct array_tile {
    array_weights weights;
    array_rows rows;
};

/// Matrix products in memory, Y[g] = X[g] W[g], row by row; all sizes 1 or more.
struct array_product {
    const unsigned char* left = nullptr;    ///< X: batch x rows x depth elements
    const unsigned char* weights = nullptr; ///< W: batch x depth x columns elements
    unsigned char* result = nullptr;        ///< Y: batch x rows x columns words
    std::uint64_t batch = 1;                ///< G
    std::uint64_t rows = 1;                 ///< M
    std::uint64_t depth = 1;                ///< K
    std::uint64_t columns = 1;              ///< N
    /// From a row to the next, in elements and words; none: without gaps. Of a single product only (batch 1).
    std::optional<std::ptrdiff_t> left_stride, weights_stride, result_stride;
    row_pace pace;                  ///< of the rows of each tile
    std::uint64_t tile_columns = 0; ///< of Y, 1 to side; 0: side
    std::uint64_t weight_row_cycles = 1;
    bool accumulate = false; ///< the first tile of a result is added, too
};

/// The G ceil(K / side) ceil(N / side) tiles of a product, of M rows each: product by product, then columns of W
/// ascending, then rows of W ascending. The first tile of a result is stored, the others are added:
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

/// Receives every result as it leaves the array, including results without a place in memory, in the order of cycles
/// and, within a cycle, from left to right.
class output_listener {
public:
    virtual ~output_listener() = default;
    /// A result at the end of this cycle of the stream. For tiles, rows and cycles count from the first tile.
    virtual void result_out(std::uint64_t row, unsigned column, std::uint64_t cycle) = 0;
};

/// A weight-stationary systolic array of side x side processing elements. This is the interface of all fidelities;
/// make_systolic_array() chooses.
///
/// Source: (m,l)-TCU (arXiv 1908.06649), section 2.2 and figure 1. Element (i, j) stores R[i][j]; left operands move
/// right, sums move down:
///
///     a_out = a_in;   c_out = c_in + a_in R[i][j]      every cycle in which valid data arrives; c_in of the top row is
///                                                      +0
///     z[r][j] = sum over i = 0 .. side-1 of x[r][i] R[i][j], ascending, one multiply-add (arithmetic/mac.h) per term
///
/// Cycles: systolic_schedule. Calls do not overlap: a stream begins when the previous one has left the array. All calls
/// wait in the calling thread, from one cycle boundary to another. A stop acts at the first boundary after its request;
/// outputs up to then are written.
///
/// With `streaming`, multiply() runs tiles without gaps. The weights of a tile shift down the columns through the
/// second registers, column j delayed by j cycles, row t of them down to row t. The end of a tile is a token that
/// enters with its last cycle and moves like the data, right and down. An element that it passes swaps its two
/// registers; when it has passed the last element, the tile has left. d: pipeline_depth.
///
///     cycles of n tiles    load + the sum of their slots + (d + 1) side - 2
///                          of M rows, ports and memory wide:    n max(M, side) + (d + 2) side - 2
///     not streaming        a load and a stream per tile:        n (M + (d + 2) side - 2)
///
/// Not modelled: wires, the registers that skew rows at the edges, buffers at the ports (a row that does not pass at
/// once waits in memory), the adders that accumulate (a result is in memory in the cycle in which it leaves).
///
/// Example
///
///     auto array = blocks::make_systolic_array("array", {4, base::element_type::f64}, stop);
///     std::vector<unsigned char> results(16 * 8);
///     array->load({buffer.data(), 4, 4, 4}); // weights: row stride, rows, columns; calls in a thread
///     array->stream({buffer.data() + 16 * 8, 4, 4, results.data(), 4, 4, 16}); // 16 elements: 4 rows
class systolic_array : public sc_core::sc_module {
public:
    /// Loads new weights. After a stop the array has none.
    virtual load_outcome load(const array_weights& weights) = 0;
    /// Streams rows. Call load() before.
    virtual stream_outcome stream(const array_rows& rows) = 0;
    /// Runs tiles in sequence, streaming if configured; the array then has no weights for stream(). A tile must not
    /// read words that another one writes, except words into which both accumulate.
    stream_outcome multiply(const std::vector<array_tile>& tiles);

    const systolic_schedule& schedule() const { return m_schedule; }

    /// Sends results to this listener from now on; nullptr: to none. It must outlive the streams.
    void listen(output_listener* listener) { m_listener = listener; }

    /// Elaboration: the waveform of the array, updated every cycle from now on.
    const array_waveform& watch();
    /// The waveform of an element; nullptr in the fast fidelity, which has no elements.
    virtual const element_waveform* watch(unsigned row, unsigned column) = 0;

protected:
    systolic_array(sc_core::sc_module_name name, const systolic_array_config& config, const bus::stop_request& stop);

    /// 1 or more tiles, with `streaming` set.
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

/// The array of a configuration's format and fidelity; stop must outlive it. An invalid configuration is an SC_ERROR.
std::unique_ptr<systolic_array> make_systolic_array(sc_core::sc_module_name name, const systolic_array_config& config,
                                                    const bus::stop_request& stop);

/// The array of one fidelity, whatever the configuration says; nullptr for an unsupported format.
std::unique_ptr<systolic_array> make_fast_systolic_array(sc_core::sc_module_name name,
                                                         const systolic_array_config& config,
                                                         const bus::stop_request& stop);
std::unique_ptr<systolic_array> make_detailed_systolic_array(sc_core::sc_module_name name,
                                                             const systolic_array_config& config,
                                                             const bus::stop_request& stop);
std::unique_ptr<systolic_array> make_rtl_systolic_array(sc_core::sc_module_name name,
                                                        const systolic_array_config& config,
                                                        const bus::stop_request& stop);

/// Why a configuration has no array in Verilog, as a message; nothing when it has.
std::optional<std::string> rtl_error(const systolic_array_config& config);

} // namespace tensorloom::blocks
