#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/reduction_network.h>

namespace tensorloom::fetta {

/// The network as its sums and a delay: rows are added when they enter, and wait for their cycle.
///
/// Which rows are added, and in which order, is found anew only when controls or valid ports change.
template <unsigned Side, class Psum> class fast_reduction_network : public reduction_network {
public:
    fast_reduction_network(sc_core::sc_module_name name, const arch::fetta::geometry& sizes, blocks::idle_output idle);
    const port_rows& output() const override { return m_line[(m_entry + 1) % m_line.size()]; }
    using reduction_network::watch;
    const level_waveform* watch(unsigned) override { return nullptr; }

private:
    static constexpr unsigned max_ports = 1u << blocks::butterfly::max_levels;

    /// Rows by number: those that enter have the numbers of their ports, sums follow.
    struct addition {
        unsigned left;
        unsigned right;
    };
    struct departure {
        unsigned row;
        unsigned port;
    };

    void enter(const port_rows& psums, const blocks::butterfly_controls& controls) override;
    void advance() override { m_entry = (m_entry + 1) % m_line.size(); }
    void empty() override;
    void plan(std::uint64_t valid, const blocks::butterfly_controls& controls);

    const blocks::idle_output m_idle;
    blocks::butterfly_controls m_controls; // of the plan, with m_valid
    std::uint64_t m_valid = 0;
    std::vector<addition> m_additions;
    std::vector<departure> m_departures;
    std::uint64_t m_leaving = 0; // ports

    std::vector<float> m_sums;     // of the rows that enter
    std::vector<port_rows> m_line; // the delay: a ring, a place more than cycles
    std::size_t m_entry = 0;       // where the next rows enter
};

} // namespace tensorloom::fetta
