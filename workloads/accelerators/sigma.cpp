#include <tensorloom/workloads/accelerators/descriptions.h>

namespace tensorloom::workloads {

// SIGMA (HPCA 2020): PEs behind a Benes network, sums in a forwarding adder network.
accelerator sigma()
{
    accelerator a;
    a.name = "sigma";
    a.meaning = "tiles of any shape on 256 PEs behind a Benes network; no reordering";
    a.holds = {held_tensor::weight, held_tensor::input, held_tensor::nothing}; // [P] table I: WS, IS, NLR
    a.split = spatial_split::any;         // [P] VII-D2: "arbitrary spatial mapping shapes"
    a.pipeline = 15 + 1 + 8;              // [D] 2 log2(256) - 1 stages of the Benes network, multiply, 8 adder levels
    a.reordering = data_reordering::none; // [P] VII-D2: "lacks support for data layout reordering"
    a.line = 16;                          // [A] as the TPU's, four of them in a cycle
    a.elements_per_cycle = 64;            // [A] of each operand: the same SRAM as FETTA's has the same ports
    a.distribution = 15.0 / 5;            // [D] levels of multiplexers by those of FETTA's networks
    a.reduction = 0.5;                    // [D] an adder per product: half of what FETTA spends on a sum, two adders
    return a;
}

} // namespace tensorloom::workloads
