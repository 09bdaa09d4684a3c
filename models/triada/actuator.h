#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <systemc>
#include <tlm_utils/simple_initiator_socket.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/triada/actuator_ports.h>
#include <tensorloom/models/triada/rtl_streams.h>
#include <tensorloom/models/triada/stream_protocol.h>

namespace tensorloom::triada {

/// Receives the rows that an actuator skips.
class row_observer {
public:
    virtual ~row_observer() = default;
    virtual void row_skipped(unsigned stage, std::uint32_t step, std::uint32_t tag) = 0;
};

/// A decoupled active streaming memory: stores one coefficient matrix with a tag bit per element and streams one tagged
/// vector per time-step to a face of the mesh. After its last vector it passes control to the next actuator.
///
/// The matrix may be rectangular, and only a window of it may be streamed: the window's rows in the row order, each
/// limited to the window's columns. The tag of row n is at n - first row of the window.
/// Source: TriADA, sections 5.2 to 5.4 (streaming, control), 6 (ESOP). Rectangular matrices and windows are our
/// extension.
///
/// memory      export: loading the matrix, the row order and the command's switches
/// control     export: taking control starts the stream
/// stream      initiator socket with its own protocol, to the tensor core
/// hand_over   ports to the other actuators by mode (the entry of its own mode is unbound), and entry to_device
///
/// ESOP: an element c = 0 without tag is not sent. A row whose window is all zero is skipped and takes no time-step, as
/// far as the control looks ahead (set_look_ahead()). Several vectors share one transfer as long as no process observes
/// the steps in between; results and counts do not depend on it.
///
/// Events: coefficient_read, coefficient_send (counted by the core per step), step_skipped (through row_observer).
/// Not modelled: the drum's rotation, the time to read a row (hidden by the previous step).
///
/// Example
///
///     triada::actuator source("actuator_3", 2, base::element_type::f64, skipped_rows); // sums mode 3
///     source.memory->resize(32, 32);
///     source.memory->write(0, buffer.data(), 32 * 32 * 8); // 64-bit elements, row by row
///     source.control->take_control(0);                     // streams the window of set_switches()
class actuator : public sc_core::sc_module, public coefficient_memory_if, public control_if {
public:
    sc_core::sc_export<coefficient_memory_if> memory;
    sc_core::sc_export<control_if> control;
    tlm_utils::simple_initiator_socket<actuator, 32, stream_protocol> stream;
    std::vector<std::unique_ptr<sc_core::sc_port<control_if, 1, sc_core::SC_ZERO_OR_MORE_BOUND>>> hand_over;

    /// `mode`: 0, 1, 2.
    actuator(sc_core::sc_module_name name, unsigned mode, base::element_type format, row_observer& observer);

    /// Largest number of vectors per transfer from now on, at least 1; without a call there is no limit.
    void set_burst(std::size_t vectors) { m_burst_limit = vectors; }
    /// The control looks for the next row that is not all zero among the next `rows` rows of the stream, across its
    /// stages; 0: among all. If there is none, it passes them and takes a time-step in which nothing is sent: that of
    /// the last of them, unless no row follows. So z rows of zeros take z / rows time-steps, rounded down, before
    /// another row, and as many as z - 1 of them at the end of the stream.
    void set_look_ahead(std::uint32_t rows) { m_look_ahead = rows; }
    /// Rows, and which elements of them are driven, come from Verilog.
    void use(rtl_streams& verilog) { m_verilog = &verilog; }
    const bool& streaming_signal() const { return m_streaming; } ///< for waveforms

    // coefficient_memory_if
    void resize(std::uint32_t rows, std::uint32_t columns) override;
    void write(std::uint64_t first, const unsigned char* bytes, std::uint64_t count) override;
    void set_row_order(std::vector<std::uint32_t> order) override;
    void set_switches(const actuator_switches& switches) override { m_switches = switches; }
    const std::vector<unsigned char>& matrix() const override { return m_matrix; }
    const std::vector<std::uint32_t>& row_order() const override { return m_order; }
    std::uint32_t rows() const override { return m_rows; }
    std::uint32_t columns() const override { return m_columns; }

    // control_if
    void take_control(std::uint32_t passed) override
    {
        m_passed = passed;
        m_control_taken.notify(sc_core::SC_ZERO_TIME);
    }
    const char* kind() const override { return "actuator"; }

private:
    void run(); // thread
    bool stream_window();
    bool stream_rows_of_verilog();
    bool stream_value();
    bool stream_row(std::uint32_t row, std::uint32_t step, const std::vector<std::uint32_t>& nonzeros);
    bool passes(std::uint32_t step);
    bool send_burst();
    const std::vector<std::uint32_t>& nonzeros_of_rows(std::uint32_t first_column, std::uint32_t columns);
    const unsigned char* element(std::uint32_t row, std::uint32_t column) const;

    unsigned m_mode;
    base::element_type m_format;
    row_observer& m_observer;
    std::size_t m_burst_limit = std::numeric_limits<std::size_t>::max();
    std::uint32_t m_look_ahead = 0; // rows; 0: all
    std::uint32_t m_rows = 0;
    std::uint32_t m_columns = 0;
    std::vector<unsigned char> m_matrix;
    std::vector<std::uint32_t> m_order; // empty: the diagonal
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>>
        m_nonzeros; // number of non-zeros per matrix row, by first column and columns of a window
    actuator_switches m_switches;
    sc_core::sc_event m_control_taken;
    std::uint32_t m_passed = 0; // rows of zeros since the last time-step of the stream
    vector_burst m_burst;
    std::vector<unsigned char> m_values; // of a pointwise step, one per line
    bool m_streaming = false;
    rtl_streams* m_verilog = nullptr; // fidelity rtl
};

} // namespace tensorloom::triada
