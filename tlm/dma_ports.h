#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/tlm/dma_engine.h>

namespace tensorloom::bus {

/// The DMA of a device: an engine for each of its ports. See docs/dma.md.
///
/// With one port it is that engine. With several, every transfer is dealt out over them: runs are cut at multiples of a
/// chunk size, and each chunk goes, in order, to the port with the fewest beats so far. All ports then work at the same
/// time, each as its engine does (dma_engine.h); the transfer ends with the last one. Calls as for an engine.
///
/// Chunk      the largest power of two that gives each port 8 chunks; at least the width of the bus, at most
///            burst_bytes. So no port has more than 1/8 above its share, or one beat
/// Order      ports that send at one time do so in the order of their numbers, whatever the order of processes
/// Stops      every port stops at its next burst
/// Errors     a failed burst or a time-out ends the transfer for all ports: none issues a burst when it is known. The
///            first failed burst in the order of the transfer's bytes is reported
/// Abandoned  abandon_bursts() ends a transfer whose targets do not answer; owners of buffers renew() them before use
/// Events     dma_events, summed over the ports
/// Not modelled: ports that work on different transfers.
///
/// Example
///
///     bus::dma_socket<32> second("second");
///     bus::dma_ports ports(bus::dma_config{}, 2);
///     ports.bind(dma_port);
///     ports.bind(second);
///     const bus::dma_result result = ports.read(0x8000'0000, buffer.data(), buffer.size(), stop);
class dma_ports : private dma_peers {
public:
    static constexpr unsigned most = 16;

    /// In the constructor of a module. `config` must be valid, `ports` 1 to `most`.
    explicit dma_ports(const dma_config& config, unsigned ports = 1);

    /// Elaboration: the next output port, in the order of the engines.
    void bind(dma_port& port) { m_lanes.at(m_bound++).engine.bind(port); }

    unsigned ports() const { return static_cast<unsigned>(m_lanes.size()); }
    dma_engine& first() { return m_lanes.front().engine; } ///< for transfers over one port

    dma_result read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, const stop_request& stop);
    dma_result write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes, const stop_request& stop);
    /// A transfer of several runs, as those of an engine.
    dma_result read(const std::vector<dma_run>& runs, const stop_request& stop);
    dma_result write(const std::vector<dma_run>& runs, const stop_request& stop);

    /// Abandons the bursts in flight of all ports (dma_engine::abandon_bursts()).
    void abandon_bursts();
    /// Before a buffer of transfers is used again: when a burst that was abandoned may still read or write it, keeps
    /// it for that burst, and replaces it by one of the same size.
    void renew(std::vector<unsigned char>& buffer);

    /// As for an engine; without effect with several ports.
    void run_ahead(bool on)
    {
        if (m_lanes.size() == 1) { first().run_ahead(on); }
    }

    /// dma_engine::restart() of all; between transfers.
    void restart()
    {
        for (auto& l : m_lanes) { l.engine.restart(); }
    }

    const std::uint64_t* counts() const { return m_counts.data(); } ///< by dma_event, of all ports
    /// Time that all transfers so far would have taken less with the bus, or the memory, free (burst_replay.h).
    const freed_time& saved() const { return m_lanes.size() == 1 ? m_lanes.front().engine.saved() : m_saved; }

private:
    // A port with its part of the transfer.
    struct lane {
        dma_engine engine;
        std::vector<dma_run> runs;
        std::vector<std::uint64_t> firsts; // of each run: bytes of the transfer before it
        std::uint64_t beats = 0;
        dma_result result;
        freed_time saved_before;
        sc_core::sc_event turn;

        explicit lane(const dma_config& config) : engine(config) {}
        std::uint64_t first_unmoved() const;
    };

    void give_turns(); // method
    dma_result move(tlm::tlm_command command, const std::vector<dma_run>& runs, const stop_request& stop);
    dma_result move_together(tlm::tlm_command command, const dma_run* run, const dma_run* end,
                             const stop_request& stop);
    void deal(const dma_run* run, const dma_run* end);
    dma_result result_of_parts(std::uint64_t bytes) const;
    void add_saved(const sc_core::sc_time& begun);

    // dma_peers
    void wait_for_turn(unsigned port) override;
    void failed(const sc_core::sc_time& seen) override;
    bool failed_by(const sc_core::sc_time& time) const override { return m_failure_seen && *m_failure_seen <= time; }

    dma_config m_config;
    std::array<std::uint64_t, dma_events.size> m_counts{};
    std::deque<lane> m_lanes;
    std::size_t m_bound = 0;
    freed_time m_saved;                             // with several ports
    std::unique_ptr<sc_core::sc_module> m_turns;    // none with one port
    std::vector<std::vector<unsigned char>> m_kept; // buffers of bursts that were abandoned

    // of the current transfer
    std::optional<sc_core::sc_time> m_failure_seen; // the first by time
    std::vector<unsigned> m_waiting;                // for their turns
    sc_core::sc_event m_someone_waits;
};

} // namespace tensorloom::bus
