#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>
#include <systemc>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tensorloom/models/arch/triada_events.h>
#include <tensorloom/models/triada/cell_memory.h>
#include <tensorloom/models/triada/cell_waveform.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/models/triada/stream_protocol.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::triada {

/// Told of every time-step, once, when it is over.
class step_observer {
public:
    virtual ~step_observer() = default;
    virtual void step_done(unsigned stage, std::uint32_t step, std::uint32_t tag, const sc_core::sc_time& start,
                           const arch::triada_counts& counts) = 0;
};

/// A P1 x P2 x P3 mesh of cells with lateral, frontal and horizontal operand lines. It acts on what its buses bring and knows
/// nothing of the transform: not which matrix is streamed, nor in which order the modes are summed.
///
/// Source: TriADA, sections 4 and 5. This is the interface of both fidelities; make_tensor_core() chooses.
///
/// streams     target socket with its own protocol, from the actuators
/// cells       export: loading and unloading
///
/// A time-step takes step_cycles clock periods from the arrival of its vector. It does, for every slice: the vector's elements are
/// driven onto X lines, pivots (tag = 1) drive their operands onto Y lines, and cells that have both do one multiply-add.
/// Arithmetic of stage s: register[s+1](i) = fma(register[s](i with the tag's position), c, register[s+1](i)), steps in the order streamed.
///
/// Events: see arch/triada_events.h; per step, equal in both fidelities.
/// Not modelled: wire delay within a step, contention (the schedule admits one driver per line and step).
class tensor_core : public sc_core::sc_module, public cell_memory_if {
public:
    tlm_utils::multi_passthrough_target_socket<tensor_core, 32, stream_protocol> streams;
    sc_core::sc_export<cell_memory_if> cells;

    /// Reports the steps that are over by now; step_done is called for each, in order.
    void sync();

    /// Elaboration: from now on this cell's waveform is kept up to date. The cell must lie in the mesh.
    const cell_waveform& watch(const shape3& at);
    const core_waveform& waveform() const { return m_waveform; }

protected:
    tensor_core(sc_core::sc_module_name name, const config& config, const bus::stop_request& stop,
                step_observer& observer);

    /// Does the steps of a burst; counts[i] gets those of step i. May wait for deltas, not for time.
    virtual void execute(const vector_burst& burst, std::vector<arch::triada_counts>& counts) = 0;
    /// Brings one watched cell's waveform to the state after the step that was just executed.
    virtual void show(cell_waveform& cell, const vector_burst& burst, const tagged_vector& vector) const = 0;

    const config& settings() const { return m_config; }
    const shape3& box() const { return m_box; }
    void set_box(const shape3& box) { m_box = box; }
    std::uint64_t volume() const { return std::uint64_t{m_box[0]} * m_box[1] * m_box[2]; }

    /// Cells that a line along `mode` passes.
    std::uint64_t line_cells(unsigned mode) const
    {
        return m_config.line_extent == line_extent::mesh ? m_config.mesh[mode] : m_box[mode];
    }

private:
    void b_transport(int actuator, vector_burst& burst, sc_core::sc_time& delay);

    struct unreported_step {
        unsigned stage;
        std::uint32_t step;
        std::uint32_t tag;
        sc_core::sc_time start;
        arch::triada_counts counts;
    };

    config m_config;
    const bus::stop_request& m_stop;
    step_observer& m_observer;
    shape3 m_box{0, 0, 0};
    sc_core::sc_time m_step_time;
    std::deque<unreported_step> m_unreported;
    std::vector<arch::triada_counts> m_counts;
    std::vector<std::unique_ptr<cell_waveform>> m_watched;
    core_waveform m_waveform;
};

/// The tensor core of a configuration's format and fidelity.
std::unique_ptr<tensor_core> make_tensor_core(sc_core::sc_module_name name, const config& config,
                                              const bus::stop_request& stop, step_observer& observer);

} // namespace tensorloom::triada
