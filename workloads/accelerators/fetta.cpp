#include <tensorloom/workloads/accelerators/descriptions.h>

namespace tensorloom::workloads {

// FETTA: what it is compared with. Our gather and scatter buffers bring what its networks do not.
accelerator fetta_accelerator()
{
    accelerator a;
    a.name = "fetta";
    a.meaning = "16 engines of 4 x 4 between butterfly networks and buffers";
    a.holds = {held_tensor::weight, held_tensor::input, held_tensor::output}; // [P] table I: WS, IS, OS
    a.split = spatial_split::engines;                                         // [P] table I: flexible
    a.reordering = data_reordering::on_chip; // [P] table I; whole plans find layouts with few conflicts or none
    a.distribution = 1;                      // [P] table III
    a.reduction = 1;                         // [P] table III
    return a;
}

// The paper's hardware: without the buffers.
accelerator fetta_networks()
{
    accelerator a = fetta_accelerator();
    a.name = "fetta-networks";
    a.meaning = "the same without buffers: the vector unit permutes what the networks do not bring";
    a.reordering = data_reordering::permuted; // [P] figure 10: banks, networks, engines; [A] the vector unit permutes
    return a;
}

} // namespace tensorloom::workloads
