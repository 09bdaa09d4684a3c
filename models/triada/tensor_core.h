#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tensorloom/models/triada/isa/events.h>
#include <tensorloom/models/triada/isa/gemt_tiles.h>
#include <tensorloom/models/triada/isa/step_counts.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/triada/cell_memory.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/models/triada/stream_protocol.h>
#include <tensorloom/tlm/device_clock.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::triada {

/// Waveform of one cell in one time-step, from the start of the step: its operands, and its registers with the
/// accumulator already updated.
struct cell_waveform {
    shape3 at{};                            ///< the cell's position in the mesh, from 0
    bool x_valid = false;                   ///< its X line carries a coefficient in this step
    bool tag = false;                       ///< ... with tag = 1
    arithmetic::traced_element coefficient; ///< 0 unless x_valid
    bool y_valid = false;                   ///< its Y line carries an operand in this step
    arithmetic::traced_element operand;     ///< 0 unless y_valid
    std::array<arithmetic::traced_element, most_cell_registers> element; ///< by register
};

/// Waveform of the core.
struct core_waveform {
    std::uint32_t stage = 0; ///< 1, 2, 3 while it computes (and after), 0 before
    std::uint32_t step = 0;  ///< step within the stage
    std::uint32_t tag = 0;   ///< position of the tag
};

/// Receives every time-step once, at its end.
class step_observer {
public:
    virtual ~step_observer() = default;
    virtual void step_done(unsigned stage, std::uint32_t step, std::uint32_t tag, const sc_core::sc_time& start,
                           const counts& counted) = 0;
};

/// A P1 x P2 x P3 mesh of cells with lateral, frontal and horizontal operand lines. It reacts to what its buses carry
/// and knows neither the streamed matrix nor the order of the summed modes.
///
/// Source: TriADA, sections 4 and 5. This is the interface of all fidelities; make_tensor_core() chooses.
///
/// streams     target socket with its own protocol, from the actuators
/// cells       export: loading and unloading
///
/// A time-step takes step_cycles clock periods from the arrival of its vector. In every slice the vector's elements are
/// driven onto X lines, pivots (tag = 1) drive their operands onto Y lines, and cells with both do one multiply-add.
/// Arithmetic: target(i) = fma(operand(i with the tag's position), c, target(i)), steps in streaming order; the operand
/// is the source register rounded to an element.
///
/// Events: see triada/isa/events.h; per step, equal in both fidelities.
/// Not modelled: wire delay within a step, contention (the schedule admits one driver per line and step).
///
/// Example
///
///     triada::config config;
///     auto core = triada::make_tensor_core("core", config, clock, stop, steps);
///     actuator.stream.bind(core->streams);
///     core->cells->clear(triada::cell_register::first, config.mesh);
///     core->cells->activate(config.mesh);
class tensor_core : public sc_core::sc_module, public cell_memory_if {
public:
    tlm_utils::multi_passthrough_target_socket<tensor_core, 32, stream_protocol> streams;
    sc_core::sc_export<cell_memory_if> cells;

    /// Reports the completed steps: calls step_done for each, in order.
    void sync();

    /// Keeps the sources of passes. By default a new pass discards the source of the previous pass unless it uses the
    /// same register: from then on that register reads as +0, and the fast core reuses its memory. Results do not
    /// depend on it.
    void keep_sources() { m_keeps_sources = true; }
    bool given_up(cell_register reg) const { return m_given_up[static_cast<unsigned>(reg)]; }
    /// For a debugger, between passes: later writes use the shape of the mesh; the register keeps its content.
    virtual void widen(cell_register reg) = 0;

    /// Elaboration: the waveform of the core, or of a cell in the mesh, updated after every step from now on.
    const core_waveform& watch();
    const cell_waveform& watch(const shape3& at);

protected:
    tensor_core(sc_core::sc_module_name name, const config& config, const bus::clock_source& clock,
                const bus::stop_request& stop, step_observer& observer);

    /// Marks a register as cleared.
    void renew(cell_register reg);
    /// A register is discarded.
    virtual void give_up(cell_register) {}

    /// Executes the steps of a burst; adds the events of step i to counts[i], which starts at 0. May wait for deltas,
    /// not for time.
    virtual void execute(const vector_burst& burst, counts* counted) = 0;
    /// Before a step is shown: waits until its lines have delivered, unless execute() did.
    virtual void pass_deltas() {}
    /// Updates the waveform of watched()[index] to the state after this step; steps are shown in order.
    virtual void show(std::size_t index, cell_waveform& cell, const vector_burst& burst,
                      const tagged_vector& vector) = 0;
    const std::vector<std::unique_ptr<cell_waveform>>& watched() const { return m_watched; }

    /// The deltas of a time-step: X lines deliver, Y lines deliver, cells have done their multiply-adds.
    static void wait_for_lines();

    /// Events of a pointwise step but its multiply-adds and saturated sums.
    void count_pointwise(const vector_burst& burst, counts& counted) const;

    const config& settings() const { return m_config; }
    const shape3& box() const { return m_box; }
    void set_box(const shape3& box) { m_box = box; }
    std::uint64_t volume() const { return isa::volume_of(m_box); }

    /// The lines of a burst's stage.
    stage_lines lines_of(const vector_burst& burst) const;
    /// Cells that a line along `mode` passes.
    std::uint32_t line_cells(unsigned mode) const
    {
        return m_config.line_extent == line_extent::mesh ? m_config.mesh[mode] : m_box[mode];
    }

private:
    void b_transport(int actuator, vector_burst& burst, sc_core::sc_time& delay);
    void give_up_last_source(cell_register source);
    void count_steps(const vector_burst& burst);
    void show_step(const vector_burst& burst, std::size_t step);
    sc_core::sc_time boundary(std::size_t step) const;
    bool pass_time(std::size_t& done, std::size_t next);

    /// The burst in progress, and the number of reported steps.
    struct running_burst {
        const vector_burst* burst = nullptr;
        sc_core::sc_time start;
        std::size_t steps = 0; // done: fewer than its vectors when it was stopped
        std::size_t reported = 0;
    };

    config m_config;
    bus::clock_source m_clock;
    const bus::stop_request& m_stop;
    step_observer& m_observer;
    shape3 m_box{0, 0, 0};
    sc_core::sc_time m_step_time; // of the running burst
    running_burst m_running;
    std::optional<cell_register> m_last_source; // of the previous burst; none if cleared since
    std::array<bool, most_cell_registers> m_given_up{};
    bool m_keeps_sources = false;
    std::vector<triada::counts> m_counts; // of its steps
    std::vector<std::unique_ptr<cell_waveform>> m_watched;
    core_waveform m_waveform;
    bool m_is_watched = false;
};

/// The pointwise step of a burst.
template <class Element> arithmetic::pointwise_step<Element> step_of(const vector_burst& burst)
{
    arithmetic::pointwise_step<Element> step{*burst.pointwise, {}, 0, burst.esop, burst.shift};
    std::memcpy(&step.value, burst.vectors.front().elements, sizeof step.value);
    step.threshold = arithmetic::shown(step.value).re;
    return step;
}

/// The tensor core of a configuration's format and fidelity.
std::unique_ptr<tensor_core> make_tensor_core(sc_core::sc_module_name name, const config& config,
                                              const bus::clock_source& clock, const bus::stop_request& stop,
                                              step_observer& observer);

/// The core of one fidelity, whatever the configuration says; nullptr for an unsupported format.
std::unique_ptr<tensor_core> make_fast_tensor_core(sc_core::sc_module_name name, const config& config,
                                                   const bus::clock_source& clock, const bus::stop_request& stop,
                                                   step_observer& observer);
std::unique_ptr<tensor_core> make_detailed_tensor_core(sc_core::sc_module_name name, const config& config,
                                                       const bus::clock_source& clock, const bus::stop_request& stop,
                                                       step_observer& observer);
std::unique_ptr<tensor_core> make_rtl_tensor_core(sc_core::sc_module_name name, const config& config,
                                                  const bus::clock_source& clock, const bus::stop_request& stop,
                                                  step_observer& observer);

/// Why a configuration has no mesh in Verilog, as a message; nothing when it has.
std::optional<std::string> rtl_error(const config& config);

} // namespace tensorloom::triada
