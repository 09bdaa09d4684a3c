#include <tensorloom/models/fetta/isa/schedule.h>
#include <algorithm>

namespace tensorloom::fetta {
namespace {

// A group that `parts` engines and the P rows or columns of each share.
std::uint64_t tiles_of(std::uint32_t extent, std::uint32_t mask, std::uint32_t side)
{
    return base::quotient_up(extent, std::uint64_t{parts(mask)} * side);
}

// Wait after a tile of this many steps until the next one is ready.
std::uint64_t shortfall(mapping how, std::uint64_t steps, const device_limits& g)
{
    return cycles_to_next_tile(how, steps, g) - steps;
}

} // namespace

block_latency latency_of(const device_limits& g)
{
    block_latency l;
    l.reduction = g.index_bits();
    return l;
}

std::uint64_t cycles_of_step(mapping how, const device_limits& g)
{
    return is_output_stationary(how) ? g.mac_latency : 1;
}

std::uint64_t cycles_to_next_tile(mapping how, std::uint64_t steps, const device_limits& g)
{
    return std::max<std::uint64_t>(cycles_of_step(how, g) * steps, g.side);
}

std::uint64_t cycles_to_result(mapping how, std::uint64_t steps, const device_limits& g)
{
    const block_latency latency = latency_of(g);
    const std::uint64_t in_engines =
        is_output_stationary(how) ? g.mac_latency * steps + g.side - 1 : std::uint64_t{g.mac_latency} * g.side - 1;
    return in_engines + latency.distribution + latency.reduction + latency.accumulation;
}

stream_pieces::stream_pieces(std::uint64_t steps, std::uint64_t most, std::uint64_t least)
    : m_size(base::quotient_up(steps, most)), m_most(most), m_next_to_last(most), m_last(steps - (m_size - 1) * most)
{
    if (m_size > 1 && m_last < least) {
        m_next_to_last -= least - m_last;
        m_last = least;
    }
}

contract_loops loops_of(const contract_command& c, const device_limits& g)
{
    contract_loops l;
    l.batch_tiles = base::quotient_up(c.batch, parts(c.mask_batch));
    l.ib_tiles = tiles_of(c.ib_free, c.mask_ib, g.side);
    if (is_output_stationary(c.mapped())) {
        l.ia_tiles = tiles_of(c.ia_free, c.mask_ia, g.side);
        l.steps = base::quotient_up(c.contracted, parts(c.mask_contracted));
        l.pieces = stream_pieces(l.steps, l.steps, 1);
        return l;
    }
    l.contracted_tiles = tiles_of(c.contracted, c.mask_contracted, g.side);
    l.steps = base::quotient_up(c.ia_free, parts(c.mask_ia));
    const bool whole = c.has(contract_command::flag_accumulate) || c.has(contract_command::flag_keep);
    l.pieces = whole ? stream_pieces(l.steps, l.steps, 1) : stream_pieces(l.steps, g.accumulator_rows(), g.side);
    return l;
}

buffer_latency cycles_of_buffers(const contract_command& c, const device_limits& g)
{
    buffer_latency l;
    if (passes_buffer(c, operand_role::ia) || passes_buffer(c, operand_role::ib)) { l.gather = g.buffer_cycles; }
    if (passes_buffer(c, operand_role::result)) { l.scatter = g.buffer_cycles; }
    return l;
}

contract_cycles ideal_cycles(const contract_command& c, const device_limits& g)
{
    const contract_loops l = loops_of(c, g);
    const buffer_latency buffers = cycles_of_buffers(c, g);
    const mapping how = c.mapped();
    contract_cycles cycles;
    cycles.fill = buffers.gather + buffers.scatter;
    if (is_output_stationary(how)) {
        cycles.compute = l.tiles() * l.steps;
        cycles.fill += cycles_to_result(how, 1, g) - 1;
        cycles.psum = g.side + (l.tiles() - 1) * shortfall(how, l.steps, g) + (l.steps - 1) * (g.mac_latency - 1);
        return cycles;
    }
    // Only the last two pieces can be shorter than P.
    const std::uint64_t last = shortfall(how, l.pieces[l.pieces.size() - 1], g);
    const std::uint64_t of_all = last + (l.pieces.size() > 1 ? shortfall(how, l.pieces[l.pieces.size() - 2], g) : 0);
    const std::uint64_t passes = l.batch_tiles * l.ib_tiles * l.contracted_tiles;
    cycles.compute = passes * l.steps;
    cycles.fill += g.side + cycles_to_result(how, l.pieces[0], g);
    cycles.reload = passes * of_all - last;
    return cycles;
}

// A port has a row where batch and free index are in range: summed over tiles and engines, each index in range counts
// once for every tile and part of the indices that it does not depend on. A row is read where the contracted index is
// also in range, once for all engines that share it.
counts contract_counts(const contract_command& c, const device_limits& g)
{
    const contract_loops loops = loops_of(c, g);
    const contract_cycles cycles = ideal_cycles(c, g);
    const std::uint64_t side = g.side, batch = c.batch;
    const std::uint64_t parts_k = parts(c.mask_contracted), parts_a = parts(c.mask_ia), parts_i = parts(c.mask_ib);
    const std::uint64_t ib_rows = base::quotient_up(c.ib_free, side); // rows along IB's free index

    counts n;
    n[event::contract] = 1;
    n[event::tile] = loops.tiles();
    n[event::compute_cycle] = cycles.compute;
    n[event::fill_cycle] = cycles.fill;
    n[event::reload_cycle] = cycles.reload;
    n[event::psum_cycle] = cycles.psum;
    n[event::mac] = batch * c.contracted * c.ia_free * c.ib_free;
    n[event::padding_mac] = cycles.compute * side * side * g.engines - n[event::mac];

    std::uint64_t ia_reads = 0, ib_reads = 0, ia_ports = 0, ib_ports = 0;
    if (is_output_stationary(c.mapped())) {
        const std::uint64_t ia_rows = base::quotient_up(c.ia_free, side);
        ia_reads = batch * c.contracted * ia_rows * loops.ib_tiles;
        ib_reads = batch * c.contracted * ib_rows * loops.ia_tiles;
        ia_ports = batch * ia_rows * loops.steps * parts_k * loops.ib_tiles * parts_i;
        ib_ports = batch * ib_rows * loops.steps * parts_k * loops.ia_tiles * parts_a;
    } else {
        const std::uint64_t contracted_rows = base::quotient_up(c.contracted, side);
        const std::uint64_t pieces = loops.pieces.size();
        const bool horizontal = is_horizontal(c.mapped());
        ia_reads = batch * contracted_rows * c.ia_free * loops.ib_tiles;
        ib_reads = batch * (horizontal ? contracted_rows * c.ib_free : c.contracted * ib_rows) * pieces;
        ia_ports = batch * c.ia_free * loops.contracted_tiles * parts_k * loops.ib_tiles * parts_i;
        ib_ports =
            batch * (horizontal ? c.ib_free : ib_rows * side) * loops.contracted_tiles * parts_k * parts_a * pieces;
    }
    n[event::ia_row_read] = ia_reads * short_rows_of(type_of(c, operand_role::ia, g));
    n[event::ib_row_read] = ib_reads * short_rows_of(type_of(c, operand_role::ib, g));
    n[event::ia_element] = ia_ports * side;
    n[event::ib_element] = ib_ports * side;

    const std::uint64_t sum_rows = batch * c.ia_free * ib_rows; // of one contracted tile
    if (!c.has(contract_command::flag_keep)) {
        n[event::result_row_write] = sum_rows * short_rows_of(type_of(c, operand_role::result, g));
    }
    n[event::accumulator_psum] = sum_rows * loops.contracted_tiles * side;
    n[event::reduction_element] = n[event::accumulator_psum] * parts_k;

    // IA enters once for every tile of IB, and IB once for every piece, or tile, of IA.
    const std::uint64_t times_of_ib = is_output_stationary(c.mapped()) ? loops.ia_tiles : loops.pieces.size();
    const std::uint64_t terms = batch * c.contracted;
    const auto buffer = [&](operand_role role, std::uint64_t elements, event rows) {
        if (!passes_buffer(c, role)) { return; }
        n[event::buffer_word] += elements * short_rows_of(type_of(c, role, g));
        n[event::buffer_row] += n[rows];
    };
    buffer(operand_role::ia, terms * c.ia_free * loops.ib_tiles, event::ia_row_read);
    buffer(operand_role::ib, terms * c.ib_free * times_of_ib, event::ib_row_read);
    buffer(operand_role::result, batch * c.ia_free * c.ib_free, event::result_row_write);
    return n;
}

} // namespace tensorloom::fetta
