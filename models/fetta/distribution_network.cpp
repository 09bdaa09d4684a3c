#include <tensorloom/models/fetta/distribution_network.h>
#include <tensorloom/models/fetta/detailed_distribution_network.h>
#include <tensorloom/models/fetta/fast_distribution_network.h>
#include <tensorloom/models/fetta/row_moves.h>

namespace tensorloom::fetta {

distribution_network::distribution_network(sc_core::sc_module_name name, const arch::fetta::geometry& sizes)
    : sc_core::sc_module(name), m_shape(blocks::butterfly::of_ports(sizes.engines, blocks::level_order::far_first)),
      m_side(sizes.side)
{}

const port_rows& distribution_network::deliver(const port_rows& banks, const blocks::butterfly_controls& controls)
{
    if (controls.transpose && !m_shape.has_transpose()) {
        SC_REPORT_ERROR("/tensorloom/distribution_network/transpose",
                        (std::to_string(m_shape.ports()) + " ports have no transpose layer").c_str());
    }
    const port_rows& out = pass(banks, controls);
    m_delivered_elements += static_cast<std::uint64_t>(__builtin_popcountll(out.valid)) * m_side;
    if (m_waveform) {
        show_rows(banks, m_side, m_waveform->in);
        m_waveform->controls = controls;
        show_rows(out, m_side, m_waveform->out);
    }
    return out;
}

const network_waveform& distribution_network::watch()
{
    const port_rows nothing(m_shape.ports(), m_side);
    if (!m_waveform) { m_waveform = std::make_unique<network_waveform>(network_waveform{nothing, {}, nothing}); }
    return *m_waveform;
}

std::unique_ptr<distribution_network>
make_distribution_network(sc_core::sc_module_name name, const arch::fetta::geometry& sizes, blocks::fidelity model)
{
    return with_side(sizes.side, [&](auto side) -> std::unique_ptr<distribution_network> {
        if (model == blocks::fidelity::detailed) {
            return std::make_unique<detailed_distribution_network<side>>(name, sizes);
        }
        return std::make_unique<fast_distribution_network<side>>(name, sizes);
    });
}

} // namespace tensorloom::fetta
