#include <tensorloom/workloads/training/losses/loss_emulation.h>
#include <algorithm>
#include <cmath>
#include <tensorloom/models/arithmetic/elementary_functions.h>

namespace tensorloom::workloads {
namespace {

emulated_loss cross_entropy(const labelled_samples& samples, const std::uint32_t* list, std::size_t count,
                            const emulated_values& outputs)
{
    const std::size_t classes = samples.outputs(), batch = outputs.size() / classes;
    emulated_values labels(batch * classes), gradient(batch * classes), losses(batch), right(batch * classes),
        counted(batch);
    for (std::size_t s = 0; s < count; ++s) { labels[s * classes + samples.labels[list[s]]] = 1; }
    for (std::size_t s = 0; s < batch; ++s) {
        const float* y = outputs.data() + s * classes;
        const float* label = labels.data() + s * classes;
        const float most = *std::max_element(y, y + classes);
        emulated_values powers(classes), picked(classes);
        for (std::size_t c = 0; c < classes; ++c) {
            const float difference = y[c] - most;
            powers[c] = arithmetic::exponential(difference);
            picked[c] = difference * label[c];
            right[s * classes + c] = difference == 0 ? label[c] : 0.0f;
        }
        const float sum = tree_sum(powers);
        counted[s] = tree_sum({label, label + classes});
        losses[s] = arithmetic::logarithm(sum) * counted[s] - tree_sum(picked);
        for (std::size_t c = 0; c < classes; ++c) {
            gradient[s * classes + c] = powers[c] / sum * counted[s] - label[c];
        }
    }
    return {{tree_sum(losses), tree_sum(right), tree_sum(counted)}, std::move(gradient)};
}

struct loss_and_slope {
    float loss = 0, slope = 0;
};

// The loss of a difference, and its derivative times `share`.
loss_and_slope of_difference(const loss_settings& loss, float e, float share)
{
    switch (loss.kind) {
    case loss_kind::cross_entropy: break;
    case loss_kind::mse: return {e * e, e * (2 * share)};
    case loss_kind::l1: return {std::abs(e), e > 0 ? share : e < 0 ? -share : 0.0f};
    case loss_kind::huber: {
        const float within = std::max(std::min(e, loss.delta), -loss.delta);
        return {(e - within * 0.5f) * within, within * share};
    }
    }
    return {};
}

emulated_loss mean_of_differences(const loss_settings& loss, const labelled_samples& samples, const std::uint32_t* list,
                                  std::size_t count, const emulated_values& y)
{
    const std::size_t outputs = samples.outputs(), batch = y.size() / outputs;
    const float share = 1 / static_cast<float>(outputs);
    emulated_values gradient(y.size()), losses(batch);
    for (std::size_t s = 0; s < batch; ++s) {
        const float weight = s < count ? 1 : 0;
        emulated_values of_outputs(outputs);
        for (std::size_t i = 0; i < outputs; ++i) {
            const float target = s < count ? samples.target(list[s], i) : 0.0f;
            const auto found = of_difference(loss, (y[s * outputs + i] - target) * weight, share);
            of_outputs[i] = found.loss;
            gradient[s * outputs + i] = found.slope;
        }
        losses[s] = tree_sum(std::move(of_outputs)) * share;
    }
    return {{tree_sum(losses), 0, static_cast<double>(count)}, std::move(gradient)};
}

} // namespace

emulated_loss loss_of(const loss_settings& loss, const labelled_samples& samples, const block_list& list,
                      const emulated_values& y)
{
    auto found = loss.takes_targets() ? mean_of_differences(loss, samples, list.samples, list.count, y)
                                      : cross_entropy(samples, list.samples, list.count, y);
    for (float& g : found.gradient) { g /= static_cast<float>(list.of_batch); }
    return found;
}

} // namespace tensorloom::workloads
