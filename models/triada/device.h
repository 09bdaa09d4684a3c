#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/arch/triada/gemt_command.h>
#include <tensorloom/models/arch/triada/events.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/models/triada/actuator.h>
#include <tensorloom/models/triada/cell_transfer.h>
#include <tensorloom/models/triada/tensor_core.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/models/triada/tile_sequencer.h>
#include <tensorloom/models/triada/matrix_loader.h>
#include <tensorloom/models/triada/stream_control.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_socket.h>

namespace tensorloom::triada {

/// A TriADA device: a tensor core, three actuators, and the shell that every device has (registers, commands, DMA, irq,
/// rst).
///
/// Source: TriADA, sections 4 to 6. Program it with GEMT commands (arch/gemt_command.h), for example through
/// arch/triada_driver.h. This is everything but the width of the DMA socket; instantiate device<BUSWIDTH>.
///
/// A command whose box (arch/gemt_tiles.h) fits the mesh runs in these phases, one after the other, each in whole
/// cycles
///   matrices   DMA -> actuators                   DMA time; none when the matrices are kept
///   load       DMA -> cells                       max(DMA time, elements / load_elements)
///   stage_1..3 actuators -> core                  step_cycles per executed row; all-zero rows are skipped under ESOP
///   unload     cells -> DMA                       max(DMA time, elements / load_elements)
///   completion completion word -> DMA             DMA time; with flag_completion
/// A larger one loads, computes and unloads block by block (tile_sequencer.h), with double buffering at the same time.
///
/// Events     arch/triada_events.h, on the counter window and per step in the activity log (detail = position of the
///            tag)
/// Errors     another element type than the device's is refused; an overflow of the accumulators (int8) ends the
///            command before Y is written, in a product of tiles when the pass is over: blocks of Y that were complete
///            have been written then
/// Not modelled: several DMA channels, matrices that do not fit their actuators (refused).
class device_body : public shell::device_shell {
public:
    ~device_body() override;

    /// Elaboration: shows this device in a waveform, and these cells of its mesh.
    /// Positions count from 0 and must lie in the mesh (otherwise SC_ERROR).
    void trace(sc_core::sc_trace_file& file, const std::vector<shape3>& cells);

    const config& settings() const { return m_config; }

protected:
    device_body(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity);

private:
    // shell::device_shell
    std::optional<arch::refusal> check_command(const arch::command_header& header, const std::uint8_t* payload,
                                               std::size_t payload_bytes) const override;
    shell::command_outcome execute(const shell::issued_command& command) override;
    void sync_counters() override { m_core->sync(); }
    void reset_device() override;

    shell::command_outcome run_gemt(const arch::triada::gemt_command& job, std::uint32_t token);
    shell::command_outcome load_matrices(const arch::triada::gemt_command& job);
    shell::command_outcome run_in_cells(const arch::triada::gemt_command& job, const arch::triada::gemt_plan& plan);
    shell::command_outcome write_completion(const arch::triada::gemt_command& job, std::uint32_t token);
    shell::command_outcome log_transfer(const char* name, const transfer_report& report);
    void log_block(const block_transfer& block);
    void log_step(const step_row& row);

    config m_config;
    step_log m_steps;
    std::unique_ptr<tensor_core> m_core;
    std::array<std::unique_ptr<actuator>, 3> m_actuators;
    std::unique_ptr<matrix_loader> m_matrices;
    std::unique_ptr<cell_transfer> m_transfers;
    std::unique_ptr<stream_control> m_streams;
    std::unique_ptr<tile_sequencer> m_tiles;
    std::uint32_t m_command = 0;
    phase_signal m_phase;
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
