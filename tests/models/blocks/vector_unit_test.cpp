// A vector unit over time: stops, several units, waveforms, watches of what it writes.
#include <gtest/gtest.h>
#include <algorithm>
#include <memory>
#include <string>
#include "models/blocks/vector_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using isa::error_code;
using isa::vector::event;
using isa::vector::opcode;
using isa::vector::vector_command;

class vector_unit_test : public sim_test {};

constexpr std::uint32_t length = 37;

blocks::vector_unit_config settings(blocks::fidelity fidelity, unsigned lanes = 4)
{
    blocks::vector_unit_config config;
    config.lanes = lanes;
    config.fidelity = fidelity;
    config.costs[isa::vector::instruction_index(opcode::add)] = {3, 2}; // depth, cycles per group
    return config;
}

vector_command sum_of_vectors()
{
    vector_command c;
    c.a.address = 0;
    c.b.address = 1024;
    c.result.address = 2048;
    c.length = length;
    return c;
}

// a[i] = 3 i, b[i] = i + 1, results -1.
void prepare(vector_bench& bench)
{
    for (std::int64_t i = 0; i < 64; ++i) {
        reinterpret_cast<std::int64_t*>(bench.pad().at(0))[i] = 3 * i;
        reinterpret_cast<std::int64_t*>(bench.pad().at(1024))[i] = i + 1;
        reinterpret_cast<std::int64_t*>(bench.pad().at(2048))[i] = -1;
    }
}
std::uint32_t results_in(vector_bench& bench)
{
    std::uint32_t n = 0;
    while (reinterpret_cast<const std::int64_t*>(bench.pad().at(2048))[n] == 4 * std::int64_t{n} + 1) { ++n; }
    for (std::uint32_t i = n; i < 64; ++i) {
        EXPECT_EQ(reinterpret_cast<const std::int64_t*>(bench.pad().at(2048))[i], -1) << "result " << i;
    }
    return n;
}

TEST_F(vector_unit_test, stop_leaves_the_results_that_were_due_whoever_watches)
{
    vector_bench fast("fast", settings(blocks::fidelity::fast), 64);
    vector_bench detailed("detailed", settings(blocks::fidelity::detailed), 64);
    vector_bench watched_fast("watched_fast", settings(blocks::fidelity::fast), 64);
    vector_bench watched_detailed("watched_detailed", settings(blocks::fidelity::detailed), 64);
    watched_fast.unit.watch();
    watched_detailed.unit.watch();
    constexpr std::uint64_t total = 10 * 2 + 3; // groups, cycles of each, depth
    bench_thread thread("thread", [&] {
        for (std::uint64_t half = 0; half <= 2 * total + 1; ++half) { // half periods until somebody asks
            for (auto* bench : {&fast, &detailed, &watched_fast, &watched_detailed}) {
                SCOPED_TRACE(std::to_string(half) + " " + bench->unit.name());
                prepare(*bench);
                bench->stop.request(sc_core::sc_time(static_cast<double>(half) * 0.5, sc_core::SC_NS));
                const auto start = sc_core::sc_time_stamp();
                const auto outcome = bench->unit.execute(opcode::add, sum_of_vectors());
                const std::uint64_t acts = half / 2 + 1; // the first boundary after the request
                const std::uint64_t cycles = std::min(acts, total);
                EXPECT_EQ(outcome.cycles(), cycles);
                EXPECT_EQ(sc_core::sc_time_stamp() - start,
                          sc_core::sc_time(static_cast<double>(cycles), sc_core::SC_NS));
                const bool complete = acts >= total;
                EXPECT_EQ(outcome.error, complete ? error_code::none : error_code::aborted);
                EXPECT_EQ(outcome.counts[event::vector_instruction], complete ? 1u : 0u);
                const std::uint64_t groups = cycles < 5 ? 0 : (cycles - 3) / 2;
                EXPECT_EQ(results_in(*bench), std::min<std::uint64_t>(length, 4 * groups));
                bench->stop.clear();
            }
        }
    });
    sc_core::sc_start();
    EXPECT_TRUE(thread.ended());
}

TEST_F(vector_unit_test, stop_from_before_does_nothing)
{
    vector_bench fast("fast", settings(blocks::fidelity::fast), 64);
    vector_bench detailed("detailed", settings(blocks::fidelity::detailed), 64);
    bench_thread thread("thread", [&] {
        for (auto* bench : {&fast, &detailed}) {
            prepare(*bench);
            bench->stop.request();
            sc_core::wait(1, sc_core::SC_NS);
            const auto outcome = bench->unit.execute(opcode::add, sum_of_vectors());
            EXPECT_EQ(outcome.error, error_code::aborted);
            EXPECT_EQ(outcome.cycles(), 0u);
            EXPECT_EQ(results_in(*bench), 0u);
        }
    });
    sc_core::sc_start();
    EXPECT_TRUE(thread.ended());
}

TEST_F(vector_unit_test, several_units_work_at_the_same_time)
{
    vector_bench wide("wide", settings(blocks::fidelity::fast, 16), 64);
    vector_bench narrow("narrow", settings(blocks::fidelity::detailed, 1), 64);
    std::uint64_t wide_cycles = 0, narrow_cycles = 0;
    const auto running = [](vector_bench& bench, std::uint64_t& cycles) {
        return [&bench, &cycles] {
            prepare(bench);
            const auto outcome = bench.unit.execute(opcode::add, sum_of_vectors());
            cycles = outcome.cycles();
            EXPECT_EQ(results_in(bench), length);
            EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(static_cast<double>(cycles), sc_core::SC_NS));
        };
    };
    bench_thread one("one", running(wide, wide_cycles));
    bench_thread other("other", running(narrow, narrow_cycles));
    sc_core::sc_start();
    EXPECT_TRUE(one.ended());
    EXPECT_TRUE(other.ended());
    EXPECT_EQ(wide_cycles, 3u * 2 + 3);
    EXPECT_EQ(narrow_cycles, 37u * 2 + 3);
}

TEST_F(vector_unit_test, waveform_follows_groups_in_both_fidelities)
{
    vector_bench fast("fast", settings(blocks::fidelity::fast), 64);
    vector_bench detailed("detailed", settings(blocks::fidelity::detailed), 64);
    std::vector<std::string> shown[2];
    std::vector<std::unique_ptr<bench_thread>> threads;
    unsigned which = 0;
    for (auto* bench : {&fast, &detailed}) {
        const auto& waveform = bench->unit.watch();
        const std::string name = bench == &fast ? "fast" : "detailed";
        threads.push_back(std::make_unique<bench_thread>((name + "_unit_thread").c_str(), [bench] {
            prepare(*bench);
            EXPECT_EQ(bench->unit.execute(opcode::add, sum_of_vectors()).cycles(), 23u);
            EXPECT_EQ(results_in(*bench), length);
        }));
        threads.push_back(
            std::make_unique<bench_thread>((name + "_watch_thread").c_str(), [&waveform, &list = shown[which]] {
                for (unsigned cycle = 0; cycle < 24; ++cycle) {
                    sc_core::wait(0.5, sc_core::SC_NS);
                    list.push_back(std::to_string(waveform.busy) + " " + std::to_string(waveform.opcode) + " " +
                                   std::to_string(waveform.group) + " " + std::to_string(waveform.results));
                    sc_core::wait(0.5, sc_core::SC_NS);
                }
            }));
        ++which;
    }
    sc_core::sc_start();
    for (unsigned cycle = 0; cycle < 23; ++cycle) {
        // Group g enters in cycles 2 g and 2 g + 1, and is written at the end of cycle 2 g + 1 + 3.
        const bool writes = cycle >= 4 && cycle % 2 == 0;
        const unsigned results = !writes ? 0 : cycle == 22 ? 1 : 4;
        const std::string expected = "1 48 " + std::to_string(std::min(cycle / 2, 9u)) + " " + std::to_string(results);
        EXPECT_EQ(shown[0].at(cycle), expected) << cycle;
        EXPECT_EQ(shown[1].at(cycle), expected) << cycle;
    }
    EXPECT_EQ(shown[0].at(23), "0 0 0 0");
    EXPECT_EQ(shown[1].at(23), "0 0 0 0");
}

// 64 lanes take four rows of 16 words at a time. A bank adds one word per cycle: rows of one index come one after the
// other, as do rows whose words lie in the same banks; four rows that lie side by side in the 64 banks do not wait.
TEST_F(vector_unit_test, rows_that_are_added_to_one_row_take_turns)
{
    blocks::vector_unit_config config;
    config.word = base::element_type::f32;
    vector_bench bench("bench", config, 64);
    bench_thread thread("thread", [&] {
        const struct {
            std::vector<float> rows;
            std::uint64_t conflicts;
        } cases[] = {{{0, 1, 2, 3, 7, 6, 5, 4}, 0}, {{0, 0, 0, 0, 1, 2, 3, 4}, 3}, {{0, 4, 8, 12, 1, 1, 2, 2}, 3 + 1}};
        for (const auto& [rows, conflicts] : cases) {
            std::memcpy(bench.pad().at(8192), rows.data(), 4 * rows.size());
            vector_command c;
            c.length = 8;
            c.block = 16;
            c.table = 20;
            c.b.address = 8192;
            c.result.address = 16384;
            const auto outcome = bench.unit.execute(opcode::scatter_add, c);
            EXPECT_EQ(cycles_of(outcome, "vector"), 2u + 4);
            EXPECT_EQ(cycles_of(outcome, "conflict"), conflicts);
            EXPECT_EQ(outcome.counts[event::lane_add], 128u);
            EXPECT_EQ(outcome.counts[event::scratchpad_read], 128u + 8 + 128);
            EXPECT_EQ(outcome.counts[event::scratchpad_write], 128u);
        }
    });
    sc_core::sc_start();
    EXPECT_TRUE(thread.ended());
}

TEST_F(vector_unit_test, rows_that_nothing_is_added_to_are_not_written)
{
    blocks::vector_unit_config config;
    config.word = base::element_type::f32;
    vector_bench bench("bench", config, 64);
    bench_thread thread("thread", [&] {
        memory::write_watch row[3];
        for (std::uint64_t i = 0; i < 3; ++i) {
            bench.pad().attach(row[i]);
            row[i].watch({2048 + 12 * i, 1, 12, 0});
        }
        const float rows[] = {2, 0, 2};
        std::memcpy(bench.pad().at(1024), rows, sizeof rows);
        vector_command c;
        c.length = c.block = c.table = 3;
        c.b.address = 1024;
        c.result.address = 2048;
        EXPECT_EQ(bench.unit.execute(opcode::scatter_add, c).error, error_code::none);
        EXPECT_TRUE(row[0].written());
        EXPECT_FALSE(row[1].written());
        EXPECT_TRUE(row[2].written());
    });
    sc_core::sc_start();
    EXPECT_TRUE(thread.ended());
}

TEST_F(vector_unit_test, writes_are_seen_by_those_who_watch_their_words)
{
    vector_bench bench("bench", settings(blocks::fidelity::fast), 64);
    bench_thread thread("thread", [&] {
        prepare(bench);
        memory::write_watch results, between;
        bench.pad().attach(results);
        bench.pad().attach(between);
        const auto watch = [&] {
            results.watch({2048 + 7 * 8, 1, 8, 0});
            between.watch({2048 + 6 * 8, 1, 8, 0});
        };
        watch();
        bench.unit.execute(opcode::add, sum_of_vectors());
        EXPECT_TRUE(results.written());
        EXPECT_TRUE(between.written());

        watch();
        vector_command scatter = sum_of_vectors(); // in place: words 3, 7, 11, ...
        scatter.a = scatter.result;
        scatter.block = 4;
        bench.unit.execute(opcode::scatter_last, scatter);
        EXPECT_TRUE(results.written());
        EXPECT_FALSE(between.written());

        watch();
        isa::vector::strided_command repl; // every other word
        repl.result = {2048 + 8, {0, 0, 2}, {}};
        repl.a = {0, {0, 0, 1}, {}};
        repl.size = repl.valid = {1, 1, 8};
        bench.unit.execute(repl);
        EXPECT_TRUE(results.written());
        EXPECT_FALSE(between.written());

        watch();
        repl.result = {2048 + 7 * 8, {-16, 8, 24}, {}}; // words 7 + 3 k - 2 i + j: down to 5, but not 6
        repl.size = repl.valid = {2, 1, 4};
        bench.unit.execute(repl);
        EXPECT_TRUE(results.written());
        EXPECT_FALSE(between.written());

        watch();
        vector_command gather = sum_of_vectors();
        gather.table = 2; // b has larger indices
        EXPECT_EQ(bench.unit.execute(opcode::gather_idx, gather).error, error_code::bad_index);
        EXPECT_FALSE(results.written());
    });
    sc_core::sc_start();
    EXPECT_TRUE(thread.ended());
}

} // namespace
