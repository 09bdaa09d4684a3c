#include <tensorloom/workloads/segmented/segmented_sum.h>

#include <tensorloom/workloads/segmented/compress.h>
#include <tensorloom/workloads/segmented/difference.h>

namespace tensorloom::workloads {

mmv_array segmented_sum(mmv_ram& ram, scan_unit scans, difference_unit differences, const mmv_array& x,
                        const mmv_array& f)
{
    const mmv_array prefix_sums = scan_on(scans, ram, x);
    const mmv_array at_ends = compress(ram, scans, prefix_sums, segment_ends(ram, f));
    return differences == difference_unit::matrix ? difference_mmu(ram, at_ends) : difference_vcu(ram, at_ends);
}

} // namespace tensorloom::workloads
