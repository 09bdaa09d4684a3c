#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>
#include <tlm>
#include <systemc>
#include <tensorloom/tlm/outstanding_transactions.h>
#include <tensorloom/tlm/protocol_rule.h>
#include <tensorloom/tlm/tap.h>

namespace tensorloom::bus {

/// A set of violated rules.
class rule_set {
public:
    void add(protocol_rule rule) { m_broken.set(static_cast<std::size_t>(rule)); }
    void add(const rule_set& other) { m_broken |= other.m_broken; }
    void add_if(bool broken, protocol_rule rule)
    {
        if (broken) { add(rule); }
    }
    bool has(protocol_rule rule) const { return m_broken.test(static_cast<std::size_t>(rule)); }
    bool none() const { return m_broken.none(); }

private:
    std::bitset<protocol_rule_count> m_broken;
};

/// The rules that a generic payload violates as a request: initiator's side only.
rule_set broken_by_request(const tlm::tlm_generic_payload& transaction);

/// A copy of a generic payload's attributes, to be compared with the payload later. A reused object does not allocate.
class payload_snapshot {
public:
    /// `with_ignored_data`: also copies the data of TLM_IGNORE_COMMAND, which an initiator need not keep valid.
    void take(const tlm::tlm_generic_payload& transaction, bool with_ignored_data);

    /// Violations by changed attributes and arrays that must not change, or must be restored.
    rule_set changes(const tlm::tlm_generic_payload& transaction) const;
    /// Violations by extensions or a memory manager that were added or removed while the transaction was away.
    rule_set leftovers(const tlm::tlm_generic_payload& transaction) const;

    tlm::tlm_command command() const { return m_command; }
    std::uint64_t address() const { return m_address; }
    unsigned length() const { return m_length; }

private:
    bool enables_are_the_same(const tlm::tlm_generic_payload& transaction) const;
    bool lane_is_disabled(unsigned byte) const;
    bool disabled_lane_changed() const;

    tlm::tlm_command m_command = tlm::TLM_IGNORE_COMMAND;
    std::uint64_t m_address = 0;
    const unsigned char* m_data = nullptr;
    unsigned m_length = 0;
    const unsigned char* m_enables = nullptr;
    unsigned m_enable_length = 0;
    unsigned m_streaming_width = 0;
    tlm::tlm_gp_option m_option = tlm::TLM_MIN_PAYLOAD;
    bool m_has_mm = false;
    std::vector<unsigned char> m_bytes; ///< the data, where some of it must not change
    std::vector<unsigned char> m_enable_bytes;
    std::vector<tlm::tlm_extension_base*> m_extensions; ///< by index
};

/// The reaction to a violation, which is always counted and stored.
enum class on_violation {
    report_error,   ///< SC_ERROR, which SystemC throws as an exception by default
    report_warning, ///< SC_WARNING
    count           ///< no report
};

/// A detected violation.
struct protocol_violation {
    protocol_rule rule;
    sc_core::sc_time time; ///< simulated time, without annotation
    std::string text;      ///< clause, rule and transaction
};

/// The base protocol's rules for one connection: a tap that checks every call.
///
/// It is the width-independent part of protocol_checker, the module for users.
class protocol_monitor : public tap {
public:
    static constexpr const char* report_id = "/tensorloom/protocol_checker/violation";
    static constexpr std::size_t most_kept = 1000; ///< violations that kept() stores; later ones are only counted

    protocol_monitor(std::string name, on_violation reaction);

    /// From now on the rule is counted per rule, but neither stored nor reported, nor counted in violations() or
    /// warnings().
    void tolerate(protocol_rule rule) { m_tolerated.set(static_cast<std::size_t>(rule)); }

    std::uint64_t transactions() const { return m_transactions; } ///< begun, blocking and non-blocking
    std::uint64_t violations() const { return m_violations; }     ///< of rules that are errors
    std::uint64_t warnings() const { return m_warnings; }         ///< of rules that are warnings
    std::uint64_t count(protocol_rule rule) const { return m_counts[static_cast<std::size_t>(rule)]; }
    const std::vector<protocol_violation>& kept() const { return m_kept; } ///< the first ones

    /// Transactions that have begun and not ended.
    std::size_t live() const { return m_live.size(); }
    /// Reports each of them as a violation of left_live: for the end of a test, or when no transaction may be in
    /// flight.
    void report_live();

private:
    struct live_transaction {
        payload_snapshot snapshot;
        bool blocking = false;
        tlm::tlm_phase_enum phase = tlm::UNINITIALIZED_PHASE; // the latest
        sc_core::sc_time time;                                // annotated time of the latest phase
        tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
        std::uint64_t serial = 0; // distinguishes uses of one payload
    };

    /// The part of the transaction that a report shows: copied, because the payload may no longer exist after its call.
    struct access {
        explicit access(const tlm::tlm_generic_payload& t)
            : command(t.get_command()), address(t.get_address()), length(t.get_data_length())
        {}
        explicit access(const payload_snapshot& s) : command(s.command()), address(s.address()), length(s.length()) {}
        tlm::tlm_command command;
        std::uint64_t address;
        unsigned length;
    };

    void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay) override;
    unsigned transport_dbg(tlm::tlm_generic_payload& t) override;
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& t, tlm::tlm_dmi& dmi) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

    // Checks, without side effects.
    rule_set broken_by_call(const tlm::tlm_generic_payload& t) const;
    rule_set broken_by_begin_request(const tlm::tlm_generic_payload& t, const sc_core::sc_time& time) const;
    rule_set broken_by_end_response(const tlm::tlm_generic_payload& t, const sc_core::sc_time& time) const;
    rule_set broken_by_answer(const tlm::tlm_generic_payload& t, tlm::tlm_phase_enum phase,
                              const sc_core::sc_time& time) const;
    rule_set broken_by_response(const live_transaction& live, const tlm::tlm_generic_payload& t) const;
    bool may_follow(const live_transaction& live, tlm::tlm_phase_enum phase) const;

    // State changes of a transaction.
    live_transaction& begin(const tlm::tlm_generic_payload& t, bool blocking);
    void end(const tlm::tlm_generic_payload& t);
    void begin_request(const tlm::tlm_generic_payload& t, const sc_core::sc_time& time);
    void take_answer(const tlm::tlm_generic_payload& t, tlm::tlm_phase_enum phase, const sc_core::sc_time& time);

    rule_set after_forward(const tlm::tlm_generic_payload& t, std::uint64_t serial, tlm::tlm_sync_enum result,
                           const tlm::tlm_phase& sent, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);
    rule_set after_backward(const tlm::tlm_generic_payload& t, std::uint64_t serial, tlm::tlm_sync_enum result,
                            const tlm::tlm_phase& sent, const tlm::tlm_phase& phase, const sc_core::sc_time& delay);

    live_transaction* find(const tlm::tlm_generic_payload& t, std::uint64_t serial);
    void note_hint(const tlm::tlm_generic_payload& t);

    template <class Call> auto guarded(const access& a, Call call) -> decltype(call());
    void note_exception(const access& a);
    void raise(const rule_set& broken, const access& a)
    {
        if (!broken.none()) { report(broken, a); }
    }
    void report(const rule_set& broken, const access& a);
    bool note(protocol_rule rule, const access& a);
    void send(protocol_rule rule, const access& a) const;
    static std::string description(protocol_rule rule, const access& a);

    std::string m_name;
    on_violation m_reaction;
    std::bitset<protocol_rule_count> m_tolerated;

    outstanding_transactions<live_transaction> m_live;
    std::uint64_t m_serial = 0;
    const tlm::tlm_generic_payload* m_request = nullptr;  // begun, no END_REQ yet
    const tlm::tlm_generic_payload* m_response = nullptr; // begun, no END_RESP yet
    sc_core::sc_time m_request_time;                      // annotated, of the latest BEGIN_REQ
    sc_core::sc_time m_response_time;                     // annotated, of the latest BEGIN_RESP

    bool m_hinted = false; // the latest answer carried a hint that was not invalidated since
    tlm::tlm_command m_hinted_command = tlm::TLM_IGNORE_COMMAND;
    std::uint64_t m_hinted_address = 0;

    std::uint64_t m_transactions = 0;
    std::uint64_t m_violations = 0;
    std::uint64_t m_warnings = 0;
    std::array<std::uint64_t, protocol_rule_count> m_counts{};
    std::vector<protocol_violation> m_kept;
};

template <class Call> auto protocol_monitor::guarded(const access& a, Call call) -> decltype(call())
{
    try {
        return call();
    } catch (const sc_core::sc_unwind_exception&) { // the calling process is killed or reset
        throw;
    } catch (const sc_core::sc_report& r) {
        // Another checker further along has reported the violation.
        if (std::strcmp(r.get_msg_type(), report_id) != 0) { note_exception(a); }
        throw;
    } catch (...) {
        note_exception(a);
        throw;
    }
}

/// An in-line checker of the TLM-2.0 base protocol between an initiator and a target; reports violations with the
/// clause of the standard. Every call passes unchanged in both directions, blocking as blocking and non-blocking as
/// non-blocking; the checker adds no time, event or process.
///
/// in      target socket, faces the initiator
/// out     initiator socket, faces the target
///
/// Both are plain sockets for one connection and bind to any base-protocol socket of the same width: simple,
/// passthrough, multi, or one of an enclosing module. Each connection of a multi socket needs its own checker.
///
/// Errors    /tensorloom/protocol_checker/violation, SC_ERROR unless `reaction` says otherwise. The rules are in
///           protocol_rule.h and docs/protocol-checker.md. Counters per rule and the first violations can be read at
///           any time.
///
/// The data array of a TLM_IGNORE_COMMAND is read, to check that it does not change. For an initiator whose pointer or
/// length is invalid there, call tolerate(protocol_rule::ignore_moved_data).
///
/// Not checked, because a connection does not show it: use of a direct memory pointer after its invalidation or outside
/// its range; quantum and synchronisation of an initiator; correctness of data; extensions of debug and DMI requests;
/// payloads freed while in use (the checker reads them like any component: ASan reports those).
///
/// Example
///
///     bus::protocol_checker<> checker("checker");
///     initiator.bind(checker.in);
///     checker.out.bind(target);
template <unsigned BUSWIDTH = 32> class protocol_checker : public tap_module<BUSWIDTH>, public protocol_monitor {
public:
    explicit protocol_checker(sc_core::sc_module_name name, on_violation reaction = on_violation::report_error)
        : tap_module<BUSWIDTH>(name), protocol_monitor(this->name(), reaction)
    {
        this->bind(*this);
    }
    const char* kind() const override { return "protocol_checker"; }
};

} // namespace tensorloom::bus
