#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/isa/program/device_driver.h>
#include "platform/system/testbed_platform.h"

namespace tensorloom::test {

/// One row of a log, as a copy that outlives it.
template <class Counts> struct log_row {
    std::string cause;
    std::string phase;
    std::uint32_t command = 0;
    std::uint32_t id = 0;
    std::uint32_t detail = 0;
    std::uint64_t start_cycle = 0;
    std::uint64_t cycles = 0;
    Counts counts;

    bool operator==(const log_row& o) const
    {
        return cause == o.cause && phase == o.phase && command == o.command && id == o.id && detail == o.detail &&
               start_cycle == o.start_cycle && cycles == o.cycles && counts == o.counts;
    }
};

/// The rows of a device that counts like that.
template <class Counts> std::vector<log_row<Counts>> rows_of(const activity::program_log& log)
{
    std::vector<log_row<Counts>> rows;
    for (std::size_t i = 0; i < log.records().size(); ++i) {
        const auto& r = log.records()[i];
        rows.push_back(
            {std::string(r.cause), std::string(r.phase), r.command, r.id, r.detail, r.start_cycle, r.cycles, {}});
        std::copy_n(log.counts(i, 0), log.modules().front().events.size, rows.back().counts.data());
    }
    return rows;
}

/// What one program left behind.
template <class Counts> struct bench_outcome {
    isa::program_result result;
    Counts counts; // of the log
    Counts window; // as the counter window showed them at the end
    std::vector<log_row<Counts>> rows;

    std::uint64_t cycles_of(const std::string& cause) const
    {
        std::uint64_t sum = 0;
        for (const auto& r : rows) { sum += r.cause == cause ? r.cycles : 0; }
        return sum;
    }
    std::uint64_t logged_cycles() const
    {
        std::uint64_t sum = 0;
        for (const auto& r : rows) { sum += r.cycles; }
        return sum;
    }
};

/// A device on a platform whose sockets are all behind protocol checkers, with a host that does what a test wants.
///
/// Traits: of the device (models/<device>/device.h).
template <class Traits> class device_bench {
public:
    using traits = Traits;
    using counts_type = typename Traits::counts;
    using outcome_type = bench_outcome<counts_type>;
    using program_type = std::function<void(device_bench&)>;

    static constexpr std::uint64_t memory_bytes = 1u << 20;
    static constexpr std::uint64_t program_at = testbench::memory_base;
    static constexpr std::uint64_t data_at = testbench::memory_base + 0x4'0000;
    static constexpr std::uint64_t timeout_ns = 1'000'000'000;

    device_bench(const std::string& name, const typename Traits::config& config, program_type program)
        : m_program(std::move(program)), m_log(name + ".device"),
          m_platform(
              name.c_str(), config, platform_settings(), [this](bus::host_thread&) { m_program(*this); }, &m_log)
    {}

    bus::host_thread& cpu() { return m_platform.cpu; }
    typename Traits::body& device() { return m_platform.device; }
    testbench::bus_memory& memory() { return m_platform.memory; }
    typename Traits::driver driver() { return {cpu(), testbench::device_base}; }
    activity::program_log& log() { return m_log; }

    /// After the simulation: the host's program came to its end.
    bool finished() const { return m_platform.cpu.finished(); }

    outcome_type run(const std::vector<std::uint8_t>& program)
    {
        auto d = driver();
        outcome_type outcome;
        outcome.result = d.run(program, program_at, timeout_ns);
        collect(outcome, d);
        return outcome;
    }

    void collect(outcome_type& outcome, typename Traits::driver& d)
    {
        if (outcome.result.done) { EXPECT_EQ(m_log.freed().all(), outcome.result.cycles); }
        outcome.rows = rows_of<counts_type>(m_log);
        outcome.counts = {};
        for (const auto& row : outcome.rows) { outcome.counts += row.counts; }
        for (std::uint32_t e = 0; e < Traits::description.events.size; ++e) { outcome.window.data()[e] = d.counter(e); }
    }

    std::vector<std::uint8_t> read(std::uint64_t address, std::uint64_t bytes)
    {
        std::vector<std::uint8_t> all(bytes);
        cpu().read_block(address, all.data(), bytes);
        return all;
    }

private:
    static testbench::platform_config platform_settings()
    {
        testbench::platform_config c;
        c.memory.bytes = memory_bytes;
        c.protocol_checkers = true;
        return c;
    }

    program_type m_program;
    activity::program_log m_log;
    testbench::testbed_platform<Traits> m_platform;
};

/// Simulates until nothing more happens: the programs of all these benches have come to their ends.
template <class... Benches> void run_to_end(const Benches&... benches)
{
    sc_core::sc_start();
    for (const bool finished : {benches.finished()...}) { EXPECT_TRUE(finished); }
}

} // namespace tensorloom::test
