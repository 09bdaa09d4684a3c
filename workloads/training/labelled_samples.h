#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/arch/values/named_value.h>

namespace tensorloom::workloads {

/// Data sets that are known.
enum class sample_set : std::uint8_t { digits, fashion_mnist };
inline constexpr arch::named_value sample_set_values[] = {
    {0, "digits", "1,797 hand-written digits of 8 x 8 pixels, 1,437 to train with, 360 to test"},
    {1, "fashion-mnist", "70,000 pictures of clothes of 28 x 28 pixels, 60,000 to train with, from files of IDX"},
};

/// Samples with a class each, and which of them a network is trained with.
struct labelled_samples {
    std::string name;
    std::uint64_t features = 0; ///< of a sample
    std::uint64_t classes = 0;
    std::vector<float> values;                 ///< features of one sample behind those of another, each a value of bf16
    std::vector<std::uint32_t> labels;         ///< by sample, below `classes`
    std::vector<std::uint32_t> training, test; ///< numbers of samples

    std::size_t count() const { return labels.size(); }
};

/// Reads samples as lines of numbers with commas between them, the last one the label. Features are divided by
/// `largest` and rounded to bf16. The test set has `test_samples`, of every class its share, chosen by a permutation
/// that never changes. Throws arch::input_error, with `origin` and the line: no sample, another number of columns than
/// in the first line, a feature that is no number from 0 to `largest`, a label that is no whole number below `classes`.
labelled_samples read_samples(const std::string& text, const std::string& origin, std::uint64_t classes, double largest,
                              std::size_t test_samples);

/// The digits that ship with the project.
labelled_samples shipped_digits();

/// Numbers of the training samples in the order of an epoch, the same on every machine.
std::vector<std::uint32_t> order_of_epoch(const labelled_samples& samples, std::uint64_t seed, std::uint64_t epoch);

} // namespace tensorloom::workloads
