// The golden file of MMV-RAM on the device, over its bus, in both fidelities.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/workloads/segmented/references.h>
#include "platform/mmv/mmv_testbed.h"
#include "support/sim_test.h"
#include "workloads/segmented/golden_rows.h"
#include "workloads/segmented/segmented_case.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using result = workloads::segmented_result<std::int64_t>;

mmv::config device_for(const golden_row& row, blocks::fidelity fidelity)
{
    mmv::config c;
    c.side = row.side;
    c.fidelity = fidelity;
    c.word_bits = row.word_bits;
    c.scratchpad_bytes = 4u << 20;
    return c;
}

// Rows of one s, one after the other on one device.
class golden_run {
public:
    golden_run(const char* name, const std::vector<golden_row>& rows, blocks::fidelity fidelity)
        : m_rows(rows), m_config(device_for(rows.front(), fidelity)),
          m_platform(name, m_config, settings(), [this](bus::host_thread& cpu) { run(cpu); })
    {}

    const std::vector<result>& results() const { return m_results; }

    void expect_golden() const
    {
        ASSERT_EQ(m_results.size(), m_rows.size());
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            const golden_row& row = m_rows[i];
            const auto meter = mmv_ram_meter_of(m_results[i].counts, row.side);
            EXPECT_EQ(numbers_of(meter), numbers_of(row.meter)) << row.algorithm << " n=" << row.n;
            EXPECT_EQ(m_results[i].values.size(), row.results) << row.algorithm << " n=" << row.n;
            EXPECT_EQ(workloads::weighted_checksum(m_results[i].values), row.checksum)
                << row.algorithm << " n=" << row.n;
        }
    }

private:
    static constexpr std::uint64_t memory_bytes = testbench::session_memory::program_bytes + (4u << 20);

    static testbench::platform_config settings()
    {
        testbench::platform_config c;
        c.memory.bytes = memory_bytes;
        c.protocol_checkers = true;
        return c;
    }
    void run(bus::host_thread& cpu)
    {
        testbench::simulated_session<mmv::traits> session(cpu, testbench::device_base, m_config, testbench::memory_base,
                                                          memory_bytes);
        for (const auto& row : m_rows) {
            m_results.push_back(
                run_segmented(workloads::find_segmented_variant(row.algorithm), session, golden_problem(row)));
        }
    }

    std::vector<golden_row> m_rows;
    mmv::config m_config;
    std::vector<result> m_results;
    testbench::testbed_platform<mmv::traits> m_platform;
};

std::vector<golden_row> rows_of_side(std::uint32_t side, std::uint64_t longest)
{
    std::vector<golden_row> rows;
    for (const auto& row : golden_rows()) {
        if (row.side == side && row.n <= longest) { rows.push_back(row); }
    }
    return rows;
}

class mmv_ram_golden_on_device : public sim_test_with_param<std::uint32_t> {};

TEST_P(mmv_ram_golden_on_device, every_row)
{
    golden_run run("fast", rows_of_side(GetParam(), 1u << 20), blocks::fidelity::fast);
    sc_core::sc_start();
    run.expect_golden();
}

TEST_P(mmv_ram_golden_on_device, short_rows_in_both_fidelities_and_in_the_same_time)
{
    const auto rows = rows_of_side(GetParam(), 33);
    golden_run fast("fast", rows, blocks::fidelity::fast), detailed("detailed", rows, blocks::fidelity::detailed);
    sc_core::sc_start();
    detailed.expect_golden();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_EQ(fast.results()[i].values, detailed.results()[i].values) << rows[i].algorithm;
        EXPECT_TRUE(fast.results()[i].counts == detailed.results()[i].counts) << rows[i].algorithm;
        EXPECT_EQ(fast.results()[i].cycles, detailed.results()[i].cycles) << rows[i].algorithm;
        EXPECT_GT(fast.results()[i].cycles, 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(side, mmv_ram_golden_on_device, testing::Values(4, 16));

} // namespace
