#include <tensorloom/workloads/segmented/difference.h>

namespace tensorloom::workloads {

mmv_array difference_vcu(mmv_ram& ram, const mmv_array& x)
{
    const mmv_array z = ram.words(x.elements);
    ram.sub(z, x, shifted(x, 1));
    return z;
}

mmv_array difference_mmu(mmv_ram& ram, const mmv_array& x)
{
    const std::uint64_t n = x.elements;
    const mmv_array z = ram.words(n), before = ram.words(n), last = ram.words(ceil_div(n, ram.side()));
    ram.matmul(z, x, constant_matrix::difference);
    ram.gather_last(last, x);
    ram.scatter_last_into_zeros(before, last);
    ram.sub(z, z, shifted(before, 1));
    return z;
}

} // namespace tensorloom::workloads
