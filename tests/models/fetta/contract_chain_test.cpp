// How many cycles a CONTRACT takes in a chain, each of which reads the result of the one before: straight-line and in a
// LOOP, with the program in a DRAM and in an SRAM, fetched whole first or while it runs.
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include "models/fetta/contract_chain.h"
#include "models/fetta/fetta_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using arithmetic::bfloat16;

constexpr std::uint32_t products = 100;
constexpr std::uint32_t one_alone = 13; // cycles: P + P-1 + log2 N + 1 to fill and drain, and a step

// How long a program took, and which cycles were what.
struct chain_run {
    std::uint64_t cycles = 0;
    fetta_outcome outcome;
};

// The device with its defaults (512 bits, 1 GHz) beside this memory.
chain_run run_chain(const fetta::config& config, bool dram, const std::vector<std::uint8_t>& program)
{
    testbench::platform_config settings;
    settings.memory.bytes = fetta_bench::memory_bytes;
    if (dram) { settings.dram.emplace(); } // LPDDR4-3200
    chain_run run;
    activity::program_log log("platform.device");
    testbench::testbed_platform<fetta::traits> platform(
        "platform", config, settings,
        [&](bus::host_thread& cpu) {
            fetta::driver driver(cpu, testbench::device_base);
            run.outcome.result = driver.run(program, testbench::memory_base, fetta_bench::timeout_ns);
        },
        &log);
    sc_core::sc_start();
    platform.cpu.rethrow();
    EXPECT_TRUE(run.outcome.result.done);
    run.cycles = run.outcome.result.cycles;
    run.outcome.rows = rows_of<fetta::counts>(log);
    EXPECT_EQ(run.outcome.logged_cycles(), run.cycles);
    return run;
}

struct chain_case {
    const char* name;
    bool dram;
    bool in_loop;
    std::uint32_t prefetch;     // bytes
    std::uint64_t cycles;       // of the program
    std::uint64_t fetch_cycles; // of these, what it waited for its commands
};
void PrintTo(const chain_case& c, std::ostream* out) { *out << c.name; }

class contract_chain_test : public sim_test_with_param<chain_case> {};

TEST_P(contract_chain_test, takes_the_cycles_that_the_page_says)
{
    const auto& c = GetParam();
    fetta::config config;
    config.program_prefetch = c.prefetch;
    const auto program =
        c.in_loop ? contract_chain_in_loop(config.limits, products) : contract_chain_in_line(config.limits, products);
    const auto run = run_chain(config, c.dram, program.bytes());
    EXPECT_EQ(run.cycles, c.cycles);
    EXPECT_EQ(run.outcome.cycles_of("fetch"), c.fetch_cycles);
    EXPECT_LE(run.cycles, 43u * products);
    EXPECT_EQ(run.outcome.cycles_of("conflict"), 0u);
    EXPECT_GE(run.cycles, one_alone * products);
    // One after the other: the engines' cycles, but for those that the program has used otherwise.
    std::uint64_t busy = 0;
    for (const char* cause : {"fill", "compute"}) { busy += run.outcome.cycles_of(cause); }
    EXPECT_LE(busy, one_alone * products);
}

INSTANTIATE_TEST_SUITE_P(chains, contract_chain_test,
                         ::testing::Values(chain_case{"dram_line", true, false, 0, 2920, 1620},
                                           chain_case{"dram_loop", true, true, 0, 1393, 93},
                                           chain_case{"sram_line", false, false, 0, 1934, 634},
                                           chain_case{"sram_loop", false, true, 0, 1322, 22},
                                           chain_case{"dram_line_prefetched", true, false, 65536, 1740, 583},
                                           chain_case{"dram_loop_prefetched", true, true, 65536, 1380, 93},
                                           chain_case{"sram_line_prefetched", false, false, 65536, 1316, 42},
                                           chain_case{"dram_line_in_pieces_of_4_KiB", true, false, 4096, 1932, 943}),
                         [](const auto& tested) { return std::string(tested.param.name); });

// LOADs hold the fetching of what is behind them up, and pieces hold the LOADs up.
struct loads_case {
    std::uint32_t prefetch;
    std::uint64_t cycles;
};

void PrintTo(const loads_case& c, std::ostream* out) { *out << c.prefetch << " bytes"; }

class chain_behind_loads : public sim_test_with_param<loads_case> {};

TEST_P(chain_behind_loads, takes_the_cycles_that_the_page_says)
{
    fetta::config config;
    config.program_prefetch = GetParam().prefetch;
    constexpr std::uint64_t x = testbench::memory_base + (1u << 20), w = x + 4096;
    constexpr std::uint32_t words = 8; // 32 bytes
    fetta_program program(config.limits);
    program.load(x, 0, words).load(w, contract_chain::element_of_w / 2, words);
    for (std::uint32_t i = 0; i < products; ++i) {
        program.contract(contract_chain::product(config.limits, contract_chain::elements_of_x[(i + 1) % 2],
                                                 contract_chain::elements_of_x[i % 2]));
    }
    EXPECT_EQ(run_chain(config, true, program.bytes()).cycles, GetParam().cycles);
}
INSTANTIATE_TEST_SUITE_P(pieces, chain_behind_loads,
                         ::testing::Values(loads_case{0, 3061}, loads_case{4096, 2103}, loads_case{16384, 2125},
                                           loads_case{65536, 3061}),
                         [](const auto& tested) { return "of_" + std::to_string(tested.param.prefetch) + "_bytes"; });

// What a result is, the next product reads: X W W ... W, with W that turns rows round.
class contract_chain_values : public sim_test {};

TEST_F(contract_chain_values, each_product_reads_the_result_of_the_one_before_in_both_fidelities)
{
    constexpr std::uint32_t count = 6;
    std::vector<bfloat16> x, w;
    for (int i = 0; i < 16; ++i) {
        x.push_back(bfloat16(static_cast<float>(i + 1)));
        w.push_back(bfloat16(i % 4 == (i / 4 + 1) % 4 ? 1.0f : 0.0f)); // column k + 1 gets column k
    }
    struct {
        fetta_program (*program)(const fetta::device_limits&, std::uint32_t);
        std::uint32_t result; // element
    } const chains[] = {{contract_chain_in_line, 0},
                        {contract_chain_in_loop, 0},
                        {contract_chain_that_advances, count * contract_chain::advance}};
    std::vector<std::unique_ptr<fetta_bench>> benches;
    for (const auto fidelity : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
        for (const auto& chain : chains) {
            for (const std::uint32_t prefetch : {0u, 256u}) {
                fetta::config config;
                config.fidelity = fidelity;
                config.program_prefetch = prefetch;
                const std::string name = "bench" + std::to_string(benches.size());
                benches.push_back(std::make_unique<fetta_bench>(name, config, [=](fetta_bench& b) {
                    const auto g = config.limits;
                    b.cpu().preload(fetta_bench::data_at, x.data(), 32);
                    b.cpu().preload(fetta_bench::data_at + 32, w.data(), 32);
                    const auto move = [&](isa::opcode code, std::uint64_t at, std::uint32_t element) {
                        isa::transfer_command t;
                        t.tensor = isa::dense_descriptor(at, base::element_type::bf16, {16});
                        t.local = 2 * element;
                        return fetta_program(g).add(code, t.encode());
                    };
                    for (const auto& p :
                         {move(isa::opcode::load, fetta_bench::data_at, 0),
                          move(isa::opcode::load, fetta_bench::data_at + 32, contract_chain::element_of_w),
                          chain.program(g, count), move(isa::opcode::store, fetta_bench::data_at + 64, chain.result)}) {
                        EXPECT_TRUE(b.run(p.bytes()).result.done);
                    }
                    const auto stored = b.read(fetta_bench::data_at + 64, 32);
                    for (std::size_t i = 0; i < 16; ++i) {
                        const std::size_t from = i / 4 * 4 + (i + 4 - count % 4) % 4;
                        bfloat16 found;
                        std::memcpy(&found, stored.data() + 2 * i, 2);
                        EXPECT_EQ(static_cast<float>(found), static_cast<float>(x[from])) << i;
                    }
                }));
            }
        }
    }
    sc_core::sc_start();
    for (const auto& b : benches) { EXPECT_TRUE(b->finished()); }
}

} // namespace
