#pragma once
#include <cstddef>
#include <vector>
#include <systemc>
#include <tensorloom/models/torus/node.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::torus {

/// One line past the nodes of a row or of a column of a plane: what one of them drives, all others take. The schedule
/// classes BBC and BCR need these; a torus that only rolls has none.
///
/// Source: Aizu TR 2012-001, section 2.
///
/// Events    drive_word, block_read               words of the block, once
///           deliver_word, block_write            words that the other nodes take
///           line_word_pitch_{q,s}                words times the P - 1 pitches between the first node and the last one
/// Not modelled: time; all words are retimed to the last node (torus/isa/timing.h).
template <class Element> class broadcast_line : public sc_core::sc_prim_channel {
public:
    /// `counts`: of the running step.
    broadcast_line(const char* name, axis along, counts& counts);

    /// Elaboration: the next node on the line.
    void attach(node<Element>& next) { m_nodes.push_back(&next); }
    /// In the step that comes nodes multiply with what this one, by place on the line, holds in a slot.
    void drive(slot which, std::size_t driver);
    const char* kind() const override { return "broadcast_line"; }

private:
    axis m_along;
    counts& m_counts;
    std::vector<node<Element>*> m_nodes;
};

} // namespace tensorloom::torus
