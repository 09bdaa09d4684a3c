// Blocking transport through the router.
#include <gmock/gmock.h>
#include "support/sim_test.h"
#include "tlm/router_bench.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using host = router_bench::initiator;

class router_test : public sim_test {};

TEST_F(router_test, relative_range_gives_addresses_from_zero)
{
    router_bench bench([](host& cpu) {
        auto p = reading(0x1ffe, 2);
        cpu.send(p);
        EXPECT_TRUE(p.is_response_ok());
        EXPECT_THAT(p.data, ElementsAre(0xfe, 0xff));
    });
    sc_core::sc_start();
    EXPECT_THAT(bench.near.addresses(), ElementsAre(0xffe));
}

TEST_F(router_test, absolute_range_keeps_addresses)
{
    router_bench bench([](host& cpu) {
        auto p = reading(UINT64_MAX - 1, 2);
        cpu.send(p);
        EXPECT_TRUE(p.is_response_ok());
        EXPECT_THAT(p.data, ElementsAre(0x01, 0x00));
    });
    sc_core::sc_start();
    EXPECT_THAT(bench.far.addresses(), ElementsAre(UINT64_MAX - 1));
}

TEST_F(router_test, address_is_restored)
{
    router_bench bench([](host& cpu) {
        auto p = writing(0x1010, {1, 2, 3});
        const auto before = fixed_fields(p);
        cpu.send(p);
        EXPECT_EQ(fixed_fields(p), before);
    });
    sc_core::sc_start();
}

TEST_F(router_test, address_is_restored_after_an_error)
{
    router_bench bench([](host& cpu) {
        auto p = writing(0x1010, {1, 2, 3});
        cpu.send(p);
        EXPECT_EQ(p.get_response_status(), tlm::TLM_BURST_ERROR_RESPONSE);
        EXPECT_EQ(p.get_address(), 0x1010u);
    });
    bench.near.intercept = [](tlm::tlm_generic_payload& t, sc_core::sc_time&) {
        t.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    };
    sc_core::sc_start();
}

TEST_F(router_test, unmapped_addresses_are_address_errors)
{
    router_bench bench([](host& cpu) {
        for (std::uint64_t a :
             {std::uint64_t{0}, router_bench::near_at - 1, router_bench::near_at + 0x1000, router_bench::far_at - 1}) {
            auto p = reading(a, 1);
            p.set_response_status(tlm::TLM_OK_RESPONSE);
            cpu.send(p);
            EXPECT_EQ(p.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE) << a;
        }
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.near.log.empty() && bench.far.log.empty());
}

TEST_F(router_test, transaction_that_leaves_its_range_is_an_address_error)
{
    router_bench bench([](host& cpu) {
        auto p = reading(0x1ffd, 4);
        cpu.send(p);
        EXPECT_EQ(p.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
        EXPECT_EQ(p.data, std::vector<unsigned char>(4, untouched));
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.near.log.empty());
}

TEST_F(router_test, transaction_that_wraps_round_2_to_the_64_is_an_address_error)
{
    router_bench bench([](host& cpu) {
        auto p = reading(UINT64_MAX - 2, 4);
        cpu.send(p);
        EXPECT_EQ(p.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.far.log.empty());
}

TEST_F(router_test, transaction_of_the_whole_range_passes)
{
    router_bench bench([](host& cpu) {
        auto p = reading(router_bench::far_at, 4096);
        cpu.send(p);
        EXPECT_TRUE(p.is_response_ok());
    });
    sc_core::sc_start();
}

TEST_F(router_test, latency_is_added_to_what_the_target_annotates)
{
    router_bench bench([](host& cpu) {
        auto p = reading(0x1000, 4);
        sc_core::sc_time delay = ns(10);
        cpu.out->b_transport(p, delay);
        EXPECT_EQ(delay, ns(17));
    });
    bench.near.annotated = ns(5);
    sc_core::sc_start();
    EXPECT_EQ(bench.near.log.at(0).time, ns(12)); // the request arrives after the router
}

TEST_F(router_test, transactions_bytes_and_unmapped_ones_are_counted)
{
    router_bench bench([](host& cpu) {
        auto a = reading(0x1000, 4);
        auto b = reading(router_bench::far_at, 16);
        auto c = reading(0, 8);
        cpu.send(a);
        cpu.send(b);
        cpu.send(c);
    });
    sc_core::sc_start();
    EXPECT_EQ(bench.activity.object, "router");
    EXPECT_THAT(std::vector<std::uint64_t>(bench.activity.counts, bench.activity.counts + 3), ElementsAre(2, 20, 1));
}

TEST_F(router_test, initiators_get_their_own_answers)
{
    // Both are in the same target at once: it waits inside.
    const auto program = [](std::uint64_t from) {
        return [from](host& cpu) {
            for (std::uint64_t i = 0; i < 50; ++i) {
                auto p = reading(from + 3 * i, 2);
                cpu.send(p);
                EXPECT_TRUE(p.is_response_ok());
                EXPECT_EQ(p.get_address(), from + 3 * i);
                EXPECT_EQ(p.data[0], static_cast<unsigned char>(from - 0x1000 + 3 * i));
            }
        };
    };
    router_bench bench(program(0x1000), program(0x1100));
    bench.near.intercept = [](tlm::tlm_generic_payload&, sc_core::sc_time&) { sc_core::wait(ns(3)); };
    sc_core::sc_start();
    EXPECT_TRUE(bench.cpu.finished() && bench.other.finished());
    EXPECT_EQ(sc_core::sc_time_stamp(), ns(150)); // side by side
}

TEST_F(router_test, overlapping_ranges_are_an_elaboration_error)
{
    expected_report report("/tensorloom/router/map");
    router_bench bench({});
    EXPECT_THROW(bench.router.map(0x1fff, 0x2fff, 1), sc_core::sc_report);
}

TEST_F(router_test, range_of_a_target_that_is_not_bound_is_an_elaboration_error)
{
    expected_report report("/tensorloom/router/map");
    router_bench bench({});
    bench.router.map(0x9000, 0x9fff, 2);
    EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
}

TEST_F(router_test, ignore_command_without_data_passes)
{
    router_bench bench([](host& cpu) {
        payload p(tlm::TLM_IGNORE_COMMAND, 0x1004, {});
        cpu.send(p);
        EXPECT_TRUE(p.is_response_ok());
    });
    sc_core::sc_start();
    EXPECT_EQ(bench.near.log.at(0).command, tlm::TLM_IGNORE_COMMAND);
}

} // namespace
} // namespace tensorloom::test
