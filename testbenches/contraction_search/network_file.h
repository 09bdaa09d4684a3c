#pragma once
#include <string>
#include <tensorloom/workloads/tensor_network/network.h>

namespace tensorloom::testbench {

/// A network of a JSON file with exactly these keys:
///
///     {"nodes": [["X", ["b", "n1"]], ["G1", ["m1", "n1"]]], "out": ["b", "m1"], "sizes": {"b": 96, "m1": 16, "n1": 8}}
///
/// Throws base::input_error, one line with the file, if it cannot be read, is not JSON, has duplicate, missing or
/// unknown keys, and for a network that workloads::check_network() rejects.
workloads::tensor_network read_network_file(const std::string& path);

} // namespace tensorloom::testbench
