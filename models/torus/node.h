#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>
#include <systemc>
#include <tensorloom/models/torus/isa/schedule.h>
#include <tensorloom/models/arithmetic/pointwise.h>
#include <tensorloom/models/arithmetic/small_mode_product.h>
#include <tensorloom/models/torus/link.h>

namespace tensorloom::torus {

/// The stage that a node executes, as loaded into it.
struct node_program {
    stage_descriptor stage;
    std::uint32_t window = 0;         ///< of the matrices: selects one of the node's blocks
    bool opens = true;                ///< sums start at +0
    unsigned shift = 0;               ///< int8: right shift of operands that are sums
    bool shares = false;              ///< sums that move are written into the memory shared with the next node
    std::optional<slot> operand_in{}; ///< the memory of operand and accumulator, where it is not their slot's
    std::optional<slot> sums_in{};
};

/// Waveform of a node during a step: what it has multiplied, and what leaves after the step.
struct node_waveform {
    std::uint32_t step = 0;                                                ///< of the stage, from 1; 0 between stages
    unsigned accumulator_slot = 0, operand_slot = 0, coefficient_slot = 0; ///< slot
    arithmetic::traced_element accumulator, operand, coefficient;          ///< the first element of each block

    struct leaving_block {
        bool valid = false;
        std::uint64_t words = 0;
        arithmetic::traced_element first;
    };
    std::array<leaving_block, 6> links; ///< as node::ports
};

/// One node of the torus: memory for blocks, a multiply-add unit and six ports, each for a link to a neighbour. It
/// knows only its program, neither its place nor P.
///
/// Source: Aizu TR 2012-001, sections 3.1 and 4.
///
/// {q,r,s}_{plus,minus}    ports: links to the neighbours, towards larger and smaller indices; unbound in a torus of
///                         one node
///
/// The node has no process: the array calls compute() of all nodes, then send() of all, then receive() of all.
/// Slots: X, X1, X2, X3, and C_I, C_II, C_III with a block per window. The program selects the slots of accumulator,
/// operand and coefficient, and the ports by which slots leave; any slot may have any role, as far as shapes fit. In a
/// step, with the operand as outer x n x inner elements along the summed mode:
///
///     accumulator[o,k,i] += operand[o,n,i] coefficient[n,k]    n ascending, one multiply-add each (arithmetic/mac.h);
///                                                              transposed: conj(coefficient[k,n])
///
/// A tensor's slot lies in its own memory unless the program says in which one; any memory holds blocks of any shape.
/// A slot stores sums; as operand or coefficient of a stage it is rounded to elements once, when the stage begins.
///
/// Events    mac, register_read, register_write    multiply-adds
///           operand_saturated, mac_overflowed     int8: sums that saturate as operands; multiply-adds that overflow
///           block_read, block_write               words of blocks sent and received; shared sums are neither: the
///                                                 multiply-adds write them where the next node reads them
///
/// Example
///
///     torus::counts counts;
///     torus::node<double>::multiplier unit_of_node;
///     torus::node<double> corner("node_0", unit_of_node, counts);
///     corner.lay_out({{16, 16, 16}, {16, 16, 16}}); // sizes of its blocks before and after the transform
///     corner.held(torus::slot::x).values[0] = 1.0;
template <class Element> class node : public sc_core::sc_module {
public:
    using port = sc_core::sc_port<link_if<Element>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
    using accumulator = arithmetic::accumulator_of<Element>;
    using multiplier = arithmetic::small_mode_product<accumulator>;
    using real = typename block<Element>::real;
    static constexpr unsigned ports = 6;

    port q_plus, q_minus, r_plus, r_minus, s_plus, s_minus;

    /// `counted`: events of the running step. `unit`: does the arithmetic; it keeps no state between blocks.
    node(sc_core::sc_module_name name, multiplier& unit, counts& counted);

    /// Elaboration: the port of links along an axis.
    port& port_to(axis along, int sign) { return *m_ports[port_index(along, sign)]; }

    // the memory port
    void lay_out(const block_sizes& sizes);                ///< every slot +0; no block of a matrix stays
    void clear(slot memory, slot as);                      ///< +0, in blocks of a tensor's slot
    void resize_matrix(slot which, std::uint32_t windows); ///< this many blocks, +0
    /// The block in the memory of a slot; `window` selects one of a matrix.
    block<Element>& held(slot which, std::uint32_t window = 0);
    const block<Element>& held(slot which, std::uint32_t window = 0) const;

    // the array
    void load(const node_program& program);
    void compute();
    void send();
    void receive();
    /// For one step the node multiplies with a block from a line instead of its own block in this slot.
    void take_from_line(slot which, const block<Element>& passing);
    void unload() { m_step = 0; } ///< the stage is over
    /// Between stages: changes the elements of the block in memory `x`, with those in memory `operand`.
    arithmetic::pointwise_counts apply(const arithmetic::pointwise_step<Element>& step, slot x,
                                       const std::optional<slot>& operand);

    void show(node_waveform& waveform) const;
    const char* kind() const override { return "node"; }

private:
    static constexpr unsigned port_index(axis along, int sign)
    {
        return 2 * static_cast<unsigned>(along) + (sign > 0 ? 0 : 1);
    }
    void clear(block<Element>& b, slot of) const;
    slot memory_of(slot which) const
    {
        return which == m_operand ? m_operand_in : which == m_accumulator ? m_sums_in : which;
    }
    block<Element>& current(slot which) { return held(memory_of(which), m_window); }
    const block<Element>& current(slot which) const { return held(memory_of(which), m_window); }
    const block<Element>& used(slot which) const;
    void round_to_elements(block<Element>& b, unsigned shift);

    struct moving_slot {
        slot which = slot::x;
        bool shared = false;
        unsigned leaves_by = 0; // index of a port
        link_if<Element>*out = nullptr, *in = nullptr;
    };

    multiplier& m_unit;
    counts& m_counts;
    std::array<port*, ports> m_ports;
    std::array<torus::block_shape, slots> m_shapes;
    std::array<block<Element>, 4> m_tensors;
    std::array<std::vector<block<Element>>, 3> m_matrices; // by stage, then window

    // the program
    slot m_accumulator = slot::x, m_operand = slot::x, m_coefficient = slot::c_i;
    slot m_sums_in = slot::x, m_operand_in = slot::x;
    std::uint32_t m_window = 0;
    std::uint32_t m_steps = 0, m_step = 0; // of the stage; begun
    bool m_opens = true;
    std::array<moving_slot, 2> m_moving;
    unsigned m_moves = 0;
    typename multiplier::problem m_product;             // except the addresses of blocks
    std::array<const block<Element>*, 2> m_from_line{}; // operand, coefficient
};

} // namespace tensorloom::torus
