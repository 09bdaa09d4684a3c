// Rows 10 and 11 on memories and routers: life of payloads, extensions.
#include <array>
#include "conformance/phases_row.h"
#include "conformance/traffic.h"

namespace {

using namespace tensorloom::test;

/// An extension that no module of the library knows; counts how many there are.
template <int KIND> struct foreign : tlm::tlm_extension<foreign<KIND>> {
    static int alive;
    int value = KIND;
    foreign() { ++alive; }
    foreign(const foreign&) = delete;
    ~foreign() override { --alive; }
    tlm::tlm_extension_base* clone() const override { return new foreign; }
    void copy_from(const tlm::tlm_extension_base&) override {}
};
template <int KIND> int foreign<KIND>::alive = 0;

TEST_P(target_row, row_10_every_payload_comes_back_once)
{
    // the checklist's 100000 at one width; the body of the code is the same at the others
    const unsigned count = GetParam().width == 32 ? 100'000 : 5'000;
    target_options options;
    options.with_queue = true;
    build(options);
    auto& queue = *bench().queue;
    queue.requests = random_requests(bench(), 10, count, 0, target_bench::bytes);
    for (auto& r : queue.requests) { r.not_before = ns(1); } // after the preload
    end_responses_in_turn(queue);
    run([](target_bench&) {});
    EXPECT_EQ(queue.pool.taken, count);
    expect_answers_as_in_model(bench(), model);
    for (auto* checker : bench().checkers) { EXPECT_EQ(checker->live(), 0u); }
}

TEST_P(target_row, row_10_blocking_calls_with_and_without_memory_manager)
{
    counting_manager manager;
    run([&](target_bench& b) {
        for (int i = 0; i < 100; ++i) {
            auto plain = writing(b.base + 4 * static_cast<unsigned>(i), {1, 2, 3, static_cast<unsigned char>(i)});
            expect_as_in_model(plain, "no manager");
            EXPECT_FALSE(plain.has_mm());
            EXPECT_EQ(plain.get_ref_count(), 0);

            auto managed = reading(b.base + 4 * static_cast<unsigned>(i), 4);
            managed.set_mm(&manager);
            managed.acquire();
            managed.set_auto_extension(new foreign<0>);
            expect_as_in_model(managed, "manager");
            EXPECT_EQ(managed.get_ref_count(), 1);
            EXPECT_EQ(foreign<0>::alive, 1);
            managed.release();
            EXPECT_EQ(manager.freed, static_cast<unsigned>(i) + 1);
            managed.reset(); // as a pool does
            EXPECT_EQ(foreign<0>::alive, 0);
            managed.set_mm(nullptr);
        }
    });
}

TEST_P(target_row, row_11_foreign_extensions_pass_untouched)
{
    std::array<managed_payload, 2> managed;
    foreign<1> one;
    foreign<2> two;
    foreign<3> three;
    const auto give = [&](tlm::tlm_generic_payload& t) {
        t.set_extension(&one);
        t.set_extension(&two);
        t.set_extension(&three);
    };
    const auto expect_and_take = [&](tlm::tlm_generic_payload& t, const char* what) {
        EXPECT_EQ(t.get_extension<foreign<1>>(), &one) << what;
        EXPECT_EQ(t.get_extension<foreign<2>>(), &two) << what;
        EXPECT_EQ(t.get_extension<foreign<3>>(), &three) << what;
        EXPECT_EQ(one.value + two.value + three.value, 6) << what;
        t.clear_extension(&one);
        t.clear_extension(&two);
        t.clear_extension(&three);
    };
    run([&](target_bench& b) {
        // the same access without and with extensions, in every interface
        for (auto command : {tlm::TLM_READ_COMMAND, tlm::TLM_WRITE_COMMAND}) {
            for (bool extended : {false, true}) {
                payload t(command, b.base + 0x100, pattern(16, 11));
                if (extended) { give(t); }
                expect_as_in_model(t, "b_transport");
                if (extended) { expect_and_take(t, "b_transport"); }

                payload debug(command, b.base + 0x100, pattern(16, 11));
                if (extended) { give(debug); }
                EXPECT_EQ(b.target().transport_dbg(debug), 16u);
                if (extended) { expect_and_take(debug, "transport_dbg"); }

                payload direct(command, b.base + 0x100, pattern(16, 11));
                tlm::tlm_dmi dmi;
                if (extended) { give(direct); }
                EXPECT_TRUE(b.target().get_direct_mem_ptr(direct, dmi));
                if (extended) { expect_and_take(direct, "get_direct_mem_ptr"); }
            }
        }
        phase_walker walker(*b.prober);
        for (auto& t : managed) {
            t.set_address(b.base + 0x100);
            give(t);
            walker.begin(t);
            walker.await(t);
            EXPECT_TRUE(t.is_response_ok());
            expect_and_take(t, "nb_transport");
        }
        EXPECT_EQ(managed[0].data, managed[1].data);
    });
}

} // namespace
