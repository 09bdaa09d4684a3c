// The memory behind a socket of every width: the same answers and the same time, and clean traffic.
#include <type_traits>
#include <gmock/gmock.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/protocol_checker.h>
#include "support/sim_test.h"
#include "tlm/at_initiator.h"
#include "tlm/payload.h"
#include "tlm/thread_initiator.h"

namespace tensorloom::test {
namespace {

template <unsigned WIDTH> struct sram_bench {
    explicit sram_bench(typename thread_initiator<WIDTH>::program_type program)
        : cpu("cpu", std::move(program)), checker("checker"), memory("memory", settings())
    {
        cpu.out.bind(checker.in);
        checker.out.bind(memory.in);
    }
    static memory::sram_config settings()
    {
        memory::sram_config c;
        c.bytes = 4096;
        return c;
    }
    thread_initiator<WIDTH> cpu;
    bus::protocol_checker<WIDTH> checker;
    memory::sram<WIDTH> memory;
};

template <class Width> class sram_width_test : public sim_test {};
using widths = testing::Types<std::integral_constant<unsigned, 32>, std::integral_constant<unsigned, 64>,
                              std::integral_constant<unsigned, 128>, std::integral_constant<unsigned, 256>,
                              std::integral_constant<unsigned, 512>>;
TYPED_TEST_SUITE(sram_width_test, widths);

TYPED_TEST(sram_width_test, data_and_time_do_not_depend_on_the_width)
{
    sram_bench<TypeParam::value> bench([](auto& cpu) {
        std::vector<unsigned char> data(1000);
        for (std::size_t i = 0; i < data.size(); ++i) { data[i] = static_cast<unsigned char>(i * 3 + 1); }
        auto w = writing(5, data);
        EXPECT_EQ(cpu.send(w), ns(2 + 16));
        sc_core::wait(ns(2 + 16));
        auto r = reading(5, 1000);
        EXPECT_EQ(cpu.send(r), ns(2 + 16));
        EXPECT_EQ(r.data, data);
        auto outside = reading(4095, 2);
        cpu.send(outside);
        EXPECT_EQ(outside.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.cpu.finished());
    EXPECT_EQ(bench.checker.violations(), 0u);
}

TYPED_TEST(sram_width_test, non_blocking_transactions_are_answered_in_their_time)
{
    memory::sram<TypeParam::value> memory("memory", sram_bench<TypeParam::value>::settings());
    at_initiator<TypeParam::value> cpu("cpu");
    cpu.out.bind(memory.in);
    std::vector<unsigned char> data(128);
    for (std::size_t i = 0; i < data.size(); ++i) { data[i] = static_cast<unsigned char>(255 - i); }
    cpu.requests.push_back({tlm::TLM_WRITE_COMMAND, 5, data, {}, {}});
    cpu.requests.push_back({tlm::TLM_READ_COMMAND, 5, std::vector<unsigned char>(128), {}, {}});
    sc_core::sc_start();
    ASSERT_TRUE(cpu.finished());
    EXPECT_EQ(cpu.answers.at(1).data, data);
    EXPECT_EQ(cpu.answers.at(0).begin_response, ns(2 + 2));
    EXPECT_EQ(cpu.answers.at(1).begin_response, ns(2 + 2 + 2)); // its beats follow those of the first
    EXPECT_THAT(cpu.errors, testing::IsEmpty());
}

TYPED_TEST(sram_width_test, debug_works_before_the_simulation_starts)
{
    sram_bench<TypeParam::value> bench({});
    bench.cpu.before_start = [](auto& cpu) {
        auto w = writing(10, {1, 2, 3});
        EXPECT_EQ(cpu.out->transport_dbg(w), 3u);
        auto r = reading(10, 3);
        EXPECT_EQ(cpu.out->transport_dbg(r), 3u);
        EXPECT_EQ(r.data, w.data);
    };
    sc_core::sc_start();
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
}

TYPED_TEST(sram_width_test, two_memories_share_nothing)
{
    sram_bench<TypeParam::value> first([](auto& cpu) {
        auto w = writing(0, {42});
        cpu.send(w);
    });
    thread_initiator<TypeParam::value> cpu("other_cpu", [](auto& self) {
        auto r = reading(0, 1);
        self.send(r);
        EXPECT_EQ(r.data[0], 0); // its own memory: nothing is shared between instances
    });
    memory::sram<TypeParam::value> other("other_memory", first.settings());
    cpu.out.bind(other.in);
    sc_core::sc_start();
    EXPECT_TRUE(cpu.finished());
}

} // namespace
} // namespace tensorloom::test
