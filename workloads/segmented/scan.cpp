#include <tensorloom/workloads/segmented/scan.h>

#include <algorithm>
#include <utility>

namespace tensorloom::workloads {

void scan(mmv_ram& ram, const mmv_array& z, const mmv_array& x)
{
    const std::uint64_t n = z.elements, s = ram.side();
    ram.matmul(z, x, constant_matrix::prefix);
    if (n <= s) { return; }
    const scratch_scope scratch(ram);
    const mmv_array g = ram.words(ceil_div(n, s)); // block totals
    ram.gather_last(g, z);
    scan(ram, g, g);
    ram.scatter_last(z, g); // the last element of every whole block is now final
    // Row b is the final last element of block b with the first s-1 elements of block b+1: rows need not start at a
    // multiple of s.
    const mmv_array rows = slice(z, s - 1, std::min((g.elements - 1) * s, n - (s - 1)));
    ram.matmul(rows, rows, constant_matrix::carry);
}

mmv_array scan_vcu(mmv_ram& ram, const mmv_array& x)
{
    // Shifted operands are no results: rounds take turns between two arrays.
    const std::uint64_t n = x.elements;
    mmv_array z = x, next = ram.words(n), spare = ram.words(n);
    for (std::uint64_t d = 1; d < n; d *= 2) {
        ram.add(next, z, shifted(z, d));
        z = next;
        std::swap(next, spare);
    }
    return z;
}

void scan_tile(mmv_ram& ram, const mmv_array& z, const mmv_array& x)
{
    const std::uint64_t s = ram.side(), tile = s * s;
    const scratch_scope scratch(ram);
    const mmv_array carry = ram.loaded(std::vector<std::int64_t>{0});
    const mmv_array row_sums = ram.words(tile), rows_before = ram.words(tile);
    for (std::uint64_t first = 0; first < z.elements; first += tile) {
        const mmv_array a = slice(x, first, tile), v = slice(z, first, tile);
        ram.matmul(v, a, constant_matrix::prefix);
        ram.matmul(row_sums, a, constant_matrix::ones);
        ram.matmul(rows_before, ram.constant(constant_matrix::strictly_lower), row_sums);
        ram.add(v, v, rows_before);
        ram.add_word(v, v, carry);
        ram.move(carry, slice(v, tile - 1, 1));
    }
}

mmv_array scan_on(scan_unit unit, mmv_ram& ram, const mmv_array& x)
{
    if (unit == scan_unit::vector) { return scan_vcu(ram, x); }
    const mmv_array z = ram.words(x.elements);
    scan(ram, z, x);
    return z;
}

} // namespace tensorloom::workloads
