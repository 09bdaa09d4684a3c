#pragma once
#include <cstddef>
#include <string>
#include <vector>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::testbench {

/// A float32 array with a name, of an .npz file.
struct named_array {
    std::string name;
    workloads::tensor<float> values;
};

/// Reads all arrays of an .npz file (zip_file.h, npy_file.h), each element rounded once to float32. Throws
/// base::input_error, also for two arrays of one name, complex elements and elements that are NaN or infinite.
std::vector<named_array> load_arrays(const std::string& path);

/// Writes an .npz file that numpy.load reads: float32, C order, not packed. Atomic. Throws base::input_error.
void save_arrays(const std::string& path, const std::vector<named_array>& arrays);

/// An array that is expected in a file.
struct expected_array {
    std::string name;
    std::vector<std::size_t> shape;
};

/// The values of exactly these arrays, in their order. Throws base::input_error, one line: an array that is missing,
/// one that is not expected, another shape (with both shapes). `of`: what they belong to, "model digits-ttm".
std::vector<std::vector<float>> arrays_of(const std::string& path, const std::vector<expected_array>& expected,
                                          const std::string& of);

/// The values of a .npy file with one of these shapes, likewise.
std::vector<float> array_of(const std::string& path, const std::vector<std::vector<std::size_t>>& shapes,
                            const std::string& of);

} // namespace tensorloom::testbench
