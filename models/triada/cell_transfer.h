#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/triada/isa/events.h>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <tensorloom/models/blocks/memory_port.h>
#include <tensorloom/models/blocks/pass_sequencer.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/models/shell/tensor_transfer.h>
#include <tensorloom/models/triada/cell_memory.h>
#include <tensorloom/models/triada/config.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::triada {

/// One use of the memory port of the cells.
using transfer_report = blocks::port_transfer<triada::counts>;

/// A tensor in memory and the cell register that it is loaded into.
struct loaded_tensor {
    isa::tensor_descriptor from;
    cell_register to;
};

/// Tiles that are neighbours along mode 3, each in a register of its own: number i in the i-th.
struct tile_row {
    shape3 tile{};                        ///< sizes of a tile; the last may be smaller along mode 3
    shape3 size{};                        ///< of all together
    std::vector<cell_register> registers; ///< as many as there are tiles
};

/// Moves tensors between memory and the cells, one at a time, in the calling thread: DMA on one side, the core's memory
/// port on the other.
///
/// Timing     max(DMA time, port cycles), in whole cycles.
///            port_aligner on: ceil(elements / load_elements) port cycles
///            off: n1 n2 ceil(n3 / load_elements) of each corner n1 x n2 x n3, however bursts cut its rows: a cycle
///            moves elements of one row along mode 3 of one register
/// Stops      at the next burst or cycle boundary
/// Events     element_load, element_unload, load_cycle, unload_cycle, register_write, register_read, operand_saturated.
///            Element events are counted per completed transfer: one that is stopped or fails counts none.
class cell_transfer {
public:
    cell_transfer(const config& config, cell_memory_if& cells, bus::dma_ports& dma, const bus::stop_request& stop,
                  const shell::program_clock& clock);

    /// Writes each tensor into the corner of its register and +0 elsewhere. Tensors have elements of the device's
    /// format, or sums.
    transfer_report load(const std::vector<loaded_tensor>& tensors);

    /// Stores the register's corner in the format of `to`: elements of the device's format, or sums. `shift`: right
    /// shift of integers.
    transfer_report unload(cell_register from, const isa::tensor_descriptor& to, unsigned shift, bool last = false);

    /// Until it is switched off, transfers return when their last burst has been issued (bus::dma_engine::run_ahead());
    /// their reports end in the future. They pass the port one after the other: a transfer begins, in its report, when
    /// the one before has ended, and takes at least its port cycles from then on. A load ends with its last burst; an
    /// unload when its elements have left the cells, and a `last` one when the memory has all of them. Registers are
    /// written, and read, at once. Switch it off when all bursts have ended.
    void run_ahead(bool on);
    /// Waits for the bursts of stores that have ended in their reports, and reports the wait.
    transfer_report end_bursts() const;
    /// Counts the stalls of the DMA up to now.
    void count_stalls() { m_tensors.run_ahead(m_runs_ahead); }
    /// Waits for the end of a transfer. A stop before that end aborts it, unless it ends before the bursts on their
    /// way.
    void wait_for(blocks::erased_transfer& transfer);

    /// Loads tiles that are stored as one block of rows (`from`: its descriptor), or one after the other (`from`: their
    /// elements in this order, of order 1).
    transfer_report load(const tile_row& tiles, const isa::tensor_descriptor& from);
    /// Stores them in the same ways.
    transfer_report unload(const tile_row& tiles, const isa::tensor_descriptor& to);

private:
    template <class Read>
    transfer_report store(const std::vector<shape3>& corners, const isa::tensor_descriptor& to, bool last,
                          const Read& read);
    std::uint64_t port_cycles(const std::vector<shape3>& corners) const;
    /// When a transfer that runs ahead has passed the port, by what the DMA says of it.
    using end_of_transfer = const sc_core::sc_time& (*)(const bus::dma_result&);
    template <class Move>
    transfer_report timed(event busy_cycle, const std::vector<shape3>& corners, end_of_transfer ahead,
                          const Move& move);
    shell::command_outcome load_one(const loaded_tensor& tensor, counts& counted);
    template <class Report> void end_at(std::uint64_t cycle, Report& report);
    std::uint64_t end_of_bursts() const;

    const config& m_config;
    cell_memory_if& m_cells;
    shell::tensor_transfer m_tensors;
    const bus::stop_request& m_stop;
    const shell::program_clock& m_clock;
    std::vector<unsigned char> m_again; // elements that are read twice
    bool m_runs_ahead = false;
    std::uint64_t m_port_free = 0;                // cycle in which the last transfer ends
    std::uint64_t m_dma_free = 0;                 // cycle in which it ends on the DMA
    std::optional<shell::transfer_watch> m_watch; // since transfers run ahead
    std::optional<std::uint64_t> m_cut_at;        // cycle in which a stop ended the one before
};

} // namespace tensorloom::triada
