#pragma once
#include <cstdint>
#include <vector>
#include <systemc>
#include <tensorloom/models/fetta/isa/bank_conflicts.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/fetta/bank_ports.h>
#include <tensorloom/models/fetta/port_beats.h>

namespace tensorloom::fetta {

// The buffers between banks and ports for linear operands and results, whose elements may lie in different rows.

/// What a gather or scatter buffer has done: 16-bit rows and words.
struct buffer_totals {
    std::uint64_t rows = 0, words = 0;
};

/// A gather buffer: collects the rows of a linear operand bank by bank and supplies every port with its elements. IA
/// and IB have a gather buffer each, before their ports.
///
/// banks   the read port of the unified memory
///
/// It is our extension, for operands whose layout does not fit the mapping; the paper assumes operands in the layout of
/// their mapping. It stores one row per requested element, and selects elements from rows with a full crossbar.
///
///     cycle   begin(), then want() for each element
///             tick() until complete(): reads the next row of every bank that has one     bank_conflicts.h: cycles()
///             rows()
///
/// Events    buffer_row, buffer_word; energy and area: fetta/isa/costs.h
///
/// It has no process: the owner of the engines calls it, and charges its latency (device_limits::buffer_cycles) once
/// per command: rows follow each other without a gap.
///
/// Example
///
///     fetta::gather_buffer gather("gather_buffer", fetta::device_limits());
///     gather.banks.bind(unified_memory.ia);
///     gather.begin(1);       // bit 0: port 0
///     gather.want(0, 2, 17); // its lane 2: element 17
///     while (!gather.complete()) { gather.tick(); }
class gather_buffer : public sc_core::sc_module {
public:
    sc_core::sc_port<bank_read_if> banks;

    gather_buffer(sc_core::sc_module_name name, const device_limits& limits);

    /// Starts a cycle in which the ports of `valid` need rows; elements that are not requested are +0.
    void begin(std::uint64_t valid);
    /// Requests element `e` of the operand's linear order for lane `lane` of port `port`.
    void want(unsigned port, unsigned lane, std::uint64_t e);

    /// A cycle passes. Extra ticks have no effect.
    void tick();
    bool complete() const { return m_ticks >= m_requests.cycles(); }

    const port_beats& rows() const { return m_rows; } ///< when complete
    const bank_requests& requests() const { return m_requests; }
    /// Since the beginning: rows stored and words that passed the crossbar, each of 16 bits (float32: two).
    const buffer_totals& totals() const { return m_totals; }
    const char* kind() const override { return "gather_buffer"; }

private:
    void end_of_elaboration() override { m_banks = banks.operator->(); }

    /// A requested element.
    struct want_entry {
        unsigned slot; // of m_rows.values
        unsigned row;  // index of the request
        unsigned lane;
    };

    base::element_type m_type;
    unsigned m_side;
    bank_read_if* m_banks = nullptr;
    bank_requests m_requests;
    std::vector<want_entry> m_wants;
    std::vector<float> m_collected; // P of every request
    port_beats m_rows;
    buffer_totals m_totals;
    unsigned m_ticks = 0;
};

/// A scatter buffer: sorts the elements of a linear result into rows and writes them bank by bank, only the elements
/// present.
///
/// banks   the write port of the unified memory
///
/// It is the counterpart of gather_buffer, and also our extension.
///
///     cycle   begin(), then put() for each element
///             tick() until complete(): writes the next row of every bank that has one     bank_conflicts.h: cycles()
///
/// Events    buffer_row, buffer_word
///
/// It has no process: the owner of the engines calls it, and charges its latency likewise.
///
/// Example
///
///     fetta::scatter_buffer scatter("scatter_buffer", fetta::device_limits());
///     scatter.banks.bind(unified_memory.result);
///     scatter.begin(base::element_type::f32);
///     scatter.put(17, 0.5f);
///     while (!scatter.complete()) { scatter.tick(); }
class scatter_buffer : public sc_core::sc_module {
public:
    sc_core::sc_port<bank_write_if> banks;

    scatter_buffer(sc_core::sc_module_name name, const device_limits& limits);

    /// Starts a cycle; `type` is the type of the result's elements, bf16 or f32.
    void begin(base::element_type type);
    /// Supplies element `e` of the result's linear order; the last value of an element wins.
    void put(std::uint64_t e, float value);

    /// A cycle passes. Extra ticks have no effect.
    void tick();
    bool complete() const { return m_ticks >= m_requests.cycles(); }

    const bank_requests& requests() const { return m_requests; }
    const buffer_totals& totals() const { return m_totals; } ///< as those of a gather buffer
    const char* kind() const override { return "scatter_buffer"; }

private:
    void end_of_elaboration() override { m_banks = banks.operator->(); }

    unsigned m_side;
    base::element_type m_type = base::element_type::f32;
    bank_write_if* m_banks = nullptr;
    bank_requests m_requests;
    std::vector<float> m_values;        // P of every request
    std::vector<std::uint32_t> m_lanes; // of every request
    buffer_totals m_totals;
    unsigned m_ticks = 0;
};

} // namespace tensorloom::fetta
