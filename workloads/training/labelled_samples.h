#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>

namespace tensorloom::workloads {

/// Data sets that are known.
enum class sample_set : std::uint8_t { digits, fashion_mnist, sequences };
inline constexpr base::named_value sample_set_values[] = {
    {0, "digits", "1,797 hand-written digits of 8 x 8 pixels, 1,437 for training, 360 for testing"},
    {1, "fashion-mnist", "70,000 images of clothes of 28 x 28 pixels, 60,000 for training, from IDX files"},
    {2, "sequences", "2,560 generated sequences of 16 tokens, 2,048 for training, 512 for testing"},
};

/// Samples with a class each, and which of them a network is trained with.
struct labelled_samples {
    std::string name;
    std::uint64_t features = 0;   ///< of a sample
    std::uint64_t vocabulary = 0; ///< features are tokens, whole numbers below it; 0: they are values of bf16
    std::uint64_t classes = 0;
    std::vector<float> values;                 ///< features of one sample behind those of another
    std::vector<std::uint32_t> labels;         ///< by sample, below `classes`
    std::vector<std::uint32_t> training, test; ///< numbers of samples

    std::size_t count() const { return labels.size(); }
};

/// Reads samples as lines of numbers with commas between them, the last one the label. Features are divided by
/// `largest` and rounded to bf16. The test set has `test_samples`, of every class its share, chosen by a permutation
/// that never changes. Throws base::input_error, with `origin` and the line: no sample, another number of columns than
/// in the first line, a feature that is no number from 0 to `largest`, a label that is no whole number below `classes`.
labelled_samples read_samples(const std::string& text, const std::string& origin, std::uint64_t classes, double largest,
                              std::size_t test_samples);

/// The digits that ship with the project.
labelled_samples shipped_digits();

/// Sequences of 16 tokens of 16, the same on every machine. One of them is the marker, 15, at any place but the last;
/// the values 0, 1, 2, 3 stand in each sequence once, one of them behind the marker, and that is the class; the others
/// and tokens of 4 to 14, which mean nothing, lie anywhere. So a bag of tokens says nothing about the class, nor does
/// any sum over places: what stands at two neighbouring ones must be seen together, wherever they are. Classes come in
/// turn.
labelled_samples marked_sequences();

/// Numbers of the training samples in the order of an epoch, the same on every machine.
std::vector<std::uint32_t> order_of_epoch(const labelled_samples& samples, std::uint64_t seed, std::uint64_t epoch);

} // namespace tensorloom::workloads
