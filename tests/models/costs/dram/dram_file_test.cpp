#include <tensorloom/models/costs/dram/dram_config.h>

#include <cstdio>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/embedded_text.h>
#include <tensorloom/models/costs/technology.h>
#include "support/message_of.h"

namespace {

using namespace tensorloom::base;
using namespace tensorloom::costs;
using tensorloom::test::message_of;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::string shipped_text() { return shipped_drams[0].text; }

/// The error message about a file; empty when there is none.
std::string error_about(const std::string& text)
{
    return message_of([&] { read_dram(text, "mine.yaml"); });
}

/// The shipped file with the first `from` replaced.
std::string edited(const std::string& from, const std::string& to)
{
    auto text = shipped_text();
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
}

TEST(dram_file, shipped_is_lpddr4_3200_as_published)
{
    const auto d = load_dram("lpddr4-3200");
    EXPECT_EQ(d.name, "lpddr4-3200");
    EXPECT_FALSE(d.source.empty());
    EXPECT_EQ(d.organisation.burst_bytes(), 32u);
    EXPECT_EQ(d.organisation.burst_cycles(), 8u);
    EXPECT_EQ(d.organisation.row_bytes(), 2048u);
    EXPECT_EQ(d.organisation.bytes(), std::uint64_t{4} << 30); // 8 Gb in each of four channels
    EXPECT_DOUBLE_EQ(d.peak_bytes_per_ns(), 25.6);
    EXPECT_EQ(validate(d), std::nullopt);
}

TEST(dram_file, bandwidth_sets_the_channels)
{
    auto d = load_dram("lpddr4-3200");
    for (const unsigned channels : {1u, 2u, 4u, 8u, 16u, 32u, 64u}) {
        EXPECT_EQ(set_bandwidth(d, 6.4 * channels), std::nullopt);
        EXPECT_EQ(d.organisation.channels, channels);
        EXPECT_EQ(d.organisation.bytes(), std::uint64_t{channels} << 30);
        EXPECT_EQ(validate(d), std::nullopt);
    }
    EXPECT_EQ(set_bandwidth(d, 6.42), std::nullopt); // within 0.5 %
    EXPECT_EQ(d.organisation.channels, 1u);
    EXPECT_EQ(set_bandwidth(d, 12.7), "6.4 or 12.8 GB/s (1 or 2 channels of lpddr4-3200)");
    EXPECT_EQ(set_bandwidth(d, 0), "at least 6.4 GB/s (1 channel of lpddr4-3200)");
    EXPECT_EQ(set_bandwidth(d, 1e5), "at most 409.6 GB/s (64 channels of lpddr4-3200)");
    EXPECT_EQ(d.organisation.channels, 1u);
}

TEST(dram_file, nominal_bandwidth_is_that_of_a_part)
{
    const std::pair<const char*, double> nominal[] = {
        {"lpddr4-3200", 25.6}, {"lpddr5-6400", 51.2}, {"ddr4-3200", 25.6}, {"ddr5-4800", 38.4}, {"hbm2e-3200", 409.6}};
    for (const auto& [name, gb_per_s] : nominal) {
        auto d = load_dram(name);
        const auto channels = d.organisation.channels;
        EXPECT_EQ(set_bandwidth(d, gb_per_s), std::nullopt) << name;
        EXPECT_EQ(d.organisation.channels, channels) << name;
        EXPECT_EQ(set_bandwidth(d, 2 * gb_per_s), std::nullopt) << name;
        EXPECT_EQ(d.organisation.channels, 2 * channels) << name;
    }
}

TEST(dram_file, bandwidth_keeps_to_a_valid_capacity)
{
    auto d = read_dram(edited("rows: 65536", "rows: 16777216"), "mine.yaml"); // 256 GiB in a channel, at most 1 TiB
    EXPECT_EQ(set_bandwidth(d, 51.2), "at most 25.6 GB/s (4 channels of lpddr4-3200)");
}

// The 7 nm technology has the same devices, for totals without a DRAM model.
TEST(dram_file, shipped_has_the_numbers_of_the_technology_file)
{
    const auto d = load_dram("lpddr4-3200");
    const auto t = load_technology("7nm");
    const auto& o = d.organisation;
    const auto& m = d.timing;
    const std::pair<const char*, double> organisation[] = {{"channels", o.channels},
                                                           {"banks", o.banks},
                                                           {"rows", o.rows},
                                                           {"columns", o.columns},
                                                           {"burst_length", o.burst_length}};
    for (const auto& [key, value] : organisation) {
        EXPECT_EQ(t.number(std::string("dram.organisation.") + key, "1").value, value) << key;
    }
    EXPECT_EQ(t.number("dram.clock.tCK", "ns").value * 1000, d.tCK_ps);
    const std::pair<const char*, double> timing[] = {
        {"tRCD", m.tRCD},     {"tRPpb", m.tRPpb},   {"tRPab", m.tRPab},   {"tRAS", m.tRAS},   {"tRCpb", m.tRCpb},
        {"RL", m.RL},         {"WL", m.WL},         {"tCCD", m.tCCD},     {"tRRD", m.tRRD},   {"tFAW", m.tFAW},
        {"tRTP", m.tRTP},     {"tWR", m.tWR},       {"tWTR", m.tWTR},     {"tREFI", m.tREFI}, {"tREFIpb", m.tREFIpb},
        {"tRFCab", m.tRFCab}, {"tRFCpb", m.tRFCpb}, {"tDQSCK", m.tDQSCK}, {"tDQSS", m.tDQSS}};
    for (const auto& [key, value] : timing) {
        EXPECT_EQ(t.number(std::string("dram.timing.") + key, "tCK").value, value) << key;
    }
    const char* names[] = {"VDD1", "VDD2", "VDDQ"};
    for (std::size_t s = 0; s < 3; ++s) {
        const auto& supply = d.supplies[s];
        const std::string name = names[s];
        EXPECT_EQ(t.number("dram.voltage." + name, "V").value, supply.V);
        const std::pair<const char*, double> currents[] = {{"IDD0", supply.IDD0},   {"IDD2N", supply.IDD2N},
                                                           {"IDD3N", supply.IDD3N}, {"IDD4R", supply.IDD4R},
                                                           {"IDD4W", supply.IDD4W}, {"IDD5", supply.IDD5}};
        for (const auto& [key, value] : currents) {
            EXPECT_EQ(t.number("dram.current_" + name + "." + key, "mA").value, value) << name << " " << key;
        }
    }
}

TEST(dram_file, channels_are_not_hashed_without_a_word)
{
    EXPECT_EQ(read_dram(edited("  channel_hash: xor\n", ""), "mine.yaml").controller.channel_hash,
              dram_channel_hash::none);
    EXPECT_THAT(error_about(edited("channel_hash: xor", "channel_hash: fold")),
                HasSubstr("controller.channel_hash: found 'fold', expected one of none, xor"));
}

TEST(dram_file, currents_are_published_ones_without_a_word)
{
    EXPECT_FALSE(read_dram(shipped_text(), "mine.yaml").estimated_supplies);
    EXPECT_TRUE(read_dram(edited("supply:\n", "supply:\n  estimate: true\n"), "mine.yaml").estimated_supplies);
    EXPECT_THAT(error_about(edited("supply:\n", "supply:\n  estimate: perhaps\n")),
                HasSubstr("supply.estimate: found 'perhaps', expected one of false, true"));
}

TEST(dram_file, every_key_is_needed_and_named_when_it_is_missing)
{
    // each "key: value" of the shipped text in turn: those in braces, and those of a line of their own
    const auto text = shipped_text();
    const std::regex entry("([A-Za-z0-9_]+): *([^ ,{}\n\"][^,}\n]*|\"[^\"]*\")");
    unsigned keys = 0;
    for (auto found = std::sregex_iterator(text.begin(), text.end(), entry); found != std::sregex_iterator(); ++found) {
        const auto line_begin = text.rfind('\n', static_cast<std::size_t>(found->position())) + 1;
        if (text[line_begin] == '#' || (*found)[1] == "channel_hash") { continue; }
        auto without = text;
        without.replace(static_cast<std::size_t>(found->position()), static_cast<std::size_t>(found->length(1)),
                        "nonsense");
        EXPECT_THAT(error_about(without), AllOf(HasSubstr("DRAM mine.yaml: missing key"), HasSubstr((*found)[1].str())))
            << (*found)[0];
        ++keys;
    }
    EXPECT_EQ(keys, 3u + 6 + 1 + 20 + 4 + 3 * 7 + 5);
}

TEST(dram_file, unknown_and_repeated_keys_are_named)
{
    EXPECT_THAT(error_about(edited("timing:\n", "timing:\n  tMRW: 3\n")), HasSubstr("unknown key timing.tMRW"));
    EXPECT_THAT(error_about(edited("timing:\n", "timing:\n  tRCD: 3\n")), HasSubstr("repeated key timing.tRCD"));
    EXPECT_THAT(error_about(shipped_text() + "\nextra: 1\n"), HasSubstr("unknown key extra"));
}

TEST(dram_file, bad_values_say_what_was_found_and_expected)
{
    EXPECT_THAT(error_about(edited("tRCD: 29", "tRCD: soon")),
                AllOf(HasSubstr("timing.tRCD: found 'soon'"), HasSubstr("expected a number from 0"), HasSubstr("tCK")));
    EXPECT_THAT(error_about(edited("tRCD: 29", "tRCD: -1")), HasSubstr("timing.tRCD: found '-1'"));
    EXPECT_THAT(error_about(edited("tRCD: 29", "tRCD: 2.5")), HasSubstr("timing.tRCD: found '2.5'"));
    EXPECT_THAT(error_about(edited("tRCD: 29", "tRCD: 99999999999")), HasSubstr("timing.tRCD: found"));
    EXPECT_THAT(error_about(edited("tRCD: 29", "tRCD: [1]")), HasSubstr("timing.tRCD: found a list"));
    EXPECT_THAT(error_about(edited("IDD0: 45", "IDD0: nan")), HasSubstr("supply.VDD2.IDD0: found 'nan'"));
    EXPECT_THAT(error_about(edited("page: open", "page: ajar")), HasSubstr("expected one of closed, open"));
    EXPECT_THAT(error_about(edited("refresh: all_bank", "refresh: never")),
                HasSubstr("controller.refresh: found 'never', expected one of all_bank, off, per_bank"));
    EXPECT_THAT(error_about(edited("tensorloom-dram-1", "tensorloom-dram-9")), HasSubstr("schema: found"));
    EXPECT_THAT(error_about("- a list"), HasSubstr("expected a map"));
    EXPECT_THAT(error_about("a: [1"), HasSubstr("is not YAML: line"));
    EXPECT_EQ(error_about("&a {x: *a}"),
              "DRAM mine.yaml: is not YAML: line 1: an alias inside the value that it names");
    EXPECT_EQ(error_about(shipped_text() + "---\nschema: another\n").substr(0, 29), "DRAM mine.yaml: is not YAML: ");
}

TEST(dram_file, sizes_that_fit_no_address_are_refused)
{
    EXPECT_THAT(error_about(edited("channels: 4", "channels: 3")),
                HasSubstr("organisation.channels: found 3, expected a power of two"));
    EXPECT_THAT(error_about(edited("banks: 8", "banks: 0")), HasSubstr("organisation.banks: found 0"));
    EXPECT_THAT(error_about(edited("width_bits: 16", "width_bits: 4")), HasSubstr("at least 8"));
    EXPECT_THAT(error_about(edited("columns: 1024", "columns: 8")), HasSubstr("organisation.burst_length: found 16"));
    EXPECT_THAT(error_about(edited("tCK_ps: 625", "tCK_ps: 0")), HasSubstr("clock.tCK_ps"));
    EXPECT_THAT(error_about(edited("tCCD: 8", "tCCD: 7")), HasSubstr("timing.tCCD: found 7"));
    EXPECT_THAT(error_about(edited("tRAS: 68", "tRAS: 28")), HasSubstr("timing.tRAS: found 28"));
    EXPECT_THAT(error_about(edited("tREFI: 6246", "tREFI: 800")), HasSubstr("at least twice tRFCab"));
    EXPECT_THAT(error_about(edited("refresh: all_bank", "refresh: off")), IsEmpty());
    EXPECT_THAT(error_about(edited("activate: 4", "activate: 0")), HasSubstr("command.activate"));
    EXPECT_THAT(error_about(edited("column: 4", "column: 9")), HasSubstr("command.column"));
    EXPECT_THAT(error_about(edited("queue_bursts: 16", "queue_bursts: 0")), HasSubstr("controller.queue_bursts"));
}

TEST(dram_file, mappings_and_interleaving_are_checked)
{
    for (const char* mapping : {"row:bank:column", "row:bank:column:channel:row", "row:bank:column:rank",
                                "row,bank,column,channel", "row:row:bank:column"}) {
        EXPECT_THAT(error_about(edited("\"row:bank:column:channel\"", "\"" + std::string(mapping) + "\"")),
                    AllOf(HasSubstr("controller.mapping: found"), HasSubstr("each once")))
            << mapping;
    }
    for (const char* bytes : {"16", "48", "4096"}) {
        EXPECT_THAT(error_about(edited("interleave_bytes: 64", "interleave_bytes: " + std::string(bytes))),
                    HasSubstr("expected a power of two from the 32 of a burst to the 2048 of a row"))
            << bytes;
    }
}

TEST(dram_file, is_loaded_by_path_as_well)
{
    const std::string path = ::testing::TempDir() + "/dram_file_test.yaml";
    std::ofstream(path) << edited("name: lpddr4-3200", "name: mine");
    EXPECT_EQ(load_dram(path).name, "mine");
    std::remove(path.c_str());
    EXPECT_THAT(message_of([&] { load_dram(path); }), HasSubstr("neither a shipped one (lpddr4-3200, lpddr5-6400, "));
    EXPECT_THAT(message_of([&] { load_dram(::testing::TempDir()); }), HasSubstr("is not a file"));
    // It can be opened and not read.
    EXPECT_EQ(message_of([] { load_dram("/proc/self/mem"); }),
              "DRAM: /proc/self/mem: cannot be read (Input/output error), expected a file");
}

} // namespace
