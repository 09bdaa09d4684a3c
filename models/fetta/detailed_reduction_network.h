#pragma once
#include <vector>
#include <tensorloom/models/fetta/reduction_network.h>

namespace tensorloom::fetta {

/// The network register by register: every level adds or moves what the registers before it hold, then all registers
/// change.
template <unsigned Side, class Psum> class detailed_reduction_network : public reduction_network {
public:
    detailed_reduction_network(sc_core::sc_module_name name, const arch::fetta::geometry& sizes,
                               blocks::idle_output idle);
    const port_rows& output() const override { return *m_leaving; }
    using reduction_network::watch;
    const level_waveform* watch(unsigned level) override { return m_watched.watch(level); }

private:
    struct stage {
        port_rows rows;
        blocks::butterfly_controls controls; // of these rows
    };

    void enter(const port_rows& psums, const blocks::butterfly_controls& controls) override;
    void advance() override;
    void empty() override;
    void show();
    void pass(unsigned level, const port_rows& in, const blocks::butterfly_controls& controls);

    const blocks::idle_output m_idle;
    std::vector<stage> m_now; // the registers behind each level
    std::vector<stage> m_next;
    port_rows m_transposed; // what leaves, when the transpose layer is on
    const port_rows* m_leaving = nullptr;
    watched_levels m_watched;
};

} // namespace tensorloom::fetta
