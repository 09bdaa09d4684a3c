#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/training/model.h>

namespace tensorloom::testbench {

/// Folder of the files of the Debian package dataset-fashion-mnist.
inline constexpr const char* fashion_mnist_folder = "/usr/share/datasets/fashion-mnist";

/// Where samples come from; without `data` the data set of the model.
struct sample_request {
    /// FILE.npz; X.npy,Y.npy; FILE.csv; a folder of IDX files, which have a test set.
    std::optional<std::string> data;
    std::optional<std::string> test; ///< likewise, no folder
    std::optional<double> held_out;  ///< share of the samples for testing; default: default_held_out
    std::optional<double> scale;     ///< inputs are divided by it; default: 1, of IDX files 255
    std::uint64_t seed = 1;          ///< of the division
};
inline constexpr double default_held_out = 0.2;

/// Paths of the files that such a text names.
std::vector<std::string> files_of(const std::string& data);

/// The samples for a model: those that ship with the project, or from files. Of an .npz file the arrays x and y (or
/// other usual names), and x_test and y_test if it has them. Throws base::input_error, which begins with the option.
workloads::labelled_samples samples_of(const workloads::model_description& model, const sample_request& request);

} // namespace tensorloom::testbench
