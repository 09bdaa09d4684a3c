#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>

namespace tensorloom::workloads {

/// Known data sets.
enum class sample_set : std::uint8_t { digits, fashion_mnist, sequences };
inline constexpr base::named_value sample_set_values[] = {
    {0, "digits", "1,797 hand-written digits of 8 x 8 pixels, 1,437 for training, 360 for testing"},
    {1, "fashion-mnist", "70,000 images of clothes of 28 x 28 pixels, 60,000 for training, from IDX files"},
    {2, "sequences", "2,560 generated sequences of 16 tokens, 2,048 for training, 512 for testing"},
};

/// Samples, each with a class or with numbers as targets, divided into a training set and a test set.
struct labelled_samples {
    std::string name;
    std::uint64_t features = 0;                ///< values of a sample
    std::uint64_t vocabulary = 0;              ///< features are tokens, integers below it; 0: features are bf16 values
    std::uint64_t classes = 0;                 ///< 0: samples have targets
    std::uint64_t target_numbers = 0;          ///< targets of a sample, if it has no class
    std::vector<float> values;                 ///< features, sample by sample
    std::vector<std::uint32_t> labels;         ///< by sample, below `classes`
    std::vector<float> targets;                ///< sample by sample
    std::vector<std::uint32_t> training, test; ///< numbers of samples
    std::vector<std::uint32_t> validation;     ///< likewise; empty unless held out of the training set

    std::size_t count() const { return target_numbers == 0 ? labels.size() : targets.size() / target_numbers; }
    std::uint64_t outputs() const { return classes != 0 ? classes : target_numbers; } ///< of a model for them
    /// Target of an output; of a class: 1 for its output, 0 for others.
    float target(std::size_t sample, std::size_t output) const
    {
        if (classes == 0) { return targets[sample * target_numbers + output]; }
        return labels[sample] == output ? 1.0f : 0.0f;
    }
};

/// SHA-256 of the samples and their division, as hexadecimal digits.
std::string digest_of(const labelled_samples& samples);

/// Divides all samples: `test_samples` of them, the same share of every class, are the test set, selected by a
/// permutation with this seed, the same on every machine.
void hold_out(labelled_samples& samples, std::size_t test_samples, std::uint64_t seed);

/// Reads samples as lines of numbers separated by commas; the last number is the label. Features are divided by
/// `largest` and rounded to bf16. The test set has `test_samples` samples, with the same share of every class, selected
/// by a fixed permutation. Throws base::input_error, with `origin` and the line: no sample, a number of columns that
/// differs from the first line, a feature outside 0 to `largest`, a label that is not an integer below `classes`.
labelled_samples read_samples(const std::string& text, const std::string& origin, std::uint64_t classes, double largest,
                              std::size_t test_samples);

/// The digits that ship with the project.
labelled_samples shipped_digits();

/// Generated sequences of 16 tokens from a vocabulary of 16, the same on every machine. Each sequence contains the
/// marker, 15, at any position but the last, and each of the values 0 to 3 once. The value that follows the marker is
/// the class. The other values and tokens 4 to 14, which carry no information, are at random positions. The class
/// therefore depends on two adjacent tokens, at any position, and not on the set of tokens or on a sum over positions.
/// Classes alternate.
labelled_samples marked_sequences();

/// Moves a share of the training set, rounded to whole samples, at least one of each set, to the validation set. The
/// seed selects the samples, the same on every machine. The others keep their order.
void hold_out_validation(labelled_samples& samples, double share, std::uint64_t seed);

/// Numbers of the training samples in the order of an epoch, the same on every machine.
std::vector<std::uint32_t> order_of_epoch(const labelled_samples& samples, std::uint64_t seed, std::uint64_t epoch);

} // namespace tensorloom::workloads
