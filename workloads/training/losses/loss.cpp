#include <tensorloom/workloads/training/losses/loss.h>
#include <algorithm>
#include <cmath>

namespace tensorloom::workloads {
namespace {

double loss_of(const loss_settings& loss, double difference)
{
    const double size = std::abs(difference);
    switch (loss.kind) {
    case loss_kind::cross_entropy: break;
    case loss_kind::mse: return size * size;
    case loss_kind::l1: return size;
    case loss_kind::huber: return size < loss.delta ? size * size / 2 : loss.delta * (size - loss.delta / 2.0);
    }
    return 0;
}

} // namespace

std::uint64_t answer_words(const loss_settings& loss, std::uint64_t outputs)
{
    return outputs + (loss.takes_targets() ? 1 : 0);
}

std::vector<float> answers_of(const loss_settings& loss, const labelled_samples& samples)
{
    const std::size_t outputs = samples.outputs(), row = answer_words(loss, outputs);
    std::vector<float> rows((samples.count() + 1) * row);
    for (std::size_t s = 0; s < samples.count(); ++s) {
        for (std::size_t i = 0; i < outputs; ++i) { rows[s * row + i] = samples.target(s, i); }
        if (loss.takes_targets()) { rows[s * row + outputs] = 1; }
    }
    return rows;
}

double untrained_loss(const loss_settings& loss, const labelled_samples& samples)
{
    const auto outputs = static_cast<double>(samples.outputs()), count = static_cast<double>(samples.training.size());
    if (!loss.takes_targets()) { return std::log(outputs); }
    double sum = 0;
    for (std::size_t i = 0; i < samples.outputs(); ++i) {
        double mean = 0;
        for (const auto s : samples.training) { mean += samples.target(s, i) / count; }
        for (const auto s : samples.training) { sum += loss_of(loss, samples.target(s, i) - mean) / count; }
    }
    return sum / outputs;
}

} // namespace tensorloom::workloads
