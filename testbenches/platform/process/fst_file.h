#pragma once
#include <string>

namespace tensorloom::testbench {

/// A waveform in FST, which GTKWave's converter makes of one in VCD: its name ends in ".fst".
bool is_fst(const std::string& path);

/// Throws base::input_error when the path is one of FST and the converter (vcd2fst) is not in PATH.
void require_fst_converter(const std::string& path);

/// Replaces a file in VCD by the same in FST; false when the converter fails: then the file stays, and nothing else.
bool convert_to_fst(const std::string& path);

} // namespace tensorloom::testbench
