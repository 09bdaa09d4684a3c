#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <systemc>
#include <tensorloom/models/torus/isa/events.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::torus {

/// A block of a tensor or of a matrix, in C order; complex blocks have all real parts first, then the imaginary parts.
/// Blocks are moved, never copied, from a node to a link and on.
template <class Element> struct block {
    using format = arithmetic::number_format<Element>;
    using real = typename format::real;

    std::vector<real> values; ///< in the accumulator's format, also of elements
    bool holds_sums = false;  ///< not rounded to elements
    static constexpr std::uint64_t sum_words = sizeof(typename format::accumulator) / sizeof(Element);

    std::uint64_t numbers() const { return values.size() / format::parts; }
    /// In words of an element's width: a sum of bfloat16s takes two, one of int8s four.
    std::uint64_t words() const { return numbers() * (holds_sums ? sum_words : 1); }
};

/// A node's end of a link: one place for the outgoing block, one for the incoming block.
template <class Element> class link_if : public virtual sc_core::sc_interface {
public:
    /// Never waits for the node at the other end. SC_ERROR if that node has not yet taken the previous block.
    virtual void send(block<Element>&& leaving) = 0;
    /// Hands sums to the node at the other end, which it has written over this link into the memory that both share.
    /// Otherwise as send().
    virtual void share(block<Element>&& written) = 0;
    /// The block that the node at the other end has sent; SC_ERROR without one.
    virtual block<Element> take() = 0;
};

/// The wires of a link.
struct link_route {
    axis along = axis::q;
    std::uint32_t pitches = 1; ///< sides of nodes that it passes
    bool closes_ring = false;  ///< from the last node of a ring to the first one
};

/// Route of the link from node `from` of a ring of `side` nodes to the next one. An unfolded ring has links of 1 pitch
/// and one of P - 1. A folded ring places nodes 0, P-1, 1, P-2, ... side by side, so that no link exceeds 2 pitches.
/// The total is 2 (P - 1) in both.
link_route route_of(axis along, std::uint32_t from, std::uint32_t side, bool folded);

/// One bidirectional link of the torus between two neighbours. Between the two phases of a step it holds a block per
/// direction.
///
/// Source: Aizu TR 2012-001, section 3.1.
///
/// first(), second()    ends for a port of each of the two nodes; first to second is the direction of larger indices
///
/// Events    roll_block, roll_word_{q,r,s}, wrap_word    for each block sent
///           share_word_{q,r,s}, wrap_word               for each block shared
///           link_word_pitch_{q,r,s}                     words times the pitches of this link
/// Not modelled: time; all links are retimed to the longest (torus/isa/timing.h).
///
/// Example
///
///     torus::counts counts;
///     torus::link<double> link("link_0", torus::route_of(torus::axis::q, 0, 4, true), counts);
///     link.first().send(torus::block<double>{{1, 2, 3, 4}});
///     const auto arrived = link.second().take();
template <class Element> class link : public sc_core::sc_prim_channel {
public:
    /// `counted`: events of the running step.
    link(const char* name, const link_route& route, counts& counted);

    link_if<Element>& first() { return m_ends[0]; }
    link_if<Element>& second() { return m_ends[1]; }
    const char* kind() const override { return "link"; }

private:
    class end : public link_if<Element> {
    public:
        void connect(link& of, unsigned which)
        {
            m_link = &of;
            m_which = which;
        }
        void send(block<Element>&& leaving) override
        {
            ++m_link->m_counts[event::roll_block];
            m_link->carry(m_which, std::move(leaving), roll_word(m_link->m_route.along));
        }
        void share(block<Element>&& written) override
        {
            m_link->carry(m_which, std::move(written), share_word(m_link->m_route.along));
        }
        block<Element> take() override { return m_link->give(1 - m_which); }

    private:
        link* m_link = nullptr;
        unsigned m_which = 0;
    };

    void carry(unsigned from, block<Element>&& leaving, event word);
    block<Element> give(unsigned from);

    const link_route m_route;
    counts& m_counts;
    std::array<end, 2> m_ends;
    std::array<block<Element>, 2> m_blocks; // by the end that sent it
    std::array<bool, 2> m_holds{};
};

} // namespace tensorloom::torus
