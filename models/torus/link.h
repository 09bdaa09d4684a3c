#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <systemc>
#include <tensorloom/models/torus/isa/events.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::torus {

/// A block of a tensor or of a matrix, in C order; of complex numbers the real parts come first, then the imaginary
/// parts. It is moved, never copied, from a node to a link and on.
template <class Element> struct block {
    using format = arithmetic::number_format<Element>;
    using real = typename format::real;

    std::vector<real> values; ///< in the accumulator's format, elements too
    bool holds_sums = false;  ///< not rounded to elements
    static constexpr std::uint64_t sum_words = sizeof(typename format::accumulator) / sizeof(Element);

    std::uint64_t numbers() const { return values.size() / format::parts; }
    /// Of an element's width: a sum of bfloat16s takes two.
    std::uint64_t words() const { return numbers() * (holds_sums ? sum_words : 1); }
};

/// What a node sees of a link: a place for the block that leaves, and one for the block that comes.
template <class Element> class link_if : public virtual sc_core::sc_interface {
public:
    /// Never waits for the node at the other end. The last block must have been taken there, otherwise SC_ERROR.
    virtual void send(block<Element>&& leaving) = 0;
    /// The block that the node at the other end has sent; none: SC_ERROR.
    virtual block<Element> take() = 0;
};

/// Where a link lies, as wires.
struct link_route {
    axis along = axis::q;
    std::uint32_t pitches = 1; ///< sides of nodes that it passes
    bool closes_ring = false;  ///< from the last node of a ring to the first one
};

/// Of the link from node `from` of a ring of `side` nodes to the next one. Unfolded rings have links of 1 and one of
/// P - 1; in folded ones nodes 0, P-1, 1, P-2, ... lie side by side, so that links pass 2 at most. In all 2 (P - 1).
link_route route_of(axis along, std::uint32_t from, std::uint32_t side, bool folded);

/// One link of the torus, between two neighbours, both ways: it holds a block each way, in between two phases of a
/// step.
///
/// Source: Aizu TR 2012-001, section 3.1.
///
/// first(), second()    exports for a port each of the nodes that it joins: from first to second is the direction of
///                      larger indices
///
/// Events    roll_block, roll_word_{q,r,s}, wrap_word    of a block that leaves
///           link_word_pitch_{q,r,s}                     words times the pitches that this link passes
/// Not modelled: time; all links are retimed to the longest (torus/isa/timing.h).
template <class Element> class link : public sc_core::sc_prim_channel {
public:
    /// `counts`: of the running step.
    link(const char* name, const link_route& route, counts& counts);

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
        void send(block<Element>&& leaving) override { m_link->carry(m_which, std::move(leaving)); }
        block<Element> take() override { return m_link->give(1 - m_which); }

    private:
        link* m_link = nullptr;
        unsigned m_which = 0;
    };

    void carry(unsigned from, block<Element>&& leaving);
    block<Element> give(unsigned from);

    const link_route m_route;
    counts& m_counts;
    std::array<end, 2> m_ends;
    std::array<block<Element>, 2> m_blocks; // by the end that sent it
    std::array<bool, 2> m_holds{};
};

} // namespace tensorloom::torus
