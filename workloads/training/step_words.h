#pragma once
#include <cstdint>
#include <tensorloom/workloads/training/model.h>

namespace tensorloom::workloads {

// What the host computes for every step.

/// Factor of the schedule on the rate of step `step` of `epoch`, both from 0, where an epoch has `steps`. With
/// t = epoch steps + step, E schedule_epochs (or all epochs) and W warm_up:
///
///     t < W       (t + 1) / W, for step times the next line
///     step        step_factor ^ floor(epoch / step_epochs)
///     cosine      q + (1 - q) (1 + cos(pi min((t - W) / (E steps - W), 1))) / 2,   q = least_rate / rate
double rate_factor(const model_description& model, std::uint64_t epoch, std::uint64_t step, std::uint64_t steps);

/// Key of dropout in this step of a run.
std::uint32_t mask_key(std::uint64_t seed, std::uint64_t epoch, std::uint64_t step);

} // namespace tensorloom::workloads
