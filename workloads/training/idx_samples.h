#pragma once
#include <string>
#include <tensorloom/workloads/training/labelled_samples.h>

namespace tensorloom::workloads {

/// The unpacked content of an IDX file, and its name in error messages.
struct idx_file {
    std::string origin;
    std::string bytes;
};

/// Samples from IDX files in the format of MNIST and Fashion-MNIST: images of bytes 0 to 255, divided by `scale` and
/// rounded to bf16, and their labels. The training set comes before the test set.
///
///     images   00 00 08 03, number, rows, columns (32 bits each, big-endian), the bytes
///     labels   00 00 08 01, number, the bytes
///
/// Throws base::input_error, one line: another magic number, a file that is shorter or longer than its header says, no
/// image, images of another size or number than the labels, a label that is not below `classes`.
labelled_samples read_idx_samples(const std::string& name, std::uint64_t classes, const idx_file& training_images,
                                  const idx_file& training_labels, const idx_file& test_images,
                                  const idx_file& test_labels, double scale = 255);

} // namespace tensorloom::workloads
