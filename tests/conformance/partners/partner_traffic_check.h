#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <tuple>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/tlm/protocol_checker.h>
#include "conformance/partners/partner_initiator.h"
#include "conformance/partners/partner_messages.h"
#include "tlm/payload.h"

namespace tensorloom::test {

/// Each transfer of the traffic came back once and OK, and each read with the word that was written; the generator saw
/// them all.
inline void expect_complete(const partner_initiator& initiator, const partner_traffic& traffic)
{
    using transfer = std::tuple<std::uint64_t, tlm::tlm_command, std::uint32_t>;
    std::vector<transfer> expected, seen;
    for (const std::uint64_t base : {traffic.first_base, traffic.second_base}) {
        for (std::uint64_t address = base; address < base + 4 * partner_traffic::words; address += 4) {
            for (const auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
                expected.emplace_back(address, command, traffic.word_at(address));
            }
        }
    }
    for (const partner_transfer& t : initiator.responses()) {
        EXPECT_EQ(t.status, tlm::TLM_OK_RESPONSE) << "at address " << t.address;
        seen.emplace_back(t.address, t.command, t.data);
    }
    std::sort(expected.begin(), expected.end());
    std::sort(seen.begin(), seen.end());
    EXPECT_EQ(seen, expected) << initiator.name();
}

/// The traffic generators, so many of them, have read their last response: each says when it starts and when it is
/// done.
inline void expect_generators_done(int generators)
{
    EXPECT_EQ(partner_messages("traffic_generator.cpp"), 2 * generators);
}

/// Nobody broke a rule that is not tolerated, and nothing is left under way.
inline void expect_no_violations(std::initializer_list<bus::protocol_monitor*> checkers)
{
    for (bus::protocol_monitor* checker : checkers) {
        checker->report_live();
        EXPECT_EQ(checker->violations(), 0u);
        EXPECT_EQ(checker->warnings(), 0u);
    }
}

/// The bytes that a memory of this size, zero before, holds after the traffic. `base`: where the memory lies on the
/// bus.
inline void add_traffic(std::vector<unsigned char>& bytes, const partner_traffic& traffic, std::uint64_t base = 0)
{
    for (const std::uint64_t first : {traffic.first_base, traffic.second_base}) {
        for (std::uint64_t address = first; address < first + 4 * partner_traffic::words; address += 4) {
            if (address < base || address - base >= bytes.size()) { continue; }
            const std::uint32_t word = traffic.word_at(address);
            std::memcpy(bytes.data() + (address - base), &word, sizeof word);
        }
    }
}

/// What is to be read from address 0 on through a socket, by debug transport.
inline std::vector<unsigned char> contents_behind(tlm::tlm_initiator_socket<>& socket, std::size_t bytes)
{
    auto p = reading(0, bytes);
    EXPECT_EQ(socket->transport_dbg(p), bytes);
    return p.data;
}

} // namespace tensorloom::test
