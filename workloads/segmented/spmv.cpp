#include <tensorloom/workloads/segmented/spmv.h>

#include <vector>
#include <tensorloom/workloads/segmented/scans.h>

namespace tensorloom::workloads {
namespace {

mmv_array load_indices(mmv_ram& ram, const std::vector<std::uint64_t>& indices)
{
    return ram.loaded(std::vector<std::int64_t>(indices.begin(), indices.end()));
}

mmv_array zeros(mmv_ram& ram, std::uint64_t n)
{
    const mmv_array z = ram.words(n);
    ram.set(z, 0);
    return z;
}

mmv_array products(mmv_ram& ram, sum_unit unit, const spmv_operands& a, std::optional<unsigned> bits)
{
    const mmv_array x_of_element = ram.words(a.value.elements);
    ram.gather_idx(x_of_element, a.x, a.column);
    return bits ? products_by_bits(ram, unit, x_of_element, a.value, *bits)
                : products_by_mul(ram, x_of_element, a.value);
}

} // namespace

template <class T> spmv_operands load_spmv(mmv_ram& ram, const csr_matrix<T>& matrix, const std::vector<T>& x)
{
    return {load_indices(ram, matrix.row_starts), load_indices(ram, matrix.column), ram.loaded(matrix.value),
            ram.loaded(x)};
}

mmv_array spmv_by_scan(mmv_ram& ram, const spmv_operands& a, std::optional<unsigned> bits)
{
    if (a.value.elements == 0) { return zeros(ram, a.rows()); }
    const mmv_array sums = products(ram, sum_unit::matrix, a, bits);
    scan(ram, sums, sums);
    const mmv_array at_ends = ram.words(a.rows());
    ram.gather_prev(at_ends, sums, a.ends());
    return difference_vcu(ram, at_ends);
}

mmv_array spmv_by_segmented_sum(mmv_ram& ram, const spmv_operands& a, std::optional<unsigned> bits)
{
    const std::uint64_t n = a.value.elements;
    if (n == 0) { return ram.words(0); }
    const mmv_array f = ram.words(n + 1);
    const mmv_array p = products(ram, sum_unit::matrix, a, bits);
    ram.flags(slice(f, 0, n), a.starts());
    return segmented_sum(ram, scan_unit::matrix, difference_unit::vector, p, f);
}

mmv_array spmv_by_segmented_scan(mmv_ram& ram, sum_unit unit, const spmv_operands& a, std::optional<unsigned> bits)
{
    const std::uint64_t n = a.value.elements;
    if (n == 0) { return zeros(ram, a.rows()); }
    const mmv_array f = ram.words(n);
    const mmv_array p = products(ram, unit, a, bits);
    ram.flags(f, a.starts());
    const mmv_array sums = unit == sum_unit::vector ? segmented_scan_vcu(ram, p, f)
                                                    : block_segmented_scan(ram, fitting_block_revert(ram), n)(p, f);
    const mmv_array z = ram.words(a.rows()), elements = ram.words(a.rows());
    ram.gather_prev(z, sums, a.ends());
    ram.sub(elements, a.ends(), a.starts());
    ram.mask(z, z, elements);
    return z;
}

template spmv_operands load_spmv(mmv_ram&, const csr_matrix<std::int64_t>&, const std::vector<std::int64_t>&);
template spmv_operands load_spmv(mmv_ram&, const csr_matrix<double>&, const std::vector<double>&);

} // namespace tensorloom::workloads
