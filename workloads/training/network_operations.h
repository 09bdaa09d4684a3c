#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/training/model_contractions.h>

namespace tensorloom::workloads {

// A training step of a model as a list of operations on tensors, in the order of the device. This file determines what
// is computed; network_program.h places the tensors.

/// A tensor of the step in the unified memory: contiguous elements, including gaps of its layout.
struct step_tensor {
    std::string name;
    std::uint64_t elements = 0;
    base::element_type type = base::element_type::f32; ///< f32, or bf16 for an operand of contractions
    bool stays = false;                                ///< kept from step to step: parameters, their state, constants
    std::optional<std::size_t> layer;                  ///< that it belongs to; none: the loss, or all layers
};

/// Elements of a tensor from `offset` on; in a loop of the step each iteration starts `step` elements later.
struct tensor_part {
    std::size_t tensor = 0;
    std::uint64_t offset = 0;
    std::int64_t step = 0;
};

/// Contraction number `contraction` of a graph of the model.
struct contract_operation {
    std::size_t graph = 0;
    std::size_t contraction = 0;
    tensor_part a, b, result;
};

/// An instruction of the vector unit on contiguous words. pack_bf16 converts an f32 tensor to bf16, unpack_bf16 the
/// reverse.
struct vector_operation {
    isa::vector::opcode code{};
    tensor_part result;
    std::optional<tensor_part> a, b, c;
    std::uint64_t length = 0;
    std::uint64_t block = 0; ///< of instructions with a block, except those for bf16
    bool broadcast_b = false;
    std::uint64_t table = 0; ///< of instructions with a table, except those for bf16
};

/// REPL: copies words at strides, z[i][j][k] = a[i][j][k].
struct copy_operation {
    tensor_part result, a;
    std::array<std::uint64_t, 3> size{};
    std::array<std::int64_t, 3> result_stride{}, a_stride{};
};

/// GATHER of the next batch: the slices of the data set whose numbers are in the list.
enum class batch_field : std::uint8_t {
    features, ///< bf16 values, or 32-bit numbers of tokens
    indices,  ///< numbers of tokens in float32, for the vector unit
    labels
};
struct gather_operation {
    batch_field field = batch_field::features;
    std::size_t result = 0;
};

/// LOAD, STORE: move elements of a region in memory on the bus, at strides from its element `offset` on, to or from
/// a part of a tensor in C order. GATHER: a LOAD of slices along the first mode; a list of 32-bit numbers gives their
/// starts.
enum class transfer_kind : std::uint8_t { load, store, gather };
struct transfer_operation {
    struct mode {
        std::uint64_t size = 1;
        std::int64_t stride = 1; ///< in elements
    };
    transfer_kind kind{};
    std::size_t region = 0; ///< of the model
    std::uint64_t offset = 0;
    std::vector<mode> modes; ///< at most 8, the last fastest
    tensor_part local;
    std::optional<tensor_part> list; ///< of GATHER
};

/// Repeats the operations up to the end of the loop `count` times. Loops of a step do not nest.
struct loop_operation {
    std::uint64_t count = 1;
};
struct end_operation {};

struct step_operation {
    step_phase phase = step_phase::fp;
    std::string what;
    std::variant<contract_operation, vector_operation, copy_operation, gather_operation, transfer_operation,
                 loop_operation, end_operation>
        work;
};

/// Calls read(part) for every part of a tensor that an operation reads, and write(part) for every part that it writes.
template <class Read, class Write> void for_each_part(const step_operation& operation, Read read, Write write)
{
    if (const auto* c = std::get_if<contract_operation>(&operation.work)) {
        read(c->a);
        read(c->b);
        write(c->result);
    } else if (const auto* v = std::get_if<vector_operation>(&operation.work)) {
        for (const auto& part : {v->a, v->b, v->c}) {
            if (part) { read(*part); }
        }
        if (v->code == isa::vector::opcode::scatter_add) { read(v->result); }
        write(v->result);
    } else if (const auto* r = std::get_if<copy_operation>(&operation.work)) {
        read(r->a);
        write(r->result);
    } else if (const auto* g = std::get_if<gather_operation>(&operation.work)) {
        write(tensor_part{g->result});
    } else if (const auto* t = std::get_if<transfer_operation>(&operation.work)) {
        if (t->list) { read(*t->list); }
        t->kind == transfer_kind::store ? read(t->local) : write(t->local);
    }
}

/// Words of a step that the host reads.
enum class step_metric : std::uint8_t { loss, correct, samples };
inline constexpr std::size_t step_metrics = 3;
/// Words that change from step to step on the device; the host writes them once.
enum class step_constant : std::uint8_t {
    minus_rate,
    first_power, ///< adam: beta 1 to the power of the number of steps
    second_power ///< adam: likewise beta 2
};
inline constexpr std::size_t step_constants = 3;

/// Words that the host writes once and that never change, without duplicate values or lists, for all steps of a model,
/// by index.
using literal_list = std::vector<float>;

/// Number of tensors of the parameters' size that an optimizer keeps: sgd: velocities; adam: both moments.
std::size_t moments_of(optimizer_kind kind);

struct network_step {
    std::vector<std::string> layers; ///< their names
    std::vector<step_tensor> tensors;
    std::vector<step_operation> operations;
    /// Tensors with a meaning outside of the step.
    std::size_t masters = 0, copies = 0, constants = 0, literals = 0, ones = 0, list = 0, metrics = 0;
    std::vector<std::size_t> moments; ///< of a training step
    std::size_t gradients = 0;        ///< likewise; 0: not a training step
    vector_operation rate_decay;      ///< likewise: after the last step of an epoch
};

/// A whole step with `training`, else only the forward pass and the metrics. Adds the literals that it needs to the
/// list.
network_step operations_of(const model_description& model, const model_contractions& contractions, bool training,
                           literal_list& literals);

} // namespace tensorloom::workloads
