#include <tensorloom/workloads/accelerators/descriptions.h>

namespace tensorloom::workloads {

// TRETA: engines as FETTA's without its networks.
accelerator treta()
{
    accelerator a;
    a.name = "treta";
    a.meaning = "FETTA's engines without networks: copies of data that several engines read, reordering through DRAM";
    a.holds = {held_tensor::weight, held_tensor::output}; // [P] table I: WS, OS
    a.split = spatial_split::copies; // [P] VII-D3: "redundant on-chip storage ... data multicasting to multiple CEs"
    a.reordering = data_reordering::off_chip; // [P] table I
    a.line = 4;                               // [D] a row of a bank of FETTA
    return a;
}

} // namespace tensorloom::workloads
