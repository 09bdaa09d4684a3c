#pragma once
#include <array>
#include <vector>
#include <systemc>
#include <tensorloom/models/arch/triada/gemt_command.h>
#include <tensorloom/models/arch/triada/gemt_tiles.h>
#include <tensorloom/models/shell/command_outcome.h>
#include <tensorloom/models/triada/actuator_ports.h>
#include <tensorloom/models/triada/step_log.h>
#include <tensorloom/models/triada/tensor_core.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::triada {

/// One stage of a stream: the actuator that streams it, by its mode, and its switches.
struct stream_link {
    unsigned mode;
    actuator_switches switches;
};

/// The link of a command's stage. Its window is the whole matrix; length, registers and shift are still to be chosen.
stream_link link_of(const arch::triada::gemt_command& job, const arch::triada::gemt_stage& stage);

/// Sets the actuators' switches, starts the first of a chain and gets control back when the last has streamed.
///
/// Source: TriADA, section 5.4: control passes from actuator to actuator; there is no sequencer in the data path.
class stream_control : public control_if {
public:
    stream_control(std::array<coefficient_memory_if*, 3> memories, std::array<control_if*, 3> actuators,
                   tensor_core& core, step_log& steps, const bus::stop_request& stop);

    /// Streams a chain into the active cells `box`. An integer sum that left the accumulators' range is an
    /// accumulator_overflow.
    shell::command_outcome run(const shape3& box, std::vector<stream_link> chain);

    // control_if: the last actuator hands control back
    void take_control() override { m_returned.notify(sc_core::SC_ZERO_TIME); }

private:
    std::array<coefficient_memory_if*, 3> m_memories;
    std::array<control_if*, 3> m_actuators;
    tensor_core& m_core;
    step_log& m_steps;
    const bus::stop_request& m_stop;
    sc_core::sc_event m_returned;
};

} // namespace tensorloom::triada
