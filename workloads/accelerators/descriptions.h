#pragma once
#include <tensorloom/workloads/accelerators/accelerator.h>

namespace tensorloom::workloads {

// One function per accelerator, in a file of its name.
accelerator fetta_accelerator();
accelerator fetta_networks();
accelerator tpu();
accelerator tpu_offchip();
accelerator sigma();
accelerator treta();
accelerator tetrix();
accelerator ette();
accelerator tie();
accelerator fdht();

} // namespace tensorloom::workloads
