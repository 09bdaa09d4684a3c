#include <tensorloom/models/fetta/isa/costs.h>
#include <algorithm>
#include <cmath>
#include <tensorloom/models/fetta/isa/contract_check.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::fetta {

base::config_fields fields_of(energy_settings& s)
{
    static constexpr base::element_type psums[] = {base::element_type::f32, base::element_type::bf16};
    return {
        base::choice(s.distributed_elements, {{"64", 64}, {"128", 128}},
                     {"distributed", "distributed_elements", "64|128",
                      "Elements that the distribution networks deliver in its cycle.",
                      "distributed elements: found #, expected 64 or 128"}),
        base::choice(s.memory_rows, {{"16", 16}, {"32", 32}},
                     {"memory-rows", "memory_rows", "16|32", "Rows of the unified memory in its cycle.",
                      "memory rows: found #, expected 16 or 32"}),
        base::format(s.table_psum, psums,
                     {"table-psum", "table_psum", "f32|bf16", "Format of its partial sums.",
                      "partial sums of the table: found #, expected f32 or bf16"}),
        base::fraction(s.padding_share, 0, 1,
                       {"padding-share", "padding_share", "FRACTION",
                        "Energy of a padding multiply-add relative to any other.", "padding share: found #"}),
    };
}

namespace {

constexpr device_limits paper{};
constexpr double paper_lanes = 64;

/// Elements of all ports.
double port_elements(const device_limits& g) { return static_cast<double>(g.engines) * g.side; }

costs::event_cost times(double factor, costs::event_cost cost) { return {factor * cost.pj, cost.estimate}; }
/// As times(), for factors other than 1 that no publication gives.
costs::event_cost scaled(double factor, costs::event_cost cost)
{
    return {factor * cost.pj, cost.estimate || factor != 1};
}

void check_settings(const energy_settings& s)
{
    if (const auto wrong = validate(s.limits)) { throw base::input_error(*wrong); }
    if (s.lanes == 0) { throw base::input_error("lanes: found 0, expected 1 or more"); }
    if (!(s.clock_ghz > 0 && s.clock_ghz <= 1000)) {
        base::refuse("clock", std::to_string(s.clock_ghz) + " GHz", "more than 0, at most 1000");
    }
    energy_settings checked = s;
    if (const auto wrong = base::validate(fields_of(checked))) { throw base::input_error(*wrong); }
}

// Network levels relative to the paper's: an element passes all of them. The distribution network has one more, for the
// transposition.
double distribution_levels(const device_limits& g) { return (g.index_bits() + 1.0) / (paper.index_bits() + 1); }
double reduction_levels(const device_limits& g) { return static_cast<double>(g.index_bits()) / paper.index_bits(); }

// The multiply-add of the table has partial sums of table_psum. Only bf16 operands have a choice.
costs::event_cost mac_cost(const costs::technology& tech, const energy_settings& s)
{
    const device_limits& g = s.limits;
    const costs::event_cost wide = tech.energy("contraction_engine", "mac", g.operand);
    const costs::event_cost bf16 = tech.energy("contraction_engine", "mac", base::element_type::bf16);
    const costs::event_cost narrow = tech.energy("contraction_engine", "mac_bf16_sum", base::element_type::bf16);
    if (g.operand == base::element_type::bf16 && g.psum == s.table_psum) { return bf16; }
    const double table = s.table_psum == base::element_type::bf16 ? bf16.pj / narrow.pj : 1;
    return scaled(table, g.psum == base::element_type::bf16 ? narrow : wide);
}

// With the sum that each further cycle of a multiply-add registers.
costs::event_cost pipelined_mac_cost(const costs::technology& tech, const energy_settings& s)
{
    const costs::event_cost mac = mac_cost(tech, s);
    const device_limits& g = s.limits;
    if (g.mac_latency == 1) { return mac; }
    return {mac.pj + (g.mac_latency - 1) * tech.energy("cell", "register_write", g.psum).pj, true};
}

// Scales to the partial sums' format where the table has another.
costs::event_cost psum_cost(const costs::technology& tech, const energy_settings& s, const char* component,
                            const char* event)
{
    const double table =
        static_cast<double>(base::element_bits(base::element_type::f32)) / base::element_bits(s.table_psum);
    const costs::event_cost cost = tech.energy(component, event, s.limits.psum);
    // Values of the table are not estimates, whatever format its partial sums are taken for.
    if (s.limits.psum == s.table_psum) { return tech.energy(component, event, base::element_type::f32); }
    return scaled(table, cost);
}

double registers_um2(const costs::technology& tech, double bits)
{
    return costs::gate_area_um2(tech, {bits * costs::flip_flop_nand2, true}).value;
}

// An operand and a sum for each further cycle of a multiply-add.
double pipeline_um2(const costs::technology& tech, const device_limits& g)
{
    const double bits = base::element_bits(g.operand) + base::element_bits(g.psum);
    return registers_um2(tech, port_elements(g) * g.side * (g.mac_latency - 1) * bits);
}

// ---- gather and scatter buffers ----

constexpr unsigned word_bits = 16;
constexpr double scattered_words = 2; // of a float32 sum

// One row for each element that a cycle may request.
double buffer_rows(const device_limits& g) { return port_elements(g); }
// Side of a crossbar's switch.
double switch_um(const costs::technology& tech) { return 4 * tech.wire_pitch_um().value; }

costs::event_cost buffer_row_cost(const costs::technology& tech, const device_limits& g)
{
    const auto written = tech.energy("cell", "register_write", "64bit"),
               read = tech.energy("cell", "register_read", "64bit");
    return times(static_cast<double>(g.side) / paper.side, {written.pj + read.pj, written.estimate || read.estimate});
}

costs::event_cost buffer_word_cost(const costs::technology& tech, const device_limits& g)
{
    const double switches = buffer_rows(g) * g.side + port_elements(g); // of a row and a column
    return tech.wire_energy(word_bits, {switches * switch_um(tech), true});
}

// Words that both gather buffers and the scatter buffer pass in a cycle, per word of one.
double buffered_words(const device_limits& g)
{
    return 2.0 * base::element_bits(g.operand) / word_bits + scattered_words;
}

double buffers_um2(const costs::technology& tech, const device_limits& g)
{
    const double lanes = port_elements(g), bits = buffered_words(g) * word_bits;
    const double registers = buffer_rows(g) * g.side * bits;
    const double switches = buffer_rows(g) * g.side * lanes * bits;
    return registers_um2(tech, registers) + switches * switch_um(tech) * switch_um(tech);
}

double bank_factor(const costs::technology& tech, std::uint32_t bytes, std::uint32_t paper_bytes)
{
    return bytes == paper_bytes ? 1 : tech.sram_access(bytes).pj / tech.sram_access(paper_bytes).pj;
}

double gates_of(const char* block, base::element_type format)
{
    return costs::find_gates(block, base::element_type_name(format))->nand2;
}

// Of an element; the paper's format is bfloat16.
double engine_ratio(base::element_type operand)
{
    return gates_of("engine_element", operand) / gates_of("engine_element", paper.operand);
}

// What the Verilog has of a device of the paper's size: engines, networks of both operands, lanes of the reduction.
double engines_nand2() { return paper.engines * gates_of("contraction_engine", paper.operand); }
double distribution_nand2() { return 2 * gates_of("distribution_network", paper.operand); }
double reduction_nand2() { return paper.side * gates_of("reduction_network", base::element_type::f32); }

/// A row of Table III: the keys of its area, and of its power in pJ per cycle.
struct published_block {
    const char* area;
    const char* power;
    bool sram = false;
};
constexpr published_block engines_block{"area.contraction_engine", "energy.contraction_engine.cycle.256_pe"},
    distribution_block{"area.distribution", "energy.distribution.cycle.all"},
    reduction_block{"area.reduction", "energy.reduction.cycle.all"},
    accumulator_block{"area.accumulator", "energy.accumulator.cycle.all", true},
    memory_block{"area.unified_sram", "energy.unified_sram.cycle.all", true},
    vector_block{"area.vector", "energy.vector.cycle.all"};

/// The part of a block's cost that is not leakage, which --leakage does not change. Only a technology with the power of
/// whole blocks has costs that include it.
costs::event_cost without_leakage(const costs::technology& tech, const published_block& block, costs::event_cost cost)
{
    if (!tech.has(block.power) || !tech.has(block.area)) { return cost; }
    const auto& area = tech.number(block.area, "um^2");
    const auto& leaks = tech.number(block.sram ? "leakage.die.sram" : "leakage.die.logic", "nW/um^2");
    const double at_work_nw = 1e6 * tech.number(block.power, "pJ").value; // at 1 GHz
    return {std::max(0.0, 1 - area.value * leaks.value / at_work_nw) * cost.pj,
            cost.estimate || area.estimate || leaks.estimate};
}

costs::energy_model energy_by(const costs::technology& tech, const energy_settings& s)
{
    check_settings(s);
    const device_limits& g = s.limits;
    costs::energy_model model;
    model.events = events;
    model.costs.resize(event_count);

    const auto block = [&](const published_block& published, costs::event_cost cost,
                           std::initializer_list<event> charged) {
        for (const event e : charged) {
            model.costs[static_cast<std::size_t>(e)] = without_leakage(tech, published, cost);
        }
    };
    block(engines_block, pipelined_mac_cost(tech, s), {event::mac, event::padding_mac});
    auto& padding = model.costs[static_cast<std::size_t>(event::padding_mac)];
    padding = scaled(s.padding_share, padding);

    const char* delivered = s.distributed_elements == 64 ? "element_64_per_cycle" : "element_128_per_cycle";
    block(distribution_block, scaled(distribution_levels(g), tech.energy("distribution", delivered, g.operand)),
          {event::ia_element, event::ib_element});
    block(reduction_block, scaled(reduction_levels(g), psum_cost(tech, s, "reduction", "element")),
          {event::reduction_element});
    block(accumulator_block,
          scaled(bank_factor(tech, g.accumulator_bank_bytes, paper.accumulator_bank_bytes),
                 psum_cost(tech, s, "accumulator", "psum_update")),
          {event::accumulator_psum});

    const costs::event_cost row_64bit =
        scaled(bank_factor(tech, g.bank_bytes, paper.bank_bytes),
               tech.energy("unified_sram", s.memory_rows == 16 ? "row_16_per_cycle" : "row_32_per_cycle", "64bit"));
    block(memory_block, scaled(static_cast<double>(g.side) / paper.side, row_64bit),
          {event::ia_row_read, event::ib_row_read, event::result_row_write, event::load_row, event::store_row});
    block(memory_block, times(0.5, row_64bit), {event::vector_word_read, event::vector_word_write});
    block(vector_block, tech.energy("vector", "operation", "any"), {event::vector_op});

    model.costs[static_cast<std::size_t>(event::buffer_row)] = buffer_row_cost(tech, g);
    model.costs[static_cast<std::size_t>(event::buffer_word)] = buffer_word_cost(tech, g);

    auto leaking = device_area(tech, s).areas;
    leaking.erase(std::remove_if(leaking.begin(), leaking.end(),
                                 [&](const auto& area) {
                                     const bool is_constant = area.component == "others"; // a power of its own
                                     return is_constant || (area.component == "buffers" && !s.has_buffers);
                                 }),
                  leaking.end());
    costs::add_leakage(model, tech, leaking);
    const costs::event_cost others = tech.energy("other", "cycle", "all");
    model.leakage.push_back({"others", others.pj * s.clock_ghz, others.estimate, "others"});
    return model;
}

} // namespace

costs::energy_model device_energy(const costs::technology& tech, const energy_settings& s)
{
    return costs::with_second_source(tech, "fetta", [&](const costs::technology& t) { return energy_by(t, s); });
}

costs::floor_plan device_area(const costs::technology& tech, const device_limits& g, std::uint32_t lanes,
                              const costs::dma_build& dma)
{
    if (const auto wrong = validate(g)) { throw base::input_error(*wrong); }
    costs::floor_plan plan;
    const auto add_scaled = [&](const char* component, costs::figure of_paper, double factor) {
        const bool estimate = of_paper.estimate || factor != 1;
        plan.areas.push_back({component, factor * of_paper.value, estimate, of_paper.synthesized && !estimate});
    };
    const auto given = [&](const char* block) -> costs::figure {
        const costs::technology_number& area = tech.number("area." + std::string(block), "um^2");
        return {area.value, area.estimate};
    };
    const auto add = [&](const char* component, const char* block, double factor) {
        add_scaled(component, given(block), factor);
    };
    const auto add_sram = [&](const char* component, const char* block, double factor) {
        add(component, block, factor);
        plan.areas.back().sram = true;
    };
    const auto add_gates = [&](const char* component, const char* block, double nand2, double factor,
                               bool estimate = false) {
        const bool is_given = tech.has("area." + std::string(block));
        add_scaled(component, is_given ? given(block) : costs::gate_area_um2(tech, {nand2, estimate}), factor);
    };
    const double elements = port_elements(g) / port_elements(paper);
    const bool other_sums = g.psum != base::element_type::f32; // than the Verilog has
    add_gates("engines", "contraction_engine", engines_nand2(),
              elements * g.side / paper.side * engine_ratio(g.operand), other_sums);
    if (g.mac_latency != 1) {
        plan.areas.back().um2 += pipeline_um2(tech, g);
        plan.areas.back().estimate = true;
        plan.areas.back().synthesized = false;
    }
    add_gates("distribution_network", "distribution", distribution_nand2(),
              elements * distribution_levels(g) * base::element_bits(g.operand) / base::element_bits(paper.operand));
    add_gates("reduction_network", "reduction", reduction_nand2(), elements * reduction_levels(g), other_sums);
    add_sram("unified_memory", "unified_sram",
             static_cast<double>(g.memory_bytes()) / static_cast<double>(paper.memory_bytes()));
    add_sram("accumulation_unit", "accumulator",
             static_cast<double>(g.engines) * g.accumulator_bank_bytes /
                 (paper.engines * paper.accumulator_bank_bytes));
    add("vector_unit", "vector", lanes / paper_lanes);
    add("others", "other", 1);
    plan.areas.push_back({"buffers", buffers_um2(tech, g), true});
    costs::add_dma(plan.areas, tech, dma);
    plan.longest_line_um = std::sqrt(costs::total_um2(plan.areas)); // half of the width and half of the height
    plan.path_gates = costs::multiply_add_levels(g.operand);
    plan.path_cycles = g.mac_latency;
    return plan;
}

costs::floor_plan device_area(const costs::technology& tech, const energy_settings& s)
{
    return device_area(tech, s.limits, s.lanes, s.dma);
}

} // namespace tensorloom::fetta
