#pragma once
#include <cstddef>
#include <vector>
#include <systemc>
#include <tensorloom/models/torus/node.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::torus {

/// One broadcast line along a row or a column of a plane: one node drives a block, all others receive it. Only the
/// schedule classes BBC and BCR use such lines; a torus that only rolls has none.
///
/// Source: Aizu TR 2012-001, section 2.
///
/// Events    drive_word, block_read               words of the block, once
///           deliver_word, block_write            words that the other nodes receive
///           line_word_pitch_{q,s}                words times the P - 1 pitches from the first node to the last
/// Not modelled: time; all words are retimed to the last node (torus/isa/timing.h).
///
/// Example
///
///     torus::counts counts;
///     torus::broadcast_line<double> line("line_0", torus::axis::s, counts);
///     line.attach(node);                // every node of the row, in order
///     line.drive(torus::slot::x, 0);    // in the next step the others multiply with the block of node 0
template <class Element> class broadcast_line : public sc_core::sc_prim_channel {
public:
    /// `counted`: events of the running step.
    broadcast_line(const char* name, axis along, counts& counted);

    /// Elaboration: the next node on the line.
    void attach(node<Element>& next) { m_nodes.push_back(&next); }
    /// In the next step all nodes multiply with the block that node number `driver` of the line holds in this slot.
    void drive(slot which, std::size_t driver);
    const char* kind() const override { return "broadcast_line"; }

private:
    axis m_along;
    counts& m_counts;
    std::vector<node<Element>*> m_nodes;
};

} // namespace tensorloom::torus
