#pragma once
#include <cstring>
#include <vector>
#include <systemc>
#include <tlm>
#include "conformance/partners/partner_initiator.h"

namespace tensorloom::test {

/// What the partners connect generator and initiator with; remembers what passes.
class partner_fifo : public sc_core::sc_fifo<tlm::tlm_generic_payload*> {
public:
    void write(tlm::tlm_generic_payload* const& t) override
    {
        std::uint32_t word = 0;
        std::memcpy(&word, t->get_data_ptr(), sizeof word);
        passed.push_back(
            {sc_core::sc_time_stamp(), t->get_command(), t->get_address(), word, t->get_response_status()});
        sc_fifo::write(t);
    }

    std::vector<partner_transfer> passed;
};

} // namespace tensorloom::test
