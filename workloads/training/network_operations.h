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
#include <tensorloom/workloads/step_planner/training_memory.h>
#include <tensorloom/workloads/training/model_contractions.h>

namespace tensorloom::workloads {

// A program of a model as a list of operations on tensors, in the order of the device: operations before all steps, a
// loop over the batches, which contains a loop over the blocks of a batch if there are several, and operations after
// all steps.
// This file determines what is computed; network_memory.h makes room for it, and network_program.h writes the program.

/// A tensor of the step in the unified memory: contiguous elements, including gaps of its layout.
struct step_tensor {
    std::string name;
    std::uint64_t elements = 0;
    base::element_type type = base::element_type::f32; ///< f32, or bf16 for an operand of contractions
    std::optional<std::size_t> layer;                  ///< that it belongs to; none: the loss, or all layers
    std::optional<memory_kind> kind;                   ///< of parameters and their state
    std::uint64_t parameter = 0;                       ///< likewise: offset of its first element among all parameters
};

/// Consecutive parameters with their state, which are updated together.
struct parameter_group {
    std::uint64_t offset = 0, elements = 0; ///< among all parameters
    std::size_t masters = 0, copies = 0;    ///< tensors
    std::size_t gradients = 0;              ///< of a training step
    std::vector<std::size_t> moments;       ///< likewise
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
    bool zero_a = false;     ///< a is 0
    std::uint32_t bits = 0;  ///< of instructions with such a field
};

/// REPL: copies words at strides, z[i][j][k] = a[i][j][k].
struct copy_operation {
    tensor_part result, a;
    std::array<std::uint64_t, 3> size{};
    std::array<std::int64_t, 3> result_stride{}, a_stride{};
};

/// GATHER of samples of the block: the slices of the data set whose numbers are in the list.
enum class batch_field : std::uint8_t {
    features, ///< bf16 values, or 32-bit numbers of tokens
    indices,  ///< numbers of tokens in float32, for the vector unit
    labels
};
struct gather_operation {
    batch_field field = batch_field::features;
    tensor_part result;
    std::uint64_t first = 0, count = 0;          ///< values of each sample
    std::uint64_t first_sample = 0, samples = 0; ///< of the block
};

/// Arrays in memory on the bus.
enum class bus_array : std::uint8_t {
    region, ///< of the model, by its number
    spill,  ///< of the step, by its number
    moment, ///< of the optimizer, by its number
    masters,
    constants,
    literals,
    ones,
    lists,  ///< of every batch
    metrics ///< of every block
};
struct bus_place {
    bus_place() = default;
    bus_place(std::size_t region) : number(region) {} // NOLINT(google-explicit-constructor): layers name regions
    bus_place(bus_array of, std::size_t which = 0) : array(of), number(which) {} // NOLINT(google-explicit-constructor)

    bus_array array = bus_array::region;
    std::size_t number = 0;
};

/// LOAD, STORE: move elements of an array in memory on the bus, at strides from its element `offset` on, to or from
/// a part of a tensor in C order. GATHER: a LOAD of slices along the first mode; a list of 32-bit numbers gives their
/// starts.
enum class transfer_kind : std::uint8_t { load, store, gather };
struct transfer_operation {
    struct mode {
        std::uint64_t size = 1;
        std::int64_t stride = 1; ///< in elements
    };
    transfer_kind kind{};
    bus_place place;
    std::uint64_t offset = 0;
    std::vector<mode> modes; ///< at most 8, the last fastest
    tensor_part local;
    std::optional<tensor_part> list = {}; ///< of GATHER
    /// Elements by which the offset advances per iteration of the innermost loop, and of the next.
    std::array<std::int64_t, 2> place_step{};
};

/// Repeats the operations up to the end of the loop `count` times.
enum class loop_kind : std::uint8_t {
    batches,
    blocks, ///< of a batch
    inner   ///< of a layer; these do not nest
};
struct loop_operation {
    std::uint64_t count = 1;
    loop_kind kind = loop_kind::inner;
};
struct end_operation {};

struct step_operation {
    step_phase phase = step_phase::fp;
    std::string what;
    std::variant<contract_operation, vector_operation, copy_operation, gather_operation, transfer_operation,
                 loop_operation, end_operation>
        work;
};

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

/// Number of tensors of the parameters' size that an optimizer keeps: sgd: velocities; others: both moments.
std::size_t moments_of(optimizer_kind kind);

struct network_step {
    std::vector<std::string> layers; ///< their names
    std::vector<step_tensor> tensors;
    std::vector<step_operation> operations;
    std::vector<bus_region> spills; ///< arrays in memory on the bus that tensors leave for
    /// Tensors with a meaning outside of the step.
    std::vector<parameter_group> groups;
    std::size_t constants = 0, literals = 0, ones = 0, list = 0, metrics = 0;
};

/// Calls read(part) for every part that an operation names and reads, and write(part) for every part that it writes.
/// With an operation that is not const the parts can be changed.
template <class Operation, class Read, class Write>
void for_each_named_part(Operation& operation, Read read, Write write)
{
    if (auto* c = std::get_if<contract_operation>(&operation.work)) {
        read(c->a);
        read(c->b);
        write(c->result);
    } else if (auto* v = std::get_if<vector_operation>(&operation.work)) {
        for (auto* part : {&v->a, &v->b, &v->c}) {
            if (!*part) { continue; }
            v->zero_a ? write(**part) : read(**part); // with a zero a it is the result itself
        }
        if (v->code == isa::vector::opcode::scatter_add) { read(v->result); }
        write(v->result);
    } else if (auto* r = std::get_if<copy_operation>(&operation.work)) {
        read(r->a);
        write(r->result);
    } else if (auto* g = std::get_if<gather_operation>(&operation.work)) {
        write(g->result);
    } else if (auto* t = std::get_if<transfer_operation>(&operation.work)) {
        if (t->list) { read(*t->list); }
        t->kind == transfer_kind::store ? read(t->local) : write(t->local);
    }
}

/// Like for_each_named_part(); a gather_operation also reads the list of the step.
template <class Read, class Write>
void for_each_part(const network_step& step, const step_operation& operation, Read read, Write write)
{
    if (std::holds_alternative<gather_operation>(operation.work)) { read(tensor_part{step.list}); }
    for_each_named_part(operation, read, write);
}

/// The unit that executes an operation; none: a loop or its end.
enum class step_unit : std::uint8_t { engines, vector, transfers, none };
step_unit unit_of(const step_operation& operation);

/// Operations from the first to the last, both included.
struct operation_range {
    std::size_t first = 0, last = 0;

    bool has(std::size_t operation) const { return first <= operation && operation <= last; }
};
/// A loop from its loop_operation to its end_operation.
struct step_loop {
    loop_kind kind{};
    std::uint64_t count = 1;
    operation_range range;
};
std::vector<step_loop> loops_of(const network_step& step); ///< in the order of their ends: inner ones first

/// The step with every iteration of a layer's loops written out, so that tensors can leave the chip between them.
network_step unrolled(const network_step& step);

/// The words of a list, which the host writes for every batch: the numbers of the samples of all blocks, then those of
/// the following that the model needs. Members are indices of words.
struct list_layout {
    explicit list_layout(const model_contractions& contractions);

    std::uint64_t count = 0;       ///< with several blocks: number of samples of the batch without fillers, float32
    std::uint64_t rate_factor = 0; ///< with a schedule: factor on the rate, float32
    /// For each block and each stream of random numbers: its key, and the number of the block's first value in the
    /// batch, 32 bits each.
    std::uint64_t masks = 0;
    std::uint64_t words = 0; ///< size of the list
};
inline constexpr std::uint64_t mask_words = 2;
inline constexpr std::uint64_t metric_words = 4; ///< float32 of a block, the first ones are step_metrics

/// The step for another number of batches.
network_step with_batches(network_step step, std::uint64_t batches);

/// Selects the operations of a program.
struct step_request {
    bool training = true; ///< whole steps, else only the forward pass and the metrics
    std::uint64_t batches = 1;
    /// Maximum number of elements of a group of several parameters; 0: one group with all parameters.
    std::uint64_t group_elements = 0;
};

/// Steps over lists of batches, one after the other. Adds the literals that it needs to the list.
network_step operations_of(const model_description& model, const model_contractions& contractions,
                           const step_request& request, literal_list& literals);

} // namespace tensorloom::workloads
