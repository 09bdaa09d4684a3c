#include <tensorloom/models/activity/program_log.h>

#include <stdexcept>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "small_device.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::activity;
using namespace tensorloom::activity::test;
using ::testing::ElementsAre;
using ::testing::Pair;

TEST(program_log, keeps_what_the_device_says)
{
    small_device d;
    d.start();
    d.record("fetch", "fetch", 0, 0, 12);
    d.record("compute", "stage_1", 3, 7, 3, {1, 64, 8});
    d.finish();
    ASSERT_EQ(d.log.records().size(), 2u);
    const auto& r = d.log.records()[1];
    EXPECT_EQ(r.cause, "compute");
    EXPECT_EQ(r.phase, "stage_1");
    EXPECT_EQ(r.command, 3u);
    EXPECT_EQ(r.id, 7u);
    EXPECT_EQ(r.detail, 107u);
    EXPECT_EQ(r.start_cycle, 12u);
    EXPECT_EQ(r.cycles, 3u);
    EXPECT_EQ(r.end_cycle(), 15u);
    const auto* counts = d.log.counts(1, 0);
    EXPECT_THAT(std::vector<std::uint64_t>(counts, counts + 3), ElementsAre(1, 64, 8));
    EXPECT_EQ(d.log.cycles(), 15u);
}

TEST(program_log, copies_names_and_counts)
{
    small_device d;
    d.start();
    {
        std::string cause = "fetch", phase = "first part of it, too long for a short string";
        std::array<std::uint64_t, 3> counts{1, 2, 3};
        d.log.log("top.device", bus::log_record(cause.c_str(), phase.c_str()).during(0, 1).with_counts(counts.data()));
        cause = "xxxxx";
        phase.assign(phase.size(), 'x');
        counts.fill(9);
    }
    for (int i = 0; i < 100; ++i) { d.record(("cause " + std::to_string(i)).c_str(), "p", 0, 0, 1); }
    EXPECT_EQ(d.log.records()[0].cause, "fetch");
    EXPECT_EQ(d.log.records()[0].phase, "first part of it, too long for a short string");
    EXPECT_EQ(d.log.counts(0, 0)[2], 3u);
}

TEST(program_log, the_device_is_module_0_wherever_it_attached)
{
    small_device d;
    ASSERT_EQ(d.log.modules().size(), 2u);
    EXPECT_EQ(d.log.device(), "top.device");
    EXPECT_EQ(d.log.modules()[0].object, "top.device");
    EXPECT_EQ(d.log.modules()[0].events.events, device_events.events);
    EXPECT_EQ(d.log.modules()[1].object, "top.memory");
    EXPECT_EQ(d.log.modules()[1].events.events, memory_events.events);
}

TEST(program_log, growth_of_other_modules_belongs_to_the_record_that_it_precedes)
{
    small_device d;
    d.memory_accesses = 1000; // before the start: nobody's
    d.start();
    d.record("fetch", "fetch", 0, 0, 1, {}, 5);
    d.record("load", "load", 0, 0, 1, {}, 0);
    d.record("unload", "unload", 0, 0, 1, {}, 7);
    d.finish();
    ASSERT_EQ(d.log.records().size(), 3u);
    EXPECT_EQ(d.log.counts(0, 1)[0], 5u);
    EXPECT_EQ(d.log.counts(1, 1)[0], 0u);
    EXPECT_EQ(d.log.counts(2, 1)[0], 7u);
    EXPECT_THAT(d.log.total_counts(1), ElementsAre(12));
}

TEST(program_log, growth_after_the_last_record_is_a_record_of_its_own_without_cycles)
{
    small_device d;
    d.start();
    d.record("fetch", "fetch", 2, 0, 10, {1, 1, 1}, 5);
    d.memory_accesses += 3;
    d.finish();
    ASSERT_EQ(d.log.records().size(), 2u);
    const auto& last = d.log.records()[1];
    EXPECT_EQ(last.cause, "other");
    EXPECT_EQ(last.phase, "other");
    EXPECT_EQ(last.command, 2u);
    EXPECT_EQ(last.start_cycle, 10u);
    EXPECT_EQ(last.cycles, 0u);
    EXPECT_EQ(d.log.counts(1, 0)[0], 0u);
    EXPECT_EQ(d.log.counts(1, 1)[0], 3u);
}

TEST(program_log, cycles_after_the_last_record_are_other_so_that_causes_sum_to_the_total)
{
    small_device d;
    d.start();
    d.record("fetch", "fetch", 0, 0, 10);
    d.log.finished("top.device", 16);
    EXPECT_THAT(d.log.cycles_by_cause(), ElementsAre(Pair("fetch", 10), Pair("other", 6)));
    EXPECT_EQ(d.log.cycles(), 16u);
}

TEST(program_log, nothing_left_over_makes_no_record)
{
    small_device d;
    d.run(4);
    EXPECT_NE(d.log.records().back().cause, "other");
}

TEST(program_log, a_program_without_records_is_all_other)
{
    small_device d;
    d.start();
    d.log.finished("top.device", 5);
    EXPECT_THAT(d.log.cycles_by_cause(), ElementsAre(Pair("other", 5)));
}

TEST(program_log, totals_and_causes_in_order_of_appearance)
{
    small_device d;
    d.run(4);
    EXPECT_THAT(d.log.total_counts(0), ElementsAre(16, 4 * (4 * 64 + 6), 16 * 8 + 2 * 4));
    EXPECT_THAT(d.log.total_counts(1), ElementsAre(5 + 2 * 64 + 2 * 65));
    EXPECT_THAT(d.log.cycles_by_cause(),
                ElementsAre(Pair("fetch", 12), Pair("load", 80), Pair("compute", 48), Pair("unload", 82)));
    EXPECT_EQ(d.log.cycles(), 12u + 80 + 48 + 82);
}

TEST(program_log, a_new_start_forgets_the_program_before)
{
    small_device d;
    d.run(4);
    d.memory_accesses += 50; // between programs: nobody's
    d.start();
    d.record("fetch", "fetch", 0, 0, 2, {}, 1);
    d.finish();
    ASSERT_EQ(d.log.records().size(), 1u);
    EXPECT_EQ(d.log.cycles(), 2u);
    EXPECT_THAT(d.log.total_counts(0), ElementsAre(0, 0, 0));
    EXPECT_THAT(d.log.total_counts(1), ElementsAre(1));
}

TEST(program_log, what_other_devices_do_is_ignored)
{
    small_device d;
    const std::array<std::uint64_t, 3> counts{9, 9, 9};
    d.log.log("top.other", bus::log_record("compute").during(0, 3).with_counts(counts.data())); // not even started
    d.start();
    d.log.started("top.other", 0);
    d.log.log("top.other", bus::log_record("compute").during(0, 3).with_counts(counts.data()));
    d.record("fetch", "fetch", 0, 0, 2);
    d.log.finished("top.other", 900);
    d.finish();
    EXPECT_EQ(d.log.records().size(), 1u);
    EXPECT_EQ(d.log.cycles(), 2u);
}

TEST(program_log, another_device_that_counts_from_0_again_adds_what_it_counts)
{
    small_device d;
    d.memory_accesses = 70;
    d.start();
    d.record("fetch", "fetch", 0, 0, 2, {}, 5);
    d.memory_accesses = 0;
    d.record("load", "load", 0, 0, 2, {}, 4);
    EXPECT_EQ(d.log.counts(1, 1)[0], 4u);
}

TEST(program_log, misuse_is_a_logic_error)
{
    small_device d;
    EXPECT_THROW(d.log.attach("top.memory", memory_events, &d.memory_accesses), std::logic_error);
    EXPECT_THROW(d.log.attach("top.device", device_events, d.device_total.data()), std::logic_error);
    EXPECT_THROW(d.record("fetch", "fetch", 0, 0, 1), std::logic_error);
    EXPECT_THROW(d.finish(), std::logic_error);
    d.start();
    EXPECT_THROW(d.log.attach("top.late", memory_events, &d.memory_accesses), std::logic_error);
    program_log lonely("top.device");
    EXPECT_THROW(lonely.started("top.device", 0), std::logic_error);
}

TEST(program_log, an_excerpt_has_the_wanted_records_and_nothing_else)
{
    small_device d;
    d.log.keep_only([](const tensorloom::bus::log_record& record) { return record.id == 1; });
    EXPECT_EQ(d.log.begin_cycle(), 0u);
    d.start();
    d.record("fetch", "fetch", 0, 0, 12, {}, 5);
    for (std::uint32_t turn = 0; turn < 3; ++turn) {
        d.record("load", "load", 1, turn, 40, {0, 0, 3}, 64);
        d.record("compute", "compute", 2, turn, 3, {1, 10 + turn, 8});
    }
    d.memory_accesses += 7;
    d.now += 9;
    d.finish();
    ASSERT_EQ(d.log.records().size(), 2u);
    EXPECT_EQ(d.log.records()[0].start_cycle, 12u + 43);
    EXPECT_EQ(d.log.begin_cycle(), 12u + 43);
    EXPECT_EQ(d.log.cycles(), 12u + 2 * 43);
    EXPECT_THAT(d.log.cycles_by_cause(), ElementsAre(Pair("load", 40), Pair("compute", 3)));
    EXPECT_THAT(d.log.total_counts(0), ElementsAre(1, 11, 11));
    EXPECT_THAT(d.log.total_counts(1),
                ElementsAre(64)); // what was counted during other records is not put down to these
}

TEST(program_log, totals_alone_add_up_to_the_same_as_every_record)
{
    small_device every;
    small_device totals{log_detail::totals};
    for (auto* d : {&every, &totals}) {
        d->start();
        d->record("fetch", "fetch", 0, 0, 12);
        for (std::uint32_t step = 0; step < 5; ++step) {
            d->record("compute", "stage_1", 0, step, 3, {1, 10 + step, 8});
        }
        d->record("compute", "stage_2", 0, 0, 3, {1, 7, 8});
        d->record("fetch", "fetch", 1, 0, 2);
        d->finish();
    }
    EXPECT_EQ(every.log.records().size(), 8u);
    EXPECT_EQ(totals.log.records().size(), 3u);
    EXPECT_EQ(totals.log.cycles(), every.log.cycles());
    EXPECT_EQ(totals.log.cycles_by_cause(), every.log.cycles_by_cause());
    for (std::size_t module = 0; module < 2; ++module) {
        EXPECT_EQ(totals.log.total_counts(module), every.log.total_counts(module));
    }
}

} // namespace
