#include <tensorloom/models/costs/gates.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace tensorloom::costs {

namespace {

constexpr unsigned synthesized_registers = 4; // of a cell of the mesh

const block_gates& row_of(std::string_view block, base::element_type format)
{
    const auto* const found = find_gates(block, base::element_type_name(format));
    if (found == nullptr) { throw std::logic_error("no gates of " + std::string(block)); }
    return *found;
}

double nand2_of(std::string_view block, base::element_type format) { return row_of(block, format).nand2; }
unsigned levels_of(std::string_view block, base::element_type format) { return row_of(block, format).levels; }

/// The format with Verilog whose elements are as wide as one part of these.
base::element_type of_same_width(base::element_type format)
{
    switch (format) {
    case base::element_type::f16: return base::element_type::bf16;
    case base::element_type::int32:
    case base::element_type::c64: return base::element_type::f32;
    case base::element_type::int64:
    case base::element_type::c128: return base::element_type::f64;
    default: return format;
    }
}

double real_multiply_add(base::element_type format)
{
    // int8: a multiplier of 8 bits, and the adder of its sum
    constexpr double full_adder = 7, sum_bits = 32;
    const auto of_width = [&](double bits) {
        const double multiplier = nand2_of("mac", base::element_type::int8) - sum_bits * full_adder;
        return multiplier * (bits / 8) * (bits / 8) / 2 + bits * full_adder;
    };
    switch (format) {
    case base::element_type::int32: return of_width(32);
    case base::element_type::int64: return of_width(64);
    case base::element_type::f16: {
        constexpr double narrow = 8 * 8, middle = 11 * 11, wide = 24 * 24; // squares of the mantissas
        const double least = nand2_of("mac", base::element_type::bf16);
        return least + (middle - narrow) / (wide - narrow) * (nand2_of("mac", base::element_type::f32) - least);
    }
    default: return nand2_of("mac", format);
    }
}

/// A multiply-add and, for each part of an element, what else a block of elements of this width has.
gate_count with_rest(std::string_view block, base::element_type format)
{
    const base::element_type like = of_same_width(format);
    if (like == format) { return {nand2_of(block, format), false}; }
    const double rest = nand2_of(block, like) - nand2_of("mac", like);
    return {multiply_add_gates(format).nand2 + (base::is_complex(format) ? 2 : 1) * rest, true};
}

} // namespace

unsigned multiply_add_levels(base::element_type format)
{
    const base::element_type like = of_same_width(format);
    if (base::is_integer(format)) {
        const double widths = base::element_bits(format) / 8.0;
        return static_cast<unsigned>(std::lround(levels_of("mac", base::element_type::int8) * std::sqrt(widths)));
    }
    return (base::is_complex(format) ? 2 : 1) * levels_of("mac", like);
}

unsigned mesh_cell_levels(base::element_type format)
{
    const base::element_type like = of_same_width(format);
    return levels_of("mesh_cell", like) - levels_of("mac", like) + multiply_add_levels(format);
}

const block_gates* find_gates(std::string_view block, std::string_view format)
{
    const auto* const end = synthesized_gates + synthesized_gates_count;
    const auto* const found =
        std::find_if(synthesized_gates, end, [&](const auto& g) { return block == g.block && format == g.format; });
    return found == end ? nullptr : found;
}

gate_count multiply_add_gates(base::element_type format)
{
    if (base::is_complex(format)) { return {4 * real_multiply_add(of_same_width(format)), true}; }
    return {real_multiply_add(format), of_same_width(format) != format};
}

gate_count mesh_cell_gates(base::element_type format, unsigned registers)
{
    auto cell = with_rest("mesh_cell", format);
    const double bits = base::element_bits(base::accumulator_type(format));
    cell.nand2 += (static_cast<double>(registers) - synthesized_registers) * bits * held_flip_flop_nand2;
    cell.estimate = cell.estimate || registers != synthesized_registers;
    return cell;
}

gate_count systolic_element_gates(base::element_type format) { return with_rest("systolic_element", format); }

gate_count stage_control_gates(double rows)
{
    constexpr double synthesized_rows = 24;
    return {find_gates("stage_control", "any")->nand2 * rows / synthesized_rows, rows != synthesized_rows};
}

gate_count aligner_gates(unsigned elements, unsigned element_bits)
{
    return {elements * std::ceil(std::log2(elements)) * element_bits * two_way_switch_nand2, true};
}

} // namespace tensorloom::costs
