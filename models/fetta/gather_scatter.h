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

// The buffers between banks and ports for linear operands and results: each element comes from a row of its own.

/// A gather buffer: collects the rows of a linear operand bank by bank and hands every port its elements. One stands
/// before the ports of IA, one before those of IB.
///
/// banks   the read port of the unified memory
///
/// It is not in the paper, whose operands lie as their mapping wants them: a block of ours, for operands whose layout
/// does not fit. It holds one row per element that the ports need, and it takes elements from rows with a full
/// crossbar.
///
///     cycle   begin(), then want() for each element
///             tick() until complete(): reads the next row of every bank that has one     bank_conflicts.h: cycles()
///             rows()
///
/// No processes: whoever steps the engines steps it. Not modelled: energy of the crossbar, areas.
class gather_buffer : public sc_core::sc_module {
public:
    sc_core::sc_port<bank_read_if> banks;

    gather_buffer(sc_core::sc_module_name name, const device_limits& limits);

    /// The ports of `valid` need rows; what is not asked for is +0.
    void begin(std::uint64_t valid);
    /// Lane `lane` of port `port` needs element `e` of the operand's linear order.
    void want(unsigned port, unsigned lane, std::uint64_t e);

    /// A cycle passes. A tick more than needed changes nothing.
    void tick();
    bool complete() const { return m_ticks >= m_requests.cycles(); }

    const port_beats& rows() const { return m_rows; } ///< when complete
    const bank_requests& requests() const { return m_requests; }
    const char* kind() const override { return "gather_buffer"; }

private:
    void end_of_elaboration() override { m_banks = banks.operator->(); }

    /// An element on its way.
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
    unsigned m_ticks = 0;
};

/// A scatter buffer: sorts the elements of a linear result into rows and writes them bank by bank, only the elements
/// that it has.
///
/// banks   the write port of the unified memory
///
/// The counterpart of gather_buffer, and like it no block of the paper.
///
///     cycle   begin(), then put() for each element
///             tick() until complete(): writes the next row of every bank that has one     bank_conflicts.h: cycles()
///
/// No processes: whoever steps the engines steps it. Not modelled: energy of the crossbar, areas.
class scatter_buffer : public sc_core::sc_module {
public:
    sc_core::sc_port<bank_write_if> banks;

    scatter_buffer(sc_core::sc_module_name name, const device_limits& limits);

    /// type: of the result's elements, bf16 or f32.
    void begin(base::element_type type);
    /// Element `e` of the result's linear order; the last value of an element stays.
    void put(std::uint64_t e, float value);

    /// A cycle passes. A tick more than needed changes nothing.
    void tick();
    bool complete() const { return m_ticks >= m_requests.cycles(); }

    const bank_requests& requests() const { return m_requests; }
    const char* kind() const override { return "scatter_buffer"; }

private:
    void end_of_elaboration() override { m_banks = banks.operator->(); }

    unsigned m_side;
    base::element_type m_type = base::element_type::f32;
    bank_write_if* m_banks = nullptr;
    bank_requests m_requests;
    std::vector<float> m_values;        // P of every request
    std::vector<std::uint32_t> m_lanes; // of every request
    unsigned m_ticks = 0;
};

} // namespace tensorloom::fetta
