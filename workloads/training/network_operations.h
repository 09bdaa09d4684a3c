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

// A training step of a model as operations on tensors, in the order in which the device does them. What they compute is
// decided here; where tensors lie is decided by network_program.h.

/// A tensor of the step in the unified memory: elements one behind the other, gaps of its layout included.
struct step_tensor {
    std::string name;
    std::uint64_t elements = 0;
    base::element_type type = base::element_type::f32; ///< f32, or bf16 of an operand of contractions
    bool stays = false;                                ///< from step to step: parameters, their state, constants
    std::optional<std::size_t> layer;                  ///< that it is of; nothing: of the loss, or of all
};

/// Elements of a tensor from one of them on; in a loop of the step each iteration begins so many elements further.
struct tensor_part {
    std::size_t tensor = 0;
    std::uint64_t offset = 0;
    std::int64_t step = 0;
};

/// Number `contraction` of a graph of the model.
struct contract_operation {
    std::size_t graph = 0;
    std::size_t contraction = 0;
    tensor_part a, b, result;
};

/// An instruction of the vector unit over words in order; pack_bf16 makes a bf16 tensor of one of f32, unpack_bf16 the
/// other way round.
struct vector_operation {
    isa::vector::opcode code{};
    tensor_part result;
    std::optional<tensor_part> a, b, c;
    std::uint64_t length = 0;
    std::uint64_t block = 0; ///< of instructions that have one, those for bf16 aside
    bool broadcast_b = false;
    std::uint64_t table = 0; ///< of instructions that have one, likewise
};

/// REPL: words at strides, z[i][j][k] = a[i][j][k].
struct copy_operation {
    tensor_part result, a;
    std::array<std::uint64_t, 3> size{};
    std::array<std::int64_t, 3> result_stride{}, a_stride{};
};

/// The next batch: slices of the data set whose numbers the list has.
enum class batch_field : std::uint8_t {
    features, ///< values of bf16; of tokens their numbers, 32 bits
    indices,  ///< of tokens their numbers in float32, as the vector unit takes them
    labels
};
struct gather_operation {
    batch_field field = batch_field::features;
    std::size_t result = 0;
};

/// LOAD, STORE: elements of a region in memory on the bus, at strides from its element `offset` on, to or from a part
/// of a tensor, where they lie in C order. GATHER: a LOAD of slices along the first mode, of which a list of numbers of
/// 32 bits says where they begin.
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

/// What follows, up to the end of the loop, so many times. Loops of a step do not nest.
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

/// Calls f(part) for every part of a tensor that an operation reads, and for every one that it writes.
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
/// Words that change on the device from step to step, written by the host once.
enum class step_constant : std::uint8_t {
    minus_rate,
    first_power, ///< of adam: beta 1 by as many times as there were steps
    second_power ///< likewise beta 2
};
inline constexpr std::size_t step_constants = 3;

/// Words that stay as the host has written them, each value or list once: those of all steps of a model, by their
/// place.
using literal_list = std::vector<float>;

/// Tensors as large as the parameters that an optimizer keeps beside them: velocities of sgd, both moments of adam.
std::size_t moments_of(optimizer_kind kind);

struct network_step {
    std::vector<step_tensor> tensors;
    std::vector<step_operation> operations;
    /// Tensors with a meaning outside of the step.
    std::size_t masters = 0, copies = 0, constants = 0, literals = 0, ones = 0, list = 0, metrics = 0;
    std::vector<std::size_t> moments; ///< of a training step
    std::size_t gradients = 0;        ///< likewise; 0: it is none
    vector_operation rate_decay;      ///< likewise: behind the last step of an epoch
};

/// A whole step with `training`, else the forward pass and the metrics alone. Adds the words that it needs to the list.
network_step operations_of(const model_description& model, const model_contractions& contractions, bool training,
                           literal_list& literals);

} // namespace tensorloom::workloads
