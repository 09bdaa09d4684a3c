#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/triada/isa/events.h>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/tensor_transfer.h>
#include <tensorloom/models/triada/actuator.h>
#include <tensorloom/models/triada/cell_transfer.h>
#include <tensorloom/models/triada/cell_contents.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/models/triada/fitting_gemt.h>
#include <tensorloom/models/triada/matrix_loader.h>
#include <tensorloom/models/triada/pointwise_runner.h>
#include <tensorloom/models/triada/rtl_streams.h>
#include <tensorloom/models/triada/stream_control.h>
#include <tensorloom/models/triada/tensor_core.h>
#include <tensorloom/models/triada/tiled_gemt.h>

namespace tensorloom::triada {

/// The command unit of a TriADA device. It executes GEMT and POINTWISE with a tensor core, three actuators, and the
/// blocks that move tensors between them and the bus.
///
/// A command whose box (triada/isa/gemt_tiles.h) fits the mesh runs these phases in sequence, each in whole cycles:
///
///     matrices   DMA -> actuators            DMA time; none when the matrices are kept
///     load       DMA -> cells                max(DMA time, cycles of the memory port: cell_transfer.h)
///     stage_1..3 actuators -> core           step_cycles per executed row; ESOP skips all-zero rows (actuator.h)
///     unload     cells -> DMA                max(DMA time, cycles of the memory port)
///     completion completion word -> DMA      DMA time; with flag_completion
///
/// A tensor that lies in the cells is not loaded, one that stays there is not unloaded; others move beside the stages
/// (fitting_gemt.h). POINTWISE loads, takes one time-step (phase pointwise) and unloads likewise (pointwise_runner.h).
/// A larger command loads, computes and unloads block by block (tiled_gemt.h); with double buffering these overlap.
///
/// Every phase and step is logged at once under a running id (id = step, detail = position of the tag).
class gemt_unit : public shell::command_unit {
public:
    /// Call it in the constructor of the device, whose children its modules become. The arguments must outlive it.
    gemt_unit(const config& config, bus::dma_ports& dma, const bus::stop_request& stop,
              const shell::program_clock& clock, shell::device_log& log, std::string device);

    bool executes(std::uint8_t opcode) const override;
    std::optional<isa::check_error> check(const isa::command_header& header,
                                          const std::uint8_t* payload) const override;
    shell::access_set accesses(const shell::issued_command&) const override { return {}; } // commands do not overlap
    shell::command_outcome execute(shell::running_command& running) override;
    void trace_command(sc_core::sc_trace_file& file) override;
    void trace(sc_core::sc_trace_file& file) override;
    void sync() override { m_core->sync(); }
    void reset() override;
    std::vector<shell::debug_memory> memories() override;
    void begin_debug() override { m_core->keep_sources(); }
    void write_state(base::state_writer& state) const override;
    std::function<void()> read_state(base::state_reader& state) override;

    /// Elaboration: traces a cell of the mesh.
    void trace_cell(sc_core::sc_trace_file& file, const shape3& at);

private:
    shell::command_outcome run_gemt(const gemt_command& command);
    shell::command_outcome load_matrices(const gemt_command& command);
    shell::command_outcome write_completion(std::uint64_t address, std::uint32_t token);
    shell::command_outcome log_transfer(const char* name, const transfer_report& report);
    void log_block(unsigned stage, const blocks::logged_transfer& block);
    void log_step(const logged_step& step);

    const config& m_config;
    bus::dma_ports& m_dma;
    shell::tensor_transfer m_completions;
    const bus::stop_request& m_stop;
    const shell::program_clock& m_clock;
    shell::device_log& m_log;
    const std::string m_device; // name
    step_log m_steps;
    std::unique_ptr<tensor_core> m_core;
    std::array<std::unique_ptr<actuator>, 3> m_actuators;
    std::unique_ptr<rtl_streams> m_verilog; // fidelity rtl
    std::unique_ptr<matrix_loader> m_matrices;
    std::unique_ptr<cell_transfer> m_transfers;
    std::unique_ptr<stream_control> m_streams;
    std::unique_ptr<blocks::pass_sequencer> m_passes;
    std::unique_ptr<fitting_gemt> m_fitting;
    std::unique_ptr<tiled_gemt> m_tiles;
    std::unique_ptr<pointwise_runner> m_pointwise;
    cell_contents m_contents;
    std::uint32_t m_command = 0;
    blocks::phase_signal m_phase;
};

} // namespace tensorloom::triada
