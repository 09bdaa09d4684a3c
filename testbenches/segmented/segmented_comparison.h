#pragma once
#include <memory>
#include "platform/process/testbench_run.h"
#include "segmented/segmented_options.h"

namespace tensorloom::testbench {

/// All variants at growing sizes on three devices in one simulation, which differ in the costs of their vector units:
/// half, once and twice those estimated. Files with rows have the programs of the device whose costs are as they are.
/// T: int64_t, double. The options must outlive it.
template <class T> std::unique_ptr<testbench_run> make_comparison(const segmented_options& options);

} // namespace tensorloom::testbench
