#include <tensorloom/workloads/accelerators/descriptions.h>

namespace tensorloom::workloads {

// The TPU as FETTA takes it: a weight-stationary systolic array.
accelerator tpu()
{
    accelerator a;
    a.name = "tpu";
    a.meaning = "systolic array of 16 x 16, weight-stationary; a tensor in another order is read line by line";
    a.holds = {held_tensor::weight}; // [P] VII-C: "weight-stationary loop ordering and fixed parallelism"
    a.split = spatial_split::fixed;  // [P] VII-C
    a.rows = 16;                     // [P] VI-B: 256 multipliers; [D] square
    a.columns = 16;
    a.double_buffered = true;             // [A] as TPUs load the next weights meanwhile
    a.pipeline = 16 + 15 + 15;            // [D] the first weights, then the skew of rows and of columns
    a.reordering = data_reordering::none; // [P] VII-D1: "utilization drop caused by data layout inconsistencies"
    a.line = 16;                          // [A] a line feeds the 16 rows of the array in one access
    a.distribution = 0;                   // [A] operands go from PE to PE, whose registers the MAC's energy has
    a.reduction = 0;                      // [D] sums go down the columns
    return a;
}

} // namespace tensorloom::workloads
