#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/workloads/step_planner/step_plan.h>

namespace tensorloom::workloads {

/// Tensors of a step in C order, for the whole batch; bf16 values as floats. Empty: not present.
struct step_values {
    std::vector<std::vector<float>> tensor;
    std::vector<std::vector<float>> master; ///< by tensor: of cores
};

/// Random X, dY and cores: bf16 values in [-1, 1]; masters are the cores before rounding.
step_values random_values(const contraction_graph& graph, std::uint64_t seed);

/// Numbers of samples, in the order of the batch.
using sample_list = std::vector<std::uint32_t>;

/// The first `batch` of all samples in a random order. Throws base::input_error if there are fewer.
sample_list shuffled_samples(std::uint64_t all, std::uint64_t batch, std::uint64_t seed);

/// The batch of these samples of the data, with the same cores and masters. `graph`: of a batch.
step_values batch_of(const contraction_graph& graph, const step_values& data, const sample_list& batch);

/// Results of a step from X, dY, cores and masters, summed in the order of the plan's choices (contract_command.h) and
/// block by block, rounded as in the plan: the same bits as on a device. `rate`: factor of the update on gradients.
/// Independent of layouts, places and programs.
step_values emulate_step(const step_plan& plan, const step_values& given, float rate);

/// Errors of results.
struct step_check {
    bool same_bits = true;        ///< same bits as the emulation
    bool within_bound = true;     ///< within the bound around sums in double precision
    double max_abs_error = 0;     ///< against sums in double precision
    double worst_share = 0;       ///< largest ratio of error to bound
    std::string worst;            ///< the tensor with this error
    std::uint64_t elements = 0;   ///< compared elements
    std::string first_difference; ///< tensor and element in C order of the first different bits

    bool passed() const { return same_bits && within_bound; }
};

/// Compares a device's results with the emulation, bit by bit, and with the whole step in double precision. The bound
/// of a result is magnitude x ((1 + u_1) (1 + u_2) ... - 1) over the contractions on its path, u = (K + 32) 2^-23, plus
/// 2^-8 where it is rounded to bf16; magnitude: the same step with absolute values.
step_check check_step(const step_plan& plan, const step_values& given, const step_values& found, float rate);

} // namespace tensorloom::workloads
