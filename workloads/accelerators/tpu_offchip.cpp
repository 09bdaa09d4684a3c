#include <tensorloom/workloads/accelerators/descriptions.h>

namespace tensorloom::workloads {

// The same array; a tensor in another order goes through DRAM first.
accelerator tpu_offchip()
{
    accelerator a = tpu();
    a.name = "tpu-offchip";
    a.meaning = "the same; a tensor in another order is reordered through DRAM";
    a.reordering = data_reordering::off_chip; // [P] VII-D1
    return a;
}

} // namespace tensorloom::workloads
