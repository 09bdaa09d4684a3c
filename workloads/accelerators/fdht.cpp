#include <tensorloom/workloads/accelerators/descriptions.h>

namespace tensorloom::workloads {

// FDHT (2021): inference of hierarchical Tucker.
accelerator fdht()
{
    accelerator a = tpu();
    a.name = "fdht";
    a.meaning = "array of 16 x 16, leaves and transfer tensors in a fixed order; inference, HT";
    a.reordering = data_reordering::at_output; // [A] as TIE, which it follows
    a.trains = false;                          // [P] VII-E
    a.formats = {layer_format::ht};            // [P] VII-E
    a.sequence = "ascending";                  // [P] VII-E: fixed; [A] leaves, then transfer tensors
    return a;
}

} // namespace tensorloom::workloads
