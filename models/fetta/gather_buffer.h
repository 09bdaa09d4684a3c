#pragma once
#include <cstdint>
#include <vector>
#include <systemc>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/fetta/port_rows.h>
#include <tensorloom/models/fetta/row_port.h>
#include <tensorloom/models/arch/fetta/row_requests.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::fetta {

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
///             tick() until complete(): reads the next row of every bank that has one     row_requests.h: cycles()
///             rows()
///
/// No processes: whoever steps the engines steps it. Not modelled: energy of the crossbar, areas.
class gather_buffer : public sc_core::sc_module {
public:
    sc_core::sc_port<row_source_if> banks;

    gather_buffer(sc_core::sc_module_name name, const arch::fetta::geometry& geometry);

    /// The ports of `valid` need rows; what is not asked for is +0.
    void begin(std::uint64_t valid);
    /// Lane `lane` of port `port` needs element `e` of the operand's linear order.
    void want(unsigned port, unsigned lane, std::uint64_t e);

    /// A cycle passes. A tick more than needed changes nothing.
    void tick();
    bool complete() const { return m_ticks >= m_requests.cycles(); }

    const port_rows& rows() const { return m_rows; } ///< when complete
    const arch::fetta::row_requests& requests() const { return m_requests; }

private:
    void end_of_elaboration() override { m_banks = banks.operator->(); }

    /// An element on its way.
    struct want_entry {
        unsigned slot; // of m_rows.values
        unsigned row;  // index of the request
        unsigned lane;
    };

    arch::element_type m_type;
    unsigned m_side;
    row_source_if* m_banks = nullptr;
    arch::fetta::row_requests m_requests;
    std::vector<want_entry> m_wants;
    std::vector<float> m_collected; // P of every request
    port_rows m_rows;
    unsigned m_ticks = 0;
};

} // namespace tensorloom::fetta
