#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/address_map.h>
#include <tensorloom/tlm/arbitration.h>
#include <tensorloom/tlm/reservation_table.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/router_events.h>

namespace tensorloom::bus {

struct router_config {
    sc_core::sc_time latency{1, sc_core::SC_NS};      ///< of a request's way from initiator to target
    sc_core::sc_time clock_period{1, sc_core::SC_NS}; ///< above 0
    unsigned bytes_per_cycle = 0; ///< of each link to a target; 0: a link never limits and nothing waits for it
    arbitration_kind arbitration = arbitration_kind::round_robin;
    unsigned queue_depth =
        2; ///< AT requests of one initiator that wait in the router before it feels back-pressure, 1 to 1024
    /// Blocking transactions wait() for their turn among all that wait, instead of being served in the order of the
    /// calls.
    bool arbitrate_blocking = false;
    bool allow_dmi = true; ///< direct memory pointers go past latency, bandwidth and counters
};

/// The first thing wrong with a configuration.
std::optional<std::string> complaint(const router_config& config);

/// What went through one side of a router.
struct port_traffic {
    std::uint64_t transactions = 0;
    std::uint64_t bytes = 0;
    std::uint64_t contended = 0;         ///< transactions that waited
    std::uint64_t contention_cycles = 0; ///< how long
};

/// What a router does, apart from its sockets: see router.h.
class router_core : public sc_core::sc_module {
public:
    /// Elaboration: addresses first..last go to the target bound as number `target`. An overlap is an SC_ERROR.
    void map(std::uint64_t first, std::uint64_t last, unsigned target, bool relative = true);

    const std::uint64_t* counts() const { return m_counts; } ///< by router_event
    /// By number in the order of binding; from the end of elaboration.
    const port_traffic& initiator_traffic(unsigned initiator) const { return m_initiators.at(initiator).traffic; }
    const port_traffic& target_traffic(unsigned target) const { return m_targets.at(target).traffic; }
    unsigned initiators() const { return static_cast<unsigned>(m_initiators.size()); }
    unsigned targets() const { return static_cast<unsigned>(m_targets.size()); }

    /// AT transactions in the router.
    std::size_t live() const { return m_live.size(); }

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
    // How far the target is with a request.
    enum class transfer_stage { waiting, requested, accepted, responded };

    // A request that waits for a target, and for AT all the way to its END_RESP.
    struct transfer {
        tlm::tlm_generic_payload* transaction;
        const address_map::range* range;
        unsigned initiator;
        std::uint64_t address;             // in the initiator's addresses
        sc_core::sc_time eligible;         // when it has come through the router
        sc_core::sc_time accept_from{};    // END_REQ and BEGIN_RESP do not go to the initiator before
        sc_core::sc_event* turn = nullptr; // of a blocking call, which waits for it
        bool responds_early = false;       // the target has completed: no END_RESP for it
        transfer_stage stage = transfer_stage::waiting;
        sc_core::sc_time response{}; // when the response may go to the initiator
    };
    struct initiator_side {
        port_traffic traffic;
        unsigned held = 0;               // requests that no target has accepted yet
        transfer* unaccepted = nullptr;  // the request that still lacks its END_REQ
        std::deque<transfer*> responses; // in order of `response`
        transfer* responding = nullptr;  // between BEGIN_RESP and END_RESP
        sc_core::sc_time response_free;  // when the next BEGIN_RESP may be
    };
    struct target_side {
        tlm::tlm_fw_transport_if<>* socket = nullptr;
        port_traffic traffic;
        std::vector<std::deque<transfer*>> waiting; // by initiator
        transfer* requesting = nullptr;             // between BEGIN_REQ and END_REQ
        sc_core::sc_time request_free;              // when the next BEGIN_REQ may be
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

    void act(); // method: everything that is due
    bool serve_initiator(initiator_side& side, unsigned initiator);
    bool serve_target(target_side& side, unsigned target);
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
    std::unordered_map<const tlm::tlm_generic_payload*, transfer> m_live;
    std::vector<arbitration::candidate> m_candidates; // of the decision being made
    sc_core::sc_event m_wake;
};

} // namespace tensorloom::bus
