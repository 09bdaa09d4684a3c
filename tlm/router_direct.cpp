// Router calls without timing: debug and direct memory.
#include <algorithm>
#include <tensorloom/tlm/router.h>

namespace tensorloom::bus {

unsigned router_core::transport_dbg(int, tlm::tlm_generic_payload& transaction)
{
    const std::uint64_t address = transaction.get_address();
    const auto* r = route(address, 1);
    if (r == nullptr) { return 0; }
    const std::uint64_t inside = r->relative ? address - r->first : address;
    const unsigned length = transaction.get_data_length();
    if (length == 0 || length - 1 <= r->last - address) {
        transaction.set_address(inside);
        const unsigned done = m_targets[r->target].socket->transport_dbg(transaction);
        transaction.set_address(address);
        return done;
    }
    // Only the part in this range; an interconnect must not change the length of a transaction.
    tlm::tlm_generic_payload part;
    part.set_command(transaction.get_command());
    part.set_address(inside);
    part.set_data_ptr(transaction.get_data_ptr());
    part.set_data_length(static_cast<unsigned>(r->last - address + 1));
    part.set_streaming_width(part.get_data_length());
    const unsigned done = m_targets[r->target].socket->transport_dbg(part);
    transaction.set_response_status(part.get_response_status());
    return done;
}

bool router_core::get_direct_mem_ptr(int, tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi)
{
    const std::uint64_t address = transaction.get_address();
    const auto* r = route(address, 1);
    if (r == nullptr || !m_config.allow_dmi) {
        dmi.init();
        dmi.set_start_address(r == nullptr ? address : r->first);
        dmi.set_end_address(r == nullptr ? address : r->last);
        return false;
    }
    transaction.set_address(r->relative ? address - r->first : address);
    const bool granted = m_targets[r->target].socket->get_direct_mem_ptr(transaction, dmi);
    transaction.set_address(address);
    // The part of the target's window within this range, in the initiator's addresses.
    const std::uint64_t base = r->relative ? r->first : 0;
    const std::uint64_t start = std::max<std::uint64_t>(dmi.get_start_address(), r->first - base);
    const std::uint64_t end = std::min<std::uint64_t>(dmi.get_end_address(), r->last - base);
    if (start > end) { // the target's range lies outside its window
        dmi.init();
        dmi.set_start_address(address);
        dmi.set_end_address(address);
        return false;
    }
    if (granted) {
        dmi.set_dmi_ptr(dmi.get_dmi_ptr() + (start - dmi.get_start_address()));
        if (m_config.bytes_per_cycle != 0) {
            const auto per_byte = m_config.clock_period / static_cast<double>(m_config.bytes_per_cycle);
            dmi.set_read_latency(std::max(dmi.get_read_latency(), per_byte));
            dmi.set_write_latency(std::max(dmi.get_write_latency(), per_byte));
        }
    }
    dmi.set_start_address(start + base);
    dmi.set_end_address(end + base);
    return granted;
}

void router_core::invalidate_direct_mem_ptr(int target, sc_dt::uint64 start, sc_dt::uint64 end)
{
    for (const auto& r : m_map.ranges()) {
        if (r.target != static_cast<unsigned>(target)) { continue; }
        const std::uint64_t base = r.relative ? r.first : 0;
        const std::uint64_t from = std::max<std::uint64_t>(start, r.first - base);
        const std::uint64_t to = std::min<std::uint64_t>(end, r.last - base);
        if (from > to) { continue; }
        for (unsigned i = 0; i < bound_initiators(); ++i) {
            to_initiator(i).invalidate_direct_mem_ptr(from + base, to + base);
        }
    }
}

} // namespace tensorloom::bus
