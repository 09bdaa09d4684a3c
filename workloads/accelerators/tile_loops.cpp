#include <tensorloom/workloads/accelerators/tile_loops.h>
#include <algorithm>
#include <cmath>

namespace tensorloom::workloads {
namespace {

constexpr std::uint64_t row_elements = 4; // of 8 bytes: what a FETTA counts

std::uint64_t parts(std::uint64_t whole, std::uint64_t part) { return (whole + part - 1) / part; }

std::uint64_t rounded(double cycles) { return static_cast<std::uint64_t>(std::llround(cycles)); }

/// Tile of a product: indices of each kind that the PEs have at once.
struct tile_shape {
    std::uint64_t batch = 1, m = 1, n = 1, k = 1;
};

tile_loops weight_held(const accelerator& machine, const array_product& p, const tile_shape& tile, std::uint64_t load)
{
    tile_loops l;
    l.product = p;
    const std::uint64_t n_tiles = parts(p.n, tile.n);
    l.results = parts(p.batch, tile.batch) * n_tiles;
    l.passes = parts(p.k, tile.k);
    l.stream = p.m;
    l.load = load;
    l.x_width = std::min<std::uint64_t>(std::min(tile.k, p.k), machine.line);
    l.w_width = l.y_width = std::min<std::uint64_t>(std::min(tile.n, p.n), machine.line);
    l.x_lines = p.batch * n_tiles * p.m * l.passes * parts(std::min(tile.k, p.k), machine.line);
    l.w_lines = p.batch * p.k * n_tiles * parts(std::min(tile.n, p.n), machine.line);
    l.y_lines = p.batch * p.m * n_tiles * parts(std::min(tile.n, p.n), machine.line);
    l.delivered = p.macs() + p.batch * p.k * p.n;
    l.reduced = p.macs();
    l.sums = p.batch * p.m * p.n * l.passes;
    return l;
}

tile_loops output_held(const accelerator& machine, held_tensor held, const array_product& p, const tile_shape& tile,
                       std::uint64_t drain)
{
    tile_loops l;
    l.held = held;
    l.product = p;
    const std::uint64_t m_tiles = parts(p.m, tile.m), n_tiles = parts(p.n, tile.n);
    l.results = parts(p.batch, tile.batch) * m_tiles * n_tiles;
    l.stream = parts(p.k, tile.k);
    l.load = drain;
    l.x_width = std::min<std::uint64_t>(std::min(tile.m, p.m), machine.line);
    l.w_width = l.y_width = std::min<std::uint64_t>(std::min(tile.n, p.n), machine.line);
    l.w_lines = p.batch * p.k * m_tiles * parts(std::min(tile.n, p.n), machine.line) * n_tiles;
    l.x_lines = p.batch * p.k * n_tiles * parts(std::min(tile.m, p.m), machine.line) * m_tiles;
    l.y_lines = p.batch * p.m * n_tiles * parts(std::min(tile.n, p.n), machine.line);
    l.delivered = 2 * p.macs();
    l.reduced = held == held_tensor::nothing ? p.macs() : 0;
    l.sums = p.batch * p.m * p.n * (held == held_tensor::nothing ? l.stream : 1);
    return l;
}

// Fewer cycles, then fewer lines.
bool is_better(const accelerator& machine, const tile_loops& x, const tile_loops& y)
{
    const double a = x.cycles(machine, {}), b = y.cycles(machine, {});
    return a != b ? a < b : x.x_lines + x.w_lines + x.y_lines < y.x_lines + y.w_lines + y.y_lines;
}

tile_loops any_loops(const accelerator& machine, held_tensor held, const array_product& p)
{
    const std::uint64_t width = machine.elements_per_cycle;
    tile_loops best;
    bool found = false;
    const auto consider = [&](const tile_loops& next) {
        if (!found || is_better(machine, next, best)) { best = next; }
        found = true;
    };
    for (std::uint64_t batch = 1; batch <= std::min(p.batch, width); batch *= 2) {
        const std::uint64_t pes = array_pes / batch;
        if (held == held_tensor::weight) {
            for (std::uint64_t k = 1; k <= std::min({p.k, width / batch, pes}); ++k) {
                const tile_shape tile{batch, 1, std::min(p.n, pes / k), k};
                consider(weight_held(machine, p, tile, parts(batch * k * tile.n, width)));
            }
            continue;
        }
        for (std::uint64_t m = 1; m <= std::min({p.m, width / batch, pes}); ++m) {
            const std::uint64_t n = std::min({p.n, width / batch, pes / m});
            const std::uint64_t most_k = std::max<std::uint64_t>(1, width / batch / std::max(m, n));
            const std::uint64_t k = held == held_tensor::nothing ? std::min({p.k, pes / (m * n), most_k}) : 1;
            consider(output_held(machine, held, p, {batch, m, n, k}, parts(batch * m * n, width)));
        }
    }
    return best;
}

} // namespace

double tile_loops::cycles(const accelerator& machine, const line_factors& f) const
{
    const auto s = static_cast<double>(stream), l = static_cast<double>(load);
    const auto pipe = static_cast<double>(machine.pipeline);
    const bool tile_is_loaded = held == held_tensor::weight;
    double first = 0, last = 0; // tiles of a result
    if (machine.double_buffered) {
        first = tile_is_loaded ? std::max(s * f.x, l * f.w) : 0;
        last = tile_is_loaded ? std::max(s * std::max(f.x, f.y), l * f.w) : std::max(s * std::max(f.x, f.w), l * f.y);
    } else {
        first = s * f.x + pipe + l * (f.w - 1);
        last = tile_is_loaded ? s * std::max(f.x, f.y) + pipe + l * (f.w - 1)
                              : s * std::max(f.x, f.w) + pipe + l * (f.y - 1);
    }
    return static_cast<double>(results) * (static_cast<double>(passes - 1) * first + last) +
           (machine.double_buffered ? pipe : 0);
}

fetta::counts tile_loops::counts(const accelerator& machine, const line_factors& f, unsigned y_rows) const
{
    using fetta::event;
    const std::uint64_t rows = machine.line / row_elements;
    const std::uint64_t working = tiles() * stream;
    const std::uint64_t all = rounded(cycles(machine, {}));
    fetta::counts c;
    c[event::contract] = 1;
    c[event::tile] = tiles();
    c[event::compute_cycle] = working;
    c[event::fill_cycle] = all - working;
    c[event::conflict_cycle] = rounded(cycles(machine, f)) - all;
    c[event::mac] = product.macs();
    // Of a fixed array all PEs work in every cycle; others leave out those without work.
    const std::uint64_t done = machine.split == spatial_split::fixed ? array_pes * working : product.macs();
    c[event::padding_mac] = done - product.macs();
    c[event::ia_row_read] = rows * rounded(static_cast<double>(x_lines) * f.x);
    c[event::ib_row_read] = rows * rounded(static_cast<double>(w_lines) * f.w);
    c[event::result_row_write] = y_rows * rounded(static_cast<double>(y_lines) * f.y);
    c[event::ia_element] = delivered;
    c[event::reduction_element] = reduced;
    c[event::accumulator_psum] = sums;
    return c;
}

tile_loops loops_of(const accelerator& machine, held_tensor held, const array_product& p)
{
    if (machine.split == spatial_split::any) { return any_loops(machine, held, p); }
    if (held == held_tensor::weight) {
        return weight_held(machine, p, {1, 1, machine.columns, machine.rows}, machine.rows);
    }
    return output_held(machine, held, p, {1, machine.rows, machine.columns, 1}, machine.rows);
}

} // namespace tensorloom::workloads
