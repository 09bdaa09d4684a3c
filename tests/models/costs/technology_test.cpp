#include <tensorloom/models/costs/technology.h>

#include <cmath>
#include <cstdio>
#include <tuple>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tensorloom/models/costs/area.h>
#include "support/message_of.h"
#include "support/scratch_folder.h"

namespace {

using namespace tensorloom::base;
using namespace tensorloom::costs;
using tensorloom::test::message_of;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string head = "schema: tensorloom-technology-1\nname: t\nprocess: p\n";

/// Reads head + text and returns the error message, or "" when there is none.
std::string validate(const std::string& text, const std::string& with_head = head)
{
    return message_of([&] { technology::from_text(with_head + text, "t.yaml"); });
}

/// A file with one number: energy.cell.mac.f64 and these fields.
std::string mac(const std::string& fields) { return "energy:\n  cell:\n    mac:\n      f64: {" + fields + "}\n"; }

technology read(const std::string& text) { return technology::from_text(head + text, "t.yaml"); }

TEST(technology, reads_a_number_with_all_its_fields)
{
    const auto t = read(mac("value: 4.6, unit: pJ, source: a book, estimate: true, process: 28 nm"));
    EXPECT_EQ(t.name(), "t");
    EXPECT_EQ(t.process(), "p");
    const auto cost = t.energy("cell", "mac", "f64");
    EXPECT_EQ(cost.pj, 4.6);
    EXPECT_TRUE(cost.estimate);
    const auto& number = t.number("energy.cell.mac.f64", "pJ");
    EXPECT_EQ(number.source, "a book");
    EXPECT_EQ(number.process, "28 nm");
    EXPECT_EQ(number.unit, "pJ");
}

TEST(technology, a_number_without_process_or_mark_has_the_files_process_and_no_mark)
{
    const auto t = read(mac("value: +1e-3, unit: pJ, source: s"));
    const auto& number = t.number("energy.cell.mac.f64", "pJ");
    EXPECT_EQ(number.value, 1e-3);
    EXPECT_EQ(number.process, "p");
    EXPECT_FALSE(number.estimate);
}

TEST(technology, zero_is_a_value) { EXPECT_EQ(validate(mac("value: 0, unit: pJ, source: s")), ""); }

TEST(technology, a_file_may_leave_out_sections) { EXPECT_EQ(validate(""), ""); }

TEST(technology, base_has_what_the_file_does_not_have)
{
    const auto base = load_technology("45nm");
    const auto t = read("base: 45nm\n" + mac("value: 7, unit: pJ, source: own") +
                        "  sram: {access_64bit: {8192: {value: 3, unit: pJ, source: own}}}\n");
    EXPECT_EQ(t.name(), "t");
    EXPECT_EQ(t.process(), "p");
    EXPECT_EQ(t.energy("cell", "mac", "f64").pj, 7);
    EXPECT_EQ(t.number("energy.cell.mac.f64", "pJ").process, "p");
    EXPECT_EQ(t.sram_access(8192).pj, 3);
    EXPECT_EQ(t.energy("cell", "mac", "f32").pj, base.energy("cell", "mac", "f32").pj);
    EXPECT_EQ(t.number("energy.cell.mac.f32", "pJ").process, base.process());
    EXPECT_EQ(t.sram_access(32768).pj, base.sram_access(32768).pj);
    EXPECT_EQ(t.numbers().size(), base.numbers().size());
    EXPECT_EQ(t.second_source(), nullptr) << "the second source of the other file is not this one's";
}

TEST(technology, base_gives_its_process_to_a_file_without_one)
{
    const auto t = technology::from_text("schema: tensorloom-technology-1\nname: t\nbase: 7nm\n", "t.yaml");
    EXPECT_EQ(t.process(), load_technology("7nm").process());
}

class technology_base : public tensorloom::test::scratch_folder {};

TEST_F(technology_base, is_a_file_relative_to_the_one_that_names_it)
{
    std::filesystem::create_directory(path("below"));
    const auto numbers = [](double mac_pj) {
        return mac("value: " + std::to_string(mac_pj) + ", unit: pJ, source: own");
    };
    const std::string first =
        write("first.yaml", head + "base: 7nm\n" + numbers(3) + "      f32: {value: 2, unit: pJ, source: own}\n");
    const std::string second = write("below/second.yaml", head + "base: ../first.yaml\n" + numbers(5));
    const std::string third = write("third.yaml", head + "base: below/second.yaml\n");
    const auto t = load_technology(third);
    EXPECT_EQ(t.energy("cell", "mac", "f64").pj, 5);
    EXPECT_EQ(t.energy("cell", "mac", "f32").pj, 2);
    EXPECT_EQ(t.energy("cell", "mac", "bf16").pj, load_technology("7nm").energy("cell", "mac", "bf16").pj);
    EXPECT_THAT(t.files(), ::testing::ElementsAre(third, second, first));
    EXPECT_THAT(load_technology("40nm").files(), ::testing::IsEmpty());
}

TEST_F(technology_base, may_not_lead_back)
{
    const std::string own = write("own.yaml", head + "base: own.yaml\n");
    EXPECT_EQ(message_of([&] { load_technology(own); }), "technology " + own + ": base: 'own.yaml' is this file");
    const std::string a = write("a.yaml", head + "base: b.yaml\n"), b = write("b.yaml", head + "base: ./a.yaml\n");
    EXPECT_EQ(message_of([&] { load_technology(a); }),
              "technology " + a + ": base: technology " + b + ": base: './a.yaml' is based on this file");
}

TEST_F(technology_base, error_names_both_files)
{
    const std::string bad = write("bad.yaml", head + "energy: 1\n"), t = write("t.yaml", head + "base: bad.yaml\n");
    EXPECT_EQ(message_of([&] { load_technology(t); }),
              "technology " + t + ": base: technology " + bad + ": energy: expected a map of keys, found '1'");
    write("t.yaml", head + "base: .\n");
    EXPECT_THAT(message_of([&] { load_technology(t); }), HasSubstr("is not a file"));
}

TEST(technology, at_another_supply_energies_go_with_its_square_and_delays_with_the_speed)
{
    const auto nominal = load_technology("45nm");
    auto t = nominal;
    t.set_supply(0.9);
    EXPECT_FALSE(t.energy("cell", "mac", "f32").estimate);
    t.set_supply(0.75); // between the points of 0.7 and 0.8 V
    const double ratio = 0.75 / 0.9, speed = (0.714 + 0.867) / 2;
    const auto was = [&](const char* key, const char* unit) { return nominal.number(key, unit).value; };
    const auto is = [&](const char* key, const char* unit) { return t.number(key, unit).value; };
    EXPECT_NEAR(t.energy("cell", "mac", "f32").pj, 4.6 * ratio * ratio, 1e-12);
    EXPECT_TRUE(t.energy("cell", "mac", "f32").estimate);
    EXPECT_NEAR(t.sram_access(8192).pj, 10 * ratio * ratio, 1e-12);
    EXPECT_NEAR(is("wire.via", "fJ/bit"), was("wire.via", "fJ/bit") * ratio * ratio, 1e-12);
    EXPECT_NEAR(is("gate.delay", "ps"), was("gate.delay", "ps") / speed, 1e-12);
    EXPECT_NEAR(is("limit.wire_reach", "mm/ns"), was("limit.wire_reach", "mm/ns") * speed, 1e-12);
    EXPECT_NEAR(t.logic_leakage_mw({1e6}).value, nominal.logic_leakage_mw({1e6}).value * ratio, 1e-12);
    EXPECT_NEAR(t.sram_leakage_mw({1e6}).value, nominal.sram_leakage_mw({1e6}).value * ratio, 1e-12);
    EXPECT_EQ(is("energy.dram.read.64bit", "pJ"), was("energy.dram.read.64bit", "pJ"));
    EXPECT_EQ(is("area.nand2", "um^2"), was("area.nand2", "um^2"));
    EXPECT_NEAR(t.second_source()->energy("cell", "mac", "f32").pj, 51.979 * ratio * ratio, 1e-9);
}

TEST(technology, supply_lies_within_its_points)
{
    auto t = load_technology("7nm");
    EXPECT_EQ(message_of([&] { t.set_supply(0.9); }),
              "--voltage: found 0.9 V, expected 0.45 to 0.8 V, the points of technology 7nm");
    EXPECT_EQ(message_of([&] { t.set_supply(0.44); }),
              "--voltage: found 0.44 V, expected 0.45 to 0.8 V, the points of technology 7nm");
    t.set_supply(0.45);
    t = load_technology("7nm");
    t.set_supply(0.8);
    auto none = read("voltage: {nominal: {value: 1, unit: V, source: s}}\n");
    EXPECT_EQ(message_of([&] { none.set_supply(1); }), "technology t.yaml: speed is missing");
}

TEST(technology, second_source_is_a_shipped_one_and_leaks_by_the_same_factor)
{
    EXPECT_EQ(read("").second_source(), nullptr);
    auto t = read("second_source: 40nm\n");
    EXPECT_EQ(t.second_source_name(), "40nm");
    ASSERT_NE(t.second_source(), nullptr);
    EXPECT_EQ(t.second_source()->name(), "40nm");
    EXPECT_EQ(t.second_source()->second_source(), nullptr);
    const figure um2{1000, false};
    const double once = t.second_source()->logic_leakage_mw(um2).value;
    const auto copy = t;
    t.scale_leakage(2);
    EXPECT_EQ(t.second_source()->logic_leakage_mw(um2).value, 2 * once);
    EXPECT_EQ(copy.second_source()->logic_leakage_mw(um2).value, once);
}

TEST(technology, models_have_the_differences_of_the_second_source)
{
    static constexpr event_definition definitions[] = {{"mac", "mac", ""}, {"wire", "lines", ""}, {"cycle", "", ""}};
    const auto model_by = [](const technology& t) {
        energy_model m;
        m.events = {definitions, 3};
        m.costs = {t.energy("cell", "mac", "f32"), {5, false}, {}};
        m.leakage.push_back({"leakage", t.logic_leakage_mw({1e6, false}).value});
        return m;
    };
    const std::uint64_t counts[] = {3, 2};
    std::vector<component_energy> energies;
    add_energy(energies, with_second_source(load_technology("45nm"), "module", model_by), counts, 10);
    ASSERT_EQ(energies.size(), 3u);
    EXPECT_NEAR(energies[0].pj, 3 * (3.7 + 0.9), 1e-12);
    EXPECT_NEAR(energies[0].second_pj(), 3 * (35.3 + 16.679), 1e-12);
    EXPECT_EQ(energies[1].more_pj, 0);
    EXPECT_NEAR(energies[2].pj, 10 * 14.9, 1e-12);
    EXPECT_NEAR(energies[2].second_pj(), 10 * 10.1, 1e-12);

    std::vector<component_energy> without;
    add_energy(without, with_second_source(load_technology("7nm"), "module", model_by), counts, 10);
    for (const auto& e : without) { EXPECT_EQ(e.more_pj, 0) << e.component; }
}

TEST(technology, energy_of_an_event_replaces_the_one_that_follows_from_other_numbers)
{
    static constexpr event_definition definitions[] = {{"mac", "mac", ""}, {"wire", "lines", ""}};
    const auto model_by = [](const technology& t) {
        energy_model m;
        m.events = {definitions, 2};
        m.costs = {t.energy("cell", "mac", "f32"), {5, false}};
        return m;
    };
    const std::string events = "event:\n  torus:\n    wire: {value: 7, unit: pJ, source: s, estimate: true}\n"
                               "  mmv:\n    other: {value: 8, unit: pJ, source: s}\n"
                               "  fetta:\n    cycle: {value: 8, unit: pJ, source: s}\n";
    auto t = read("base: 45nm\n" + events);
    const auto model = with_second_source(t, "torus", model_by);
    EXPECT_EQ(model.module, "torus");
    EXPECT_EQ(model.costs[0].pj, 4.6);
    EXPECT_EQ(model.costs[1].pj, 7);
    EXPECT_TRUE(model.costs[1].estimate);
    EXPECT_EQ(with_second_source(t, "triada", model_by).costs[1].pj, 5);
    for (const auto& [module, event] : {std::pair("mmv", "other"), std::pair("fetta", "cycle")}) { // none, and free
        EXPECT_EQ(message_of([&, module = module] { with_second_source(t, module, model_by); }),
                  "technology " + t.name() + ": event." + module + "." + event + ": expected an event of " + module +
                      " that is charged to a component, as docs/events.md lists them");
    }
    t.set_supply(0.75);
    EXPECT_NEAR(with_second_source(t, "torus", model_by).costs[1].pj, 7 * 0.75 * 0.75 / 0.81, 1e-12);
}

// ---- every error: one line, with the file and the key ----

struct bad_file {
    const char* what;
    std::string text;
    const char* expected;
};

class validate_technology : public ::testing::TestWithParam<bad_file> {};

TEST_P(validate_technology, names_file_and_key)
{
    const auto line = validate(GetParam().text);
    EXPECT_THAT(line, HasSubstr("technology t.yaml: "));
    EXPECT_THAT(line, HasSubstr(GetParam().expected));
    EXPECT_THAT(line, Not(HasSubstr("\n")));
}

INSTANTIATE_TEST_SUITE_P(
    numbers, validate_technology,
    ::testing::Values(
        bad_file{"no_value", mac("unit: pJ, source: s"), "energy.cell.mac.f64: value is missing"},
        bad_file{"no_unit", mac("value: 1, source: s"), "energy.cell.mac.f64: unit is missing"},
        bad_file{"no_source", mac("value: 1, unit: pJ"), "energy.cell.mac.f64: source is missing"},
        bad_file{"null_value", mac("value: , unit: pJ, source: s"), "energy.cell.mac.f64: value is empty"},
        bad_file{"tilde_value", mac("value: ~, unit: pJ, source: s"), "energy.cell.mac.f64: value is empty"},
        bad_file{"empty_source", mac("value: 1, unit: pJ, source: ''"), "energy.cell.mac.f64: source is empty"},
        bad_file{"negative", mac("value: -1, unit: pJ, source: s"),
                 "energy.cell.mac.f64: value: found '-1', expected a number"},
        bad_file{"yaml_nan", mac("value: .nan, unit: pJ, source: s"), "energy.cell.mac.f64: value: found '.nan'"},
        bad_file{"nan", mac("value: nan, unit: pJ, source: s"), "energy.cell.mac.f64: value: found 'nan'"},
        bad_file{"yaml_infinite", mac("value: .inf, unit: pJ, source: s"), "energy.cell.mac.f64: value: found '.inf'"},
        bad_file{"infinite", mac("value: inf, unit: pJ, source: s"), "energy.cell.mac.f64: value: found 'inf'"},
        bad_file{"overflow", mac("value: 1e400, unit: pJ, source: s"), "energy.cell.mac.f64: value: found '1e400'"},
        bad_file{"absurd", mac("value: 1.1e12, unit: pJ, source: s"), "energy.cell.mac.f64: value: found '1.1e12'"},
        bad_file{"text", mac("value: four, unit: pJ, source: s"), "energy.cell.mac.f64: value: found 'four'"},
        bad_file{"text_after", mac("value: 4 pJ, unit: pJ, source: s"), "energy.cell.mac.f64: value: found '4 pJ'"},
        bad_file{"hexadecimal", mac("value: 0x10, unit: pJ, source: s"), "energy.cell.mac.f64: value: found '0x10'"},
        bad_file{"two_signs", mac("value: ++1, unit: pJ, source: s"), "energy.cell.mac.f64: value: found '++1'"},
        bad_file{"value_list", mac("value: [1], unit: pJ, source: s"),
                 "energy.cell.mac.f64: value: expected text, found a list"},
        bad_file{"wrong_unit", mac("value: 1, unit: nJ, source: s"),
                 "energy.cell.mac.f64: unit: found 'nJ', expected 'pJ'"},
        bad_file{"mark_typo", mac("value: 1, unit: pJ, source: s, estimated: true"),
                 "energy.cell.mac.f64: unknown key 'estimated'"},
        bad_file{"mark_text", mac("value: 1, unit: pJ, source: s, estimate: maybe"),
                 "energy.cell.mac.f64: estimate: found 'maybe'"},
        bad_file{"bare_number", "energy: {cell: {mac: {f64: 4}}}",
                 "energy.cell.mac.f64: expected a map of keys, found '4'"},
        bad_file{"too_shallow", "energy: {cell: 3}", "energy.cell: expected a map of keys, found '3'"},
        bad_file{"empty_section", "energy:", "energy: expected a map of keys, found nothing"},
        bad_file{"list_section", "energy: [1]", "energy: expected a map of keys, found a list"}),
    [](const auto& tested) { return std::string(tested.param.what); });

const std::string good_fields = "value: 1, source: s, unit: ";

INSTANTIATE_TEST_SUITE_P(
    keys, validate_technology,
    ::testing::Values(
        bad_file{"top_level", "energie: {}\n",
                 "unknown key 'energie', expected schema, name, process, base, second_source, energy, event, wire"},
        bad_file{"base", "base: 22nm\n",
                 "base: found '22nm', expected a shipped technology (45nm, 40nm, 7nm, fetta-7nm) or a file"},
        bad_file{"uncertainty_below_1", "base: 7nm\nuncertainty: {estimate: {value: 0.5, unit: '1', source: s}}\n",
                 "uncertainty.estimate: value: found '0.5', expected a factor of at least 1"},
        bad_file{"base_list", "base: [45nm]\n", "base: expected text, found a list"},
        bad_file{"no_base", "base:\n", "base is empty"},
        bad_file{"second_source", "second_source: 22nm\n",
                 "second_source: found '22nm', expected a shipped technology (45nm, 40nm, 7nm, fetta-7nm)"},
        bad_file{"no_second_source", "second_source:\n", "second_source is empty"},
        bad_file{"event", "event: {traida: {mac: {" + good_fields + "pJ}}}", "unknown key event.traida.mac"},
        bad_file{"wire", "wire: {on_chp: {" + good_fields + "fJ/bit/mm}}", "unknown key wire.on_chp"},
        bad_file{"wire_unit", "wire: {on_chip: {" + good_fields + "pJ/bit/mm}}",
                 "wire.on_chip: unit: found 'pJ/bit/mm', expected 'fJ/bit/mm'"},
        bad_file{"via_unit", "wire: {via: {" + good_fields + "pJ}}", "wire.via: unit: found 'pJ', expected 'fJ/bit'"},
        bad_file{"pitch", "cell_pitch: {double: {" + good_fields + "um}}", "unknown key cell_pitch.double"},
        bad_file{"area_unit", "area: {vector: {" + good_fields + "mm^2}}",
                 "area.vector: unit: found 'mm^2', expected 'um^2'"},
        bad_file{"area", "area: {multiply_f64: {" + good_fields + "um^2}}", "unknown key area.multiply_f64"},
        bad_file{"gate", "gate: {toggle: {" + good_fields + "fJ}}", "unknown key gate.toggle"},
        bad_file{"gate_unit", "gate: {delay: {" + good_fields + "ns}}", "gate.delay: unit: found 'ns', expected 'ps'"},
        bad_file{"pitch_unit", "cell_pitch: {f64: {" + good_fields + "mm}}",
                 "cell_pitch.f64: unit: found 'mm', expected 'um'"},
        bad_file{"leakage", "leakage: {cell: {f64: {" + good_fields + "mW}}}", "unknown key leakage.cell.f64"},
        bad_file{"leakage_of", "leakage: {die: {dram: {" + good_fields + "nW/um^2}}}", "unknown key leakage.die.dram"},
        bad_file{"leakage_unit", "leakage: {die: {logic: {" + good_fields + "mW}}}",
                 "leakage.die.logic: unit: found 'mW', expected 'nW/um^2'"},
        bad_file{"sram_size", "energy: {sram: {access_64bit: {8K: {" + good_fields + "pJ}}}}",
                 "unknown key energy.sram.access_64bit.8K"},
        bad_file{"sram_size_0", "energy: {sram: {access_64bit: {0: {" + good_fields + "pJ}}}}",
                 "unknown key energy.sram.access_64bit.0"},
        bad_file{"sram_size_padded", "energy: {sram: {access_64bit: {08: {" + good_fields + "pJ}}}}",
                 "unknown key energy.sram.access_64bit.08"},
        bad_file{"dram", "dram: {speed: {x: {" + good_fields + "ns}}}", "unknown key dram.speed.x"},
        bad_file{"dram_unit", "dram: {timing: {tRCD: {" + good_fields + "ns}}}",
                 "dram.timing.tRCD: unit: found 'ns', expected 'tCK'"},
        bad_file{"repeated_top", "wire: {}\nwire: {}\n", "repeated key wire"},
        bad_file{"repeated_head", "name: again\n", "repeated key name"},
        bad_file{"repeated_group", "energy: {cell: {mac: {}, mac: {}}}", "repeated key energy.cell.mac"},
        bad_file{"repeated_field", mac("value: 1, value: 2, unit: pJ, source: s"),
                 "repeated key energy.cell.mac.f64.value"},
        bad_file{"dotted", "energy: {cell.mac: {}}", "energy: a key must be a name without dots, found 'cell.mac'"},
        bad_file{"newline_in_key", "energy: {\"a\\nb\": {}}", "energy: a key must be a name without dots, found 'a?b'"},
        bad_file{"list_as_key", "energy: {[a]: 1}", "energy: a key must be a plain name"},
        bad_file{"not_yaml", "energy: {cell: [}\n", "is not YAML: line 4"},
        bad_file{"two_documents", "---\na: 1\n", "is not YAML: line 4, column 1: a second document, expected one"},
        bad_file{"alias_of_itself", "energy: &a {cell: *a}\n",
                 "line 4, column 19: an alias inside the value that it names"}),
    [](const auto& tested) { return std::string(tested.param.what); });

TEST(technology, wrong_schema_is_refused)
{
    EXPECT_THAT(validate("", "schema: tensorloom-technology-2\nname: t\nprocess: p\n"),
                HasSubstr("t.yaml: schema: found 'tensorloom-technology-2', expected 'tensorloom-technology-1'"));
}

TEST(technology, schema_name_and_process_are_needed)
{
    EXPECT_THAT(validate("", "name: t\nprocess: p\n"), HasSubstr("schema is missing"));
    EXPECT_THAT(validate("", "schema: tensorloom-technology-1\nprocess: p\n"), HasSubstr("name is missing"));
    EXPECT_THAT(validate("", "schema: tensorloom-technology-1\nname: t\n"), HasSubstr("process is missing"));
}

TEST(technology, text_that_is_no_map_is_refused)
{
    EXPECT_THAT(validate("", "- a\n- b\n"), HasSubstr("expected a map of keys, found a list"));
    EXPECT_THAT(validate("", "hello"), HasSubstr("expected a map of keys, found 'hello'"));
    EXPECT_THAT(validate("", ""), HasSubstr("t.yaml: "));
}

TEST(technology, a_map_that_contains_itself_is_refused)
{
    EXPECT_THAT(validate("energy: &loop {cell: *loop}\n"), HasSubstr("t.yaml: "));
}

// ---- use ----

TEST(technology, a_missing_key_is_named_when_it_is_used)
{
    const auto t = read("");
    EXPECT_EQ(message_of([&] { t.energy("cell", "mac", "f64"); }),
              "technology t.yaml: missing key energy.cell.mac.f64 (pJ)");
    EXPECT_EQ(message_of([&] { t.energy("cell", "mac", element_type::c128); }),
              "technology t.yaml: missing key energy.cell.mac.c128 (pJ)");
    EXPECT_EQ(message_of([&] { t.wire_fj_per_bit_mm(); }), "technology t.yaml: missing key wire.on_chip (fJ/bit/mm)");
    EXPECT_EQ(message_of([&] { t.via_fj_per_bit(); }), "technology t.yaml: missing key wire.via (fJ/bit)");
    EXPECT_EQ(message_of([&] { cell_pitch_um(t, element_type::bf16, 4); }),
              "technology t.yaml: missing key area.nand2 (um^2)");
    EXPECT_EQ(message_of([&] { t.logic_leakage_mw({}); }),
              "technology t.yaml: missing key leakage.die.logic (nW/um^2)");
    EXPECT_EQ(message_of([&] { t.sram_leakage_mw({}); }), "technology t.yaml: missing key leakage.die.sram (nW/um^2)");
    EXPECT_EQ(message_of([&] { t.sram_access(8192); }), "technology t.yaml: missing key energy.sram.access_64bit (pJ)");
    EXPECT_EQ(message_of([&] { t.local_memory_access(64); }),
              "technology t.yaml: missing key energy.sram.access_64bit (pJ)");
}

TEST(technology, missing_keys_are_listed_once_in_the_order_of_their_use)
{
    auto t = read(mac("value: 3, unit: pJ, source: s"));
    const auto asks = [&] {
        EXPECT_EQ(t.logic_leakage_mw({1e6, false}).value, 1);
        EXPECT_EQ(t.energy("cell", "mac", "f64").pj, 3);
        EXPECT_EQ(t.energy("cell", "mac", "f32").pj, 1);
        t.sram_access(8192);
        t.sram_access(64);
        t.number("limit.die_area", "mm^2");
        t.logic_leakage_mw({1e6, false});
    };
    EXPECT_EQ(message_of([&] { t.list_missing(asks); }),
              "technology t.yaml: missing keys leakage.die.logic (nW/um^2), energy.cell.mac.f32 (pJ), "
              "energy.sram.access_64bit (pJ), limit.die_area (mm^2)");
    EXPECT_EQ(message_of([&] { t.energy("cell", "mac", "f32"); }),
              "technology t.yaml: missing key energy.cell.mac.f32 (pJ)"); // afterwards as before
}

TEST(technology, one_missing_key_of_a_list_is_named_as_when_it_is_used)
{
    auto t = read("");
    EXPECT_EQ(message_of([&] { t.list_missing([&] { t.via_fj_per_bit(); }); }),
              "technology t.yaml: missing key wire.via (fJ/bit)");
}

TEST(technology, a_list_names_eight_missing_keys)
{
    auto t = read("");
    const auto ask_for = [&](int keys) {
        return message_of([&] {
            t.list_missing([&] {
                for (int k = 1; k <= keys; ++k) { t.number("area.b" + std::to_string(k), "um^2"); }
            });
        });
    };
    EXPECT_THAT(ask_for(8), ::testing::EndsWith(", area.b8 (um^2)"));
    EXPECT_THAT(ask_for(10), ::testing::EndsWith(", area.b8 (um^2) and 2 more"));
}

TEST(technology, missing_keys_come_before_other_errors)
{
    auto t = read(mac("value: 3, unit: pJ, source: s"));
    const auto fails = [&](const char* format) {
        return message_of([&] {
            t.list_missing([&] {
                t.energy("cell", "mac", format);
                throw tensorloom::base::input_error("too large");
            });
        });
    };
    EXPECT_EQ(fails("f64"), "too large");
    EXPECT_EQ(fails("f32"), "technology t.yaml: missing key energy.cell.mac.f32 (pJ)");
}

TEST(technology, a_number_asked_for_in_another_unit_is_refused)
{
    const auto t = read(mac("value: 1, unit: pJ, source: s"));
    EXPECT_EQ(message_of([&] { t.number("energy.cell.mac.f64", "nJ"); }),
              "technology t.yaml: energy.cell.mac.f64: unit: found 'pJ', expected 'nJ'");
}

TEST(technology, a_figure_for_64_bits_is_scaled_with_the_bits_and_then_an_estimate)
{
    const auto t = read("energy: {cell: {register_read: {64bit: {value: 8, unit: pJ, source: s}}}}");
    const std::tuple<const char*, double, bool> expected[] = {{"int8", 1, true}, {"f16", 2, true},   {"bf16", 2, true},
                                                              {"f32", 4, true},  {"int32", 4, true}, {"f64", 8, false},
                                                              {"c64", 8, false}, {"c128", 16, true}};
    for (const auto& [format, pj, estimate] : expected) {
        EXPECT_EQ(t.energy("cell", "register_read", format).pj, pj) << format;
        EXPECT_EQ(t.energy("cell", "register_read", format).estimate, estimate) << format;
    }
    EXPECT_THAT(message_of([&] { t.energy("cell", "register_read", "f128"); }),
                HasSubstr("energy.cell.register_read.f128"));
}

TEST(technology, a_figure_of_the_format_comes_before_one_for_64_bits)
{
    const auto t = read("energy: {cell: {register_read: {64bit: {value: 8, unit: pJ, source: s}, f32: {value: 5, unit: "
                        "pJ, source: s}}}}");
    EXPECT_EQ(t.energy("cell", "register_read", "f32").pj, 5);
    EXPECT_FALSE(t.energy("cell", "register_read", "f32").estimate);
}

class sram_table : public ::testing::Test {
protected:
    technology t =
        read("energy: {cell: {register_read: {64bit: {value: 2, unit: pJ, source: s}}}, sram: {access_64bit: {\n"
             "  1048576: {value: 160, unit: pJ, source: s},\n"
             "  1024: {value: 10, unit: pJ, source: s},\n"
             "  16384: {value: 40, unit: pJ, source: s, estimate: true}}}}\n"
             "leakage: {die: {logic: {value: 2, unit: nW/um^2, source: s}, sram: {value: 30, unit: nW/um^2, source: s, "
             "estimate: true}}}");
};

TEST_F(sram_table, a_size_of_the_table_is_its_figure_and_mark)
{
    EXPECT_EQ(t.sram_access(1024).pj, 10);
    EXPECT_FALSE(t.sram_access(1024).estimate);
    EXPECT_EQ(t.sram_access(16384).pj, 40);
    EXPECT_TRUE(t.sram_access(16384).estimate);
    EXPECT_FALSE(t.sram_access(1048576).estimate);
}

TEST_F(sram_table, between_sizes_the_logarithms_are_interpolated)
{
    // 1 KiB to 16 KiB: energy grows 4 times over 16 times the size, so with the square root of the size.
    EXPECT_NEAR(t.sram_access(4096).pj, 20, 1e-12 * 20);
    EXPECT_NEAR(t.sram_access(2048).pj, 10 * std::sqrt(2.0), 1e-12 * 20);
    // 16 KiB to 1 MiB: 4 times over 64 times, so with the cube root.
    EXPECT_NEAR(t.sram_access(131072).pj, 80, 1e-12 * 80);
    EXPECT_TRUE(t.sram_access(4096).estimate);
    EXPECT_TRUE(t.sram_access(131072).estimate);
}

TEST_F(sram_table, above_the_largest_size_energy_grows_with_the_square_root)
{
    EXPECT_NEAR(t.sram_access(4u << 20).pj, 320, 1e-12 * 320);
    EXPECT_TRUE(t.sram_access(4u << 20).estimate);
}

TEST_F(sram_table, below_the_smallest_size_energy_falls_with_the_square_root_to_one_word)
{
    EXPECT_NEAR(t.sram_access(256).pj, 5, 1e-12 * 5);
    EXPECT_TRUE(t.sram_access(256).estimate);
    EXPECT_NEAR(t.sram_access(8).pj, 10 * std::sqrt(8.0 / 1024), 1e-12);
    EXPECT_EQ(t.sram_access(1).pj, t.sram_access(8).pj);
}

TEST_F(sram_table, of_a_local_memory_falls_with_the_square_root_to_that_of_a_register)
{
    EXPECT_EQ(t.local_memory_access(1024).pj, 10);
    EXPECT_FALSE(t.local_memory_access(1024).estimate);
    EXPECT_EQ(t.local_memory_access(16384).pj, 40);
    EXPECT_NEAR(t.local_memory_access(256).pj, 5, 1e-12);
    EXPECT_NEAR(t.local_memory_access(64).pj, 2.5, 1e-12);
    EXPECT_EQ(t.local_memory_access(36).pj, 2); // 1.875 without the limit
    EXPECT_EQ(t.local_memory_access(1).pj, 2);
    EXPECT_TRUE(t.local_memory_access(256).estimate);
}

TEST_F(sram_table, leakage_goes_with_the_area)
{
    EXPECT_NEAR(t.logic_leakage_mw({1000, false}).value, 2e-3, 1e-15);
    EXPECT_NEAR(t.sram_leakage_mw({1000, false}).value, 30e-3, 1e-15);
    EXPECT_FALSE(t.logic_leakage_mw({1000, false}).estimate);
    EXPECT_TRUE(t.logic_leakage_mw({1000, true}).estimate);
    EXPECT_TRUE(t.sram_leakage_mw({1000, false}).estimate);
}

TEST(technology, sizes_that_cost_nothing_are_interpolated_too)
{
    const auto t = read(
        "energy: {sram: {access_64bit: {16: {value: 0, unit: pJ, source: s}, 64: {value: 8, unit: pJ, source: s}}}}");
    EXPECT_EQ(t.sram_access(16).pj, 0);
    EXPECT_NEAR(t.sram_access(32).pj, 4, 1e-12);
}

// ---- files ----

using technology_file = tensorloom::test::scratch_folder;

TEST_F(technology_file, a_path_is_read)
{
    const auto path = write("mine.yaml", head + mac("value: 3, unit: pJ, source: s"));
    EXPECT_EQ(load_technology(path).energy("cell", "mac", "f64").pj, 3);
}

TEST_F(technology_file, complaints_name_the_path)
{
    const auto path = write("mine.yaml", head + mac("value: -3, unit: pJ, source: s"));
    EXPECT_THAT(message_of([&] { load_technology(path); }),
                HasSubstr("technology " + path + ": energy.cell.mac.f64: "));
    const auto partial = write("partial.yaml", head);
    EXPECT_THAT(message_of([&] { load_technology(partial).energy("cell", "mac", "f64"); }),
                HasSubstr(path.substr(0, path.rfind('/')) + "/partial.yaml: missing key energy.cell.mac.f64"));
}

TEST_F(technology_file, an_unknown_name_lists_the_shipped_ones)
{
    EXPECT_EQ(message_of([] { load_technology("90nm"); }),
              "technology '90nm' is neither a shipped one (45nm, 40nm, 7nm, fetta-7nm) nor a file");
    EXPECT_THAT(message_of([] { load_technology(""); }),
                HasSubstr("neither a shipped one (45nm, 40nm, 7nm, fetta-7nm) nor a file"));
}

TEST_F(technology_file, what_is_no_ordinary_file_is_refused)
{
    EXPECT_THAT(message_of([&] { load_technology(m_folder.string()); }), HasSubstr("is not a file"));
    EXPECT_THAT(message_of([] { load_technology("/dev/zero"); }), HasSubstr("is not a file"));
    const auto huge = write("huge.yaml", std::string((1 << 20) + 1, '#'));
    EXPECT_THAT(message_of([&] { load_technology(huge); }), HasSubstr("is larger than 1 MiB"));
    EXPECT_EQ(message_of([] { load_technology("/proc/self/mem"); }),
              "technology: /proc/self/mem: cannot be read (Input/output error), expected a file");
}

} // namespace
