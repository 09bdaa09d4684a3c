#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/arch/gemt_command.h>
#include <tensorloom/models/arch/triada_events.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/models/triada/actuator.h>
#include <tensorloom/models/triada/cell_waveform.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/models/triada/step_log.h>
#include <tensorloom/models/triada/tensor_core.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_socket.h>

namespace tensorloom::triada {

/// A TriADA device: a tensor core, three actuators, and the shell that every device has (registers, commands, DMA, irq, rst).
///
/// Source: TriADA, sections 4 to 6. Program it with GEMT commands (arch/gemt_command.h), for example through arch/triada_driver.h.
/// This is everything but the width of the DMA socket; instantiate device<BUSWIDTH>.
///
/// Phases of a command, one after the other, each in whole cycles
///   matrices   DMA -> actuators                   DMA time; none when the matrices are kept
///   load       DMA -> cells                       max(DMA time, elements / load_elements)
///   stage_1..3 actuators -> core                  step_cycles per executed row; all-zero rows are skipped under ESOP
///   unload     cells -> DMA, completion word      max(DMA time, elements / load_elements)
///
/// Events     arch/triada_events.h, on the counter window and per step in the activity log (detail = position of the tag)
/// Not modelled: rectangular matrices, tiles, low-precision formats, double buffering (refused); a job with another element type
/// than the device's is refused.
class device_body : public shell::device_shell, public control_if {
public:
    ~device_body() override;

    /// Elaboration: shows this device in a waveform, and these cells of its mesh. Every step is then simulated by itself.
    /// Positions count from 0 and must lie in the mesh (otherwise SC_ERROR).
    void trace(sc_core::sc_trace_file& file, const std::vector<shape3>& cells);

    const config& settings() const { return m_config; }

protected:
    device_body(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity);

private:
    // shell::device_shell
    std::optional<arch::refusal> check_command(const arch::command_header& header, const std::uint8_t* payload,
                                               std::size_t payload_bytes) const override;
    shell::command_outcome execute(std::uint32_t index, const arch::command_header& header,
                                   const std::uint8_t* payload) override;
    void sync_counters() override { m_core->sync(); }
    void reset_device() override;

    // control_if: the last actuator hands control back
    void take_control() override { m_control_returned.notify(sc_core::SC_ZERO_TIME); }

    shell::command_outcome run_gemt(const arch::gemt_command& job, std::uint32_t token);
    shell::command_outcome load_matrices(const arch::gemt_command& job);
    shell::command_outcome load_row_order(const arch::gemt_command& job, unsigned mode);
    shell::command_outcome load_cells(const arch::tensor_descriptor& tensor, cell_register reg);
    shell::command_outcome compute(const arch::gemt_command& job);
    shell::command_outcome store_cells(const arch::tensor_descriptor& tensor);

    template <class Work> shell::command_outcome phase(const char* name, unsigned signal, const Work& work);
    shell::command_outcome wait_for_port(std::uint64_t start_cycle, std::uint64_t elements);
    bool matrices_resident(const arch::gemt_command& job) const;
    void set_switches(const arch::gemt_command& job);
    void log_step(const step_row& row);

    config m_config;
    arch::triada_counts m_phase_counts;
    step_log m_steps;
    std::unique_ptr<tensor_core> m_core;
    std::array<std::unique_ptr<actuator>, 3> m_actuators;
    sc_core::sc_port<cell_memory_if> m_cells;
    std::vector<std::unique_ptr<sc_core::sc_port<coefficient_memory_if>>> m_matrices;
    std::vector<std::unique_ptr<sc_core::sc_port<control_if>>> m_start_actuator;
    sc_core::sc_event m_control_returned;
    std::vector<unsigned char> m_buffer;
    std::uint32_t m_command = 0;
    unsigned m_phase = 0; // for waveforms: 0 none, 1 matrices, 2 load, 3 compute, 4 unload
    bool m_traced = false;
};

/// A TriADA device with a DMA socket of this width.
///
/// dma     base-protocol initiator socket, LT or AT; naturally aligned bursts of at most burst_bytes
template <unsigned BUSWIDTH = 32> class device : public device_body {
public:
    bus::dma_socket<BUSWIDTH> dma;

    /// A configuration with a complaint (config.h) is an SC_ERROR.
    explicit device(sc_core::sc_module_name name, const config& config = {}, bus::activity_sink* activity = nullptr)
        : device_body(name, config, activity), dma("dma")
    {
        bind_dma(dma);
    }
};

} // namespace tensorloom::triada
