#include <tensorloom/models/fetta/detailed_distribution_network.h>
#include <tensorloom/models/blocks/butterfly_switches.h>
#include <tensorloom/models/fetta/row_moves.h>

namespace tensorloom::fetta {

template <unsigned Side>
detailed_distribution_network<Side>::detailed_distribution_network(sc_core::sc_module_name name,
                                                                   const arch::fetta::geometry& sizes)
    : distribution_network(name, sizes), m_transposed(sizes.engines, Side),
      m_levels(shape().levels, port_rows(sizes.engines, Side)), m_watched(shape().levels, sizes.engines, Side)
{}

template <unsigned Side>
const port_rows& detailed_distribution_network<Side>::pass(const port_rows& banks,
                                                           const blocks::butterfly_controls& controls)
{
    const port_rows* in = &banks;
    if (controls.transpose) {
        row_moves<Side>::transpose(shape(), banks, m_transposed);
        in = &m_transposed;
    }
    for (unsigned level = 0; level < shape().levels; ++level) {
        const unsigned q = shape().bit(level);
        port_rows& out = m_levels[level];
        const auto arrivals = blocks::multiplex(in->valid, controls.diagonal[q], q);
        out.valid = arrivals.valid();
        blocks::for_arrivals(arrivals, q, row_moves<Side>::copier(*in, out));
        m_watched.show(level, out, controls.diagonal[q]);
        in = &out;
    }
    return *in;
}

template class detailed_distribution_network<2>;
template class detailed_distribution_network<4>;
template class detailed_distribution_network<8>;
template class detailed_distribution_network<16>;

} // namespace tensorloom::fetta
