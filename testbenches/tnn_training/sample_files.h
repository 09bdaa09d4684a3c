#pragma once
#include <string>
#include <tensorloom/workloads/training/labelled_samples.h>

namespace tensorloom::testbench {

/// Where the Debian package dataset-fashion-mnist puts its files.
inline constexpr const char* fashion_mnist_folder = "/usr/share/datasets/fashion-mnist";

/// The samples that a model is trained with: those that ship with the project, or the four IDX files of a folder,
/// compressed by gzip or not (train-images-idx3-ubyte.gz, ...). Throws base::input_error.
workloads::labelled_samples samples_of(workloads::sample_set set, const std::string& folder);

} // namespace tensorloom::testbench
