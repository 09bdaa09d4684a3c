#include <tensorloom/workloads/accelerators/descriptions.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>

namespace tensorloom::workloads {
namespace {

// From the cores of the inputs on, whichever end of the chain they are at.
contraction_tree inputs_first(const tensorized_layer& layer)
{
    return *fixed_tree(forward_network(layer), layer.order == core_order::mn ? "descending" : "ascending");
}

} // namespace

// ETTE (ISCA 2022): inference of tensor trains, stages fused.
accelerator ette()
{
    accelerator a = tpu();
    a.name = "ette";
    a.meaning = "array of 16 x 16 with look-ahead: results between stages stay in registers; inference, TT";
    a.reordering = data_reordering::at_output; // [P] table I: "dedicated memory access"; [A] as results leave
    a.look_ahead = true;                       // [P] VII-E: "storing intermediate tensors directly in registers"
    a.trains = false;                          // [P] table I
    a.formats = {layer_format::tt};            // [P] table I
    a.sequence = inputs_first;                 // [P] VII-E: fixed; [D] input cores first, whichever end they are at
    return a;
}

} // namespace tensorloom::workloads
