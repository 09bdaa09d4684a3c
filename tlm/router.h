#pragma once
#include <string>
#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tensorloom/models/arch/event_table.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/address_map.h>

namespace tensorloom::bus {

struct router_config {
    sc_core::sc_time latency{1, sc_core::SC_NS}; ///< added to each transaction
};

inline constexpr arch::event_definition router_event_definitions[] = {
    {"transaction", "", "A transaction forwarded by the router."},
    {"byte", "", "A byte of a forwarded transaction."},
    {"unmapped", "", "A transaction that no address range holds; answered with ADDRESS_ERROR."},
};
inline constexpr arch::event_table router_events = arch::make_event_table(router_event_definitions);

/// Connects initiators to targets by address: loosely timed, base protocol, any number of each.
///
/// in      target socket, bind any number of initiators
/// out     initiator socket, bind targets; the order of binding numbers them for map()
///
/// A transaction must lie in one range; otherwise ADDRESS_ERROR. The payload's address is restored before it returns. DMI ranges are
/// narrowed to the target's window and translated. Debug transactions are forwarded without time.
/// Not modelled: contention and arbitration (targets see transactions at their annotated times), non-blocking transport.
template <unsigned BUSWIDTH = 32> class router : public sc_core::sc_module {
public:
    tlm_utils::multi_passthrough_target_socket<router, BUSWIDTH> in;
    tlm_utils::multi_passthrough_initiator_socket<router, BUSWIDTH> out;

    router(sc_core::sc_module_name name, const router_config& config, activity_sink* activity = nullptr)
        : sc_core::sc_module(name), in("in"), out("out"), m_config(config)
    {
        in.register_b_transport(this, &router::b_transport);
        in.register_transport_dbg(this, &router::transport_dbg);
        in.register_get_direct_mem_ptr(this, &router::get_direct_mem_ptr);
        out.register_invalidate_direct_mem_ptr(this, &router::invalidate_direct_mem_ptr);
        if (activity != nullptr) { activity->attach(this->name(), router_events, m_counts); }
    }

    /// Elaboration: addresses first..last go to the target bound as number `target`. An overlap is an SC_ERROR.
    void map(std::uint64_t first, std::uint64_t last, unsigned target, bool relative = true)
    {
        if (const auto wrong = m_map.add({first, last, target, relative})) {
            SC_REPORT_ERROR("/tensorloom/router/map", wrong->c_str());
        }
    }

private:
    // The range of a whole transaction, or nullptr.
    const address_map::range* route(std::uint64_t address, std::uint64_t length)
    {
        const auto* r = m_map.find(address);
        if (r == nullptr || r->target >= static_cast<unsigned>(out.size())) { return nullptr; }
        return length != 0 && length - 1 > r->last - address ? nullptr : r;
    }

    void b_transport(int, tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay)
    {
        const std::uint64_t address = transaction.get_address();
        const auto* r = route(address, transaction.get_data_length());
        delay += m_config.latency;
        if (r == nullptr) {
            ++m_counts[2];
            transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        ++m_counts[0];
        m_counts[1] += transaction.get_data_length();
        transaction.set_address(r->relative ? address - r->first : address);
        out[static_cast<int>(r->target)]->b_transport(transaction, delay);
        transaction.set_address(address);
    }

    unsigned transport_dbg(int, tlm::tlm_generic_payload& transaction)
    {
        const std::uint64_t address = transaction.get_address();
        const auto* r = route(address, 1);
        if (r == nullptr) { return 0; }
        const unsigned length = transaction.get_data_length();
        if (length != 0 && length - 1 > r->last - address) {
            transaction.set_data_length(static_cast<unsigned>(r->last - address + 1));
        }
        transaction.set_address(r->relative ? address - r->first : address);
        const unsigned done = out[static_cast<int>(r->target)]->transport_dbg(transaction);
        transaction.set_address(address);
        transaction.set_data_length(length);
        return done;
    }

    bool get_direct_mem_ptr(int, tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi)
    {
        const std::uint64_t address = transaction.get_address();
        const auto* r = route(address, 1);
        if (r == nullptr) {
            dmi.init();
            dmi.set_start_address(address);
            dmi.set_end_address(address);
            return false;
        }
        transaction.set_address(r->relative ? address - r->first : address);
        const bool granted = out[static_cast<int>(r->target)]->get_direct_mem_ptr(transaction, dmi);
        transaction.set_address(address);
        // The target's window, as far as it lies in this range, in the initiator's addresses.
        const std::uint64_t base = r->relative ? r->first : 0;
        const std::uint64_t lowest = r->first - base;
        const std::uint64_t highest = r->last - base;
        const std::uint64_t start = std::max<std::uint64_t>(dmi.get_start_address(), lowest);
        const std::uint64_t end = std::min<std::uint64_t>(dmi.get_end_address(), highest);
        if (granted) { dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (start - dmi.get_start_address())); }
        dmi.set_start_address(start + base);
        dmi.set_end_address(end + base);
        return granted;
    }

    void invalidate_direct_mem_ptr(int target, sc_dt::uint64 start, sc_dt::uint64 end)
    {
        for (const auto& r : m_map.ranges()) {
            if (r.target != static_cast<unsigned>(target)) { continue; }
            const std::uint64_t base = r.relative ? r.first : 0;
            const std::uint64_t from = std::max<std::uint64_t>(start, r.first - base);
            const std::uint64_t to = std::min<std::uint64_t>(end, r.last - base);
            if (from > to) { continue; }
            for (int i = 0; i < static_cast<int>(in.size()); ++i) {
                in[i]->invalidate_direct_mem_ptr(from + base, to + base);
            }
        }
    }

    router_config m_config;
    address_map m_map;
    std::uint64_t m_counts[router_events.size] = {};
};

} // namespace tensorloom::bus
