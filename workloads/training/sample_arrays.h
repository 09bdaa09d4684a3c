#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/training/model.h>

namespace tensorloom::workloads {

// Samples for a model from arrays of numbers: .npy files, the arrays of an .npz file, columns of a CSV file.

/// Numbers of samples: inputs, or answers (labels or targets).
struct sample_array {
    std::string name;                              ///< in error messages
    std::vector<std::size_t> shape;                ///< the first size is the number of samples
    std::vector<double> values;                    ///< in C order
    bool is_whole = false;                         ///< integers or booleans by its type
    std::function<std::string(std::size_t)> place; ///< of a value, in error messages: "x.npy: element (3,7)"

    std::size_t count() const { return shape.front(); }
    std::size_t numbers() const { return values.size() / count(); } ///< of a sample
    std::string sample_sizes() const;                               ///< "28 x 28"; of a number "1"
};

struct sample_arrays {
    sample_array inputs, answers;
};

/// Reads an array of at least one sample. Throws base::input_error as load_npy(), for complex elements, a single number
/// and a first size of 0.
sample_array sample_array_of(const named_bytes& npy);

/// Reads lines of numbers separated by commas: the inputs of a sample, then its label or its targets. A first line
/// whose last column is not a number is a header and is skipped, and so are empty lines. The last column is the label;
/// with a loss of targets the last columns are as many targets as the model has outputs, unless all but one column are
/// its inputs. Throws base::input_error, with line and column: not a number, another number of columns than in the
/// line before or than the model needs, no sample.
sample_arrays read_csv_samples(const named_bytes& csv, const model_description& model);

/// Adds samples to those of a model, to its training or its test set.
///
/// Inputs may have any shape; they are divided by `scale` and rounded once to bf16. For a model whose first layer is an
/// embedding they are tokens: whole numbers below its vocabulary. Answers are labels, one whole number below the number
/// of outputs for each sample; with a loss of targets they are as many numbers as outputs. With such a loss, answers of
/// an integer type, one for each sample of a model of several outputs, are labels.
///
/// Throws base::input_error, one line: counts that differ, sizes that differ from the model's or from those of
/// earlier samples, a number that is not finite or out of range, with its place.
void add_samples(labelled_samples& to, std::vector<std::uint32_t>& part, const sample_arrays& from,
                 const model_description& model, double scale);

} // namespace tensorloom::workloads
