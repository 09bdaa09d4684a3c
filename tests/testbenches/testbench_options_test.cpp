#include "platform/options/testbench_options.h"
#include <limits>
#include <sstream>
#include <gtest/gtest.h>
#include "testbenches/input_error_of.h"

namespace tensorloom::testbench {
namespace {

common_options read(std::vector<const char*> arguments)
{
    arguments.insert(arguments.begin(), "sample");
    option_table table("sample", "");
    add_common_options(table);
    std::ostringstream out;
    return read_common_options(table.parse(static_cast<int>(arguments.size()), arguments.data(), out).value());
}

std::string refused_common_options(const std::vector<const char*>& arguments)
{
    return input_error_of([&] { read(arguments); });
}

TEST(testbench_options_test, defaults_of_the_table_are_those_of_the_struct)
{
    const common_options read_back = read({});
    const common_options defaults;
    EXPECT_EQ(read_back.technology, "7nm");
    EXPECT_EQ(read_back.fidelity, defaults.fidelity);
    EXPECT_EQ(read_back.clock_ghz, defaults.clock_ghz);
    EXPECT_EQ(read_back.platform.memory, defaults.platform.memory);
    EXPECT_EQ(read_back.platform.dram, defaults.platform.dram);
    EXPECT_EQ(read_back.platform.memory_latency, defaults.platform.memory_latency);
    EXPECT_EQ(read_back.platform.memory_ports, defaults.platform.memory_ports);
    EXPECT_EQ(read_back.platform.dma_bits, defaults.platform.dma_bits);
    EXPECT_EQ(read_back.platform.burst_bytes, defaults.platform.burst_bytes);
    EXPECT_EQ(read_back.platform.outstanding, defaults.platform.outstanding);
    EXPECT_EQ(read_back.seed, defaults.seed);
    EXPECT_EQ(read_back.out, defaults.out);
    EXPECT_EQ(read_back.vcd, defaults.vcd);
    EXPECT_FALSE(read_back.address_trace);
    EXPECT_EQ(read_back.check, defaults.check);
    EXPECT_EQ(read_back.quiet, defaults.quiet);
    EXPECT_EQ(read_back.dry_run, defaults.dry_run);
}

TEST(testbench_options_test, every_option_arrives)
{
    const common_options o =
        read({"--technology", "t.yaml", "--fidelity", "detailed", "--clock", "0.5", "--burst", "4", "--seed",
              "18446744073709551615", "--out", "d", "--vcd", "w.vcd", "--no-check", "--quiet", "--dry-run"});
    EXPECT_EQ(o.technology, "t.yaml");
    EXPECT_EQ(o.fidelity, tensorloom::blocks::fidelity::detailed);
    EXPECT_EQ(o.clock_ghz, 0.5);
    EXPECT_EQ(o.platform.burst_bytes, 4u);
    EXPECT_EQ(o.seed, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(o.out, "d");
    EXPECT_EQ(o.vcd, "w.vcd");
    EXPECT_FALSE(o.check);
    EXPECT_TRUE(o.quiet);
    EXPECT_TRUE(o.dry_run);
}

TEST(testbench_options_test, options_of_an_sram)
{
    const auto p = read({"--memory", "sram", "--memory-latency", "0", "--memory-ports", "64", "--dma-width", "32",
                         "--outstanding", "7"})
                       .platform;
    EXPECT_FALSE(p.in_dram());
    EXPECT_EQ(p.memory_latency, 0u);
    EXPECT_EQ(p.memory_ports, 64u);
    EXPECT_EQ(p.bus_bytes_per_cycle(), 4u);
    EXPECT_EQ(p.outstanding, 7u);
    EXPECT_EQ(p.memory_bytes(1234), 1234u);
}

TEST(testbench_options_test, options_of_a_dram)
{
    const auto p = read({"--memory", "dram", "--dma-width", "128"}).platform;
    EXPECT_TRUE(p.in_dram());
    EXPECT_EQ(p.memory_bytes(1234), std::uint64_t{4} << 30);
    EXPECT_EQ(p.bus_bytes_per_cycle(), 16u);
    EXPECT_NO_THROW(require_room(p, std::uint64_t{4} << 30));
    EXPECT_EQ(input_error_of([&] { require_room(p, (std::uint64_t{4} << 30) + 1); }),
              "--dram: lpddr4-3200 has 4,294,967,296 bytes, expected at least 4,294,967,297 for the data");
}

TEST(testbench_options_test, bandwidth_sets_the_channels_of_the_dram)
{
    const auto p = read({"--dram", "hbm2e-3200", "--memory-bandwidth", "102.4"}).platform;
    EXPECT_EQ(p.dram_config.organisation.channels, 4u);
    EXPECT_EQ(p.memory_bytes(0), std::uint64_t{2} << 30);
    EXPECT_EQ(refused_common_options({"--dram", "hbm2e-3200", "--memory-bandwidth", "80"}),
              "--memory-bandwidth is '80', expected 51.2 or 102.4 GB/s (2 or 4 channels of hbm2e-3200)");
}

TEST(testbench_options_test, one_memory_has_no_options_of_the_other)
{
    EXPECT_EQ(refused_common_options({"--memory", "sram", "--dram", "lpddr4-3200"}),
              "--dram is given with --memory sram, expected it with --memory dram");
    EXPECT_EQ(refused_common_options({"--memory", "sram", "--memory-bandwidth", "25.6"}),
              "--memory-bandwidth is given with --memory sram, expected it with --memory dram");
    EXPECT_EQ(refused_common_options({"--memory", "dram", "--memory-ports", "2"}),
              "--memory-ports is given with --memory dram, expected it with --memory sram");
    EXPECT_EQ(refused_common_options({"--memory", "dram", "--memory-latency", "2"}),
              "--memory-latency is given with --memory dram, expected it with --memory sram");
}

TEST(testbench_options_test, values_out_of_range)
{
    EXPECT_EQ(refused_common_options({"--seed", "-1"}),
              "--seed is '-1', expected an integer from 0 to 18446744073709551615");
    EXPECT_EQ(refused_common_options({"--clock", "0"}), "--clock is '0', expected a number from 0.001 to 1000");
    EXPECT_EQ(refused_common_options({"--clock", "nan"}), "--clock is 'nan', expected a number from 0.001 to 1000");
    EXPECT_EQ(refused_common_options({"--burst", "2"}), "--burst is '2', expected a power of two from 4 to 65536");
    EXPECT_EQ(refused_common_options({"--burst", "48"}), "--burst is '48', expected a power of two from 4 to 65536");
    EXPECT_EQ(refused_common_options({"--dma-width", "16"}),
              "--dma-width is '16', expected one of 32, 64, 128, 256, 512");
    EXPECT_EQ(refused_common_options({"--outstanding", "65"}),
              "--outstanding is '65', expected an integer from 1 to 64");
    EXPECT_EQ(refused_common_options({"--memory-ports", "0"}),
              "--memory-ports is '0', expected an integer from 1 to 64");
    EXPECT_EQ(refused_common_options({"--memory", "rom"}), "--memory is 'rom', expected one of sram, dram");
    EXPECT_EQ(refused_common_options({"--fidelity", "cell"}),
              "--fidelity is 'cell', expected one of fast, detailed, rtl");
}

} // namespace
} // namespace tensorloom::testbench
