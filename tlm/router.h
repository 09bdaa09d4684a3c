#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/arbitration.h>
#include <tensorloom/tlm/outstanding_transactions.h>
#include <tensorloom/tlm/reservation_table.h>

namespace tensorloom::bus {

enum class router_event : std::size_t { transaction, byte, unmapped, contended, contention_cycle, busy_cycle, count_ };

inline constexpr base::event_definition router_event_definitions[] = {
    {"transaction", "", "A transaction forwarded by the router."},
    {"byte", "", "A byte of a forwarded transaction."},
    {"unmapped", "", "A transaction outside of all address ranges; answered with ADDRESS_ERROR."},
    {"contended", "", "A transaction that waited for its target's link or for its turn."},
    {"contention_cycle", "", "A cycle that such a transaction waited, rounded up."},
    {"busy_cycle", "", "A cycle in which a link to a target carried data (none with unlimited bandwidth)."},
};
inline constexpr base::event_table router_events = base::make_event_table(router_event_definitions);
static_assert(base::is_table_of<router_event>(router_event_definitions), "one definition per event, in the same order");

/// Maps addresses to targets. Ranges do not overlap; both ends are inclusive, so a range may end at 2^64 - 1.
class address_map {
public:
    struct range {
        std::uint64_t first;
        std::uint64_t last;
        unsigned target;
        bool relative; ///< the target sees addresses relative to `first`
    };

    /// Adds a range; returns the error when it is empty or overlaps another.
    std::optional<std::string> add(const range& added);

    /// The range that holds the address, or nullptr.
    const range* find(std::uint64_t address) const;

    const std::vector<range>& ranges() const { return m_ranges; }

private:
    std::vector<range> m_ranges;
};

struct router_config {
    sc_core::sc_time latency{1, sc_core::SC_NS};      ///< of a request from initiator to target
    sc_core::sc_time clock_period{1, sc_core::SC_NS}; ///< above 0
    unsigned bytes_per_cycle = 0; ///< of each link to a target; 0: links have no limit and nothing waits for them
    arbitration_kind arbitration = arbitration_kind::round_robin;
    initiator_ranks ranks; ///< for `priority` and `weighted`; at most one per initiator
    /// AT requests of one initiator that the router holds before back-pressure acts, 1 to 1024.
    unsigned queue_depth = 2;
    /// Blocking transactions wait() for arbitration; otherwise they are served in the order of the calls.
    bool arbitrate_blocking = false;
    bool allow_dmi = true; ///< direct accesses bypass latency, bandwidth and counters
};

/// The first error of a configuration.
std::optional<std::string> validate(const router_config& config);

/// Its parameters as a table, by which they are set and listed (base/values/config_fields.h): latency and clock-period
/// in ps, bytes-per-cycle, arbitration by name, priorities and weights by initiator ("0,3,1" or "none"), queue-depth,
/// arbitrate-blocking, allow-dmi. The table refers to `config`.
base::config_fields fields_of(router_config& config);

/// Traffic at one port of a router.
struct port_traffic {
    std::uint64_t transactions = 0;
    std::uint64_t bytes = 0;
    std::uint64_t contended = 0;         ///< transactions that waited
    std::uint64_t contention_cycles = 0; ///< sum of their waits
};

/// The outcome of arbitration for one initiator, at all targets: bytes granted while it and others waited for one
/// target. Calls served in their own order without arbitration do not count.
struct contested_traffic {
    std::uint64_t bytes = 0;     ///< granted, to it and to the others
    std::uint64_t won_bytes = 0; ///< granted to it
    double due_bytes = 0;        ///< its share by weight, among the initiators that waited
};

/// The width-independent part of router.
class router_core : public sc_core::sc_module {
public:
    /// Elaboration: maps addresses first..last to the target bound as number `target`. An overlap is an SC_ERROR.
    void map(std::uint64_t first, std::uint64_t last, unsigned target, bool relative = true);

    const std::uint64_t* counts() const { return m_counts; } ///< by router_event
    /// By number in the order of binding; valid from the end of elaboration.
    const port_traffic& initiator_traffic(unsigned initiator) const { return m_initiators.at(initiator).traffic; }
    const port_traffic& target_traffic(unsigned target) const { return m_targets.at(target).traffic; }
    const contested_traffic& initiator_contests(unsigned initiator) const
    {
        return m_initiators.at(initiator).contests;
    }
    unsigned initiators() const { return static_cast<unsigned>(m_initiators.size()); }
    unsigned targets() const { return static_cast<unsigned>(m_targets.size()); }

    /// AT transactions in the router.
    std::size_t live() const { return m_live.size(); }
    const char* kind() const override { return "router"; }

protected:
    router_core(sc_core::sc_module_name name, const router_config& config, activity_sink* activity);

    void b_transport(int initiator, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_fw(int initiator, tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    tlm::tlm_sync_enum nb_transport_bw(int target, tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay);
    unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& transaction);
    bool get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi);
    void invalidate_direct_mem_ptr(int target, sc_dt::uint64 start, sc_dt::uint64 end);

    // The sockets.
    virtual unsigned bound_initiators() = 0;
    virtual unsigned bound_targets() = 0;
    virtual tlm::tlm_fw_transport_if<>& to_target(unsigned target) = 0;
    virtual tlm::tlm_bw_transport_if<>& to_initiator(unsigned initiator) = 0;

    void end_of_elaboration() override;

private:
    // The progress of a request at its target.
    enum class transfer_stage { waiting, requested, accepted, responded };

    // A request that waits for a target; in AT it lives until its END_RESP.
    struct transfer {
        tlm::tlm_generic_payload* transaction = nullptr;
        const address_map::range* range = nullptr;
        unsigned initiator = 0;
        std::uint64_t address = 0;         // as the initiator sees it
        sc_core::sc_time eligible{};       // when it has passed the router
        sc_core::sc_time accept_from{};    // earliest time of END_REQ and BEGIN_RESP to the initiator
        sc_core::sc_event* turn = nullptr; // notified when a blocking call may proceed
        bool responds_early = false;       // the target has completed: it gets no END_RESP
        transfer_stage stage = transfer_stage::waiting;
        sc_core::sc_time response{}; // earliest time of the response to the initiator
    };
    struct initiator_side {
        port_traffic traffic;
        contested_traffic contests;
        unsigned held = 0;               // requests not yet accepted by a target
        transfer* unaccepted = nullptr;  // the request without END_REQ so far
        std::deque<transfer*> responses; // in order of `response`
        transfer* responding = nullptr;  // between BEGIN_RESP and END_RESP
        sc_core::sc_time response_free;  // earliest time of the next BEGIN_RESP
    };
    struct target_side {
        tlm::tlm_fw_transport_if<>* socket = nullptr;
        port_traffic traffic;
        std::vector<std::deque<transfer*>> waiting; // by initiator
        transfer* requesting = nullptr;             // between BEGIN_REQ and END_REQ
        sc_core::sc_time request_free;              // earliest time of the next BEGIN_REQ
        reservation_table link;
        std::unique_ptr<arbitration> policy;
    };

    const address_map::range* route(std::uint64_t address, std::uint64_t length) const;
    const address_map::range* route(const tlm::tlm_generic_payload& transaction) const;
    sc_core::sc_time link_time(const tlm::tlm_generic_payload& transaction) const;
    void count_forwarded(unsigned initiator, unsigned target, unsigned bytes);
    void count_wait(unsigned initiator, unsigned target, const sc_core::sc_time& waited);
    sc_core::sc_time pass_link(unsigned initiator, unsigned target, const tlm::tlm_generic_payload& transaction,
                               const sc_core::sc_time& arrival);
    void wait_for_turn(unsigned initiator, const address_map::range& range, tlm::tlm_generic_payload& transaction,
                       sc_core::sc_time& delay);

    void act(); // method: performs all actions that are due
    bool serve_initiator(initiator_side& side, unsigned initiator);
    bool serve_target(target_side& side, unsigned target);
    void count_contest(const arbitration::candidate& chosen);
    void grant(target_side& side, unsigned target, transfer& chosen);
    void accepted(transfer& t);
    void responded(transfer& t, const sc_core::sc_time& at);
    void finish(transfer& t, const sc_core::sc_time& at);
    void wake_at(const sc_core::sc_time& time);
    sc_core::sc_time next_due() const;

    static void show_target(transfer& t);
    static void show_initiator(transfer& t);

    router_config m_config;
    address_map m_map;
    std::uint64_t m_counts[router_events.size] = {};
    std::vector<initiator_side> m_initiators;
    std::vector<target_side> m_targets;
    outstanding_transactions<transfer> m_live;
    std::vector<arbitration::candidate> m_candidates; // scratch of one decision
    sc_core::sc_event m_wake;
    bool m_acts = false; // act() is running: it finds what is due by itself
};

/// Connects any number of initiators to any number of targets by address: base protocol, LT and AT.
///
/// in      target socket; bind any number of initiators; numbered in the order of binding
/// out     initiator socket; bind the targets; numbered in the order of binding, as used by map()
///
/// A transaction must lie in one range (for a streaming burst: the addresses that it touches); otherwise ADDRESS_ERROR.
/// The initiator always sees its own address in the payload. Debug transactions are forwarded without time. DMI ranges
/// are narrowed to the target's window and translated; their latency is at least that of the link. Invalidations are
/// forwarded to every initiator.
///
/// Timing: a request takes `latency` to its target's link, waits until the link is free, and occupies it for
/// ceil(length / bytes_per_cycle) clock periods, for reads and writes alike, while the transaction proceeds. Responses
/// take no time.
///     LT    served in the order of the calls: a call takes the first gap of the link at or after its annotated time.
///           With arbitrate_blocking a call waits (wait()) for its annotated time and then for its turn.
///     AT    four phases. When a link and its target's request channel are free, the arbitration chooses among the
///           initiators whose requests have arrived. An initiator gets END_REQ at once while the router holds at most
///           queue_depth of its requests, otherwise when a target has accepted one of them. One response at a time per
///           initiator; others wait. An unmapped request is completed at once.
/// Each target has its own arbitration: shares apply to one link. Requests of one initiator to one target keep their
/// order. Extended phases are ignored (TLM_ACCEPTED).
///
/// Events    router_events in total; initiator_traffic() and target_traffic() by port; initiator_contests()
/// Errors    mapping a range to a target that is not bound is an SC_ERROR at the end of elaboration
/// Not modelled: rings of routers, bandwidth of the response path, changing priorities, separate address and data
/// channels.
///
/// Example
///
///     bus::router<> router("router", {});
///     initiator.bind(router.in);
///     router.out.bind(target);
///     router.map(0x8000'0000, 0x8fff'ffff, 0);
template <unsigned BUSWIDTH = 32> class router : public router_core {
public:
    tlm_utils::multi_passthrough_target_socket<router, BUSWIDTH> in;
    tlm_utils::multi_passthrough_initiator_socket<router, BUSWIDTH> out;

    /// An invalid configuration is an SC_ERROR.
    router(sc_core::sc_module_name name, const router_config& config, activity_sink* activity = nullptr);
    ~router() override;

private:
    unsigned bound_initiators() override { return static_cast<unsigned>(in.size()); }
    unsigned bound_targets() override { return static_cast<unsigned>(out.size()); }
    tlm::tlm_fw_transport_if<>& to_target(unsigned target) override { return *out[static_cast<int>(target)]; }
    tlm::tlm_bw_transport_if<>& to_initiator(unsigned initiator) override { return *in[static_cast<int>(initiator)]; }
};

template <unsigned BUSWIDTH>
router<BUSWIDTH>::router(sc_core::sc_module_name name, const router_config& config, activity_sink* activity)
    : router_core(name, config, activity), in("in"), out("out")
{
    in.register_b_transport(this, &router::b_transport);
    in.register_nb_transport_fw(this, &router::nb_transport_fw);
    in.register_transport_dbg(this, &router::transport_dbg);
    in.register_get_direct_mem_ptr(this, &router::get_direct_mem_ptr);
    out.register_nb_transport_bw(this, &router::nb_transport_bw);
    out.register_invalidate_direct_mem_ptr(this, &router::invalidate_direct_mem_ptr);
}

template <unsigned BUSWIDTH> router<BUSWIDTH>::~router() = default;

// Instantiated once for the usual bus widths: bus_widths.cpp.
extern template class router<32>;
extern template class router<64>;
extern template class router<128>;
extern template class router<256>;
extern template class router<512>;

} // namespace tensorloom::bus
