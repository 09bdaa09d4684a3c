#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/tlm/burst_replay.h>
#include <tensorloom/tlm/burst_transport.h>
#include <tensorloom/tlm/dma_config.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::bus {

/// Event counters of a DMA engine, in the order of its table.
enum class dma_event : std::size_t {
    read_transaction,
    write_transaction,
    read_byte,
    write_byte,
    dmi_byte,
    incomplete_response,
    stalled_cycle,
    late_answer,
    count_
};

inline constexpr base::event_definition dma_event_definitions[] = {
    {"read_transaction", "", "A burst that the DMA read over the bus."},
    {"write_transaction", "", "A burst that the DMA wrote over the bus."},
    {"read_byte", "", "A byte that the DMA read, over the bus or directly."},
    {"write_byte", "", "A byte that the DMA wrote, over the bus or directly."},
    {"dmi_byte", "", "A byte that the DMA read or wrote through a direct memory pointer."},
    {"incomplete_response", "", "A burst whose target set no response: a failure, or accepted as OK where configured."},
    {"stalled_cycle", "",
     "A clock period in which the DMA did not use the bus because it waited for answers: before its next burst, or at "
     "the end of a transfer."},
    {"late_answer", "",
     "An answer to a burst that had timed out, or that a reset had abandoned: its bytes are dropped."},
};
inline constexpr base::event_table dma_events = base::make_event_table(dma_event_definitions);
static_assert(base::is_table_of<dma_event>(dma_event_definitions), "one definition per event, in the same order");

/// The direct memory pointers that an initiator has been granted.
///
/// Requests a pointer for each address outside the granted ranges; a refused range is not requested again in this
/// transfer. With dmi_use::hinted it requests only the last hinted address, once per hint. An invalidation drops every
/// overlapping grant and hint at once. Bytes outside granted ranges are never accessed.
class dmi_cache {
public:
    explicit dmi_cache(dmi_use use) : m_use(use) {}

    /// A transfer begins: forgets refusals.
    void begin() { m_refused.reset(); }
    /// The answer to this burst carried the DMI hint.
    void hinted(const dma_burst& burst) { hint_of(burst.command) = burst.address; }

    /// Moves a burst directly and returns the time by the granted latency, which is per byte. Returns nothing when
    /// there is no pointer.
    std::optional<sc_core::sc_time> move(dma_port& port, const dma_burst& burst);

    void invalidate(std::uint64_t first, std::uint64_t last);

private:
    const tlm::tlm_dmi* grant_of(dma_port& port, const dma_burst& burst);
    const tlm::tlm_dmi* granted(tlm::tlm_command command, std::uint64_t address) const;
    std::optional<std::uint64_t>& hint_of(tlm::tlm_command command)
    {
        return m_hints[command == tlm::TLM_READ_COMMAND ? 0 : 1];
    }

    struct range {
        std::uint64_t first;
        std::uint64_t last;
    };
    dmi_use m_use;
    std::vector<tlm::tlm_dmi> m_granted;
    std::array<std::optional<std::uint64_t>, 2> m_hints; // the last ones of reads and of writes, not yet requested
    std::optional<range> m_refused;                      // the last one: the addresses of a transfer ascend
};

/// Bytes that are contiguous both in memory and inside the device.
struct dma_run {
    std::uint64_t address = 0;
    unsigned char* data = nullptr;
    std::uint64_t bytes = 0;
};

/// How a transfer ended.
struct dma_result {
    enum class outcome {
        ok,
        stopped,
        failed,
        timed_out ///< a burst had no answer in time, or the bus was still occupied by a burst of an earlier transfer
    } outcome = outcome::ok;
    /// Failed, timed out: address of the first such burst in the order of issue; stopped: of the first burst not
    /// issued.
    std::uint64_t address = 0;
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE; ///< failed: the status of that burst
    std::uint64_t moved =
        0; ///< bytes of the transfer that were moved before that address; bytes after it may have been moved too
    // After run_ahead() these may lie in the future; otherwise each is the end of the transfer.
    sc_core::sc_time sent{};  ///< when the beats of the last burst have passed
    sc_core::sc_time ended{}; ///< when the last burst has ended
    sc_core::sc_time idle{};  ///< when those of earlier transfers have ended, too

    bool ok() const { return outcome == outcome::ok; }
};

/// The other engines of a device with several DMA ports, as one of them sees them (dma_ports.h).
class dma_peers {
public:
    /// Returns when this port may send its next burst, without time passing.
    virtual void wait_for_turn(unsigned port) = 0;
    /// A burst has failed, as is known at this time: no port begins another one from then on.
    virtual void failed(const sc_core::sc_time& seen) = 0;
    virtual bool failed_by(const sc_core::sc_time& time) const = 0;

protected:
    ~dma_peers() = default;
};

using dma_counts = std::array<std::uint64_t, dma_events.size>; ///< by dma_event

/// Moves bytes between memory on the bus and the inside of a device. See docs/dma.md.
///
/// Bursts are acceptable to the strictest target: naturally aligned powers of two of at most burst_bytes, no byte
/// enables, streaming width = length. Calls come from the device's thread and return when the transfer has ended in
/// simulated time. One transfer at a time. Bursts are sent from a thread of the engine, which begins with the first
/// transfer.
///
/// Timing     burst k is issued when burst k - outstanding has ended and the beats of burst k - 1 have passed, one
///            clock period each. It ends when its target answers, but not before its own beats have passed. A transfer
///            ends with its last burst. Runs of a transfer follow each other in the same way; with overlap_runs off,
///            each run is issued when the previous one has ended.
/// Direct     with use_dmi: bytes x granted latency, at least the beats; the next burst is issued when it has ended.
/// Stops      between bursts: no further burst is issued, bursts in flight finish.
/// Errors     a status other than OK ends the transfer in the same way; bursts in flight finish, and count if they
///            succeed.
/// Time-out   with timeout_cycles: a burst without an answer that long after its issue has failed. A later answer to
///            it, in this transfer or another, is accepted and dropped.
/// Abandoned  abandon_bursts() ends the transfer as stopped, whatever the target does: b_transport may never return. A
///            later answer is dropped likewise. Until then the bytes of the burst must stay in place: refers_to().
/// Events     dma_events
/// Not modelled: several transfers at a time, back-pressure on responses. Without a time-out, a target that never
/// answers blocks the transfer until abandon_bursts().
///
/// Example
///
///     bus::dma_engine engine(bus::dma_config{});
///     bus::dma_socket<32> socket("socket");
///     socket.bind(target);
///     engine.bind(socket);
///     const bus::dma_result result = engine.read(0x8000'0000, buffer.data(), buffer.size(), stop);
class dma_engine : private tlm::tlm_bw_transport_if<> {
public:
    /// `config` must be valid.
    explicit dma_engine(const dma_config& config);
    dma_engine(const dma_engine&) = delete;
    dma_engine& operator=(const dma_engine&) = delete;

    /// Elaboration: the output port.
    void bind(dma_port& port);
    /// Elaboration: counts events here, together with other engines.
    void count_into(dma_counts& counts) { m_counts = &counts; }
    /// Elaboration: works with others on transfers that are dealt out over them, as this port.
    void join(dma_peers& peers, unsigned port)
    {
        m_peers = &peers;
        m_number = port;
    }
    unsigned bus_bytes() const { return m_port->bus_bytes(); } ///< per beat

    /// Buffers are in use until the call returns.
    dma_result read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, const stop_request& stop);
    dma_result write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes, const stop_request& stop);
    /// Likewise; calls `arrived` for every burst that has succeeded, when its end is known, which may be in the future.
    /// Bursts are reported in any order.
    using burst_listener = std::function<void(const dma_burst&)>;
    dma_result read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, const stop_request& stop,
                    const burst_listener& arrived);
    /// A transfer of several runs, moved in this order.
    dma_result read(const std::vector<dma_run>& runs, const stop_request& stop);
    dma_result write(const std::vector<dma_run>& runs, const stop_request& stop);
    /// The parts of a transfer, for several engines at once. Runs and `stop` are in use until conclude() has returned.
    void begin(tlm::tlm_command command, const dma_run* run, const dma_run* end, const stop_request& stop);
    dma_result conclude();

    /// Leaves the bursts in flight behind, after a stop has been requested. Called in any process but that of the
    /// transfer.
    void abandon_bursts();
    /// A burst that was abandoned may still read or write bytes in this range.
    bool refers_to(const unsigned char* first, const unsigned char* end) const;

    /// Until it is switched off, a transfer that has not failed returns when its last burst has been issued, without
    /// waiting for its end, so that bursts of the next one may follow: `outstanding` bursts of all are in flight.
    /// Buffers are free when a call returns. Without effect in non-blocking transport and with overlap_runs off. Switch
    /// it off after the end of the last transfer.
    void run_ahead(bool on);

    const std::uint64_t* counts() const { return m_counts->data(); } ///< by dma_event
    /// Between transfers: counts and saved() of what follows depend on no transfer before, not even by rounding.
    void restart();
    const freed_time& saved() const { return m_replay.saved(); } ///< by all transfers so far

private:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override
    {
        return m_carrier->receive(transaction, phase, delay);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override
    {
        m_direct.invalidate(first, last);
    }

    dma_result move(tlm::tlm_command command, const std::vector<dma_run>& runs, const stop_request& stop);
    dma_result run_bursts(tlm::tlm_command command, const dma_run* run, const dma_run* end, const stop_request& stop)
    {
        begin(command, run, end, stop);
        return conclude();
    }
    void connect();
    void send_transfers(); // thread
    bool issue_bursts();
    unsigned burst_at(std::uint64_t address, std::uint64_t bytes) const;
    sc_core::sc_time beats_of(unsigned bytes) const;
    bool move_directly(dma_burst& burst);
    void succeeded(const dma_burst& burst);
    void answered(dma_burst& burst);
    void failed(const dma_result& how, const sc_core::sc_time& seen);
    void stalled(const sc_core::sc_time& time);
    void stalled_until(const sc_core::sc_time& time);
    std::uint64_t& count(dma_event e) { return (*m_counts)[static_cast<std::size_t>(e)]; }

    // A transfer from begin() to conclude().
    struct transfer {
        tlm::tlm_command command;
        const dma_run* run; // the next one
        const dma_run* end;
        const stop_request* stop;
        dma_result result;
        sc_core::sc_time bus_free; // after the beats of its last burst
        sc_core::sc_time ends;     // with the last burst of all in flight
    };

    dma_config m_config;
    dma_port* m_port = nullptr;
    std::unique_ptr<burst_transport> m_carrier;
    std::vector<std::unique_ptr<burst_transport>> m_abandoned; // with the threads that are in a target
    bool m_has_thread = false;
    transfer m_transfer{};
    bool m_issues = false;     // bursts of the transfer: its end is not known yet
    sc_core::sc_event m_begin; // of a transfer
    sc_core::sc_event m_end;   // of the transfer
    dmi_cache m_direct;
    std::vector<dma_burst> m_window; // burst k is at k modulo outstanding
    std::size_t m_next = 0;          // place of the next burst
    burst_replay m_replay;
    bool m_runs_ahead = false;
    sc_core::sc_time m_bus_free;                // after the beats of the last burst
    sc_core::sc_time m_last_ended;              // end of the last transfer that ran ahead
    const burst_listener* m_listener = nullptr; // of this transfer
    std::optional<dma_result> m_failure;        // of this transfer: the first by order of issue
    sc_core::sc_time m_failure_seen;            // when the first failure in time is known
    sc_core::sc_time m_stalled;                 // in total
    std::uint64_t m_stalled_cycles = 0;         // of it, counted
    dma_counts m_own_counts{};
    dma_counts* m_counts = &m_own_counts;
    dma_peers* m_peers = nullptr;
    unsigned m_number = 0; // among the peers
};

} // namespace tensorloom::bus
