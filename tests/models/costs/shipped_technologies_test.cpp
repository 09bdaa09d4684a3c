#include <tensorloom/models/costs/area.h>
#include <tensorloom/models/costs/technology.h>

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace tensorloom::base;
using namespace tensorloom::costs;

constexpr const char* all_formats[] = {"int8", "int32", "int64", "f16", "bf16", "f32", "f64", "c64", "c128"};

/// Multiply-add at 45 nm in pJ: multiply plus add, with the accumulator's add for int8, bf16 and f16; four of
/// them for complex.
double mac_45nm(const std::string& format)
{
    if (format == "int8") { return 0.2 + 0.1; }
    if (format == "int32") { return 3.1 + 0.1; }
    if (format == "int64") { return 4 * 3.1 + 2 * 0.1; } // width squared, width
    if (format == "f16") { return 1.1 + 0.9; }
    if (format == "bf16") { return 0.7 + 0.9; }
    if (format == "f32") { return 3.7 + 0.9; }
    if (format == "f64") { return 18.0 + 2.0; }
    return 4 * mac_45nm(format == "c64" ? "f32" : "f64");
}

void expect_relative(double found, double expected, double tolerance, const std::string& what)
{
    EXPECT_NEAR(found, expected, std::abs(expected) * tolerance) << what;
}

TEST(shipped_technologies, are_three)
{
    EXPECT_THAT(shipped_technology_names(), ::testing::ElementsAre("45nm", "40nm", "7nm", "fetta-7nm"));
    for (const auto& name : shipped_technology_names()) { EXPECT_EQ(load_technology(name).name(), name); }
}

// The table that the build writes.
TEST(shipped_technologies, have_the_numbers_of_their_texts)
{
    for (const auto& name : shipped_technology_names()) {
        const auto found = load_technology(name);
        const auto read = technology::from_text(std::string(shipped_technology_text(name)), name);
        EXPECT_EQ(found.name(), read.name());
        EXPECT_EQ(found.process(), read.process());
        EXPECT_EQ(found.second_source_name(), read.second_source_name());
        ASSERT_EQ(found.numbers().size(), read.numbers().size()) << name;
        for (const auto& [key, number] : read.numbers()) {
            const auto& same = found.number(key, number.unit);
            EXPECT_EQ(same.value, number.value) << key;
            EXPECT_EQ(same.process, number.process) << key;
            EXPECT_EQ(same.source, number.source) << key;
            EXPECT_EQ(same.estimate, number.estimate) << key;
        }
        for (const std::uint64_t bytes : {64u, 8192u, 100000u, 4194304u}) {
            EXPECT_EQ(found.sram_access(bytes).pj, read.sram_access(bytes).pj) << bytes;
        }
    }
}

class shipped : public ::testing::TestWithParam<const char*> {
protected:
    technology t = load_technology(GetParam());
};
INSTANTIATE_TEST_SUITE_P(technologies, shipped, ::testing::Values("45nm", "7nm"),
                         [](const auto& tested) { return std::string("t") + tested.param; });

TEST_P(shipped, every_number_has_unit_process_and_a_source_worth_reading)
{
    EXPECT_GT(t.numbers().size(), 40u);
    for (const auto& [key, number] : t.numbers()) {
        EXPECT_GE(number.source.size(), 10u) << key;
        EXPECT_FALSE(number.unit.empty()) << key;
        EXPECT_FALSE(number.process.empty()) << key;
    }
}

TEST_P(shipped, has_what_a_triada_device_needs_in_every_format)
{
    for (const auto* format : all_formats) {
        EXPECT_GT(t.energy("cell", "mac", format).pj, 0) << format;
        EXPECT_GT(t.energy("cell", "register_read", format).pj, 0) << format;
        EXPECT_GT(t.energy("cell", "register_write", format).pj, 0) << format;
        EXPECT_GT(cell_pitch_um(t, *parse_element_type(format), 4).value, 0) << format;
    }
}

TEST_P(shipped, pitch_is_the_root_of_the_area_of_a_cells_gates)
{
    const double nand2 = GetParam() == std::string("7nm") ? 0.05832 : 0.798;
    for (const auto* format : {"int8", "bf16", "f32", "f64"}) {
        const auto pitch = cell_pitch_um(t, *parse_element_type(format), 4);
        expect_relative(pitch.value, std::sqrt(1.2 * nand2 * find_gates("mesh_cell", format)->nand2), 1e-12, format);
        EXPECT_TRUE(pitch.synthesized) << format;
    }
    for (const auto* format : {"int32", "int64", "f16", "c64", "c128"}) {
        EXPECT_TRUE(cell_pitch_um(t, *parse_element_type(format), 4).estimate) << format;
    }
}

// Gates that switch in a multiply-add of random numbers, without glitches. f32 is published; that of int8 is for an
// adder and a multiplier alone.
TEST_P(shipped, energies_of_multiply_adds_go_with_the_gates_that_switch)
{
    const auto fj = [&](const char* format) {
        return 1e3 * t.energy("cell", "mac", format).pj / find_gates("mac", format)->toggles;
    };
    const double per_gate = fj("f32");
    for (const auto* format : {"int8", "bf16", "f64"}) {
        EXPECT_GT(fj(format), per_gate / 1.7) << format;
        EXPECT_LT(fj(format), per_gate * 1.2) << format;
    }
}

TEST_P(shipped, wires_and_vias_are_estimates_within_the_published_range)
{
    EXPECT_EQ(t.wire_fj_per_bit_mm().value, 60);
    EXPECT_EQ(t.via_fj_per_bit().value, 6);
    EXPECT_TRUE(t.wire_fj_per_bit_mm().estimate);
    EXPECT_TRUE(t.via_fj_per_bit().estimate);
}

// nW and um^2 of a gate or macro, at its voltage; 20 % of logic is wires.
TEST_P(shipped, leakage_is_that_of_published_cells_and_scaled_together)
{
    const bool is_7nm = GetParam() == std::string("7nm");
    const double logic = (is_7nm ? 1.30269 / 0.2916 : 17.4 / 0.798 * 0.9 / 1.1) / 1.2;
    const double macro = 823237 / 17301.438; // of 45 nm
    const double sram = is_7nm ? 1.30269 / 0.2916 * macro / (17.4 / 0.798) : macro * 0.9 / 1.1;
    const figure mm2{1e6, false};
    expect_relative(t.logic_leakage_mw(mm2).value, logic, 5e-3, "logic");
    expect_relative(t.sram_leakage_mw(mm2).value, sram, 5e-3, "SRAM");
    EXPECT_TRUE(t.logic_leakage_mw(mm2).estimate && t.sram_leakage_mw(mm2).estimate);
    t.scale_leakage(3);
    expect_relative(t.logic_leakage_mw(mm2).value, 3 * logic, 5e-3, "logic");
    expect_relative(t.sram_leakage_mw(mm2).value, 3 * sram, 5e-3, "SRAM");
}

TEST_P(shipped, limits_have_their_units)
{
    EXPECT_EQ(t.number("limit.power_density", "W/mm^2").value, 1);
    EXPECT_EQ(t.number("limit.die_area", "mm^2").value, 850);
    EXPECT_EQ(t.number("limit.wire_reach", "mm/ns").value, GetParam() == std::string("7nm") ? 5 : 10);
}

TEST_P(shipped, one_word_of_an_sram_takes_what_a_register_does)
{
    expect_relative(t.sram_access(8).pj, t.energy("cell", "register_read", "f64").pj, 0.05, "8 bytes");
}

TEST(technology_45nm, has_the_published_figures)
{
    const auto t = load_technology("45nm");
    const std::tuple<const char*, const char*, double, bool> operations[] = {
        {"add", "int8", 0.03, false},      {"multiply", "int8", 0.2, false}, {"add", "int32", 0.1, false},
        {"multiply", "int32", 3.1, false}, {"add", "int64", 0.2, true},      {"multiply", "int64", 12.4, true},
        {"add", "f16", 0.4, false},        {"multiply", "f16", 1.1, false},  {"add", "f32", 0.9, false},
        {"multiply", "f32", 3.7, false},   {"add", "f64", 2.0, true},        {"multiply", "f64", 18, true},
        {"multiply", "bf16", 0.7, true}};
    for (const auto& [event, format, pj, estimate] : operations) {
        EXPECT_EQ(t.energy("cell", event, format).pj, pj) << event << " " << format;
        EXPECT_EQ(t.energy("cell", event, format).estimate, estimate) << event << " " << format;
    }
    for (const auto* format : all_formats) {
        expect_relative(t.energy("cell", "mac", format).pj, mac_45nm(format), 1e-12, format);
    }
    EXPECT_EQ(t.sram_access(8 << 10).pj, 10);
    EXPECT_FALSE(t.sram_access(8 << 10).estimate);
    EXPECT_EQ(t.sram_access(32 << 10).pj, 20);
    EXPECT_EQ(t.sram_access(1 << 20).pj, 100);
    EXPECT_EQ(t.energy("cell", "register_read", "f64").pj, 0.3);
    EXPECT_TRUE(t.energy("cell", "register_read", "f64").estimate);
    EXPECT_EQ(t.energy("dram", "read", "f64").pj, (1300 + 2600) / 2.0);
}

TEST(technology_45nm, marks_follow_from_what_a_multiply_add_is_made_of)
{
    const auto t = load_technology("45nm");
    for (const auto* format : {"f64", "c128", "bf16", "int64"}) {
        EXPECT_TRUE(t.energy("cell", "mac", format).estimate) << format;
    }
    for (const auto* format : {"f32", "c64", "int8", "int32", "f16"}) {
        EXPECT_FALSE(t.energy("cell", "mac", format).estimate) << format;
    }
}

TEST(technology_45nm, says_which_figures_are_recalled)
{
    const auto t = load_technology("45nm");
    for (const auto* key :
         {"energy.cell.add.int8", "energy.cell.multiply.int8", "energy.cell.add.f16", "energy.cell.multiply.f16",
          "energy.sram.access_64bit.32768", "energy.sram.access_64bit.1048576", "energy.dram.read.64bit"}) {
        EXPECT_THAT(t.number(key, "pJ").source, ::testing::HasSubstr("recalled")) << key;
    }
    for (const auto* key : {"energy.cell.add.f32", "energy.cell.multiply.int32", "energy.sram.access_64bit.8192"}) {
        EXPECT_THAT(t.number(key, "pJ").source, ::testing::Not(::testing::HasSubstr("recalled"))) << key;
    }
}

// Aladdin's rows for 1 ns: multipliers and adders of float32, float64 and 32-bit integers, a bit of a register.
TEST(technology_40nm, has_the_rows_of_the_table)
{
    const auto t = load_technology("40nm");
    const std::tuple<const char*, const char*, double> operations[] = {{"add", "f32", 16.679},
                                                                       {"multiply", "f32", 35.3},
                                                                       {"mac", "f32", 16.679 + 35.3},
                                                                       {"add", "f64", 43.754},
                                                                       {"multiply", "f64", 113.763},
                                                                       {"mac", "f64", 43.754 + 113.763},
                                                                       {"add", "int32", 0.21},
                                                                       {"multiply", "int32", 12.68},
                                                                       {"mac", "int32", 0.21 + 12.68},
                                                                       {"register_read", "f64", 64 * 0.009},
                                                                       {"register_write", "f32", 32 * 0.009}};
    for (const auto& [event, format, pj] : operations) {
        expect_relative(t.energy("cell", event, format).pj, pj, 1e-9, event);
    }
    expect_relative(t.logic_leakage_mw({1e6, false}).value, 0.053e6 / 4361 / 1.2, 5e-3, "leakage of a float32 adder");
    EXPECT_FALSE(t.energy("cell", "mac", "f64").estimate);
}

double word_bits(const std::string& word) { return word == "c128" ? 128 : word == "int64" || word == "f64" ? 64 : 32; }

TEST(technology_40nm, scales_other_formats_by_width_and_mantissa)
{
    const auto t = load_technology("40nm");
    const auto mac = [&](const char* format) { return t.energy("cell", "mac", format).pj; };
    expect_relative(mac("int8"), 12.68 / 16 + 0.21, 1e-8, "int8");
    expect_relative(mac("int64"), 4 * 12.68 + 2 * 0.21, 1e-8, "int64");
    expect_relative(mac("f16"), 35.3 * 121 / 576 + 16.679, 1e-8, "f16");
    expect_relative(mac("bf16"), 35.3 / 9 + 16.679, 1e-8, "bf16");
    expect_relative(mac("c64"), 4 * mac("f32"), 1e-9, "c64");
    expect_relative(mac("c128"), 4 * mac("f64"), 1e-9, "c128");
    for (const auto* format : {"int8", "int64", "f16", "bf16"}) {
        EXPECT_TRUE(t.energy("cell", "mac", format).estimate) << format;
    }
    for (const auto* word : {"int32", "int64", "f32", "f64", "c128"}) {
        const double registers = 3 * t.energy("cell", "register_read", word).pj;
        expect_relative(t.energy("scalar", "op", word).pj, mac(word) / 2 + registers, 1e-8, word);
        const double bits = word_bits(word);
        expect_relative(t.energy("vector", "logic", word).pj, 0.0181 * bits / 32 + registers, 1e-8, word);
        expect_relative(t.energy("vector", "move", word).pj, registers * 2 / 3, 1e-8, word);
    }
    expect_relative(t.energy("vector", "multiply", "c128").pj, 4 * 113.763 + 2 * 43.754 + 6 * 0.576, 1e-8, "c128");
    expect_relative(t.energy("contraction_engine", "mac", "bf16").pj, mac("bf16"), 1e-9, "engine");
}

TEST(technology_40nm, is_the_second_source_of_45nm_in_what_is_arithmetic_or_register)
{
    const auto at_45 = load_technology("45nm"), at_40 = load_technology("40nm");
    EXPECT_EQ(at_45.second_source()->name(), "40nm");
    EXPECT_EQ(at_40.second_source()->name(), "45nm");
    EXPECT_EQ(load_technology("7nm").second_source(), nullptr);
    for (const auto& [key, number] : at_45.numbers()) {
        const bool same = key.compare(0, 5, "area.") == 0 || key.compare(0, 5, "wire.") == 0 ||
                          key.compare(0, 5, "gate.") == 0 || key.compare(0, 11, "energy.sram") == 0;
        if (same) { EXPECT_EQ(at_40.number(key, number.unit).value, number.value) << key; }
    }
    EXPECT_GT(at_40.energy("cell", "multiply", "f32").pj, 9 * at_45.energy("cell", "multiply", "f32").pj);
}

TEST(technology_7nm, scales_what_is_not_published_from_45nm)
{
    const auto t = load_technology("7nm");
    const double scale = 0.2274 / 1.6;
    for (const auto* format : all_formats) {
        expect_relative(t.energy("cell", "mac", format).pj, scale * mac_45nm(format), 1e-9, format);
        EXPECT_EQ(t.energy("cell", "mac", format).estimate, std::string(format) != "bf16") << format;
    }
    expect_relative(t.energy("cell", "register_read", "f64").pj, scale * 0.3, 1e-9, "read");
    expect_relative(t.energy("cell", "register_write", "f64").pj, scale * 0.3, 1e-9, "write");
    expect_relative(t.sram_access(8 << 10).pj, scale * 10, 1e-9, "8 KiB");
    expect_relative(t.sram_access(32 << 10).pj, scale * 20, 1e-9, "32 KiB");
    expect_relative(t.sram_access(1 << 20).pj, scale * 100, 1e-9, "1 MiB");
    EXPECT_TRUE(t.sram_access(8 << 10).estimate);
}

TEST(technology_7nm, figures_per_event_are_the_rows_of_the_table_over_their_events_per_cycle)
{
    const auto t = load_technology("7nm");
    const auto value = [&](const char* key) { return t.number(key, "pJ").value; };
    // The rows; the table's own total of 102.59 omits "others".
    const double rows[] = {value("energy.contraction_engine.cycle.256_pe"),
                           value("energy.distribution.cycle.all"),
                           value("energy.reduction.cycle.all"),
                           value("energy.unified_sram.cycle.all"),
                           value("energy.accumulator.cycle.all"),
                           value("energy.vector.cycle.all"),
                           value("energy.other.cycle.all")};
    EXPECT_NEAR(rows[0] + rows[1] + rows[2] + rows[3] + rows[4] + rows[5], 102.59, 1e-9);
    EXPECT_NEAR(rows[6], 105.29 - 102.59, 1e-9);
    expect_relative(value("energy.contraction_engine.mac.bf16"), rows[0] / 256, 1e-12, "mac");
    expect_relative(value("energy.distribution.element_64_per_cycle.bf16"), rows[1] / 64, 1e-12, "distribution 64");
    expect_relative(value("energy.distribution.element_128_per_cycle.bf16"), rows[1] / 128, 1e-12, "distribution 128");
    expect_relative(value("energy.reduction.element.f32"), rows[2] / 64, 1e-12, "reduction element");
    expect_relative(value("energy.unified_sram.row_16_per_cycle.64bit"), rows[3] / 16, 1e-12, "row of 16");
    expect_relative(value("energy.unified_sram.row_32_per_cycle.64bit"), rows[3] / 32, 1e-12, "row of 32");
    expect_relative(value("energy.accumulator.psum_update.f32"), rows[4] / 64, 1e-12, "psum");
    expect_relative(value("energy.vector.operation.any"), rows[5] / 64, 1e-12, "vector");
    // The cells of other devices have the rounded figure.
    expect_relative(t.energy("cell", "mac", "bf16").pj, rows[0] / 256, 1e-3, "cell");
}

TEST(technology_45nm, has_the_blocks_of_fetta_as_their_multiply_add_scales)
{
    const auto here = load_technology("45nm");
    const auto there = load_technology("7nm");
    const double scale = 1.6 / (58.22 / 256);
    for (const char* key :
         {"distribution.element_64_per_cycle.bf16", "distribution.element_64_per_cycle.f32",
          "distribution.element_128_per_cycle.bf16", "distribution.element_128_per_cycle.f32", "reduction.element.f32",
          "reduction.element.bf16", "unified_sram.row_16_per_cycle.64bit", "unified_sram.row_32_per_cycle.64bit",
          "accumulator.psum_update.f32", "accumulator.psum_update.bf16", "vector.operation.any", "other.cycle.all",
          "contraction_engine.mac.bf16", "contraction_engine.mac.f32", "contraction_engine.mac_bf16_sum.bf16"}) {
        const std::string full = std::string("energy.") + key;
        expect_relative(here.number(full, "pJ").value, scale * there.number(full, "pJ").value, 1e-10, full);
        EXPECT_EQ(here.number(full, "pJ").estimate, full != "energy.contraction_engine.mac.f32") << full;
    }
}

class lpddr4 : public ::testing::Test {
protected:
    /// Power in mW of a current over another, over the three supplies.
    double mw(const std::string& current, const std::string& background = "") const
    {
        double sum = 0;
        for (const std::string supply : {"VDD1", "VDD2", "VDDQ"}) {
            const auto ma = [&](const std::string& name) {
                return t.number("dram.current_" + supply + "." + name, "mA").value;
            };
            sum += t.number("dram.voltage." + supply, "V").value *
                   (ma(current) - (background.empty() ? 0 : ma(background)));
        }
        return sum;
    }
    double ns(const std::string& timing) const { return t.number("dram.timing." + timing, "tCK").value * tck; }

    technology t = load_technology("7nm");
    double tck = t.number("dram.clock.tCK", "ns").value;
};

TEST_F(lpddr4, energies_follow_from_currents_voltages_and_timing)
{
    const double activate =
        mw("IDD0") * ns("tRCpb") - mw("IDD3N") * ns("tRAS") - mw("IDD2N") * (ns("tRCpb") - ns("tRAS"));
    expect_relative(t.energy("dram", "activate_precharge", "row").pj, activate, 1e-9, "activate");
    expect_relative(t.energy("dram", "read", "burst_32_bytes").pj, mw("IDD4R", "IDD3N") * 8 * tck, 1e-9, "read");
    expect_relative(t.energy("dram", "write", "burst_32_bytes").pj, mw("IDD4W", "IDD3N") * 8 * tck, 1e-9, "write");
    expect_relative(t.energy("dram", "refresh", "all_banks").pj, mw("IDD5", "IDD2N") * ns("tRFCab"), 1e-9, "refresh");
    expect_relative(t.number("leakage.dram.precharged", "mW").value, mw("IDD2N"), 1e-9, "precharged");
    expect_relative(t.number("leakage.dram.active", "mW").value, mw("IDD3N"), 1e-9, "active");
}

TEST_F(lpddr4, energies_are_the_published_ones)
{
    expect_relative(t.energy("dram", "activate_precharge", "row").pj, 1200, 5e-3, "activate");
    expect_relative(t.energy("dram", "read", "burst_32_bytes").pj, 2170, 5e-3, "read");
    expect_relative(t.energy("dram", "write", "burst_32_bytes").pj, 1290, 5e-3, "write");
    expect_relative(t.energy("dram", "refresh", "all_banks").pj, 23400, 5e-3, "refresh");
    expect_relative(t.energy("dram", "read", "64bit").pj, 8.5 * 64, 1e-2, "read bit");
    expect_relative(t.energy("dram", "write", "64bit").pj, 5.0 * 64, 1e-2, "write bit");
    EXPECT_EQ(t.energy("dram", "read", "f32").pj * 8, t.energy("dram", "read", "burst_32_bytes").pj);
    expect_relative(t.number("leakage.dram.precharged", "mW").value, 34.1, 5e-3, "precharged");
    expect_relative(t.number("leakage.dram.active", "mW").value, 37.9, 5e-3, "active");
}

TEST_F(lpddr4, channels_make_the_bandwidth)
{
    EXPECT_NEAR(t.number("dram.organisation.channels", "1").value * 32 / (8 * tck), 25.6, 1e-12); // bytes per ns
    EXPECT_EQ(t.number("dram.timing.tREFI", "tCK").value, 6246);
    EXPECT_EQ(t.number("dram.timing.tRCD", "tCK").value, 29);
    EXPECT_EQ(t.number("dram.timing.tRFCpb", "tCK").value, 224);
}

} // namespace
