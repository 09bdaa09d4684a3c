#pragma once
#include <cstdint>
#include <systemc>
#include <tlm>
#include <tensorloom/models/memory/byte_store.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/timed_service.h>

namespace tensorloom::memory {

/// What every memory does besides taking time: holds bytes, answers the debugger, grants direct pointers.
class memory_body : public bus::timed_service {
public:
    unsigned transport_dbg(tlm::tlm_generic_payload& transaction) override
    {
        return m_bytes.transport_dbg(transaction);
    }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi) override
    {
        return m_bytes.get_direct_mem_ptr(transaction, dmi, m_time_per_byte);
    }

    void set_dmi_allowed(bool allowed) { m_bytes.set_dmi_allowed(allowed); }
    bool take_back_dmi() { return m_bytes.take_back_dmi(); } ///< whether a DMI pointer was granted since the last time

    /// The state of its timing after construction; contents and counts stay.
    virtual void reset() = 0;

    std::uint64_t size() const { return m_bytes.size(); }

protected:
    /// `time_per_byte`: of a direct access.
    memory_body(const byte_store_config& store, const sc_core::sc_time& time_per_byte)
        : m_bytes(store), m_time_per_byte(time_per_byte)
    {}

    byte_store m_bytes;

private:
    sc_core::sc_time m_time_per_byte;
};

} // namespace tensorloom::memory
