#include <tensorloom/workloads/segmented/products.h>
#include <algorithm>
#include <utility>
#include <vector>
#include <tensorloom/workloads/segmented/scans.h>

namespace tensorloom::workloads {
namespace {

// z[i] = a[first + i stride].
mmv_array every(mmv_ram& ram, const mmv_array& a, std::uint64_t first, std::uint64_t stride, std::uint64_t n)
{
    const mmv_array z = ram.words(n);
    ram.repl(z, a.from(first), {1, 1, n}, {0, 0, stride}, {1, 1, n});
    return z;
}

} // namespace

std::uint64_t padded_terms(sum_unit unit, std::uint64_t terms, std::uint64_t side)
{
    const std::uint64_t base = unit == sum_unit::matrix ? side : 2;
    std::uint64_t padded = 1;
    while (padded < terms) { padded *= base; }
    return padded;
}

mmv_array sums_of_runs(mmv_ram& ram, sum_unit unit, const mmv_array& x, std::uint64_t run)
{
    const part_scope part(ram.builder(), primitives::sum);
    const std::uint64_t sums = x.elements / run;
    mmv_array z = x;
    if (unit == sum_unit::matrix) {
        for (; z.elements > sums;) {
            const mmv_array last = ram.words(z.elements / ram.side());
            ram.matmul(z, z, constant_matrix::prefix);
            ram.gather_last(last, z);
            z = last;
        }
        return z;
    }
    mmv_array next = ram.words(x.elements), spare = ram.words(x.elements);
    for (std::uint64_t d = 1; d < run; d *= 2) {
        ram.add(next, z, shifted(z, d));
        z = next;
        std::swap(next, spare);
    }
    return every(ram, z, run - 1, run, sums);
}

mmv_array products_by_bits(mmv_ram& ram, sum_unit unit, const mmv_array& a, const mmv_array& b, unsigned bits)
{
    const part_scope part(ram.builder(), primitives::product);
    const std::uint64_t run = padded_terms(unit, bits, ram.side());
    const mmv_array copies = ram.words(a.elements * run);
    ram.expand(copies, a, b, run, bits);
    return sums_of_runs(ram, unit, copies, run);
}

mmv_array products_by_segments(mmv_ram& ram, const mmv_array& a, const mmv_array& b, unsigned bits)
{
    const part_scope part(ram.builder(), primitives::product);
    const std::uint64_t n = a.elements * bits;
    const mmv_array copies = ram.words(n);
    ram.expand(copies, a, b, bits, bits);
    std::vector<std::int64_t> first(n);
    for (std::uint64_t i = 0; i < n; i += bits) { first[i] = 1; }
    block_segmented_scan scan(ram, fitting_block_revert(ram), n);
    return every(ram, scan(copies, ram.loaded(first)), bits - 1, bits, a.elements);
}

mmv_array products_by_mul(mmv_ram& ram, const mmv_array& a, const mmv_array& b)
{
    const part_scope part(ram.builder(), primitives::product);
    const mmv_array z = ram.words(a.elements);
    ram.mul(z, a, b);
    return z;
}

mmv_array matrix_product_by_sums(mmv_ram& ram, sum_unit unit, const mmv_array& a, const mmv_array& b,
                                 const product_shape& shape, std::optional<unsigned> bits)
{
    const auto [rows, inner, columns] = shape;
    const std::uint64_t run = padded_terms(unit, inner, ram.side());
    const std::uint64_t terms = columns * rows * run;
    // All triples (column, row, k), k fastest.
    const mmv_array left = ram.words(terms), right = ram.words(terms), z = ram.words(rows * columns);
    {
        const part_scope part(ram.builder(), primitives::arrange);
        ram.repl(left, a, {columns, rows, run}, {0, inner, 1}, {columns, rows, inner});
        ram.repl(right, b, {columns, rows, run}, {1, 0, columns}, {columns, rows, inner});
    }
    const mmv_array products =
        bits ? products_by_bits(ram, unit, left, right, *bits) : products_by_mul(ram, left, right);
    const mmv_array sums = sums_of_runs(ram, unit, products, run);
    const part_scope part(ram.builder(), primitives::arrange);
    ram.repl(z, sums, {1, rows, columns}, {0, 1, rows}, {1, rows, columns});
    return z;
}

mmv_array matrix_product_by_tiles(mmv_ram& ram, const mmv_array& a, const mmv_array& tiles, const product_shape& shape)
{
    const part_scope part(ram.builder(), primitives::product);
    const std::uint64_t s = ram.side(), tile = s * s, panel = shape.rows * s;
    const std::uint64_t across = ceil_div(shape.columns, s);
    const mmv_array z = ram.words(across * panel), products = ram.words(panel);
    for (std::uint64_t j = 0; j < across; ++j) {
        const mmv_array sum = slice(z, j * panel, panel);
        for (std::uint64_t k = 0; k * s < shape.inner; ++k) {
            const mmv_array& to = k == 0 ? sum : products;
            ram.matmul_columns(to, a.from(k * s), shape.inner, std::min(s, shape.inner - k * s),
                               slice(tiles, (k * across + j) * tile, tile));
            if (k > 0) { ram.add(sum, sum, products); }
        }
    }
    return z;
}

template <class T> std::vector<T> tiles_of(const std::vector<T>& b, const product_shape& shape, std::uint64_t side)
{
    const std::uint64_t across = ceil_div(shape.columns, side);
    std::vector<T> tiles(ceil_div(shape.inner, side) * across * side * side);
    for (std::uint64_t k = 0; k < shape.inner; ++k) {
        for (std::uint64_t j = 0; j < shape.columns; ++j) {
            const std::uint64_t tile = k / side * across + j / side;
            tiles[(tile * side + k % side) * side + j % side] = b[k * shape.columns + j];
        }
    }
    return tiles;
}

template <class T> std::vector<T> rows_of(const std::vector<T>& panels, const product_shape& shape, std::uint64_t side)
{
    std::vector<T> rows(shape.rows * shape.columns);
    for (std::uint64_t i = 0; i < shape.rows; ++i) {
        for (std::uint64_t j = 0; j < shape.columns; ++j) {
            rows[i * shape.columns + j] = panels[(j / side * shape.rows + i) * side + j % side];
        }
    }
    return rows;
}

template std::vector<std::int64_t> tiles_of(const std::vector<std::int64_t>&, const product_shape&, std::uint64_t);
template std::vector<double> tiles_of(const std::vector<double>&, const product_shape&, std::uint64_t);
template std::vector<std::int64_t> rows_of(const std::vector<std::int64_t>&, const product_shape&, std::uint64_t);
template std::vector<double> rows_of(const std::vector<double>&, const product_shape&, std::uint64_t);

namespace {

mmv_array load_indices(mmv_ram& ram, const std::vector<std::uint64_t>& indices)
{
    return ram.loaded(std::vector<std::int64_t>(indices.begin(), indices.end()));
}

mmv_array zeros(mmv_ram& ram, std::uint64_t n)
{
    const part_scope part(ram.builder(), primitives::gather);
    const mmv_array z = ram.words(n);
    ram.set(z, 0);
    return z;
}

mmv_array element_products(mmv_ram& ram, sum_unit unit, const spmv_operands& a, std::optional<unsigned> bits)
{
    const mmv_array x_of_element = ram.words(a.value.elements);
    {
        const part_scope part(ram.builder(), primitives::gather);
        ram.gather_idx(x_of_element, a.x, a.column);
    }
    return bits ? products_by_bits(ram, unit, x_of_element, a.value, *bits)
                : products_by_mul(ram, x_of_element, a.value);
}

void flag_row_starts(mmv_ram& ram, const mmv_array& f, const spmv_operands& a)
{
    const part_scope part(ram.builder(), primitives::flags);
    ram.flags(f, a.starts());
}

// Of the scanned products, the last one of every row; 0 where none is before its end.
mmv_array values_at_ends(mmv_ram& ram, const mmv_array& sums, const spmv_operands& a)
{
    const part_scope part(ram.builder(), primitives::gather);
    const mmv_array z = ram.words(a.rows());
    ram.gather_prev(z, sums, a.ends());
    return z;
}

} // namespace

template <class T> spmv_operands load_spmv(mmv_ram& ram, const csr_matrix<T>& matrix, const std::vector<T>& x)
{
    return {load_indices(ram, matrix.row_starts), load_indices(ram, matrix.column), ram.loaded(matrix.value),
            ram.loaded(x)};
}

mmv_array spmv_by_scan(mmv_ram& ram, scan_unit unit, const spmv_operands& a, std::optional<unsigned> bits)
{
    if (a.value.elements == 0) { return zeros(ram, a.rows()); }
    const bool on_matrix_unit = unit == scan_unit::matrix;
    mmv_array sums = element_products(ram, on_matrix_unit ? sum_unit::matrix : sum_unit::vector, a, bits);
    if (on_matrix_unit) {
        scan(ram, sums, sums);
    } else {
        sums = scan_on(unit, ram, sums);
    }
    return difference_vcu(ram, values_at_ends(ram, sums, a));
}

mmv_array spmv_by_segmented_sum(mmv_ram& ram, const spmv_operands& a, std::optional<unsigned> bits)
{
    const std::uint64_t n = a.value.elements;
    if (n == 0) { return ram.words(0); }
    const mmv_array f = ram.words(n + 1);
    const mmv_array p = element_products(ram, sum_unit::matrix, a, bits);
    flag_row_starts(ram, slice(f, 0, n), a);
    return segmented_sum(ram, scan_unit::matrix, difference_unit::vector, p, f);
}

mmv_array spmv_by_segmented_scan(mmv_ram& ram, sum_unit unit, const spmv_operands& a, std::optional<unsigned> bits)
{
    const std::uint64_t n = a.value.elements;
    if (n == 0) { return zeros(ram, a.rows()); }
    const mmv_array f = ram.words(n);
    const mmv_array p = element_products(ram, unit, a, bits);
    flag_row_starts(ram, f, a);
    const mmv_array sums = unit == sum_unit::vector ? segmented_scan_vcu(ram, p, f)
                                                    : block_segmented_scan(ram, fitting_block_revert(ram), n)(p, f);
    const mmv_array z = values_at_ends(ram, sums, a), elements = ram.words(a.rows());
    const part_scope part(ram.builder(), primitives::gather);
    ram.sub(elements, a.ends(), a.starts());
    ram.mask(z, z, elements);
    return z;
}

template spmv_operands load_spmv(mmv_ram&, const csr_matrix<std::int64_t>&, const std::vector<std::int64_t>&);
template spmv_operands load_spmv(mmv_ram&, const csr_matrix<double>&, const std::vector<double>&);

} // namespace tensorloom::workloads
