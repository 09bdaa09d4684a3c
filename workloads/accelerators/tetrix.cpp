#include <tensorloom/workloads/accelerators/descriptions.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>

namespace tensorloom::workloads {
namespace {

contraction_tree best_from_x(const tensorized_layer& layer) { return *fixed_tree(forward_network(layer), "tetrix"); }

} // namespace

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
    a.sequence = best_from_x;       // [P] III-A
    return a;
}

} // namespace tensorloom::workloads
