#pragma once
#include <vector>
#include <tensorloom/models/fetta/distribution_network.h>

namespace tensorloom::fetta {

/// The network multiplexer by multiplexer: every level selects from what stands at the outputs of the level before.
template <unsigned Side> class detailed_distribution_network : public distribution_network {
public:
    detailed_distribution_network(sc_core::sc_module_name name, const arch::fetta::geometry& sizes);
    using distribution_network::watch;
    const level_waveform* watch(unsigned level) override { return m_watched.watch(level); }

private:
    const port_rows& pass(const port_rows& banks, const blocks::butterfly_controls& controls) override;

    port_rows m_transposed;
    std::vector<port_rows> m_levels; // what stands at the outputs of each
    watched_levels m_watched;
};

} // namespace tensorloom::fetta
