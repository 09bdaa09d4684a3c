// Rows 12 and 13 on memories and routers: direct memory pointers, and their end.
#include <limits>
#include "conformance/phases_row.h"
#include "conformance/traffic.h"

namespace {

using namespace tensorloom::test;

bool ask(target_bench& b, tlm::tlm_command command, std::uint64_t at, tlm::tlm_dmi& dmi)
{
    payload t(command, at, {1, 2, 3, 4});
    dmi.init();
    return b.target().get_direct_mem_ptr(t, dmi);
}

TEST_P(target_row, row_12_granted_pointer_shows_the_bytes_of_the_whole_range)
{
    run([this](target_bench& b) {
        for (auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
            for (std::uint64_t at : {b.base, b.base + 0x1234, b.last() - 3, b.last()}) {
                tlm::tlm_dmi dmi;
                ASSERT_TRUE(ask(b, command, at, dmi)) << at;
                EXPECT_EQ(dmi.get_start_address(), b.base);
                EXPECT_EQ(dmi.get_end_address(), b.last()); // inclusive
                EXPECT_TRUE(dmi.is_read_write_allowed());
                EXPECT_GT(dmi.get_read_latency(), sc_core::SC_ZERO_TIME);
                EXPECT_GT(dmi.get_write_latency(), sc_core::SC_ZERO_TIME);
            }
        }
        tlm::tlm_dmi dmi;
        ASSERT_TRUE(ask(b, tlm::TLM_WRITE_COMMAND, b.last(), dmi));
        unsigned char* const pointer = dmi.get_dmi_ptr();
        for (std::uint64_t i = 0; i < target_bench::bytes; ++i) {
            auto read = reading(b.base + i, 1);
            b.send(read);
            ASSERT_EQ(pointer[i], read.data[0]) << i;
        }
        for (std::uint64_t offset : {std::uint64_t{0}, target_bench::bytes / 2, target_bench::bytes - 1}) {
            pointer[offset] = static_cast<unsigned char>(model.bytes[offset] + 1);
            model.bytes[offset] = pointer[offset];
            auto read = reading(b.base + offset, 1);
            expect_as_in_model(read, "written through the pointer");
            auto write = writing(b.base + offset, {static_cast<unsigned char>(offset + 3)});
            expect_as_in_model(write, "written by a transaction");
            EXPECT_EQ(pointer[offset], model.bytes[offset]);
        }
        expect_contents_as_in_model();
    });
}

TEST_P(target_row, row_12_hint_says_what_get_direct_mem_ptr_will_do)
{
    run([](target_bench& b) {
        auto good = reading(b.base, 4);
        b.send(good);
        EXPECT_TRUE(good.is_dmi_allowed());
        auto outside = reading(b.last() + 1, 4);
        b.send(outside);
        EXPECT_FALSE(outside.is_dmi_allowed());
        payload nothing(tlm::TLM_IGNORE_COMMAND, b.base, {1, 2, 3, 4});
        b.send(nothing);
        EXPECT_FALSE(nothing.is_dmi_allowed());
    });
}

TEST_P(phases_row, row_12_refusal_names_a_range_that_is_refused)
{
    // refused by the memory, by its address, and by a router
    target_options by_memory;
    by_memory.allow_dmi = false;
    target_options by_router;
    by_router.router_allows_dmi = !GetParam().is_routed();
    by_router.allow_dmi = GetParam().is_routed();
    for (const auto& [name, options] : {std::make_pair("memory", by_memory), std::make_pair("router", by_router)}) {
        auto& b = add(name, options);
        b.program = [](target_bench& of) {
            for (auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
                for (std::uint64_t at : {of.base, of.base + 77, of.last()}) {
                    tlm::tlm_dmi dmi;
                    EXPECT_FALSE(ask(of, command, at, dmi));
                    EXPECT_LE(dmi.get_start_address(), of.base);
                    EXPECT_GE(dmi.get_end_address(), of.last());
                    const std::uint64_t word = at & ~std::uint64_t{3};
                    payload t(command, word, of.contents(word - of.base, 4));
                    of.send(t);
                    EXPECT_TRUE(t.is_response_ok());
                    EXPECT_FALSE(t.is_dmi_allowed());
                }
            }
        };
    }
    auto& b = add("granted", {});
    b.program = [](target_bench& of) {
        for (std::uint64_t at : {of.last() + 1, of.last() + 4, std::numeric_limits<std::uint64_t>::max()}) {
            tlm::tlm_dmi dmi;
            EXPECT_FALSE(ask(of, tlm::TLM_READ_COMMAND, at, dmi));
            EXPECT_LE(dmi.get_start_address(), at);
            EXPECT_GE(dmi.get_end_address(), at);
            EXPECT_GT(dmi.get_start_address(), of.last()) << "no more is refused than what is";
        }
    };
    simulate();
}

TEST_P(sram_row, row_12_read_only_memory_grants_reads)
{
    target_options options;
    options.read_only = true;
    build(options);
    run([this](target_bench& b) {
        tlm::tlm_dmi dmi;
        ASSERT_TRUE(ask(b, tlm::TLM_READ_COMMAND, b.base + 8, dmi));
        EXPECT_TRUE(dmi.is_read_allowed());
        EXPECT_FALSE(dmi.is_write_allowed());
        EXPECT_EQ(dmi.get_dmi_ptr()[8], model.bytes[8]);
        EXPECT_FALSE(ask(b, tlm::TLM_WRITE_COMMAND, b.base + 8, dmi));
        EXPECT_LE(dmi.get_start_address(), b.base + 8);
        EXPECT_GE(dmi.get_end_address(), b.base + 8);
    });
}

/// An initiator's direct pointer, until it is taken back.
class cached_pointer {
public:
    explicit cached_pointer(target_bench& b) : m_bench(b)
    {
        tlm::tlm_dmi dmi;
        EXPECT_TRUE(ask(b, tlm::TLM_READ_COMMAND, b.base, dmi));
        m_first = dmi.get_start_address();
        m_last = dmi.get_end_address();
        m_seen = b.prober->invalidations.size();
    }
    /// One invalidation since, or several, covers all that was granted.
    bool taken_back() const
    {
        const auto& all = m_bench.prober->invalidations;
        for (std::size_t i = m_seen; i < all.size(); ++i) {
            if (all[i].first <= m_first && all[i].second >= m_last) { return true; }
        }
        return false;
    }

private:
    target_bench& m_bench;
    std::uint64_t m_first = 0, m_last = 0;
    std::size_t m_seen = 0;
};

TEST_P(target_row, row_13_pointers_are_taken_back_by_reset_change_of_mode_and_on_request)
{
    run([](target_bench& b) {
        {
            const cached_pointer pointer(b);
            EXPECT_FALSE(pointer.taken_back());
            b.rst.write(true);
            wait(ns(1));
            EXPECT_TRUE(pointer.taken_back()) << "reset";
            b.rst.write(false);
            wait(ns(1));
        }
        {
            const cached_pointer pointer(b);
            b.set_dmi_allowed(false);
            EXPECT_TRUE(pointer.taken_back()) << "no more DMI";
            tlm::tlm_dmi dmi;
            EXPECT_FALSE(ask(b, tlm::TLM_READ_COMMAND, b.base, dmi));
            auto read = reading(b.base, 4);
            b.send(read);
            EXPECT_FALSE(read.is_dmi_allowed());
            b.set_dmi_allowed(true);
        }
        {
            const cached_pointer pointer(b);
            b.invalidate_dmi();
            EXPECT_TRUE(pointer.taken_back()) << "on request";
        }
        const cached_pointer pointer(b); // granted again
        EXPECT_FALSE(pointer.taken_back());
    });
}

TEST_P(target_row, row_13_invalidation_during_outstanding_transactions)
{
    managed_payload read(tlm::TLM_READ_COMMAND, 0);
    run([&](target_bench& b) {
        phase_walker walker(*b.prober);
        read.set_address(b.base + 12);
        const cached_pointer pointer(b);
        walker.begin(read);
        EXPECT_FALSE(walker.done(read));
        b.set_dmi_allowed(false);
        EXPECT_TRUE(pointer.taken_back());
        walker.await(read);
        EXPECT_TRUE(read.is_response_ok());
        EXPECT_TRUE(std::equal(read.data.begin(), read.data.end(), model.bytes.begin() + 12));
    });
}

} // namespace
