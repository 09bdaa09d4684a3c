// Every shipped DRAM: peak, size, sums of its timing and energy per bit, against numbers of its standard.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tensorloom/models/costs/dram/dram_config.h>
#include <tensorloom/models/costs/dram/dram_energy.h>
#include "support/message_of.h"

namespace {

using namespace tensorloom::base;
using namespace tensorloom::costs;
using ::testing::HasSubstr;

struct range {
    double least, most;
};

struct part {
    const char* name;
    unsigned channels, width_bits, megatransfers;
    unsigned gib;
    double column_ns;   ///< a read of an open row, from its command to its last data
    range row_cycle_ns; ///< tRC
    range read_pj_per_bit, write_pj_per_bit;
    bool refreshes_single_banks, estimated;
};

void PrintTo(const part& p, std::ostream* out) { *out << p.name; }

constexpr part parts[] = {
    {"lpddr4-3200", 4, 16, 3200, 4, 26.25, {60, 61}, {8, 9}, {4.5, 5.5}, true, false},
    {"lpddr5-6400", 4, 16, 6400, 4, 23.75, {61, 62}, {4, 7}, {3, 5}, true, true},
    {"ddr4-3200", 1, 64, 3200, 8, 16.25, {46, 47}, {7, 10}, {6, 9}, false, true},
    {"ddr5-4800", 2, 32, 4800, 16, 20, {48, 49}, {7, 10}, {7, 10}, false, true},
    {"hbm2e-3200", 16, 64, 3200, 8, 15.625, {48, 49}, {3, 5}, {3, 5}, false, true},
};

class shipped_dram : public ::testing::TestWithParam<part> {
protected:
    double ns(unsigned cycles) const { return cycles * config.tCK_ps * 1e-3; }
    double pj(dram_event e) const { return model.costs.at(static_cast<std::size_t>(e)).pj; }

    dram_config config = load_dram(GetParam().name);
    energy_model model = dram_energy(config);
};
INSTANTIATE_TEST_SUITE_P(parts, shipped_dram, ::testing::ValuesIn(parts), [](const auto& tested) {
    std::string name = tested.param.name;
    name[name.find('-')] = '_';
    return name;
});

TEST(shipped_drams, are_all_tested_here)
{
    std::vector<std::string> tested;
    for (const auto& p : parts) { tested.emplace_back(p.name); }
    EXPECT_EQ(shipped_dram_names(), tested);
}

TEST_P(shipped_dram, has_the_peak_of_its_channels_width_and_rate)
{
    const auto& p = GetParam();
    EXPECT_EQ(config.name, p.name);
    EXPECT_EQ(config.organisation.channels, p.channels);
    EXPECT_EQ(config.organisation.width_bits, p.width_bits);
    const double peak = p.channels * p.width_bits / 8.0 * p.megatransfers * 1e-3;
    // the clock period is a whole number of ps, and never shorter than the standard's
    EXPECT_LE(config.peak_bytes_per_ns(), peak * (1 + 1e-12));
    EXPECT_GE(config.peak_bytes_per_ns(), peak * 0.998);
    EXPECT_EQ(config.organisation.bytes(), std::uint64_t{p.gib} << 30);
}

TEST_P(shipped_dram, timing_adds_up)
{
    const auto& p = GetParam();
    const auto& t = config.timing;
    EXPECT_EQ(t.tRCpb, t.tRAS + t.tRPpb);
    EXPECT_GE(t.tRPab, t.tRPpb);
    EXPECT_GE(t.tRAS, t.tRCD);
    EXPECT_GE(ns(t.tRCpb), p.row_cycle_ns.least);
    EXPECT_LE(ns(t.tRCpb), p.row_cycle_ns.most);
    EXPECT_EQ(t.tCCD, config.organisation.burst_cycles()) << "neighbouring bursts follow without a gap";
    EXPECT_NEAR(ns(t.RL + t.tDQSCK + config.organisation.burst_cycles()), p.column_ns, 0.002 * p.column_ns);
    // all rows in 64 ms or, of the parts with 8192 refreshes in 32 ms, in half of that
    const double every_ns = ns(t.tREFI);
    EXPECT_TRUE(std::abs(every_ns - 3904) < 6 || std::abs(every_ns - 7800) < 10) << every_ns;
    EXPECT_GE(t.tRTP + config.organisation.burst_cycles(), 8u) << "the model subtracts 8";
}

TEST_P(shipped_dram, refreshes_single_banks_or_refuses_to)
{
    config.controller.refresh = dram_refresh::per_bank;
    const auto refusal = validate(config);
    EXPECT_EQ(!refusal, GetParam().refreshes_single_banks);
    if (refusal) { EXPECT_THAT(*refusal, HasSubstr("timing.tREFIpb: found 0")); }
}

TEST_P(shipped_dram, energy_per_bit_is_that_of_its_kind)
{
    const auto& p = GetParam();
    const double bits = 8.0 * config.organisation.burst_bytes();
    EXPECT_GE(pj(dram_event::read_burst) / bits, p.read_pj_per_bit.least);
    EXPECT_LE(pj(dram_event::read_burst) / bits, p.read_pj_per_bit.most);
    EXPECT_GE(pj(dram_event::write_burst) / bits, p.write_pj_per_bit.least);
    EXPECT_LE(pj(dram_event::write_burst) / bits, p.write_pj_per_bit.most);
    // an activate of a row costs about as much per byte in every kind: 0.3 to 1 pJ, 1 KiB to 8 KiB in a row
    const double per_byte = pj(dram_event::activate) / config.organisation.row_bytes();
    EXPECT_GE(per_byte, 0.3);
    EXPECT_LE(per_byte, 1.0);
}

TEST_P(shipped_dram, energies_are_estimates_where_the_file_calls_its_currents_so)
{
    const auto& p = GetParam();
    EXPECT_EQ(config.estimated_supplies, p.estimated);
    EXPECT_EQ(config.source.find("estimate") != std::string::npos, p.estimated) << config.source;
    for (const auto event : {dram_event::activate, dram_event::read_burst, dram_event::write_burst, dram_event::refresh,
                             dram_event::active_cycle}) {
        EXPECT_EQ(model.costs[static_cast<std::size_t>(event)].estimate, p.estimated);
    }
    EXPECT_EQ(model.leakage.at(0).estimate, p.estimated);
}

} // namespace
