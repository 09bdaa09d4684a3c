#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <tensorloom/models/torus/isa/multiply_command.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/torus/array_contents.h>
#include <tensorloom/models/torus/slot_transfer.h>
#include <tensorloom/models/torus/stage_runner.h>
#include <tensorloom/models/torus/systolic_product.h>

namespace tensorloom::torus {

/// The command unit for MULTIPLY: steps the plane R = 0 through matrix products, or streams them through a systolic
/// array of P x P elements, and moves matrices between these and the bus.
///
/// A pass has at most P blocks along i, j and k; passes run in sequence (stage_of()). Each has these phases, each in
/// whole cycles:
///
///     load        DMA -> nodes            max(DMA time, elements / load_elements), for both factors, and for the
///                                         accumulating matrix in the first pass of a part of it, unless sums start
///                                         at +0
///     bbc...      steps of torus/isa/timing.h: cause "compute", then "roll" for line and roll time that computing does
///                 not hide
///     asc         cause "load", B -> array: P; then "compute", the stream: I + 2P - 2
///     unload      nodes -> DMA            as load; in the last pass of a part of the result
///     completion  completion word -> DMA  DMA time; with flag_completion
///
/// Every phase and step is logged at once under a running id (id = step of the command; for transfers the pass; detail
/// of a load: the matrix, 0 to 2).
/// Neither its data nor that of earlier transforms remains on the torus after a command.
class matrix_unit : public shell::command_unit {
public:
    /// Call it in the constructor of the device, whose children its modules become. The arguments must outlive it.
    matrix_unit(const config& config, node_array& nodes, array_contents& contents, bus::dma_ports& dma,
                const bus::stop_request& stop, const shell::program_clock& clock, shell::device_log& log,
                std::string device);

    bool executes(std::uint8_t opcode) const override;
    std::optional<isa::check_error> check(const isa::command_header& header,
                                          const std::uint8_t* payload) const override;
    shell::access_set accesses(const shell::issued_command&) const override { return {}; } // commands do not overlap
    shell::command_outcome execute(shell::running_command& running) override;
    void trace_command(sc_core::sc_trace_file& file) override { m_activity.trace(file, m_device + ".multiply"); }
    void trace(sc_core::sc_trace_file& file) override;

private:
    using command_type = multiply_command;

    shell::command_outcome run(const command_type& command);
    shell::command_outcome run_pass(const command_type& command, const isa::tile_pass& pass);
    shell::command_outcome load(const command_type& command, matrix which, const isa::tile_pass& pass);
    shell::command_outcome unload(const command_type& command, const isa::tile_pass& pass);
    shell::command_outcome run_on_plane();
    shell::command_outcome run_in_array(std::uint32_t rows, bool accumulate);

    const config& m_config;
    plane_if& m_plane;
    array_contents& m_contents;
    const bus::stop_request& m_stop;
    const shell::program_clock& m_clock;
    shell::device_log& m_log;
    const std::string m_device; // name
    slot_transfer m_transfers;
    systolic_product m_systolic;
    shell::unit_activity m_activity;

    // current command
    std::uint32_t m_command = 0;
    matrix_memory_if* m_memory = nullptr; // the plane, or the edges of the array
    matrix m_accumulator = matrix::c;
    timed_steps m_steps;
    std::uint32_t m_pass = 0;
    const char* m_name = "";
    std::uint32_t m_shown_step = 0;
};

} // namespace tensorloom::torus
