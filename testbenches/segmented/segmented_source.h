#pragma once
#include "platform/options.h"
#include "segmented/segmented_options.h"

namespace tensorloom::testbench {

/// Reads where the data comes from: files, of which it looks at the headers, or what is generated. Needs the operation
/// and puts in the source; whether a file has real numbers. Throws arch::input_error.
bool read_source(const option_values& values, segmented_options& options);

} // namespace tensorloom::testbench
