// Every device on a clock whose period changes between programs, and behind gated clocks and power.
#include <map>
#include "conformance/accelerator_row.h"

namespace tensorloom::test {
namespace {

using base::power_state;

/// Registers on 32 bits, both fidelities of each device.
class changing_clock : public accelerator_row {
protected:
    /// The memory answers at once, so that all time is that of the clock.
    accelerator_bench& add_quick(const std::string& name, blocks::fidelity fidelity, double period_ns,
                                 bus::dma_transport transport = bus::dma_transport::blocking)
    {
        accelerator_options options;
        options.fidelity = fidelity;
        options.clock_period = ns(period_ns);
        options.dma.transport = transport;
        auto& bench = add(name, options);
        bench.memory->latency = [] { return sc_core::SC_ZERO_TIME; };
        bench.memory->accept_delay = [] { return sc_core::SC_ZERO_TIME; };
        return bench;
    }
};

std::uint64_t time_of(const program_span& p) { return p.end_ps - p.start_ps; }

TEST_P(changing_clock, same_cycles_in_twice_the_time_as_of_a_device_of_that_period)
{
    for (const auto fidelity : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
        const std::string name = fidelity == blocks::fidelity::fast ? "fast" : "detailed";
        auto& changing = add_quick(name, fidelity, 1);
        changing.program = [](accelerator_bench& b) {
            for (const double period_ns : {1.0, 2.0, 1.0, 0.7}) {
                EXPECT_EQ(b.device->set_clock_period(ns(period_ns)), std::nullopt);
                b.run_job();
            }
        };
        add_quick(name + "_slow", fidelity, 2).program = [](accelerator_bench& b) { b.run_job(); };
        add_quick(name + "_odd", fidelity, 0.7).program = [](accelerator_bench& b) { b.run_job(); };
    }
    simulate();
    for (std::size_t first : {0u, 3u}) {
        const auto& changed = bench(first).programs;
        const auto& slow = bench(first + 1).programs;
        const auto& odd = bench(first + 2).programs;
        ASSERT_EQ(changed.size(), 4u);
        const std::uint64_t periods[] = {1000, 2000, 1000, 700};
        for (std::size_t p = 0; p < 4; ++p) {
            EXPECT_EQ(changed[p].cycles, changed[0].cycles) << p;
            EXPECT_EQ(changed[p].period_ps, periods[p]) << p;
            EXPECT_EQ(time_of(changed[p]), changed[0].cycles * periods[p]) << p;
        }
        EXPECT_EQ(slow.at(0).cycles, changed[0].cycles);
        EXPECT_EQ(time_of(slow[0]), time_of(changed[1]));
        EXPECT_EQ(odd.at(0).cycles, changed[0].cycles);
        EXPECT_EQ(time_of(odd[0]), time_of(changed[3]));
    }
    EXPECT_EQ(bench(0).programs[0].cycles, bench(3).programs[0].cycles);
}

// A memory with a latency in ns takes fewer cycles of a slower clock: those of a device that has always been so slow.
TEST_P(changing_clock, is_that_of_a_device_of_that_period_before_a_memory_of_its_own_time)
{
    for (const auto transport : {bus::dma_transport::blocking, bus::dma_transport::non_blocking}) {
        accelerator_options options;
        options.dma.transport = transport;
        options.dma.timeout_cycles = transport == bus::dma_transport::non_blocking ? 500 : 0;
        const std::string name = transport == bus::dma_transport::blocking ? "lt" : "at";
        add(name, options).program = [](accelerator_bench& b) {
            b.run_job();
            EXPECT_EQ(b.device->set_clock_period(ns(3)), std::nullopt);
            b.run_job();
        };
        options.clock_period = ns(3);
        add(name + "_slow", options).program = [](accelerator_bench& b) { b.run_job(); };
    }
    simulate();
    for (std::size_t first : {0u, 2u}) {
        EXPECT_EQ(bench(first).programs.at(1).cycles, bench(first + 1).programs.at(0).cycles);
        EXPECT_EQ(time_of(bench(first).programs[1]), time_of(bench(first + 1).programs[0]));
        EXPECT_LT(bench(first).programs[1].cycles, bench(first).programs[0].cycles);
    }
}

TEST_P(changing_clock, gates_hold_a_start_and_power_takes_the_contents)
{
    for (const auto fidelity : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
        auto& one = add_quick(fidelity == blocks::fidelity::fast ? "fast" : "detailed", fidelity, 1);
        one.program = [](accelerator_bench& b) {
            const auto contents = [&b] {
                std::vector<std::vector<unsigned char>> all;
                for (const auto& memory : b.device->debug_memories()) {
                    all.emplace_back(memory.bytes);
                    memory.read(0, all.back().data(), memory.bytes);
                }
                return all;
            };
            const auto empty = contents();
            const auto cycles = b.run_job().cycles;
            const auto full = contents();
            EXPECT_EQ(b.device->set_clock_period(sc_core::SC_ZERO_TIME), std::nullopt);
            b.clear_output();
            b.start();
            sc_core::wait(ns(5000));
            EXPECT_TRUE(b.device->busy());
            EXPECT_EQ(b.programs.size(), 1u);
            EXPECT_EQ(b.device->set_clock_period(ns(2)), std::nullopt);
            EXPECT_EQ(b.finish().cycles, cycles);
            EXPECT_TRUE(b.output() == b.job.expected_output);
            EXPECT_TRUE(contents() == full);

            EXPECT_EQ(b.device->power_off(), std::nullopt);
            sc_core::wait(ns(70));
            b.device->power_on();
            EXPECT_TRUE(contents() == empty);
            EXPECT_EQ(b.run_job().cycles, cycles);
            const auto spent = b.device->residency();
            EXPECT_EQ(spent.total_ps(),
                      static_cast<std::uint64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_PS)));
            EXPECT_GE(spent.in(power_state::clock_gated), 5'000'000u);
            EXPECT_EQ(spent.in(power_state::power_gated), 70'000u);
        };
    }
    simulate();
}

INSTANTIATE_TEST_SUITE_P(, changing_clock, ::testing::ValuesIn(all_banks()),
                         [](const auto& p) { return name_of(p.param); });

} // namespace
} // namespace tensorloom::test
