#include <tensorloom/models/torus/link.h>
#include <complex>
#include <cstdlib>
#include <utility>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::torus {

link_route route_of(axis along, std::uint32_t from, std::uint32_t side, bool folded)
{
    const bool closes_ring = from + 1 == side;
    const auto position = [&](std::uint32_t index) -> std::int64_t {
        if (!folded) { return index; }
        return index < (side + 1) / 2 ? 2 * std::int64_t{index} : 2 * (std::int64_t{side} - index) - 1;
    };
    const std::int64_t distance = position(closes_ring ? 0 : from + 1) - position(from);
    return {along, static_cast<std::uint32_t>(std::abs(distance)), closes_ring};
}

template <class Element>
link<Element>::link(const char* name, const link_route& route, counts& counted)
    : sc_core::sc_prim_channel(name), m_route(route), m_counts(counted)
{
    for (unsigned e = 0; e < m_ends.size(); ++e) { m_ends[e].connect(*this, e); }
}

template <class Element> void link<Element>::carry(unsigned from, block<Element>&& leaving, event word)
{
    if (m_holds[from]) {
        bus::report_error(name(), "/tensorloom/torus/link/second_block", "a second block before the first is taken");
    }
    const std::uint64_t words = leaving.words();
    m_blocks[from] = std::move(leaving);
    m_holds[from] = true;
    m_counts[word] += words;
    m_counts[link_word_pitch(m_route.along)] += words * m_route.pitches;
    if (m_route.closes_ring) { m_counts[event::wrap_word] += words; }
}

template <class Element> block<Element> link<Element>::give(unsigned from)
{
    if (!m_holds[from]) { bus::report_error(name(), "/tensorloom/torus/link/no_block", "no block to take"); }
    m_holds[from] = false;
    return std::move(m_blocks[from]);
}

template class link<double>;
template class link<float>;
template class link<std::complex<double>>;
template class link<std::complex<float>>;
template class link<arithmetic::bfloat16>;
template class link<std::int8_t>;

} // namespace tensorloom::torus
