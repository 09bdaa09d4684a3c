#pragma once
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/tlm/at_target.h>
#include "support/sim_test.h"
#include "tlm/at_initiator.h"

namespace tensorloom::test {

/// A service that takes a request every `interval` and answers `latency` after it took it, or when the test says. It
/// writes the number of the transaction, as it came, into the first byte of a read.
class pipeline_service : public bus::timed_service {
public:
    bus::service_times serve(tlm::tlm_generic_payload& t, const sc_core::sc_time& arrival) override
    {
        const sc_core::sc_time taken = std::max(arrival, m_free);
        m_free = taken + interval;
        arrivals.push_back(arrival);
        if (t.is_read() && t.get_data_length() > 0) {
            t.get_data_ptr()[0] = static_cast<unsigned char>(arrivals.size() - 1);
        }
        t.set_dmi_allowed(true);
        t.set_response_status(tlm::TLM_OK_RESPONSE);
        return {m_free, taken + latency_of(t)};
    }
    unsigned transport_dbg(tlm::tlm_generic_payload& t) override { return t.get_data_length(); }
    bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi&) override { return false; }

    sc_core::sc_time interval = ns(2);
    std::function<sc_core::sc_time(const tlm::tlm_generic_payload&)> latency_of = [](const auto&) { return ns(20); };
    std::vector<sc_core::sc_time> arrivals;

private:
    sc_core::sc_time m_free;
};

/// The pipeline behind an at_target.
class pipeline_target : public sc_core::sc_module {
public:
    pipeline_service service;
    bus::at_target port;
    bus::at_target_socket<32> in;

    pipeline_target(sc_core::sc_module_name name, const bus::at_target_config& config,
                    const bus::target_tolerance& tolerance = {})
        : sc_core::sc_module(name), port("port", config, service, tolerance), in("in", port)
    {}
};

} // namespace tensorloom::test
