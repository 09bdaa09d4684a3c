#include <tensorloom/workloads/training/step_words.h>
#include <algorithm>
#include <cmath>
#include <tensorloom/models/arithmetic/counter_random.h>

namespace tensorloom::workloads {
namespace {

double scheduled(const model_description& model, std::uint64_t epoch, double after_warm_up, double warm_up,
                 double steps)
{
    const auto& o = model.optimizer;
    switch (o.schedule) {
    case rate_schedule::constant: break;
    case rate_schedule::step: return std::pow(o.step_factor, static_cast<double>(epoch / o.step_epochs));
    case rate_schedule::cosine: {
        const auto epochs = static_cast<double>(model.cosine_epochs());
        const double length = std::max(epochs * steps - warm_up, 1.0), least = o.rate == 0 ? 1 : o.least_rate / o.rate;
        const double done = std::clamp(after_warm_up / length, 0.0, 1.0), pi = std::acos(-1.0);
        return least + (1 - least) * (1 + std::cos(pi * done)) / 2;
    }
    }
    return 1;
}

} // namespace

double rate_factor(const model_description& model, std::uint64_t epoch, std::uint64_t step, std::uint64_t steps)
{
    const auto at = static_cast<double>(epoch * steps + step), warm_up = static_cast<double>(model.optimizer.warm_up);
    const double rise = at < warm_up ? (at + 1) / warm_up : 1;
    return rise * scheduled(model, epoch, at - warm_up, warm_up, static_cast<double>(steps));
}

std::uint32_t mask_key(std::uint64_t seed, std::uint64_t epoch, std::uint64_t step)
{
    constexpr unsigned word_bits = 32;
    const auto word = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto of_run = arithmetic::philox_2x32(word(seed), word(seed >> word_bits), 0);
    return arithmetic::philox_2x32(word(step), word(epoch), of_run[0])[0];
}

} // namespace tensorloom::workloads
