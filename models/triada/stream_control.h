#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <vector>
#include <systemc>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/triada/actuator.h>
#include <tensorloom/models/triada/actuator_ports.h>
#include <tensorloom/models/triada/cell_contents.h>
#include <tensorloom/models/triada/rtl_streams.h>
#include <tensorloom/models/triada/tensor_core.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::triada {

/// The number of a pointwise step beside stages 0, 1 and 2.
inline constexpr unsigned pointwise_stage = 3;

// A stream: actuators that stream in sequence, its start and end, and the log of its steps.

/// An entry of the log of a stream: a time-step, or a skipped row (no time).
struct logged_step {
    unsigned stage;     ///< 0, 1, 2; pointwise_stage
    std::uint32_t step; ///< within the stage
    std::uint32_t tag;  ///< position of the tag
    bool skipped;
    sc_core::sc_time start; ///< start of the step; for a skipped row, start of the step after it
    triada::counts counts;
};

/// Orders executed steps and skipped rows as in the stream, whatever bursts they arrived in, and reports them when the
/// stream ends. Counts that modules around the device add meanwhile therefore belong to the same step in both
/// fidelities: the first one.
///
/// A skipped row precedes the next executed step, or lies at the end of a complete stream. After an abort the rows
/// skipped after the last executed step are discarded.
class step_log : public step_observer, public row_observer {
public:
    explicit step_log(std::function<void(const logged_step&)> sink) : m_sink(std::move(sink)) {}

    /// A stream begins; each skipped row counts `dense_macs` skipped multiply-adds.
    void begin(std::uint64_t dense_macs);
    /// The stream ends, complete or (false) stopped; all entries are reported.
    void end(bool complete, const sc_core::sc_time& now);
    /// Whether a multiply-add of this stream overflowed.
    bool overflowed() const { return m_overflowed; }

    void row_skipped(unsigned stage, std::uint32_t step, std::uint32_t tag) override;
    void step_done(unsigned stage, std::uint32_t step, std::uint32_t tag, const sc_core::sc_time& start,
                   const counts& counted) override;

private:
    struct skipped_row {
        unsigned stage;
        std::uint32_t step;
        std::uint32_t tag;
    };
    void take_skipped_before(unsigned stage, std::uint32_t step, const sc_core::sc_time& now);

    std::function<void(const logged_step&)> m_sink;
    std::deque<skipped_row> m_skipped;
    std::vector<logged_step> m_steps; // of the stream
    std::uint64_t m_dense_macs = 0;
    bool m_overflowed = false;
};

/// The link of a command's stage. Its window is the whole matrix; the caller sets length, registers and shift.
stream_link link_of(const gemt_command& command, const isa::tiled_stage& stage);

/// Sets the actuators' switches, starts the first actuator of a chain and takes control back after the last one.
///
/// Source: TriADA, section 5.4: control passes from actuator to actuator; there is no sequencer in the data path.
class stream_control : public control_if {
public:
    stream_control(base::element_type format, std::array<coefficient_memory_if*, 3> memories,
                   std::array<control_if*, 3> actuators, tensor_core& core, step_log& steps,
                   const bus::stop_request& stop);

    /// Chains begin in Verilog, too.
    void use(rtl_streams& verilog) { m_verilog = &verilog; }

    /// Streams a chain into the active cells `box`. Returns accumulator_overflow when an integer sum left the
    /// accumulators' range. The next chain continues its stream, unless its last link ends it.
    shell::command_outcome run(const shape3& box, std::vector<stream_link> chain);

    /// Sends a pointwise step into the active cells of the tensor's corner; `operand`: register of the other tensor.
    shell::command_outcome run(const resident_tensor& x, cell_register operand, const isa::pointwise_command& command);

    // control_if: the last actuator hands control back
    void take_control(std::uint32_t passed) override
    {
        m_passed = passed;
        m_returned.notify(sc_core::SC_ZERO_TIME);
    }

private:
    shell::command_outcome run_from(unsigned actuator, const shape3& box);

    const base::element_type m_format;
    std::array<coefficient_memory_if*, 3> m_memories;
    std::array<control_if*, 3> m_actuators;
    tensor_core& m_core;
    step_log& m_steps;
    const bus::stop_request& m_stop;
    rtl_streams* m_verilog = nullptr; // fidelity rtl
    std::uint32_t m_passed = 0;       // rows of zeros since the last time-step of the stream
    sc_core::sc_event m_returned;
};

} // namespace tensorloom::triada
