#include <tensorloom/models/arch/fetta/contract_counts.h>
#include <tensorloom/models/arch/fetta/engine_parts.h>
#include <tensorloom/models/arch/fetta/operand_role.h>
#include <tensorloom/models/arch/fetta/schedule.h>
#include <tensorloom/models/arch/values/integers.h>

namespace tensorloom::arch::fetta {

// A port has a row where batch and free index are in range: summed over tiles and engines, each index in range counts
// once for every tile and part of the indices that it does not depend on. A row is read where the contracted index is
// in range, too, and for all that share it once.
counts contract_counts(const contract_command& c, const geometry& g)
{
    const contract_loops loops = loops_of(c, g);
    const contract_cycles cycles = ideal_cycles(c, g);
    const std::uint64_t side = g.side, batch = c.batch;
    const std::uint64_t parts_k = parts(c.mask_contracted), parts_a = parts(c.mask_ia), parts_i = parts(c.mask_ib);
    const std::uint64_t ib_rows = quotient_up(c.ib_free, side); // rows along IB's free index

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
        const std::uint64_t ia_rows = quotient_up(c.ia_free, side);
        ia_reads = batch * c.contracted * ia_rows * loops.ib_tiles;
        ib_reads = batch * c.contracted * ib_rows * loops.ia_tiles;
        ia_ports = batch * ia_rows * loops.steps * parts_k * loops.ib_tiles * parts_i;
        ib_ports = batch * ib_rows * loops.steps * parts_k * loops.ia_tiles * parts_a;
    } else {
        const std::uint64_t contracted_rows = quotient_up(c.contracted, side);
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
    return n;
}

} // namespace tensorloom::arch::fetta
