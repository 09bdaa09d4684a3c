#include <tensorloom/models/triada/isa/step_counts.h>
#include <tensorloom/models/base/values/integers.h>

namespace tensorloom::triada {

counts counts_of_step(const stage_lines& lines, const driven_step& step)
{
    const std::uint64_t cells = isa::volume_of(lines.box);
    counts c;
    c[event::step] = 1;
    c[event::mac_skipped] = cells;
    if (step.sent == 0) { return c; }
    const std::uint64_t slices = lines.box[3 - lines.mode - lines.x_mode];
    const std::uint64_t sends = slices * step.sent;
    const std::uint64_t macs = lines.esop ? step.nonzeros * step.operands : cells;
    c[event::coefficient_read] = step.sent;
    c[event::coefficient_send] = sends;
    c[event::operand_send] = step.operands;
    c[coefficient_hop(lines.x_mode)] = sends * lines.line_cells[lines.x_mode];
    c[operand_hop(lines.mode)] = step.operands * lines.line_cells[lines.mode];
    c[event::register_read] = step.operands + 2 * macs;
    c[event::register_write] = sends * lines.box[lines.x_mode] + macs;
    c[event::mac] = macs;
    c[event::mac_skipped] = cells - macs;
    c[event::operand_saturated] = step.saturated;
    c[event::mac_overflowed] = step.overflowed;
    return c;
}

counts counts_of_skipped_row(std::uint64_t active_cells)
{
    counts c;
    c[event::step_skipped] = 1;
    c[event::mac_skipped] = active_cells;
    return c;
}

std::uint64_t port_cycles(const std::vector<isa::mode_sizes>& corners, std::uint64_t load_elements, bool aligned)
{
    std::uint64_t elements = 0, row_cycles = 0;
    for (const auto& corner : corners) {
        elements += isa::volume_of(corner);
        row_cycles += std::uint64_t{corner[0]} * corner[1] * base::quotient_up(corner[2], load_elements);
    }
    return aligned ? base::quotient_up(elements, load_elements) : row_cycles;
}

} // namespace tensorloom::triada
