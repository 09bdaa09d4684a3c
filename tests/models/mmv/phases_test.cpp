// What a device logs: phases by mnemonic, cycles by cause, events with the work of their unit.
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include "models/mmv/mmv_bench.h"
#include "models/mmv/mmv_program.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using isa::vector::opcode;
using mmv::event;

class phases_test : public sim_test {
protected:
    static constexpr std::uint32_t x = 0, r = 0x1000, z = 0x2000, y = 0x3000;

    static mmv::config device()
    {
        mmv::config c;
        c.side = 4;
        c.scratchpad_bytes = 1u << 16;
        c.lanes = 8;
        return c;
    }
    static mmv_outcome run(const mmv::config& config, const mmv_program& program)
    {
        mmv_outcome outcome;
        mmv_bench bench("bench", config, [&](mmv_bench& b) { outcome = b.run(program.bytes()); });
        sc_core::sc_start();
        EXPECT_TRUE(bench.finished());
        EXPECT_TRUE(outcome.result.done);
        return outcome;
    }
    static std::map<std::string, std::uint64_t> causes(const mmv_outcome& o)
    {
        std::map<std::string, std::uint64_t> sums;
        for (const auto& row : o.rows) { sums[row.cause] += row.cycles; }
        sums.erase("fetch");
        sums.erase("other");
        return sums;
    }
    using cycles = std::map<std::string, std::uint64_t>;
};

TEST_F(phases_test, call_with_new_weights_and_call_with_the_same)
{
    const auto o = run(device(), mmv_program(mmv::limits_of(device())).matmul(z, x, r, 24).matmul(z, x, r, 22));
    // 6 rows each; 2 s - 2 to drain; s to load the weights, once
    EXPECT_EQ(causes(o), (cycles{{"weights", 4}, {"compute", 12}, {"drain", 12}}));
    EXPECT_EQ(o.counts[event::weight_load], 1u);
    EXPECT_EQ(o.counts[event::matmul_call], 2u);
}

TEST_F(phases_test, narrow_ports_and_a_call_latency_have_causes_of_their_own)
{
    mmv::config config = device();
    config.in_words = 2;
    config.out_words = 1;
    config.call_latency = 7;
    config.pipeline_depth = 3;
    const auto o = run(config, mmv_program(mmv::limits_of(config)).matmul(z, x, r, 24));
    // weights: 16 words by 2; stream: 6 rows of 4 words out by 1
    EXPECT_EQ(causes(o), (cycles{{"weights", 8}, {"compute", 6}, {"port", 18}, {"drain", 14}, {"latency", 7}}));
}

TEST_F(phases_test, vector_and_scalar_instructions)
{
    const auto o = run(device(), mmv_program(mmv::limits_of(device())).vector(opcode::add, z, x, y, 33).charge(50));
    // ceil(33 / 8) groups and a depth of 2
    EXPECT_EQ(causes(o), (cycles{{"vector", 7}, {"scalar", 50}}));
}

TEST_F(phases_test, end_of_a_loop_takes_a_cycle_each_time)
{
    const auto o = run(device(), mmv_program(mmv::limits_of(device())).loop(5).charge(2).end());
    EXPECT_EQ(causes(o), (cycles{{"scalar", 10}, {"control", 5}}));
}

TEST_F(phases_test, rows_are_named_by_instruction_and_events_stand_with_the_work)
{
    const auto o =
        run(device(), mmv_program(mmv::limits_of(device())).matmul(z, x, r, 8).vector(opcode::is_zero, y, x, 0, 8));
    std::vector<std::pair<std::string, std::string>> named;
    for (const auto& row : o.rows) {
        if (row.phase == "matmul" || row.phase == "is_zero") { named.emplace_back(row.phase, row.cause); }
        EXPECT_EQ(row.counts[event::mac], row.cause == "compute" ? 2u * 16 : 0u) << row.cause;
        EXPECT_EQ(row.counts[event::lane_logic], row.phase == "is_zero" ? 8u : 0u) << row.phase;
    }
    EXPECT_EQ(named, (decltype(named){
                         {"matmul", "weights"}, {"matmul", "compute"}, {"matmul", "drain"}, {"is_zero", "vector"}}));
}

TEST_F(phases_test, program_starts_with_no_weights_and_with_the_scratchpad_of_the_one_before)
{
    const std::vector<std::int64_t> numbers{5, 6, 7, 8};
    const auto limits = mmv::limits_of(device());
    std::vector<std::uint64_t> loads;
    std::vector<std::int64_t> stored(4), after_reset(4, -1);
    mmv_bench bench("bench", device(), [&](mmv_bench& b) {
        b.cpu().preload(mmv_bench::data_at, numbers.data(), 32);
        for (unsigned i = 0; i < 2; ++i) {
            loads.push_back(b.run(mmv_program(limits).load(mmv_bench::data_at, y, 4).matmul(z, x, r, 4).bytes())
                                .counts[event::weight_load]);
        }
        b.run(mmv_program(limits).store(y, mmv_bench::data_at + 64, 4).bytes());
        b.cpu().read_block(mmv_bench::data_at + 64, stored.data(), 32);
        b.driver().reset();
        b.run(mmv_program(limits).store(y, mmv_bench::data_at + 64, 4).bytes());
        b.cpu().read_block(mmv_bench::data_at + 64, after_reset.data(), 32);
    });
    sc_core::sc_start();
    ASSERT_TRUE(bench.finished());
    EXPECT_EQ(loads, (std::vector<std::uint64_t>{1, 1}));
    EXPECT_EQ(stored, numbers);
    EXPECT_EQ(after_reset, std::vector<std::int64_t>(4, 0));
}

TEST_F(phases_test, transfers_count_words_and_take_the_port_of_few_banks)
{
    const auto limits = mmv::limits_of(device());
    mmv::config narrow = device();
    narrow.banks = 1;
    std::vector<mmv_outcome> wide_runs, narrow_runs;
    const auto loading = [&limits](std::vector<mmv_outcome>& runs) {
        return [&limits, &runs](mmv_bench& b) {
            runs.push_back(b.run(mmv_program(limits).load(mmv_bench::data_at, y, 500).bytes()));
            runs.push_back(b.run(mmv_program(limits).store(y, mmv_bench::data_at, 500).bytes()));
        };
    };
    mmv_bench a("wide", device(), loading(wide_runs));
    mmv_bench b("narrow", narrow, loading(narrow_runs));
    sc_core::sc_start();
    ASSERT_TRUE(a.finished() && b.finished());
    EXPECT_EQ(wide_runs[0].counts[event::scratchpad_write], 500u);
    EXPECT_EQ(wide_runs[1].counts[event::scratchpad_read], 500u);
    EXPECT_LT(wide_runs[0].cycles_of("load"), 200u);
    EXPECT_EQ(narrow_runs[0].cycles_of("load"), 500u);
    EXPECT_EQ(narrow_runs[1].cycles_of("store"), 500u);
}

TEST_F(phases_test, units_overlap_where_operands_allow_it)
{
    mmv::config config = device();
    const auto limits = mmv::limits_of(config);
    const auto sum_of_others = mmv_program(limits).matmul(z, x, r, 400).vector(opcode::add, y, y, y, 800).bytes();
    const auto sum_of_results = mmv_program(limits).matmul(z, x, r, 400).vector(opcode::add, z, z, z, 400).bytes();
    mmv_outcome one_by_one, beside, behind;
    mmv_bench a("sequential", config, [&](mmv_bench& b) { one_by_one = b.run(sum_of_others); });
    config.overlap = true;
    mmv_bench c("overlap", config, [&](mmv_bench& b) {
        beside = b.run(sum_of_others);
        behind = b.run(sum_of_results);
    });
    sc_core::sc_start();
    ASSERT_TRUE(a.finished() && c.finished());
    // The MATMUL takes 4 + 100 + 6 cycles, the addition 100 + 2.
    EXPECT_EQ(beside.result.cycles + 102, one_by_one.result.cycles);
    EXPECT_EQ(beside.counts[event::overlapped_cycle], 102u);
    EXPECT_EQ(behind.counts[event::overlapped_cycle], 0u);
    EXPECT_EQ(beside.logged_cycles(), beside.result.cycles);
}

} // namespace
