#include <tensorloom/models/triada/isa/energy.h>

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include "support/message_of.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::base;
using namespace tensorloom::costs;

technology with(const std::string& numbers)
{
    return technology::from_text("schema: tensorloom-technology-1\nname: t\nprocess: p\n" + numbers, "t.yaml");
}

/// Round figures, none an estimate.
technology round_figures()
{
    return with(
        "energy:\n"
        "  cell:\n"
        "    mac: {f64: {value: 20, unit: pJ, source: s}, f32: {value: 5, unit: pJ, source: s}, c128: {value: 80, "
        "unit: pJ, source: s}}\n"
        "    register_read: {64bit: {value: 0.5, unit: pJ, source: s}}\n"
        "    register_write: {64bit: {value: 0.25, unit: pJ, source: s}}\n"
        "  sram: {access_64bit: {8192: {value: 8, unit: pJ, source: s}, 32768: {value: 16, unit: pJ, source: s}}}\n"
        "wire: {on_chip: {value: 100, unit: fJ/bit/mm, source: s}, via: {value: 4, unit: fJ/bit, source: s}}\n"
        "cell_pitch: {f64: {value: 50, unit: um, source: s}, f32: {value: 25, unit: um, source: s}, c128: {value: 100, "
        "unit: um, source: s}}\n"
        "area: {nand2: {value: 2, unit: um^2, source: s}, sram_bit: {value: 0.5, unit: um^2, source: s}}\n"
        "leakage: {die: {logic: {value: 10, unit: nW/um^2, source: s}, sram: {value: 40, unit: nW/um^2, source: "
        "s}}}\n");
}

double pj(const energy_model& model, triada::event event) { return model.costs[static_cast<std::size_t>(event)].pj; }
bool estimate(const energy_model& model, triada::event event)
{
    return model.costs[static_cast<std::size_t>(event)].estimate;
}

TEST(triada_energy, counts_by_the_devices_events)
{
    const auto model = triada::device_energy(round_figures(), {{2, 3, 4}, element_type::f64});
    EXPECT_EQ(model.events.events, triada::events.events);
    EXPECT_EQ(model.costs.size(), triada::event_count);
}

TEST(triada_energy, cells_cost_what_the_technology_says)
{
    const auto model = triada::device_energy(round_figures(), {{2, 3, 4}, element_type::f64});
    EXPECT_EQ(pj(model, triada::event::mac), 20);
    EXPECT_EQ(pj(model, triada::event::register_read), 0.5);
    EXPECT_EQ(pj(model, triada::event::register_write), 0.25);
}

TEST(triada_energy, planar_hops_cost_bits_times_pitch_and_a_coefficient_has_its_tag)
{
    const auto model = triada::device_energy(round_figures(), {{1, 1, 1}, element_type::f64, 0});
    for (const unsigned mode : {0u, 1u, 2u}) { // 0.05 mm at 100 fJ per bit and mm: 5 fJ per bit
        EXPECT_NEAR(pj(model, triada::operand_hop(mode)), 64 * 5e-3, 1e-15) << mode;
        EXPECT_NEAR(pj(model, triada::coefficient_hop(mode)), 65 * 5e-3, 1e-15) << mode;
    }
}

TEST(triada_energy, hops_along_the_vertical_mode_go_through_vias)
{
    for (const unsigned vertical : {1u, 2u, 3u}) {
        const auto model = triada::device_energy(round_figures(), {{2, 3, 4}, element_type::f64, vertical});
        for (const unsigned mode : {1u, 2u, 3u}) {
            const double fj_per_bit = mode == vertical ? 4 : 5;
            EXPECT_NEAR(pj(model, triada::operand_hop(mode - 1)), 64 * fj_per_bit * 1e-3, 1e-15) << vertical << mode;
            EXPECT_NEAR(pj(model, triada::coefficient_hop(mode - 1)), 65 * fj_per_bit * 1e-3, 1e-15)
                << vertical << mode;
        }
    }
}

TEST(triada_energy, tiers_are_stacked_along_mode_2_unless_told)
{
    const auto model = triada::device_energy(round_figures(), {{2, 3, 4}, element_type::f64});
    EXPECT_NEAR(pj(model, triada::event::frontal_operand_hop), 64 * 4e-3, 1e-15);
    EXPECT_NEAR(pj(model, triada::event::lateral_operand_hop), 64 * 5e-3, 1e-15);
    EXPECT_NEAR(pj(model, triada::event::horizontal_operand_hop), 64 * 5e-3, 1e-15);
}

TEST(triada_energy, strobe_is_charged_on_request_alone)
{
    triada::energy_parameters parameters{{2, 3, 4}, element_type::f64};
    const auto plain = triada::device_energy(round_figures(), parameters);
    parameters.strobe = true;
    const auto model = triada::device_energy(round_figures(), parameters);
    ASSERT_EQ(model.events.size, triada::event_count);
    for (std::size_t e = 0; e < triada::event_count; ++e) {
        const bool is_step = e == static_cast<std::size_t>(triada::event::step);
        EXPECT_STREQ(model.events.events[e].name, triada::events.events[e].name);
        EXPECT_STREQ(model.events.events[e].component, is_step ? "strobe" : triada::events.events[e].component);
        if (!is_step) { EXPECT_EQ(model.costs[e].pj, plain.costs[e].pj); }
    }
    // 8 bits over 24 cells at 5 fJ per bit, and through 3 tiers at 4 fJ per bit.
    EXPECT_NEAR(pj(model, triada::event::step), 8 * (24 * 5e-3 + 3 * 4e-3), 1e-12);
    parameters.vertical_mode = 0;
    EXPECT_NEAR(pj(triada::device_energy(round_figures(), parameters), triada::event::step), 8 * 24 * 5e-3, 1e-12);
}

TEST(triada_energy, strobe_of_integers_has_their_shift)
{
    EXPECT_EQ(triada::strobe_bits(element_type::f64), 8u);
    EXPECT_EQ(triada::strobe_bits(element_type::int8), 13u);
}

TEST(triada_energy, other_formats_move_their_own_bits_over_their_own_pitch)
{
    const auto single = triada::device_energy(round_figures(), {{2, 3, 4}, element_type::f32, 0});
    EXPECT_EQ(pj(single, triada::event::mac), 5);
    EXPECT_EQ(pj(single, triada::event::register_read), 0.25);
    EXPECT_NEAR(pj(single, triada::event::lateral_operand_hop), 32 * 2.5e-3, 1e-15);
    EXPECT_NEAR(pj(single, triada::event::lateral_coefficient_hop), 33 * 2.5e-3, 1e-15);
    EXPECT_EQ(pj(single, triada::event::coefficient_read), 4);
    const auto complex = triada::device_energy(round_figures(), {{2, 3, 4}, element_type::c128, 0});
    EXPECT_EQ(pj(complex, triada::event::mac), 80);
    EXPECT_NEAR(pj(complex, triada::event::lateral_coefficient_hop), 129 * 10e-3, 1e-14);
    EXPECT_EQ(pj(complex, triada::event::coefficient_read), 16);
}

TEST(triada_energy, low_precision_cells_multiply_narrow_elements_and_keep_wide_sums)
{
    const auto tech = tensorloom::costs::load_technology("45nm");
    for (const auto format : {element_type::bf16, element_type::int8}) {
        const auto model = triada::device_energy(tech, {{2, 3, 4}, format, 0});
        const double nand2 = find_gates("mesh_cell", format == element_type::bf16 ? "bf16" : "int8")->nand2;
        const double pitch_um = std::sqrt(1.2 * 0.798 * nand2);
        const double bits = format == element_type::bf16 ? 16 : 8;
        EXPECT_EQ(pj(model, triada::event::mac), format == element_type::bf16 ? 1.6 : 0.3);
        EXPECT_NEAR(pj(model, triada::event::register_read), 0.15, 1e-15);
        EXPECT_NEAR(pj(model, triada::event::register_write), 0.15, 1e-15);
        EXPECT_NEAR(pj(model, triada::event::lateral_operand_hop), bits * pitch_um * 60e-6, 1e-12);
        EXPECT_NEAR(pj(model, triada::event::coefficient_read), 10 * bits / 64, 1e-12);
        EXPECT_NEAR(model.leakage[0].mw, 24 * pitch_um * pitch_um * 14.9e-6, 1e-12);
    }
}

TEST(triada_energy, an_actuator_pays_a_bank_access_per_element_as_an_estimate)
{
    const auto model = triada::device_energy(round_figures(), {{2, 3, 4}, element_type::f64});
    for (const auto event : {triada::event::coefficient_read, triada::event::coefficient_write}) {
        EXPECT_EQ(pj(model, event), 8);
        EXPECT_TRUE(estimate(model, event));
    }
    triada::energy_parameters larger{{2, 3, 4}, element_type::f64};
    larger.actuator_bank_bytes = 32768;
    EXPECT_EQ(pj(triada::device_energy(round_figures(), larger), triada::event::coefficient_read), 16);
}

TEST(triada_energy, every_area_leaks_as_logic_or_as_sram)
{
    const auto model = triada::device_energy(round_figures(), {{2, 3, 4}, element_type::f64});
    const double per_gate = 1.2 * 2 * 10e-6;                          // mW
    const double per_bank = 8 * 8192 * 0.5 / (0.4 + 0.2 / 3) * 40e-6; // of 8 KiB, a third of the way to 32 KiB
    const std::pair<const char*, double> parts[] = {{"cells", 24 * find_gates("mesh_cell", "f64")->nand2 * per_gate},
                                                    {"actuators", 3 * per_bank},
                                                    {"control", stage_control_gates(9).nand2 * per_gate},
                                                    {"memory_port", aligner_gates(8, 64).nand2 * per_gate}};
    ASSERT_EQ(model.leakage.size(), 4u);
    for (std::size_t p = 0; p < 4; ++p) {
        EXPECT_EQ(model.leakage[p].component, "leakage");
        EXPECT_EQ(model.leakage[p].part, parts[p].first);
        EXPECT_NEAR(model.leakage[p].mw, parts[p].second, 1e-9 * parts[p].second) << parts[p].first;
    }
    EXPECT_FALSE(model.leakage[0].estimate);
    EXPECT_TRUE(model.leakage[1].estimate);
    // Matrices of 64 x 64, 40 x 40 and 1 x 1 doubles: 4, 2 and 1 banks.
    EXPECT_NEAR(triada::device_energy(round_figures(), {{64, 40, 1}, element_type::f64}).leakage[1].mw, 7 * per_bank,
                1e-9);
    // A mesh whose cells do not fit in 32 or 64 bits.
    const double huge =
        triada::device_energy(round_figures(), {{1u << 31, 1u << 31, 4}, element_type::f64}).leakage[0].mw;
    EXPECT_NEAR(huge / 0x1p64, model.leakage[0].mw / 24, 1e-9);
}

TEST(triada_energy, events_without_a_component_cost_nothing)
{
    const auto model = triada::device_energy(round_figures(), {{2, 3, 4}, element_type::f64});
    for (std::size_t e = 0; e < triada::event_count; ++e) {
        if (*triada::events.events[e].component == '\0') {
            EXPECT_EQ(model.costs[e].pj, 0) << triada::events.events[e].name;
        } else {
            EXPECT_GT(model.costs[e].pj, 0) << triada::events.events[e].name;
        }
    }
}

TEST(triada_energy, marks_of_the_technology_reach_the_total)
{
    const auto figures = load_technology("45nm");
    triada::counts counts;
    counts[triada::event::mac] = 1;
    const auto energies = [&](element_type format, double ns) {
        std::vector<component_energy> result;
        add_energy(result, triada::device_energy(figures, {{1, 1, 1}, format}), counts.data(), ns);
        return result;
    };
    const auto marked = [](const std::vector<component_energy>& all) {
        return std::any_of(all.begin(), all.end(), [](const auto& e) { return e.estimate; });
    };
    EXPECT_FALSE(marked(energies(element_type::f32, 0))); // published
    EXPECT_TRUE(marked(energies(element_type::f64, 0)));  // estimated
    EXPECT_TRUE(marked(energies(element_type::f32, 1)));  // leakage is
    counts[triada::event::lateral_operand_hop] = 1;
    EXPECT_TRUE(marked(energies(element_type::f32, 0))); // wires are
}

TEST(triada_energy, of_a_small_job_at_45nm_by_hand)
{
    triada::counts counts;
    counts[triada::event::mac] = 100;
    counts[triada::event::register_read] = 200;
    counts[triada::event::register_write] = 150;
    counts[triada::event::lateral_coefficient_hop] = 10;
    counts[triada::event::frontal_operand_hop] = 20;
    counts[triada::event::coefficient_read] = 8;
    counts[triada::event::step] = 12;
    std::vector<component_energy> energies;
    add_energy(energies, triada::device_energy(load_technology("45nm"), {{2, 2, 2}, element_type::f32}), counts.data(),
               36);

    const auto of = [&](const std::string& component) {
        const auto found =
            std::find_if(energies.begin(), energies.end(), [&](const auto& e) { return e.component == component; });
        return found == energies.end() ? -1.0 : found->pj;
    };
    EXPECT_EQ(energies.size(), 5u);
    EXPECT_NEAR(of("mac"), 460, 1e-9);
    EXPECT_NEAR(of("registers"), 350 * 0.15, 1e-9);
    EXPECT_NEAR(of("lines"),
                10 * 33 * 1e-3 * std::sqrt(1.2 * 0.798 * find_gates("mesh_cell", "f32")->nand2) * 0.060 +
                    20 * 32 * 0.006,
                1e-9);
    EXPECT_NEAR(of("actuators"), 8 * 5.0, 1e-9);
    const double gates =
        8 * find_gates("mesh_cell", "f32")->nand2 + stage_control_gates(6).nand2 + aligner_gates(8, 32).nand2;
    const double bank_um2 = 8 * 8192 * 0.346 / (0.4 + 0.2 / 3); // one for each actuator
    EXPECT_NEAR(of("leakage"), (1.2 * 0.798 * gates * 14.9e-6 + 3 * bank_um2 * 38.9e-6) * 36, 1e-9);
}

TEST(triada_energy, errors)
{
    const auto figures = round_figures();
    EXPECT_THROW(triada::device_energy(figures, {{0, 1, 1}, element_type::f64}), input_error);
    EXPECT_THROW(triada::device_energy(figures, {{1, 1, 0}, element_type::f64}), input_error);
    EXPECT_THROW(triada::device_energy(figures, {{1, 1, 1}, element_type::f64, 4}), input_error);
    EXPECT_EQ(tensorloom::test::message_of([&] {
                  triada::device_energy(figures, {{1, 1, 1}, element_type::c64});
              }),
              "technology t.yaml: missing key energy.cell.mac.c64 (pJ)");
}

// 45 nm: gates of a cell of float64, and 20 %.
const double cell_um2 = 1.2 * 0.798 * find_gates("mesh_cell", "f64")->nand2;

TEST(triada_area, of_a_mesh_by_hand)
{
    const auto plan = triada::device_area(load_technology("45nm"), {{64, 64, 72}, element_type::f64});
    ASSERT_EQ(plan.areas.size(), 4u);
    const auto& cells = plan.areas[0];
    EXPECT_EQ(cells.component, "cells");
    EXPECT_NEAR(cells.um2, 294912 * cell_um2, 1e-3);
    EXPECT_EQ(cells.by_pitch_um2, 0);
    EXPECT_EQ(cells.tiers, 64u); // along mode 2
    EXPECT_TRUE(cells.synthesized);
    EXPECT_EQ(plan.areas[1].component, "actuators");
    const double bank_um2 = 65536 * 0.346 / (0.4 + 0.2 / 3);
    EXPECT_NEAR(plan.areas[1].um2, (4 + 4 + 6) * bank_um2, 1e-6); // 32, 32 and 40.5 KiB
    EXPECT_EQ(plan.areas[2].component, "control");                // with 200 rows in view
    EXPECT_NEAR(plan.areas[2].um2, 1.2 * 0.798 * find_gates("stage_control", "any")->nand2 * 200 / 24, 1e-6);
    EXPECT_EQ(plan.areas[3].component, "memory_port"); // 8 elements of 64 bits to any of 8 places
    EXPECT_NEAR(plan.areas[3].um2, 1.2 * 0.798 * 8 * 3 * 64 * 2.5, 1e-6);
}

TEST(triada_area, longest_line_lies_along_a_planar_mode_and_has_a_third_of_a_step)
{
    const auto tech = load_technology("45nm");
    triada::energy_parameters g{{10, 90, 20}, element_type::f64};
    auto plan = triada::device_area(tech, g);
    EXPECT_NEAR(plan.longest_line_um, 20 * std::sqrt(cell_um2), 1e-9);
    EXPECT_EQ(plan.settling_cycles, 1);
    g.vertical_mode = 0;
    g.step_cycles = 6;
    plan = triada::device_area(tech, g);
    EXPECT_NEAR(plan.longest_line_um, 20 * 10 * std::sqrt(cell_um2), 1e-9) << "ten layers of 90 x 20 below each other";
    EXPECT_EQ(plan.settling_cycles, 2);
    EXPECT_EQ(plan.areas[0].tiers, 1u);
}

// Four layers of 6 x 6 cells as fields of 2 x 2.
TEST(triada_energy, layers_without_a_vertical_mode_lie_in_one_plane)
{
    const auto tech = load_technology("45nm");
    const double pitch = std::sqrt(cell_um2);
    const auto of = [&](triada::energy_parameters g, unsigned mode) { return cell_distances_um(tech, g)[mode].value; };
    for (unsigned layered = 0; layered < 3; ++layered) {
        triada::energy_parameters g{{6, 6, 6}, element_type::f64, 0};
        g.mesh[layered] = 4;
        for (unsigned mode = 0; mode < 3; ++mode) {
            EXPECT_NEAR(of(g, mode), mode == layered ? pitch : 2 * pitch, 1e-9) << layered << mode;
        }
        g.vertical_mode = layered + 1;
        for (unsigned mode = 0; mode < 3; ++mode) {
            EXPECT_NEAR(of(g, mode), mode == layered ? 0 : pitch, 1e-9) << layered << mode;
        }
    }
    const triada::energy_parameters g{{6, 6, 4}, element_type::f64, 0};
    const auto model = triada::device_energy(tech, g);
    EXPECT_NEAR(pj(model, triada::operand_hop(0)), 2 * pj(model, triada::operand_hop(2)), 1e-12);
}

TEST(triada_area, of_an_empty_mesh_is_refused)
{
    EXPECT_THROW(triada::device_area(load_technology("45nm"), {{0, 1, 1}, element_type::f64}), input_error);
}

TEST(triada_area, of_control_and_memory_port_goes_with_what_they_see_and_move)
{
    const auto areas = [](unsigned load_elements, bool aligner, std::uint32_t look_ahead) {
        triada::energy_parameters g{{8, 8, 8}, element_type::int8};
        g.aligned_elements = aligner ? load_elements : 0;
        g.look_ahead = look_ahead;
        return triada::device_area(load_technology("45nm"), g).areas;
    };
    const auto plain = areas(8, true, 0);
    EXPECT_TRUE(plain[2].synthesized); // 3 x 8 rows, as the Verilog has
    EXPECT_TRUE(areas(8, true, 12)[2].estimate);
    EXPECT_NEAR(areas(8, true, 12)[2].um2, plain[2].um2 / 2, 1e-9);
    EXPECT_EQ(areas(8, true, 1u << 20)[2].um2, plain[2].um2);
    EXPECT_NEAR(areas(64, true, 0)[3].um2, plain[3].um2 * 8 * 2, 1e-9);
    EXPECT_EQ(areas(1, true, 0)[3].um2, 0);
    EXPECT_EQ(areas(8, false, 0).size(), 3u);
}

TEST(triada_area, of_another_number_of_registers_is_an_estimate)
{
    const auto tech = load_technology("45nm");
    triada::energy_parameters g{{2, 3, 4}, element_type::f32};
    const auto plan = triada::device_area(tech, g);
    g.registers = 6; // two more of 32 bits that hold their value
    const auto larger = triada::device_area(tech, g);
    EXPECT_NEAR(larger.areas[0].um2 - plan.areas[0].um2, 24 * 1.2 * 0.798 * 2 * 32 * 7, 1e-6);
    EXPECT_TRUE(larger.areas[0].estimate);
    EXPECT_FALSE(larger.areas[0].synthesized);
}

// X line, Y line, multiply-add: one after the other, each in its cycles, or all in the same.
TEST(triada_area, a_time_step_is_shared_by_lines_and_multiply_add)
{
    const auto plan = [](unsigned step, unsigned latency) {
        triada::energy_parameters g{{2, 3, 4}, element_type::f32};
        g.step_cycles = step;
        g.mac_latency = latency;
        return triada::device_area(load_technology("45nm"), g);
    };
    const unsigned mac = find_gates("mac", "f32")->levels, cell = find_gates("mesh_cell", "f32")->levels;
    EXPECT_EQ(plan(3, 1).path_gates, mac);
    EXPECT_EQ(plan(3, 1).path_cycles, 1);
    EXPECT_EQ(plan(3, 1).settling_cycles, 1);
    EXPECT_EQ(plan(6, 4).path_cycles, 4);
    EXPECT_EQ(plan(6, 4).settling_cycles, 1);
    EXPECT_EQ(plan(9, 1).path_cycles, 3);
    EXPECT_EQ(plan(9, 1).settling_cycles, 3);
    EXPECT_EQ(plan(1, 1).path_gates, cell);
    EXPECT_EQ(plan(1, 1).path_cycles, 1);
    EXPECT_EQ(plan(2, 1).path_cycles, 2);
}

} // namespace
