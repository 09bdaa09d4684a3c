#include <tensorloom/workloads/segmented/products.h>

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
    const std::uint64_t run = padded_terms(unit, bits, ram.side());
    const mmv_array copies = ram.words(a.elements * run);
    ram.expand(copies, a, b, run, bits);
    return sums_of_runs(ram, unit, copies, run);
}

mmv_array products_by_segments(mmv_ram& ram, const mmv_array& a, const mmv_array& b, unsigned bits)
{
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
    const mmv_array z = ram.words(a.elements);
    ram.mul(z, a, b);
    return z;
}

} // namespace tensorloom::workloads
