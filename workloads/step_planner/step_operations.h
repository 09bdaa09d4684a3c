#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/joint_layouts.h>
#include <tensorloom/workloads/step_planner/training_memory.h>

namespace tensorloom::workloads {

// A program of a training step as a list of operations on tensors, in the order of the device. A planner determines
// what is computed: plan_step() for the contractions of a layer, network_plan.h for a network. For both, step_places.h
// makes room for the tensors, step_estimate.h follows the commands in time, and program_writer.h writes the program.

/// Operations from the first to the last, both included.
struct operation_range {
    std::size_t first = 0, last = 0;

    bool has(std::size_t operation) const { return first <= operation && operation <= last; }
};

/// A tensor of the step in the unified memory: contiguous elements, including gaps of its layout.
struct step_tensor {
    std::string name;
    std::uint64_t elements = 0;
    base::element_type type = base::element_type::f32; ///< f32, or bf16 for an operand of contractions
    std::optional<std::size_t> layer;                  ///< that it belongs to; none: the loss, or all layers
    std::optional<memory_kind> kind;                   ///< of parameters and their state
    std::uint64_t parameter = 0;                       ///< likewise: offset of its first element among all parameters
    bool stays = false;                                ///< never leaves the chip between its uses
    /// It has its place during all of these operations, so that its transfers wait for no other tensor.
    std::optional<operation_range> reserved = {};
};

/// Elements of a tensor from `offset` on; in a loop each iteration starts `step` elements later, and each iteration of
/// the loop around it `outer_step`.
struct tensor_part {
    std::size_t tensor = 0;
    std::uint64_t offset = 0;
    std::int64_t step = 0;
    std::int64_t outer_step = 0;
};

/// Contractions that share tensors, with a layout for each tensor.
struct planned_graph {
    contraction_graph graph;
    joint_layouts layouts;
    std::vector<double> cycles; ///< of each contraction, with bank conflicts
};

/// Contraction number `contraction` of a planned graph.
struct contract_operation {
    std::size_t graph = 0;
    std::size_t contraction = 0;
    tensor_part a, b, result;
    double cycles = 0; ///< of the CONTRACT, with bank conflicts
    /// Its sums in the accumulators from this row on: added to those that are there, left there, or both.
    struct kept_sums {
        std::uint32_t row = 0;
        bool adds = false, stays = false;
    };
    std::optional<kept_sums> sums = {};
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
    std::shared_ptr<const std::vector<std::uint32_t>> rows = {}; ///< of scatter_add: its list of rows, if it is known
};

/// REPL: copies words at strides, z[i][j][k] = a[i][j][k].
struct copy_operation {
    tensor_part result, a;
    std::array<std::uint64_t, 3> size{};
    std::array<std::int64_t, 3> result_stride{}, a_stride{};
};

/// Arrays in memory on the bus. The data of samples never change.
enum class bus_array : std::uint8_t {
    region, ///< of the step's tensors, by its number
    spill,  ///< of the step, by its number
    moment, ///< of the optimizer, by its number
    masters,
    constants,
    literals,
    ones,
    features, ///< of samples: bf16 values, or 32-bit numbers of tokens
    indices,  ///< of samples: numbers of tokens in float32, for the vector unit
    labels,   ///< of samples
    lists,    ///< of every batch
    metrics   ///< of every block
};
struct bus_place {
    bus_place() = default;
    bus_place(std::size_t region) : number(region) {} // NOLINT(google-explicit-constructor): layers name regions
    bus_place(bus_array of, std::size_t which = 0) : array(of), number(which) {} // NOLINT(google-explicit-constructor)

    bool is_of_samples() const
    {
        return array == bus_array::features || array == bus_array::indices || array == bus_array::labels;
    }

    bus_array array = bus_array::region;
    std::size_t number = 0;
};

/// Elements in memory on the bus that a step stores and loads: a table whose rows are gathered, a picture whose
/// patches are loaded. They are 0 before the first step.
struct bus_region {
    std::string name;
    std::uint64_t elements = 0;
    base::element_type type = base::element_type::bf16;
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
    std::uint64_t table_slices = 1; ///< of GATHER: slices of the array, any of which the list may name

    std::uint64_t elements() const;
    isa::tensor_descriptor descriptor(std::uint64_t address_of_array, base::element_type type) const;
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
    std::variant<contract_operation, vector_operation, copy_operation, transfer_operation, loop_operation,
                 end_operation>
        work;
};

struct operation_list {
    std::vector<std::string> layers; ///< their names
    std::vector<step_tensor> tensors;
    std::vector<step_operation> operations;
    std::vector<bus_region> spills; ///< arrays in memory on the bus that tensors leave for
};

/// Calls read(part) for every part that an operation reads, and write(part) for every part that it writes. With an
/// operation that is not const the parts can be changed.
template <class Operation, class Read, class Write> void for_each_part(Operation& operation, Read read, Write write)
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
    } else if (auto* t = std::get_if<transfer_operation>(&operation.work)) {
        if (t->list) { read(*t->list); }
        t->kind == transfer_kind::store ? read(t->local) : write(t->local);
    }
}

/// The unit that executes an operation; none: a loop or its end.
enum class step_unit : std::uint8_t { engines, vector, transfers, none };
step_unit unit_of(const step_operation& operation);

/// A loop from its loop_operation to its end_operation.
struct step_loop {
    loop_kind kind{};
    std::uint64_t count = 1;
    operation_range range;
};
std::vector<step_loop> loops_of(const operation_list& list); ///< in the order of their ends: inner ones first

/// The list with every iteration of a layer's loops written out, so that tensors can leave the chip between them.
operation_list unrolled(const operation_list& list);

} // namespace tensorloom::workloads
