#pragma once
#include <string>
#include <tensorloom/workloads/npy_file.h>

namespace tensorloom::testbench {

/// The header of the .npy file that an option names, of a tensor that a TriADA device can take: three modes, none of
/// them empty. `option`: without its dashes. Throws arch::input_error: another tensor, and what read_npy_header()
/// refuses.
workloads::npy_header tensor_header(const std::string& option, const std::string& path);

} // namespace tensorloom::testbench
