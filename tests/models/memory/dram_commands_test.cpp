// The commands of the timing model, replayed by a checker that knows the data sheet and nothing of the model.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "models/memory/dram_log_checker.h"
#include "models/memory/dram_traffic.h"

namespace tensorloom::test {
namespace {

using costs::dram_event;
using costs::dram_page;
using costs::dram_refresh;
using kind = memory::dram_command_kind;

struct variant {
    const char* name;
    dram_page page = dram_page::open;
    dram_refresh refresh = dram_refresh::all_bank;
    const char* mapping = "row:bank:column:channel";
    unsigned interleave = 64;
    unsigned queue = 16;
};
costs::dram_config config_of(const variant& v)
{
    auto c = shipped_dram();
    c.controller = {v.page, v.refresh, v.queue, v.mapping, v.interleave};
    return c;
}

/// Runs random traffic; what the checker says.
std::optional<std::string> first_violation(const costs::dram_config& config, const lpddr4_rules& rules,
                                           std::size_t accesses = 3000)
{
    for (unsigned seed = 1; seed <= 3; ++seed) {
        memory::dram_controller dram(config);
        dram_log_checker checker(rules);
        dram.log_to([&](const memory::dram_command& c) { checker.add(c); });
        for (const auto& a : random_traffic(seed, accesses, config.organisation.bytes())) {
            dram.access(a.address, a.bytes, a.write, a.arrival);
        }
        if (auto found = checker.violation()) { return found; }
    }
    return std::nullopt;
}

class dram_commands : public testing::TestWithParam<variant> {};
INSTANTIATE_TEST_SUITE_P(
    variants, dram_commands,
    testing::Values(variant{"shipped"}, variant{"closed", dram_page::closed},
                    variant{"no_refresh", dram_page::open, dram_refresh::off},
                    variant{"bank_refresh", dram_page::open, dram_refresh::per_bank},
                    variant{"closed_bank_refresh", dram_page::closed, dram_refresh::per_bank},
                    variant{"banks_first", dram_page::closed, dram_refresh::all_bank, "row:column:bank:channel", 32},
                    variant{"channels_last", dram_page::open, dram_refresh::per_bank, "channel:bank:row:column", 2048},
                    variant{"queue_of_one", dram_page::open, dram_refresh::all_bank, "row:bank:column:channel", 64, 1},
                    variant{"long_queue", dram_page::open, dram_refresh::per_bank, "row:column:channel:bank", 32, 64}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(dram_commands, keep_every_distance) { EXPECT_EQ(first_violation(config_of(GetParam()), {}), std::nullopt); }

TEST_P(dram_commands, read_and_write_each_burst_of_an_access_once)
{
    const auto config = config_of(GetParam());
    memory::dram_controller dram(config);
    std::vector<memory::dram_command> columns;
    dram.log_to([&](const memory::dram_command& c) {
        if (c.kind == kind::read || c.kind == kind::write) { columns.push_back(c); }
    });
    const costs::dram_mapping mapping(config);
    for (const auto& a : random_traffic(7, 500, config.organisation.bytes())) {
        columns.clear();
        dram.access(a.address, a.bytes, a.write, a.arrival);
        std::vector<std::uint64_t> found, expected;
        for (const auto& c : columns) {
            EXPECT_EQ(c.kind == kind::write, a.write);
            found.push_back(mapping.address({c.channel, c.bank, c.row, c.column}));
        }
        for (std::uint64_t b = a.address / 32 * 32; b < a.address + a.bytes; b += 32) { expected.push_back(b); }
        ASSERT_THAT(found, testing::UnorderedElementsAreArray(expected));
    }
}

TEST_P(dram_commands, are_what_the_counters_count)
{
    const auto config = config_of(GetParam());
    memory::dram_controller dram(config);
    std::map<kind, std::uint64_t> commands;
    std::vector<std::vector<memory::dram_command>> logs(config.organisation.channels);
    dram.log_to([&](const memory::dram_command& c) {
        ++commands[c.kind];
        logs[c.channel].push_back(c);
    });
    std::uint64_t done = 0;
    for (const auto& a : random_traffic(5, 3000, config.organisation.bytes())) {
        done = std::max(done, dram.access(a.address, a.bytes, a.write, a.arrival));
    }
    done += 100; // automatic precharges lie behind the data
    dram.settle(done);
    const auto& counts = dram.counts();
    EXPECT_EQ(counts[dram_event::activate], commands[kind::activate]);
    EXPECT_EQ(counts[dram_event::read_burst], commands[kind::read]);
    EXPECT_EQ(counts[dram_event::write_burst], commands[kind::write]);
    EXPECT_EQ(counts[dram_event::refresh], commands[kind::refresh]);
    EXPECT_EQ(counts[dram_event::bank_refresh], commands[kind::bank_refresh]);
    EXPECT_EQ(counts[dram_event::row_hit] + counts[dram_event::row_miss] + counts[dram_event::row_conflict],
              commands[kind::read] + commands[kind::write]);
    EXPECT_EQ(counts[dram_event::row_miss] + counts[dram_event::row_conflict], commands[kind::activate]);
    EXPECT_EQ(counts[dram_event::data_cycle], 8 * (commands[kind::read] + commands[kind::write]));
    EXPECT_EQ(counts[dram_event::late_burst], 0u);

    // In the order of time: banks closed, directions turned, time with a row open.
    std::uint64_t closed = 0, to_write = 0, to_read = 0, active = 0;
    for (auto& log : logs) {
        std::stable_sort(log.begin(), log.end(), [](const auto& a, const auto& b) { return a.tick < b.tick; });
        std::uint64_t banks = 0, since = 0;
        std::optional<kind> last;
        for (const auto& c : log) {
            if (c.kind == kind::activate && banks++ == 0) { since = c.tick; }
            const std::uint64_t closing = c.kind == kind::precharge ? 1 : c.kind == kind::precharge_all ? banks : 0;
            closed += closing;
            banks -= closing;
            if (closing > 0 && banks == 0) { active += c.tick - since; }
            if (c.kind != kind::read && c.kind != kind::write) { continue; }
            if (last && *last != c.kind) { ++(c.kind == kind::write ? to_write : to_read); }
            last = c.kind;
        }
        if (banks > 0) { active += done - since; }
    }
    EXPECT_EQ(counts[dram_event::precharge], closed);
    EXPECT_EQ(counts[dram_event::read_to_write], to_write);
    EXPECT_EQ(counts[dram_event::write_to_read], to_read);
    EXPECT_EQ(counts[dram_event::active_cycle], active);
}

TEST_P(dram_commands, same_traffic_gives_the_same_commands)
{
    const auto config = config_of(GetParam());
    std::vector<std::uint64_t> ticks[2];
    for (auto& run : ticks) {
        memory::dram_controller dram(config);
        dram.log_to([&](const memory::dram_command& c) { run.push_back(c.tick); });
        for (const auto& a : random_traffic(3, 500, config.organisation.bytes())) {
            run.push_back(dram.access(a.address, a.bytes, a.write, a.arrival));
        }
    }
    EXPECT_EQ(ticks[0], ticks[1]);
}

// A model that is one tick too quick in one respect is found: so the traffic meets every distance, and the checker sees
// it.
struct distance {
    const char* name;
    unsigned costs::dram_timing::*of_model;
    int lpddr4_rules::*of_checker;
};
class dram_distance : public testing::TestWithParam<distance> {};
INSTANTIATE_TEST_SUITE_P(timing, dram_distance,
                         testing::Values(distance{"tRCD", &costs::dram_timing::tRCD, &lpddr4_rules::tRCD},
                                         distance{"tRPpb", &costs::dram_timing::tRPpb, &lpddr4_rules::tRPpb},
                                         distance{"tRPab", &costs::dram_timing::tRPab, &lpddr4_rules::tRPab},
                                         distance{"tRAS", &costs::dram_timing::tRAS, &lpddr4_rules::tRAS},
                                         distance{"tRCpb", &costs::dram_timing::tRCpb, &lpddr4_rules::tRCpb},
                                         distance{"tCCD", &costs::dram_timing::tCCD, &lpddr4_rules::tCCD},
                                         distance{"tRRD", &costs::dram_timing::tRRD, &lpddr4_rules::tRRD},
                                         distance{"tFAW", &costs::dram_timing::tFAW, &lpddr4_rules::tFAW},
                                         distance{"tRTP", &costs::dram_timing::tRTP, &lpddr4_rules::tRTP},
                                         distance{"tWR", &costs::dram_timing::tWR, &lpddr4_rules::tWR},
                                         distance{"tWTR", &costs::dram_timing::tWTR, &lpddr4_rules::tWTR},
                                         distance{"tWPRE", &costs::dram_timing::tWPRE, &lpddr4_rules::tWPRE},
                                         distance{"RL", &costs::dram_timing::RL, &lpddr4_rules::RL},
                                         distance{"tDQSCK", &costs::dram_timing::tDQSCK, &lpddr4_rules::tDQSCK},
                                         distance{"tDQSS", &costs::dram_timing::tDQSS, &lpddr4_rules::tDQSS},
                                         distance{"tRFCab", &costs::dram_timing::tRFCab, &lpddr4_rules::tRFCab},
                                         distance{"tRFCpb", &costs::dram_timing::tRFCpb, &lpddr4_rules::tRFCpb}),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(dram_distance, one_tick_short_is_found)
{
    // Distances that others hide at the shipped values are stretched for both sides.
    auto config = shipped_dram();
    lpddr4_rules rules;
    config.timing.tRCpb = 110;
    rules.tRCpb = 110;
    config.timing.tCCD = 9;
    rules.tCCD = 9;
    config.timing.tFAW = 80;
    rules.tFAW = 80;
    if (GetParam().of_model == &costs::dram_timing::tRPpb) { rules.tRCpb = static_cast<int>(config.timing.tRCpb = 90); }
    if (GetParam().of_model == &costs::dram_timing::tRFCpb) { config.controller.refresh = dram_refresh::per_bank; }
    ASSERT_EQ(first_violation(config, rules), std::nullopt);
    config.timing.*GetParam().of_model -= 1;
    EXPECT_NE(first_violation(config, rules), std::nullopt);
}

class shipped_dram_commands : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(parts, shipped_dram_commands, testing::ValuesIn(costs::shipped_dram_names()),
                         [](const auto& tested) { return part_in_test_name(tested.param); });

TEST_P(shipped_dram_commands, keep_every_distance_of_their_file)
{
    auto config = costs::load_dram(GetParam());
    EXPECT_EQ(first_violation(config, rules_of(config)), std::nullopt);
    config.controller.page = dram_page::closed;
    EXPECT_EQ(first_violation(config, rules_of(config)), std::nullopt);
    auto rules = rules_of(config);
    ++rules.tRCD;
    EXPECT_NE(first_violation(config, rules), std::nullopt) << "the checker sees one tick";
}

TEST(dram_command_bus_test, commands_that_take_longer_are_spread)
{
    auto config = shipped_dram();
    config.command = {5, 3, 6, 7};
    lpddr4_rules rules;
    EXPECT_NE(first_violation(config,
                              [&] {
                                  auto r = rules;
                                  r.column_cycles = 7;
                                  return r;
                              }()),
              std::nullopt);
    rules.activate_cycles = 5;
    rules.precharge_cycles = 3;
    rules.column_cycles = 6;
    rules.refresh_cycles = 7;
    EXPECT_EQ(first_violation(config, rules), std::nullopt);
}

} // namespace
} // namespace tensorloom::test
