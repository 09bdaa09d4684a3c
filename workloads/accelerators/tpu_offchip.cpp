#include <tensorloom/workloads/accelerators/descriptions.h>

namespace tensorloom::workloads {

// The same array; a tensor in another order goes through DRAM first.
accelerator tpu_offchip()
{
    accelerator a = tpu();
    a.name = "tpu-offchip";
    a.meaning = "the same; what lies in another order is written to DRAM and read back in the right one";
    a.reordering = data_reordering::off_chip; // [P] VII-D1
    return a;
}

} // namespace tensorloom::workloads
