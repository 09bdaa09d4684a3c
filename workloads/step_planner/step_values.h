#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/workloads/step_planner/step_plan.h>

namespace tensorloom::workloads {

/// Tensors of a step in C order, of the whole batch; bf16 as the float that it is. Empty: not there.
struct step_values {
    std::vector<std::vector<float>> tensor;
    std::vector<std::vector<float>> master; ///< by tensor: of cores
};

/// Random X, dY and cores: values of bf16 in [-1, 1]; masters are the cores before they were rounded.
step_values random_values(const contraction_graph& graph, std::uint64_t seed);

/// Numbers of samples, in the order in which a batch has them.
using sample_list = std::vector<std::uint32_t>;

/// The first so many of all samples in an order of their own. Throws base::input_error for more than there are.
sample_list shuffled_samples(std::uint64_t all, std::uint64_t batch, std::uint64_t seed);

/// These samples of the data: a batch. Cores and masters stay. `graph`: of a batch.
step_values batch_of(const contraction_graph& graph, const step_values& data, const sample_list& batch);

/// What a step makes of X, dY, cores and masters, summed in the order that the plan's choices say (contract_command.h)
/// and block by block, rounded where the plan says: bit for bit what a device gives. `rate`: what the update multiplies
/// gradients with. Knows nothing of layouts, places or programs.
step_values emulate_step(const step_plan& plan, const step_values& given, float rate);

/// How far results lie from exact ones.
struct step_check {
    bool same_bits = true;        ///< as the emulation
    bool within_bound = true;     ///< of sums in double precision
    double max_abs_error = 0;     ///< against those
    double worst_share = 0;       ///< largest error by its bound
    std::string worst;            ///< the tensor where it is
    std::uint64_t elements = 0;   ///< that were compared
    std::string first_difference; ///< where bits differ: tensor and element in C order

    bool passed() const { return same_bits && within_bound; }
};

/// Compares what a device gave with the emulation, bit by bit, and with the whole step in double precision: every
/// result lies within its bound, magnitude x ((1 + u_1) (1 + u_2) ... - 1) over the contractions that it passes, u =
/// (K + 32) 2^-23 and 2^-8 more where it is rounded to bf16; magnitude: the same step of absolute values.
step_check check_step(const step_plan& plan, const step_values& given, const step_values& found, float rate);

} // namespace tensorloom::workloads
