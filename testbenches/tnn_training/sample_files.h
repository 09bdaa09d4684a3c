#pragma once
#include <string>
#include <tensorloom/workloads/training/labelled_samples.h>

namespace tensorloom::testbench {

/// Folder of the files of the Debian package dataset-fashion-mnist.
inline constexpr const char* fashion_mnist_folder = "/usr/share/datasets/fashion-mnist";

/// The samples of a model's data set: those that ship with the project, or the four IDX files of a folder, optionally
/// compressed by gzip (train-images-idx3-ubyte.gz, ...). Throws base::input_error.
workloads::labelled_samples samples_of(workloads::sample_set set, const std::string& folder);

} // namespace tensorloom::testbench
