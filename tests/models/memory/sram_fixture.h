#pragma once
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/memory/sram.h>
#include "support/sim_test.h"
#include "tlm/payload.h"

namespace tensorloom::test {

/// A memory of 256 bytes whose byte i holds i, called without a bus.
class sram_fixture : public sim_test {
protected:
    static constexpr std::uint64_t size = 256;

    static memory::sram_config settings()
    {
        memory::sram_config c;
        c.bytes = size;
        c.latency = ns(5);
        c.clock_period = ns(2);
        c.bytes_per_cycle = 8;
        return c;
    }

    sram_fixture()
    {
        std::vector<unsigned char> all(size);
        for (unsigned i = 0; i < size; ++i) { all[i] = static_cast<unsigned char>(i); }
        auto p = writing(0, all);
        body.transport_dbg(p);
    }

    tlm::tlm_response_status send(payload& p)
    {
        delay = body.serve(p, now).begin_response - now;
        now += delay; // one access after the other
        return p.get_response_status();
    }
    std::vector<unsigned char> contents()
    {
        auto p = reading(0, size);
        EXPECT_EQ(body.transport_dbg(p), size);
        return p.data;
    }

    memory::sram_body body{settings()};
    sc_core::sc_time now;   // when the next access arrives
    sc_core::sc_time delay; // of the latest access
};

} // namespace tensorloom::test
