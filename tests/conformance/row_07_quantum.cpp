// Row 7: temporal decoupling. A host and a TriADA device on a platform whose sockets are all behind checkers.
#include <map>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/isa/program/register_map.h>
#include <tensorloom/models/triada/isa/driver.h>
#include <tensorloom/models/triada/device.h>
#include "conformance/conforming_device.h"
#include "platform/system/testbed_platform.h"
#include "platform/triada/triada_testbed.h"
#include "support/sim_test.h"
#include "tlm/payload.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using bus::dma_transport;
using sc_core::sc_time;
namespace reg = isa::reg;

constexpr std::uint64_t timeout_ns = 100'000'000;

struct decoupling {
    const char* name;
    sc_time quantum;
    dma_transport transport;
};
std::ostream& operator<<(std::ostream& out, const decoupling& d) { return out << d.name; }

/// The platform with the small job in its memory, and what the device reports.
class quantum_row : public sim_test_with_param<decoupling>, public bus::activity_sink {
protected:
    void run(bus::host_thread::program_type program)
    {
        testbench::platform_config settings;
        settings.memory.bytes = 1u << 16;
        settings.protocol_checkers = true;
        triada::config config;
        config.mesh = {5, 5, 5};
        config.burst_bytes = 64;
        config.dma.transport = GetParam().transport;
        config.dma.outstanding = 2;
        m_platform = std::make_unique<platform>(
            "platform", config, settings,
            [this, program = std::move(program)](bus::host_thread& host) {
                for (const auto& [at, bytes] : job.data) { host.preload(at, bytes.data(), bytes.size()); }
                program(host);
            },
            this);
        sc_core::sc_start();
        ASSERT_TRUE(m_platform->cpu.finished());
        m_platform.reset();
    }
    bus::host_thread& host() { return m_platform->cpu; }

    /// From now on.
    void use_quantum(const sc_time& quantum)
    {
        host().fence();
        tlm::tlm_global_quantum::instance().set(quantum);
        host().read_word(testbench::device_base + reg::id); // the host's keeper takes note when it next synchronises
        host().fence();
    }
    std::vector<unsigned char> output()
    {
        auto t = reading(job.output_at, job.expected_output.size());
        EXPECT_EQ(host().bus->transport_dbg(t), t.data.size());
        return t.data;
    }
    void clear_output()
    {
        const std::vector<unsigned char> other(job.expected_output.size(), 0xee);
        host().preload(job.output_at, other.data(), other.size());
    }

    struct run_record {
        std::vector<unsigned char> output;
        std::uint64_t cycles;
        sc_time took; // by the host's time
    };
    run_record run_job()
    {
        clear_output();
        host().fence();
        const sc_time start = sc_core::sc_time_stamp();
        triada::driver driver(host(), testbench::device_base);
        const auto result = driver.run(job.program, job.program_at, timeout_ns);
        EXPECT_TRUE(result.done);
        std::vector<unsigned char> bytes(job.expected_output.size());
        host().read_block(job.output_at, bytes.data(), bytes.size());
        host().fence();
        return {bytes, result.cycles, sc_core::sc_time_stamp() - start};
    }

    const small_job job = conforming_device_named("triada").job(testbench::memory_base);
    std::vector<sc_time> ended; // by the device's report
    std::uint64_t ended_cycles = 0;
    bool output_was_there = true; // whenever a job ended

private:
    using platform = testbench::testbed_platform<triada::traits>;

    void attach(const std::string&, const base::event_table&, const std::uint64_t*) override {}
    void started(const std::string&, std::uint64_t) override {}
    void log(const std::string&, const bus::log_record&) override {}
    void finished(const std::string&, std::uint64_t cycles) override
    {
        ended.push_back(sc_core::sc_time_stamp());
        ended_cycles = cycles;
        output_was_there = output_was_there && output() == job.expected_output;
    }

    std::unique_ptr<platform> m_platform;
};

// Bound on time: a host that waits for the interrupt sees the same times to the picosecond, since it and the device's
// DMA synchronise before they wait, and each START counts from its annotated time.
TEST_P(quantum_row, row_07_values_and_times_are_those_of_quantum_0)
{
    run([this](bus::host_thread&) {
        use_quantum(sc_core::SC_ZERO_TIME);
        const auto lockstep = run_job();
        EXPECT_TRUE(lockstep.output == job.expected_output);
        use_quantum(GetParam().quantum);
        for (int i = 0; i < 3; ++i) {
            const auto decoupled = run_job();
            EXPECT_TRUE(decoupled.output == job.expected_output);
            EXPECT_EQ(decoupled.cycles, lockstep.cycles);
            EXPECT_EQ(decoupled.took, lockstep.took);
        }
    });
}

// Bound on time: one quantum and an access.
TEST_P(quantum_row, row_07_polling_sees_the_end_at_most_a_quantum_late)
{
    run([this](bus::host_thread& h) {
        use_quantum(GetParam().quantum);
        const sc_time access = ns(10); // router, register; a generous bound
        for (int i = 0; i < 2; ++i) {
            clear_output();
            triada::driver driver(h, testbench::device_base);
            h.write_block(job.program_at, job.program.data(), job.program.size());
            driver.start(job.program_at);
            unsigned polls = 0;
            while ((driver.read(reg::status) & isa::status_done) == 0) { ASSERT_LT(++polls, 5'000'000u); }
            EXPECT_TRUE(output() == job.expected_output) << "DONE was seen";
            h.fence();
            ASSERT_EQ(ended.size(), static_cast<std::size_t>(i) + 1);
            const sc_time seen = sc_core::sc_time_stamp();
            EXPECT_GE(seen, ended.back());
            EXPECT_LE(seen, ended.back() + GetParam().quantum + access);
        }
    });
}

TEST_P(quantum_row, row_07_start_counts_from_its_annotated_time)
{
    run([this](bus::host_thread& h) {
        use_quantum(GetParam().quantum);
        triada::driver driver(h, testbench::device_base);
        h.write_block(job.program_at, job.program.data(), job.program.size());
        driver.write(reg::program_addr_lo, static_cast<std::uint32_t>(job.program_at));
        driver.write(reg::program_addr_hi, static_cast<std::uint32_t>(job.program_at >> 32));
        for (const sc_time& ahead : {sc_core::SC_ZERO_TIME, ns(0.25), ns(700)}) {
            h.fence();
            std::vector<unsigned char> start(4);
            base::store_le(start.data(), isa::ctrl_start);
            auto t = writing(testbench::device_base + reg::ctrl, start);
            sc_time delay = ahead;
            const sc_time now = sc_core::sc_time_stamp();
            h.bus->b_transport(t, delay);
            EXPECT_EQ(sc_core::sc_time_stamp(), now);
            wait(ns(10'000));
            const bus::router_config router; // its latency is on the way
            EXPECT_EQ(ended.back(), now + ahead + router.latency + static_cast<double>(ended_cycles) * ns(1));
        }
    });
}

TEST_P(quantum_row, row_07_output_lands_before_done_and_interrupt)
{
    run([this](bus::host_thread& h) {
        use_quantum(GetParam().quantum);
        for (int i = 0; i < 3; ++i) {
            clear_output();
            triada::driver driver(h, testbench::device_base);
            h.write_block(job.program_at, job.program.data(), job.program.size());
            driver.start(job.program_at);
            EXPECT_TRUE(h.wait_interrupt(timeout_ns));
            EXPECT_EQ(sc_core::sc_time_stamp(), ended.back()) << "the interrupt comes with the end";
            EXPECT_TRUE(output() == job.expected_output) << "in the moment of the interrupt";
            EXPECT_TRUE(driver.finish(timeout_ns).done);
        }
        EXPECT_EQ(ended.size(), 3u);
        EXPECT_TRUE(output_was_there) << "in the moment of DONE";
    });
}

INSTANTIATE_TEST_SUITE_P(of, quantum_row,
                         ::testing::Values(decoupling{"0_blocking", sc_core::SC_ZERO_TIME, dma_transport::blocking},
                                           decoupling{"1_ns_blocking", ns(1), dma_transport::blocking},
                                           decoupling{"1_us_blocking", ns(1e3), dma_transport::blocking},
                                           decoupling{"1_ms_blocking", ns(1e6), dma_transport::blocking},
                                           decoupling{"0_non_blocking", sc_core::SC_ZERO_TIME,
                                                      dma_transport::non_blocking},
                                           decoupling{"1_ns_non_blocking", ns(1), dma_transport::non_blocking},
                                           decoupling{"1_us_non_blocking", ns(1e3), dma_transport::non_blocking},
                                           decoupling{"1_ms_non_blocking", ns(1e6), dma_transport::non_blocking}),
                         [](const auto& of) { return std::string("quantum_") + of.param.name; });

} // namespace
