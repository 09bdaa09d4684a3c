#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/arch/vector/instruction_set.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/joint_layouts.h>
#include <tensorloom/workloads/training/model.h>

namespace tensorloom::workloads {

// A training step of a model as operations on tensors, in the order in which the device does them. What they compute is
// decided here; where tensors lie is decided by network_program.h.

/// A tensor of the step in the unified memory: elements one behind the other, gaps of its layout included.
struct step_tensor {
    std::string name;
    std::uint64_t elements = 0;
    arch::element_type type = arch::element_type::f32; ///< f32, or bf16 of an operand of contractions
    bool stays = false;                                ///< from step to step: parameters, their state, constants
};

/// Elements of a tensor from one of them on.
struct tensor_part {
    std::size_t tensor = 0;
    std::uint64_t offset = 0;
};

/// Number `contraction` of a layer's graph.
struct contract_operation {
    std::size_t layer = 0;
    std::size_t contraction = 0;
    tensor_part a, b, result;
};

/// An instruction of the vector unit over words in order; pack_bf16 makes a bf16 tensor of one of f32.
struct vector_operation {
    arch::vector::opcode code{};
    tensor_part result;
    std::optional<tensor_part> a, b, c;
    std::uint64_t length = 0;
    std::uint64_t block = 0; ///< of instructions that have one, pack_bf16 aside
    bool broadcast_b = false;
};

/// REPL: a row of `elements` words for each of `samples` rows; or, of `each`, a word of each sample `elements` times.
struct repeat_operation {
    tensor_part result, a;
    std::uint64_t samples = 1, elements = 1;
    bool each = false;
};

/// The next batch: slices of the data set whose numbers the list has.
enum class batch_field : std::uint8_t { features, labels };
struct gather_operation {
    batch_field field = batch_field::features;
    std::size_t result = 0;
};

struct step_operation {
    step_phase phase = step_phase::fp;
    std::string what;
    std::variant<contract_operation, vector_operation, repeat_operation, gather_operation> work;
};

/// A core or a bias among all parameters.
struct model_parameter {
    std::string name;
    std::size_t layer = 0;
    std::size_t tensor = 0; ///< in the graph of its layer; of a bias the one that its gradient is
    bool is_bias = false;
    std::uint64_t offset = 0;   ///< elements behind the first parameter: whole blocks of rows
    std::uint64_t elements = 0; ///< gaps of its layout included
};

/// The contractions of a layer with layouts: X, Y, their gradients and the bias lie in C order, others as is best.
struct layer_contractions {
    contraction_graph graph;
    joint_layouts layouts;
    std::size_t x = 0, y = 0, dy = 0; ///< tensors of the graph
    std::optional<std::size_t> dx, ones;
};

/// What all steps of a model have in common.
struct model_contractions {
    std::vector<layer_contractions> layers;
    std::vector<model_parameter> parameters; ///< layer by layer: cores, bias
    std::uint64_t parameter_elements = 0;    ///< of all, gaps included
};

model_contractions contractions_of(const model_description& model, const arch::fetta::geometry& g);

/// Words of a step that the host reads.
enum class step_metric : std::uint8_t { loss, correct, samples };
inline constexpr std::size_t step_metrics = 3;
/// Words that stay, written by the host once. The first three change on the device.
enum class step_constant : std::uint8_t {
    minus_rate,
    first_power,  ///< of adam: beta 1 by as many times as there were steps
    second_power, ///< likewise beta 2
    rate_decay,
    momentum, ///< of sgd; of adam beta 1
    second_momentum,
    one_less_momentum, ///< 1 - beta 1
    one_less_second,
    epsilon,
    one,
    half,
    gelu_scale,     ///< sqrt(2 / pi)
    gelu_cube,      ///< 0.044715
    gelu_cube_slope ///< 3 x 0.044715
};
inline constexpr std::size_t step_constants = 14;

/// Tensors as large as the parameters that an optimizer keeps beside them: velocities of sgd, both moments of adam.
std::size_t moments_of(optimizer_kind kind);

struct network_step {
    std::vector<step_tensor> tensors;
    std::vector<step_operation> operations;
    /// Tensors with a meaning outside of the step.
    std::size_t masters = 0, copies = 0, constants = 0, ones = 0, list = 0, metrics = 0;
    std::vector<std::size_t> moments; ///< of a training step
    std::size_t gradients = 0;        ///< likewise; 0: it is none
};

/// A whole step with `training`, else the forward pass and the metrics alone.
network_step operations_of(const model_description& model, const model_contractions& contractions, bool training);

} // namespace tensorloom::workloads
