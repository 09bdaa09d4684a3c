#include <tensorloom/models/torus/broadcast_line.h>
#include <complex>

namespace tensorloom::torus {

template <class Element>
broadcast_line<Element>::broadcast_line(const char* name, axis along, counts& counted)
    : sc_core::sc_prim_channel(name), m_along(along), m_counts(counted)
{}

template <class Element> void broadcast_line<Element>::drive(slot which, std::size_t driver)
{
    const auto& block = m_nodes.at(driver)->held(which);
    for (auto* const taker : m_nodes) {
        if (taker != m_nodes[driver]) { taker->take_from_line(which, block); }
    }
    const std::uint64_t words = block.words(), delivered = words * (m_nodes.size() - 1);
    m_counts[event::drive_word] += words;
    m_counts[event::block_read] += words;
    m_counts[event::deliver_word] += delivered;
    m_counts[event::block_write] += delivered;
    m_counts[line_word_pitch(m_along)] += delivered; // as many pitches as other nodes
}

template class broadcast_line<double>;
template class broadcast_line<float>;
template class broadcast_line<std::complex<double>>;
template class broadcast_line<std::complex<float>>;
template class broadcast_line<arithmetic::bfloat16>;
template class broadcast_line<std::int8_t>;

} // namespace tensorloom::torus
