#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <tlm>
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include "integration/bus_model.h"
#include "integration/random_source.h"

namespace tensorloom::test {

/// How often an initiator did what.
struct traffic_tally {
    std::uint64_t blocking = 0;
    std::uint64_t non_blocking = 0;
    std::uint64_t debug = 0;
    std::uint64_t dmi_requests = 0;
    std::uint64_t dmi_grants = 0;
    std::uint64_t dmi_accesses = 0;
    std::uint64_t cut_off = 0;              ///< ended by a reset of their target
    std::uint64_t forwarded = 0;            ///< blocking or not, left the router
    std::uint64_t unmapped = 0;             ///< did not
    illegal_counts illegal{};               ///< sent
    std::array<std::uint64_t, 7> answers{}; ///< by - response status + 1 (OK is 0)

    std::uint64_t transactions() const { return blocking + non_blocking + debug + dmi_requests + dmi_accesses; }
    void add(const traffic_tally& o);
};

/// Sends random transactions of every kind and compares each with the model.
///
/// Of each memory it reads and writes only stripes of its own, so that what it must read does not depend on the
/// others; what is
/// refused is sent anywhere. Non-blocking requests overlap each other, not the calls of other kinds.
class random_initiator : public sc_core::sc_module {
public:
    tlm_utils::simple_initiator_socket<random_initiator, 64> out;

    struct settings {
        std::uint64_t seed;
        unsigned number; ///< among `initiators`
        unsigned initiators;
        std::uint64_t transactions;
        bool router_allows_dmi;
    };

    random_initiator(sc_core::sc_module_name name, const settings& s, bus_model& model);
    ~random_initiator() override;

    bool finished() const { return m_finished; }
    const traffic_tally& tally() const { return m_tally; }
    std::uint64_t taken() const { return m_taken; }
    std::uint64_t freed() const { return m_freed; }
    std::uint64_t live_extensions() const { return m_live_extensions; }
    unsigned wrongs() const { return m_wrongs; }
    bool holds_grant(std::uint64_t first, std::uint64_t last) const;

    /// The memory was reset at this time.
    void note_reset(const bus_model::memory& m) { m_resets.push_back({m.first, m.last, sc_core::sc_time_stamp()}); }

private:
    class pooled;
    class foreign;
    struct flight {
        bus_access access;
        pooled* payload;
        sc_core::sc_time sent;
        sc_core::sc_time came{};
        bool done = false;
    };
    struct reset {
        std::uint64_t first, last;
        sc_core::sc_time at;
    };
    class pool;

    // what to send
    bus_access draw_access();
    bus_access draw_legal();
    bus_access draw_refused();
    unsigned draw_length(std::uint64_t most);
    void draw_enables(bus_access& a);
    std::uint64_t own_stripe(const bus_model::memory& m, std::uint64_t& size);
    std::uint64_t unmapped_address();

    // how
    void run();
    void blocking(bus_access a);
    void non_blocking(bus_access a);
    void debug();
    void request_dmi();
    void use_dmi();
    void drain();
    void catch_up();
    pooled& take();
    void tally_sent(const bus_access& a);
    void retire_all();
    void retire(const bus_access& a, const sc_core::sc_time& sent, const sc_core::sc_time& came, bool exact_hint);
    void wrong(const std::string& what);

    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);
    void invalidate(sc_dt::uint64 first, sc_dt::uint64 last);
    void end_request(pooled& p, const sc_core::sc_time& at);
    void response(pooled& p, const sc_core::sc_time& at);
    void end(pooled& p);
    void end_responses(); // method

    settings m_settings;
    bus_model& m_model;
    random_source m_random;
    std::unique_ptr<pool> m_pool;
    traffic_tally m_tally;
    std::uint64_t m_taken = 0;
    std::uint64_t m_freed = 0;
    std::uint64_t m_live_extensions = 0;
    unsigned m_wrongs = 0;
    bool m_finished = false;

    sc_core::sc_time m_ahead;     // of the simulation
    std::deque<flight> m_flights; // in the order in which they were sent
    unsigned m_under_way = 0;
    pooled* m_requesting = nullptr; // between BEGIN_REQ and END_REQ
    sc_core::sc_time m_request_free;
    tlm_utils::peq_with_get<tlm::tlm_generic_payload> m_end_response;
    sc_core::sc_event m_changed;
    std::vector<tlm::tlm_dmi> m_grants;
    std::vector<reset> m_resets;
};

} // namespace tensorloom::test
