#pragma once
#include <cstring>
#include <functional>
#include <vector>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

namespace tensorloom::test {

/// A memory of the test's own: notes every access, and lets a test do anything before the transfer or refuse it.
template <unsigned BUSWIDTH = 32> class byte_target : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<byte_target, BUSWIDTH> in;

    struct access {
        tlm::tlm_command command;
        std::uint64_t address;
        unsigned length;
        sc_core::sc_time time; ///< simulated time and annotated delay of the request
    };

    std::vector<unsigned char> bytes;
    std::uint64_t base = 0;     ///< address of bytes[0]
    sc_core::sc_time annotated; ///< added to each delay
    std::vector<access> log;
    /// Called first. When it sets a response status, nothing is transferred.
    std::function<void(tlm::tlm_generic_payload&, sc_core::sc_time&)> intercept;
    tlm::tlm_dmi dmi; ///< what get_direct_mem_ptr answers
    bool grants_dmi = false;
    bool refuses_debug_writes = false;

    byte_target(sc_core::sc_module_name name, std::size_t size) : sc_core::sc_module(name), in("in"), bytes(size)
    {
        in.register_b_transport(this, &byte_target::b_transport);
        in.register_transport_dbg(this, &byte_target::transport_dbg);
        in.register_get_direct_mem_ptr(this, &byte_target::get_direct_mem_ptr);
    }

    /// Addresses of the accesses so far.
    std::vector<std::uint64_t> addresses() const
    {
        std::vector<std::uint64_t> all;
        for (const auto& a : log) { all.push_back(a.address); }
        return all;
    }

private:
    void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay)
    {
        log.push_back({t.get_command(), t.get_address(), t.get_data_length(), sc_core::sc_time_stamp() + delay});
        if (intercept) {
            intercept(t, delay);
            if (t.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) { return; }
        }
        delay += annotated;
        const bool inside = t.get_address() >= base && t.get_address() - base + t.get_data_length() <= bytes.size();
        t.set_response_status(inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        if (inside) { transfer(t); }
    }

    unsigned transport_dbg(tlm::tlm_generic_payload& t)
    {
        log.push_back({t.get_command(), t.get_address(), t.get_data_length(), sc_core::sc_time_stamp()});
        if (refuses_debug_writes && t.is_write()) {
            t.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
            return 0;
        }
        transfer(t);
        return t.get_data_length();
    }

    bool get_direct_mem_ptr(tlm::tlm_generic_payload& t, tlm::tlm_dmi& answer)
    {
        log.push_back({t.get_command(), t.get_address(), t.get_data_length(), sc_core::sc_time_stamp()});
        answer = dmi;
        return grants_dmi;
    }

    void transfer(tlm::tlm_generic_payload& t)
    {
        unsigned char* at = bytes.data() + (t.get_address() - base);
        if (t.is_read()) { std::memcpy(t.get_data_ptr(), at, t.get_data_length()); }
        if (t.is_write()) { std::memcpy(at, t.get_data_ptr(), t.get_data_length()); }
    }
};

} // namespace tensorloom::test
