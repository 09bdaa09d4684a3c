#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <tensorloom/models/torus/isa/events.h>
#include <tensorloom/models/torus/isa/schedule.h>
#include <tensorloom/models/torus/config.h>
#include <tensorloom/models/torus/plane_array.h>

namespace tensorloom::torus {

/// Layout of tensors on the torus.
struct array_layout {
    block_sizes sizes; ///< by index of block labels (torus/isa/schedule.h)
    scheduling_vector vector;
    /// Index i of a label counts blocks of this mode (0 to 2) of a tensor. {0, 1, 2} sums the modes in the order 3, 1,
    /// 2.
    std::array<unsigned, 3> mode{0, 1, 2};
};

/// Where a tensor lies: its blocks on the nodes as those of slot `as`, in the memory of slot `in`. A slot's tensor lies
/// in the slot's own memory unless something says otherwise; every memory has room for the blocks of every slot.
struct tensor_place {
    slot as, in;

    tensor_place(slot own) : as(own), in(own) {}
    tensor_place(slot placed_as, slot memory) : as(placed_as), in(memory) {}
};

/// The memory port of the torus: the content of the nodes' blocks at their home places.
///
/// A tensor of up to P blocks per mode is transferred in C order of its own modes, from element `first` on; the port
/// maps each element to its node (the skew of the paper's data). The rest of a slot is +0. Elements have the device's
/// format, sums the accumulator's. A slot stores sums, which are rounded to elements when they become operands or are
/// read as elements.
/// Slots that the running stage does not use may be cleared, written and read while it runs.
class node_memory_if : public virtual sc_core::sc_interface {
public:
    /// Sets every slot to +0 in blocks of these sizes, in its own memory, and removes all matrices. Call it between
    /// stages.
    virtual void lay_out(const array_layout& layout) = 0;

    /// Tensors: X, X1, X2, X3. clear() makes a memory one of blocks of slot `as`, all +0; the others need such a one.
    virtual void clear(const tensor_place& to) = 0;
    virtual void write(const tensor_place& to, const shape3& sizes, std::uint64_t first, const unsigned char* bytes,
                       std::uint64_t elements) = 0;
    virtual void write_sums(const tensor_place& to, const shape3& sizes, std::uint64_t first,
                            const unsigned char* bytes, std::uint64_t sums) = 0;
    /// int8: shifted right; returns the number of elements that saturated.
    virtual std::uint64_t read(const tensor_place& from, const shape3& sizes, std::uint64_t first, unsigned char* bytes,
                               std::uint64_t elements, unsigned shift = 0) const = 0;
    virtual void read_sums(const tensor_place& from, const shape3& sizes, std::uint64_t first, unsigned char* bytes,
                           std::uint64_t sums, unsigned shift = 0) const = 0;
    /// What lies in the memory of a slot.
    virtual tensor_place placed(slot in) const = 0;

    /// Matrices of stages I, II, III: N x K elements, row by row, of any size. A node stores its block of every window
    /// of P b x P d elements.
    virtual void resize_matrix(slot which, std::uint32_t rows, std::uint32_t columns) = 0; ///< all +0
    virtual void write_matrix(slot which, std::uint64_t first, const unsigned char* bytes, std::uint64_t elements) = 0;
    virtual void read_matrix(slot which, std::uint64_t first, unsigned char* bytes, std::uint64_t elements) const = 0;
};

/// One pass of a stage over the torus.
struct stage_pass {
    stage_descriptor stage;
    std::array<std::uint32_t, 2> window{}; ///< window (n, k) of the matrix
    bool opens = true;                     ///< sums start at +0
    std::optional<slot> operand_in{};      ///< the memory of operand and sums, where it is not their slot's
    std::optional<slot> sums_in{};
    unsigned shift = 0; ///< int8: right shift of an operand that is sums

    tensor_place operand() const { return {stage.operand, operand_in.value_or(stage.operand)}; }
    tensor_place sums() const { return {stage.accumulator, sums_in.value_or(stage.accumulator)}; }
};

/// POINTWISE on a tensor that lies on the torus.
struct pointwise_pass {
    const isa::pointwise_command* command = nullptr;
    tensor_place x{slot::x};
    unsigned shift = 0;                    ///< int8: right shift with which x becomes elements
    std::optional<tensor_place> operand{}; ///< elements, as x lies
};

/// Control of the nodes. After a stage has begun, call compute() and roll() alternately, `steps` times; then all blocks
/// are at home, and `end()` ends the stage.
class stage_control_if : public stepped_if {
public:
    virtual void begin(const stage_pass& pass) = 0;
    virtual void end() = 0;
    /// Between stages: every node changes all elements of its block, padding included. Adds the events to `counted`.
    virtual void apply(const pointwise_pass& pass, counts& counted) = 0;
    /// A stage was stopped after a step: sets every slot to +0 and removes all matrices.
    virtual void abandon() = 0;
};

/// A P x P x P torus of nodes that multiply blocks and roll them to their neighbours. This is the interface of both
/// fidelities; make_node_array() chooses. It takes no time: its controller does (torus/isa/timing.h).
///
/// Source: Aizu TR 2012-001, sections 3.1 and 4.
///
/// memory     export: loading and unloading
/// control    export: stages
/// plane      export: products of matrices (plane_array.h), between transforms
///
/// Arithmetic: in step t every node computes acc += operand times coefficient along a mode of its blocks, indices
/// within the block ascending, one multiply-add each (arithmetic/mac.h); steps ascend.
/// Events: step, mac, register_*, block_*, roll_*, wrap_word, link_word_pitch_*, operand_saturated (of the whole
/// operand, in the first step), mac_overflowed; per step, equal in both fidelities.
///
/// Example
///
///     torus::config config;
///     auto nodes = torus::make_node_array("nodes", config);
///     nodes->memory->lay_out({{{16, 16, 16}, {16, 16, 16}}, {0, 1, 2}});
///     nodes->memory->write(torus::slot::x, {64, 64, 64}, 0, buffer.data(), 64 * 64 * 64);
class node_array : public sc_core::sc_module {
public:
    sc_core::sc_export<node_memory_if> memory;
    sc_core::sc_export<stage_control_if> control;
    sc_core::sc_export<plane_if> plane;

    /// Elaboration: traces a node and the links that leave it. Detailed fidelity only (otherwise SC_ERROR); `place`
    /// lies in the torus.
    ///
    /// `prefix`.step            step of the stage, from 1; 0 between stages
    ///   .{accumulator,operand,coefficient}_slot    their slots (schedule.h)
    ///   .{accumulator,operand,coefficient}         first element of each block after the step
    ///   .{q,r,s}_{plus,minus}.valid, .words, .first     the block that leaves after the step: whether there is one,
    ///                                                   its words and its first element
    ///
    /// Complex elements also have imaginary parts, with names that end in _im.
    virtual void trace_node(sc_core::sc_trace_file& file, const shape3& place, const std::string& prefix) = 0;

protected:
    explicit node_array(sc_core::sc_module_name name)
        : sc_core::sc_module(name), memory("memory"), control("control"), plane("plane")
    {}
};

/// The array of a configuration's format and fidelity.
std::unique_ptr<node_array> make_node_array(sc_core::sc_module_name name, const config& config);

/// The array of one fidelity, whatever the configuration says; nullptr for an unsupported format.
std::unique_ptr<node_array> make_fast_node_array(sc_core::sc_module_name name, const config& config);
std::unique_ptr<node_array> make_detailed_node_array(sc_core::sc_module_name name, const config& config);

} // namespace tensorloom::torus
