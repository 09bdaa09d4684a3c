#include <tensorloom/models/fetta/fast_distribution_network.h>
#include <tensorloom/models/fetta/row_moves.h>

namespace tensorloom::fetta {

template <unsigned Side>
fast_distribution_network<Side>::fast_distribution_network(sc_core::sc_module_name name,
                                                           const arch::fetta::geometry& sizes)
    : distribution_network(name, sizes), m_out(sizes.engines, Side)
{
    trace_back({});
}

template <unsigned Side>
const port_rows& fast_distribution_network<Side>::pass(const port_rows& banks,
                                                       const blocks::butterfly_controls& controls)
{
    if (controls != m_controls) { trace_back(controls); }
    const auto move = row_moves<Side>::copier(banks, m_out);
    m_out.valid = 0;
    for (unsigned port = 0; port < shape().ports(); ++port) {
        const unsigned bank = m_bank_of_port[port];
        if ((banks.valid >> bank & 1) == 0) { continue; }
        move(bank, port);
        m_out.valid |= std::uint64_t{1} << port;
    }
    return m_out;
}

// From every port back through the multiplexers to its bank.
template <unsigned Side> void fast_distribution_network<Side>::trace_back(const blocks::butterfly_controls& controls)
{
    m_controls = controls;
    for (unsigned port = 0; port < shape().ports(); ++port) {
        unsigned at = port;
        for (unsigned level = shape().levels; level-- > 0;) {
            const unsigned q = shape().bit(level);
            at ^= static_cast<unsigned>(controls.diagonal[q] >> at & 1) << q;
        }
        m_bank_of_port[port] = static_cast<std::uint8_t>(controls.transpose ? shape().transposed(at) : at);
    }
}

template class fast_distribution_network<2>;
template class fast_distribution_network<4>;
template class fast_distribution_network<8>;
template class fast_distribution_network<16>;

} // namespace tensorloom::fetta
