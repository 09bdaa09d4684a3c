#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/torus/isa/orbit_command.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/torus/array_contents.h>
#include <tensorloom/models/torus/overlapped_transform.h>
#include <tensorloom/models/torus/transform_passes.h>

namespace tensorloom::torus {

/// The command unit for ORBIT: steps the nodes through the stages of transforms, and moves tensors between them and the
/// bus.
///
/// A transform that fits the torus runs in these phases, each in whole cycles:
///
///     matrices    DMA -> nodes                  DMA time; none when the matrices are kept
///     load        DMA -> nodes                  max(DMA time, elements / load_elements); none when the tensor is kept
///     stage_I..III                              steps of torus/isa/timing.h: cause "compute", then "roll" for roll
///                                               time that computing does not hide
///     unload      nodes -> DMA                  as load; none when the result is held
///     completion  completion word -> DMA        DMA time; with flag_completion
///
/// Several transforms in a stream and larger ones run as in transform_passes.h, tensors beside one transform as in
/// overlapped_transform.h; a hidden transfer is a record of 0 cycles.
///
/// Every phase and step is logged at once under a running id (id = step of the stage in the command; for transfers the
/// number of the transform or tile; detail = stage of a transfer, from 0).
/// A failed or stopped command leaves no data on the torus: load matrices and tensors again.
class orbital_unit : public shell::command_unit {
public:
    /// Call it in the constructor of the device, whose children its modules become. The arguments must outlive it.
    orbital_unit(const config& config, node_array& nodes, array_contents& contents, bus::dma_ports& dma,
                 const bus::stop_request& stop, const shell::program_clock& clock, shell::device_log& log,
                 std::string device);

    bool executes(std::uint8_t opcode) const override;
    std::optional<isa::check_error> check(const isa::command_header& header,
                                          const std::uint8_t* payload) const override;
    shell::access_set accesses(const shell::issued_command&) const override { return {}; } // commands do not overlap
    shell::command_outcome execute(shell::running_command& running) override;
    void trace_command(sc_core::sc_trace_file& file) override;
    void trace(sc_core::sc_trace_file& file) override { m_stages.trace(file, m_device + "."); }
    void reset() override { m_contents.lay_out({}); }
    std::vector<shell::debug_memory> memories() override { return m_contents.memories(); }
    void write_state(base::state_writer& state) const override { m_contents.write_state(state); }
    std::function<void()> read_state(base::state_reader& state) override { return m_contents.read_state(state); }

private:
    static array_contents::layout layout_of(const orbit_command& command);
    std::optional<torus::orbit_sizes> resolved_sizes(const orbit_command& command) const;
    shell::command_outcome run(const orbit_command& command, const orbit_sizes& sizes, const isa::tile_plan& plan);
    shell::command_outcome run_fitting(const orbit_command& command, const orbit_sizes& sizes);
    shell::command_outcome load_matrices(const orbit_command& command);
    shell::command_outcome run_tiles(const orbit_command& command, const isa::tile_plan& plan);
    void log_transfer(unsigned stage, const blocks::logged_transfer& transfer);
    void log_step(const logged_step& step);

    const config& m_config;
    array_contents& m_contents;
    const bus::stop_request& m_stop;
    const shell::program_clock& m_clock;
    shell::device_log& m_log;
    const std::string m_device; // name
    slot_transfer m_transfers;
    stage_runner m_stages;
    transform_stream m_stream;
    tiled_transform m_tiles;
    overlapped_transform m_overlapped;
    std::uint32_t m_command = 0;
    blocks::phase_signal m_phase;
    blocks::pass_sequencer m_passes;
};

} // namespace tensorloom::torus
