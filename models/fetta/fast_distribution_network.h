#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/fetta/distribution_network.h>

namespace tensorloom::fetta {

/// The network as a map: which bank reaches which engine. It is found anew only when the controls change.
template <unsigned Side> class fast_distribution_network : public distribution_network {
public:
    fast_distribution_network(sc_core::sc_module_name name, const arch::fetta::geometry& sizes);
    using distribution_network::watch;
    const level_waveform* watch(unsigned) override { return nullptr; }

private:
    const port_rows& pass(const port_rows& banks, const blocks::butterfly_controls& controls) override;
    void trace_back(const blocks::butterfly_controls& controls);

    blocks::butterfly_controls m_controls; // of the map
    std::array<std::uint8_t, 1u << blocks::butterfly::max_levels> m_bank_of_port{};
    port_rows m_out;
};

} // namespace tensorloom::fetta
