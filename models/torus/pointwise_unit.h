#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <systemc>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/torus/array_contents.h>
#include <tensorloom/models/torus/slot_transfer.h>

namespace tensorloom::torus {

/// The command unit for POINTWISE (isa/tiles/pointwise_command.h): every node changes the elements of its block of a
/// tensor, where the tensor lies.
///
/// Phases, each in whole cycles:
///
///     load        DMA -> nodes            max(DMA time, elements / load_elements), of X, then of the operand; none of
///                                         what lies on the torus
///     pointwise   cause "compute"         ceil(elements of a block / macs_per_cycle) + mac_latency - 1
///     unload      nodes -> DMA            as load; none when the result is held
///     completion  completion word -> DMA  DMA time; with flag_completion
///
/// id and detail of records are 0, but for the load of an operand: detail 1. A stop acts on the step at its end.
///
/// X from memory lies as X. The torus is laid out for it, in blocks of ceil(size / P) elements and the order 3, 1, 2,
/// unless it fits the blocks that are laid out. The operand lies as the tensor does, in a memory that neither this nor
/// a loaded next one takes; it replaces an operand held before.
class pointwise_unit : public shell::command_unit {
public:
    /// Call it in the constructor of the device. The arguments must outlive it.
    pointwise_unit(const config& config, node_array& nodes, array_contents& contents, bus::dma_ports& dma,
                   const bus::stop_request& stop, const shell::program_clock& clock, shell::device_log& log,
                   std::string device);

    bool executes(std::uint8_t opcode) const override;
    std::optional<isa::check_error> check(const isa::command_header& header,
                                          const std::uint8_t* payload) const override;
    shell::access_set accesses(const shell::issued_command&) const override { return {}; } // commands do not overlap
    shell::command_outcome execute(shell::running_command& running) override;
    void trace_command(sc_core::sc_trace_file& file) override { m_activity.trace(file, m_device + ".pointwise"); }

private:
    shell::command_outcome run(const isa::pointwise_command& command);
    shell::command_outcome take_tensor(const isa::pointwise_command& command);
    shell::command_outcome take_operand(const isa::pointwise_command& command);
    shell::command_outcome step(const isa::pointwise_command& command);
    shell::command_outcome add(const char* name, std::uint32_t detail, const slot_transfer::report& transfer);

    const config& m_config;
    stage_control_if& m_nodes;
    array_contents& m_contents;
    const bus::stop_request& m_stop;
    const shell::program_clock& m_clock;
    shell::device_log& m_log;
    const std::string m_device; // name
    slot_transfer m_transfers;
    shell::unit_activity m_activity;

    // current command
    std::uint32_t m_command = 0;
    lying_tensor m_tensor, m_operand;
    bool m_is_given = false; // the tensor lies as X
};

} // namespace tensorloom::torus
