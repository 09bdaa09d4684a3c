#pragma once
#include <memory>
#include "platform/process/testbench_run.h"
#include "tensor_unit/tensor_unit_options.h"

namespace tensorloom::testbench {

/// Every theorem over growing sizes at side 4 and 16, in one simulation with a device per side and format; Theorem 12;
/// and Theorem 10 as the paper prints it. It has no rows for files. The options must outlive it.
std::unique_ptr<testbench_run> make_theorem_run(const tensor_unit_options& options);

} // namespace tensorloom::testbench
