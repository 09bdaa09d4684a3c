#include <tensorloom/workloads/accelerators/descriptions.h>

namespace tensorloom::workloads {

// Tetrix (IEEE Transactions on Computers 2024): inference.
accelerator tetrix()
{
    accelerator a = tpu();
    a.name = "tetrix";
    a.meaning = "array of 16 x 16, weight- or output-stationary, results in any order; inference";
    a.holds = {held_tensor::weight, held_tensor::output}; // [P] table I: WS, OS; "hybrid inner-outer mapping"
    a.reordering =
        data_reordering::at_output; // [P] III-B3: "a one-time ... transformation during the output collection"
    a.trains = false;               // [P] table I
    a.sequence = "tetrix";          // [P] III-A
    return a;
}

} // namespace tensorloom::workloads
