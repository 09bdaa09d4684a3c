// Joins sockets of different widths: payloads and answers pass as they are.
#include <gmock/gmock.h>
#include <tensorloom/tlm/width_adapter.h>
#include "support/sim_test.h"
#include "tlm/at_initiator.h"
#include "tlm/at_responder.h"
#include "tlm/byte_target.h"
#include "tlm/payload.h"
#include "tlm/thread_initiator.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;

template <unsigned IN, unsigned OUT> struct adapted_pair {
    explicit adapted_pair(typename thread_initiator<IN>::program_type program)
        : cpu("cpu", std::move(program)), adapter("adapter"), target("target", 256)
    {
        cpu.out.bind(adapter.in);
        adapter.out.bind(target.in);
        for (unsigned i = 0; i < 256; ++i) { target.bytes[i] = static_cast<unsigned char>(i); }
    }
    thread_initiator<IN> cpu;
    bus::width_adapter<IN, OUT> adapter;
    byte_target<OUT> target;
};

template <class Widths> class width_adapter_test : public sim_test {};
template <unsigned IN, unsigned OUT> struct widths {
    static constexpr unsigned in = IN;
    static constexpr unsigned out = OUT;
};
using all_widths = testing::Types<widths<32, 512>, widths<512, 32>, widths<64, 128>, widths<256, 32>, widths<32, 32>>;
TYPED_TEST_SUITE(width_adapter_test, all_widths);

TYPED_TEST(width_adapter_test, passes_transactions_whole_and_without_time)
{
    adapted_pair<TypeParam::in, TypeParam::out> bench([](auto& cpu) {
        auto p = reading(3, 100);
        const auto before = fixed_fields(p);
        EXPECT_EQ(cpu.send(p), ns(7));
        EXPECT_EQ(fixed_fields(p), before);
        EXPECT_EQ(p.data[99], 102);
    });
    bench.target.annotated = ns(7);
    sc_core::sc_start();
    EXPECT_TRUE(bench.cpu.finished());
    ASSERT_EQ(bench.target.log.size(), 1u);
    EXPECT_EQ(bench.target.log[0].length, 100u);
}

TYPED_TEST(width_adapter_test, passes_errors)
{
    adapted_pair<TypeParam::in, TypeParam::out> bench([](auto& cpu) {
        auto p = reading(255, 2);
        cpu.send(p);
        EXPECT_EQ(p.get_response_status(), tlm::TLM_ADDRESS_ERROR_RESPONSE);
    });
    sc_core::sc_start();
}

TYPED_TEST(width_adapter_test, passes_debug_dmi_and_invalidation)
{
    adapted_pair<TypeParam::in, TypeParam::out> bench([](auto& cpu) {
        auto p = writing(8, {5, 6});
        EXPECT_EQ(cpu.out->transport_dbg(p), 2u);
        tlm::tlm_dmi dmi;
        EXPECT_TRUE(cpu.out->get_direct_mem_ptr(p, dmi));
        EXPECT_EQ(dmi.get_end_address(), 99u);
    });
    bench.target.grants_dmi = true;
    bench.target.dmi.set_end_address(99);
    sc_core::sc_start();
    EXPECT_EQ(bench.target.bytes[9], 6);
    bench.target.in->invalidate_direct_mem_ptr(1, 2);
    EXPECT_THAT(bench.cpu.invalidations(), ElementsAre(testing::Pair(1, 2)));
}

TYPED_TEST(width_adapter_test, passes_phases_both_ways)
{
    at_initiator<TypeParam::in> cpu("cpu");
    bus::width_adapter<TypeParam::in, TypeParam::out> adapter("adapter");
    at_responder<TypeParam::out> target("target", 256);
    cpu.out.bind(adapter.in);
    adapter.out.bind(target.in);
    target.style = [] { return phase_style::four; };
    target.bytes[9] = 42;
    cpu.how = [] { return at_initiator<TypeParam::in>::ends_response::by_call; };
    cpu.read(9, 1);
    cpu.read(9, 1);
    sc_core::sc_start();
    EXPECT_EQ(cpu.answers.at(1).data, std::vector<unsigned char>{42});
    EXPECT_EQ(cpu.answers.at(0).end_request, ns(1));
    EXPECT_EQ(cpu.answers.at(0).begin_response, ns(11));
    EXPECT_EQ(cpu.pool.freed, 2u);
}

} // namespace
} // namespace tensorloom::test
