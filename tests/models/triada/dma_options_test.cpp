// However the DMA is set: the same bits and counts; and a bus that refuses is told, and forgotten by the next job.
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <gtest/gtest.h>
#include "models/triada/triada_bench.h"
#include "models/triada/random_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using bus::dma_transport;

struct options_case {
    const char* name;
    dma_transport transport;
    unsigned outstanding;
    bool use_dmi;
    unsigned burst_bytes;
    unsigned ports = 1;
};
void PrintTo(const options_case& c, std::ostream* out) { *out << c.name; }

class dma_options_test : public sim_test_with_param<options_case> {
protected:
    static triada::config settings(const options_case& c)
    {
        triada::config config;
        config.mesh = {7, 8, 9};
        config.burst_bytes = c.burst_bytes;
        config.dma_ports = c.ports;
        config.dma.transport = c.transport;
        config.dma.outstanding = c.outstanding;
        config.dma.use_dmi = c.use_dmi ? bus::dmi_use::on : bus::dmi_use::off;
        return config;
    }
    static gemt_case<double> some_case()
    {
        case_maker maker(11);
        auto g = maker.make<double>({7, 8, 9}, case_maker::specials::none);
        g.shape = {7, 8, 9};
        g.x = maker.numbers<double>(g.volume(), case_maker::specials::none);
        g.initial = g.x;
        for (unsigned m = 0; m < 3; ++m) {
            g.matrices[m] = maker.numbers<double>(std::size_t{g.shape[m]} * g.shape[m], case_maker::specials::none);
            g.row_orders[m] = maker.permutation(g.shape[m]);
        }
        return g;
    }
    // What the DMA engine of a bench counted in its last job.
    static std::uint64_t dma_count(triada_bench& b, bus::dma_event e)
    {
        const auto& modules = b.log().modules();
        for (std::size_t m = 0; m < modules.size(); ++m) {
            if (modules[m].events.events == bus::dma_event_definitions) {
                return b.log().total_counts(m)[static_cast<std::size_t>(e)];
            }
        }
        ADD_FAILURE() << "the DMA engine is not in the log";
        return 0;
    }
    // All but the cycles in which the memory port waited for the DMA.
    static triada::counts without_port_cycles(triada::counts counts)
    {
        for (auto e : {triada::event::load_cycle, triada::event::unload_cycle}) {
            EXPECT_GT(counts[e], 0u);
            counts[e] = 0;
        }
        return counts;
    }
    // Cycles of the rows that the DMA has no part in.
    static std::uint64_t compute_cycles(const std::vector<triada_row>& rows)
    {
        std::uint64_t cycles = 0;
        for (const auto& r : rows) { cycles += r.cause == "compute" ? r.cycles : 0; }
        return cycles;
    }
};

TEST_P(dma_options_test, bits_and_counts_are_those_of_the_oracle_and_of_plain_settings)
{
    const auto g = some_case();
    gemt_outcome<double> plain;
    gemt_outcome<double> tested;
    triada::config usual;
    usual.mesh = {7, 8, 9};
    triada_bench a("plain", usual, [&](triada_bench& b) { plain = b.run(g); });
    triada_bench t("tested", settings(GetParam()), [&](triada_bench& b) { tested = b.run(g); });
    run_to_end(a, t);
    EXPECT_TRUE(tested.result.done);
    EXPECT_TRUE(same_bits(tested.y, oracle_result(g)));
    EXPECT_EQ(without_port_cycles(tested.counts), without_port_cycles(plain.counts));
    EXPECT_EQ(compute_cycles(tested.rows), compute_cycles(plain.rows));
    for (auto e : {bus::dma_event::read_byte, bus::dma_event::write_byte}) {
        EXPECT_EQ(dma_count(t, e), dma_count(a, e));
        EXPECT_GT(dma_count(t, e), 0u);
    }
    EXPECT_EQ(dma_count(t, bus::dma_event::dmi_byte),
              GetParam().use_dmi ? dma_count(t, bus::dma_event::read_byte) + dma_count(t, bus::dma_event::write_byte)
                                 : 0);
}

TEST_P(dma_options_test, refused_transactions_are_told_and_the_next_job_is_as_on_a_fresh_device)
{
    const auto g = some_case();
    const std::uint64_t past_the_memory = testbench::memory_base + triada_bench::memory_bytes;
    gemt_outcome<double> fresh;
    gemt_outcome<double> next;
    const auto run = [](triada_bench& b, const triada::gemt_command& command, std::uint64_t program_at) {
        triada::driver driver(b.cpu(), testbench::device_base);
        const auto program = triada::driver::program({command});
        b.cpu().write_block(triada_bench::program_at, program.data(), program.size());
        driver.start(program_at);
        return driver.finish(triada_bench::timeout_ns);
    };
    const auto expect_check_error = [](const isa::program_result& r, std::uint64_t address) {
        EXPECT_FALSE(r.done);
        EXPECT_EQ(r.error, isa::error_code::bus_error);
        EXPECT_EQ(r.error_response, isa::bus_response::address_error);
        EXPECT_EQ(r.error_address, address);
    };
    triada_bench f("fresh", settings(GetParam()), [&](triada_bench& b) { fresh = b.run(g); });
    triada_bench t("tested", settings(GetParam()), [&](triada_bench& b) {
        const auto good = b.place(g);
        expect_check_error(run(b, good, past_the_memory), past_the_memory);
        auto bad = good;
        bad.x.base = past_the_memory - 1024; // the tensor goes on behind the memory's end
        expect_check_error(run(b, bad, triada_bench::program_at), past_the_memory);
        bad = good;
        bad.y.base = past_the_memory - 512;
        expect_check_error(run(b, bad, triada_bench::program_at), past_the_memory);
        next = b.run(g);
    });
    run_to_end(f, t);
    EXPECT_TRUE(next.result.done);
    EXPECT_EQ(next.result.cycles, fresh.result.cycles);
    EXPECT_EQ(next.counts, fresh.counts);
    EXPECT_TRUE(same_bits(next.y, fresh.y));
}

INSTANTIATE_TEST_SUITE_P(
    settings, dma_options_test,
    ::testing::Values(options_case{"plain", dma_transport::blocking, 1, false, 4096},
                      options_case{"words", dma_transport::blocking, 1, false, 4},
                      options_case{"blocking_8", dma_transport::blocking, 8, false, 64},
                      options_case{"non_blocking", dma_transport::non_blocking, 1, false, 64},
                      options_case{"non_blocking_8", dma_transport::non_blocking, 8, false, 64},
                      options_case{"direct", dma_transport::blocking, 1, true, 256},
                      options_case{"direct_non_blocking_8", dma_transport::non_blocking, 8, true, 64},
                      options_case{"ports_2", dma_transport::blocking, 8, false, 4096, 2},
                      options_case{"ports_3_words", dma_transport::blocking, 1, false, 4, 3},
                      options_case{"ports_16", dma_transport::blocking, 4, false, 64, 16},
                      options_case{"ports_16_non_blocking", dma_transport::non_blocking, 4, false, 64, 16},
                      options_case{"ports_5_direct", dma_transport::blocking, 8, true, 256, 5},
                      options_case{"ports_2_direct_non_blocking", dma_transport::non_blocking, 8, true, 64, 2}),
    [](const auto& tested) { return std::string(tested.param.name); });

class overlap_test : public sim_test {};

TEST_F(overlap_test, more_bursts_in_flight_take_fewer_cycles)
{
    std::map<unsigned, std::uint64_t> cycles;
    case_maker maker(3);
    const auto g = maker.make<double>({8, 8, 8}, case_maker::specials::none);
    std::vector<std::unique_ptr<triada_bench>> benches;
    for (unsigned outstanding : {1u, 2u, 8u}) {
        triada::config config;
        config.mesh = {8, 8, 8};
        config.burst_bytes = 64;
        config.dma.outstanding = outstanding;
        benches.push_back(std::make_unique<triada_bench>(
            "outstanding_" + std::to_string(outstanding), config,
            [&cycles, &g, outstanding](triada_bench& b) { cycles[outstanding] = b.run(g).result.cycles; }));
    }
    sc_core::sc_start();
    for (const auto& b : benches) { ASSERT_TRUE(b->finished()); }
    EXPECT_LT(cycles[2], cycles[1]);
    EXPECT_LT(cycles[8], cycles[2]);
}

} // namespace
