#pragma once
#include <cstdint>
#include <vector>
#include <systemc>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/fetta/row_port.h>
#include <tensorloom/models/arch/fetta/row_requests.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::fetta {

/// A scatter buffer: sorts the elements of a linear result into rows and writes them bank by bank, only the elements
/// that it has.
///
/// banks   the write port of the unified memory
///
/// The counterpart of gather_buffer, and like it no block of the paper.
///
///     cycle   begin(), then put() for each element
///             tick() until complete(): writes the next row of every bank that has one     row_requests.h: cycles()
///
/// No processes: whoever steps the engines steps it. Not modelled: energy of the crossbar, areas.
class scatter_buffer : public sc_core::sc_module {
public:
    sc_core::sc_port<row_sink_if> banks;

    scatter_buffer(sc_core::sc_module_name name, const arch::fetta::geometry& geometry);

    /// type: of the result's elements, bf16 or f32.
    void begin(arch::element_type type);
    /// Element `e` of the result's linear order; the last value of an element stays.
    void put(std::uint64_t e, float value);

    /// A cycle passes. A tick more than needed changes nothing.
    void tick();
    bool complete() const { return m_ticks >= m_requests.cycles(); }

    const arch::fetta::row_requests& requests() const { return m_requests; }

private:
    void end_of_elaboration() override { m_banks = banks.operator->(); }

    unsigned m_side;
    arch::element_type m_type = arch::element_type::f32;
    row_sink_if* m_banks = nullptr;
    arch::fetta::row_requests m_requests;
    std::vector<float> m_values;        // P of every request
    std::vector<std::uint32_t> m_lanes; // of every request
    unsigned m_ticks = 0;
};

} // namespace tensorloom::fetta
