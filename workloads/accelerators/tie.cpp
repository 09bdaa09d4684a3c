#include <tensorloom/workloads/accelerators/descriptions.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>

namespace tensorloom::workloads {
namespace {

contraction_tree from_the_last(const tensorized_layer& layer)
{
    return *fixed_tree(forward_network(layer), "descending");
}

} // namespace

// TIE (ISCA 2019): inference of tensor train matrices, stage by stage.
accelerator tie()
{
    accelerator a = tpu();
    a.name = "tie";
    a.meaning = "array of 16 x 16, one stage after the other through the SRAM; inference, TTM";
    a.reordering = data_reordering::at_output; // [A] its working memory is written in the order of the next stage
    a.trains = false;                          // [P] VII-E
    a.formats = {layer_format::ttm};           // [P] VII-E
    a.sequence = from_the_last;                // [P] VII-E: fixed; [A] from the last core on, as its stages d to 1 are
    return a;
}

} // namespace tensorloom::workloads
