#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/training/labelled_samples.h>

namespace tensorloom::workloads {

/// What training minimizes: a mean over the samples of a batch.
enum class loss_kind : std::uint8_t { cross_entropy, mse, l1, huber };
inline constexpr base::named_value loss_values[] = {
    {0, "cross-entropy", "-log of softmax at the class of a sample"},
    {1, "mse", "mean over the outputs of the squared difference from the targets"},
    {2, "l1", "mean over the outputs of the absolute difference from the targets"},
    {3, "huber", "mean over the outputs: half the square up to a difference of `delta`, linear beyond"},
};

struct loss_settings {
    loss_kind kind = loss_kind::cross_entropy;
    float delta = 1; ///< of huber

    /// Compares outputs with numbers; else it takes a class of each sample, and answers can be right or wrong.
    bool takes_targets() const { return kind != loss_kind::cross_entropy; }
};

// Answers of the samples as the device gathers them, a row of float32 words for each sample: with classes a word per
// class, 1 at the label; with targets the targets, then 1. The last row, of the sample that fills batches up, is 0.

std::uint64_t answer_words(const loss_settings& loss, std::uint64_t outputs); ///< of a row
std::vector<float> answers_of(const loss_settings& loss, const labelled_samples& samples);

/// Loss without training, in float64: with targets that of their mean as a constant output, with classes that of equal
/// probabilities.
double untrained_loss(const loss_settings& loss, const labelled_samples& samples);

} // namespace tensorloom::workloads
