#include <tensorloom/models/fetta/distribution_network.h>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::fetta {
namespace {

// ---- detailed ----

/// The network multiplexer by multiplexer: every level selects from the outputs of the level before.
template <unsigned Side> class detailed_distribution_network : public distribution_network {
public:
    detailed_distribution_network(sc_core::sc_module_name name, const device_limits& sizes);
    using distribution_network::watch;
    const level_waveform* watch(unsigned level) override { return m_watched.watch(level); }

private:
    const port_beats& pass(const port_beats& banks, const blocks::butterfly_controls& controls) override;

    port_beats m_transposed;
    std::vector<port_beats> m_levels; // beats at the outputs of each
    watched_levels m_watched;
};

template <unsigned Side>
detailed_distribution_network<Side>::detailed_distribution_network(sc_core::sc_module_name name,
                                                                   const device_limits& sizes)
    : distribution_network(name, sizes), m_transposed(sizes.engines, Side),
      m_levels(shape().levels, port_beats(sizes.engines, Side)), m_watched(shape().levels, sizes.engines, Side)
{}

template <unsigned Side>
const port_beats& detailed_distribution_network<Side>::pass(const port_beats& banks,
                                                            const blocks::butterfly_controls& controls)
{
    const port_beats* in = &banks;
    if (controls.transpose) {
        beat_moves<Side>::transpose(shape(), banks, m_transposed);
        in = &m_transposed;
    }
    for (unsigned level = 0; level < shape().levels; ++level) {
        const unsigned q = shape().bit(level);
        port_beats& out = m_levels[level];
        const auto arrivals = blocks::multiplex(in->valid, controls.diagonal[q], q);
        out.valid = arrivals.valid();
        blocks::for_arrivals(arrivals, q, beat_moves<Side>::copier(*in, out));
        m_watched.show(level, out, controls.diagonal[q]);
        in = &out;
    }
    return *in;
}

// ---- fast ----

/// The network as a map from engines to banks, recomputed only when the controls change.
template <unsigned Side> class fast_distribution_network : public distribution_network {
public:
    fast_distribution_network(sc_core::sc_module_name name, const device_limits& sizes);
    using distribution_network::watch;
    const level_waveform* watch(unsigned) override { return nullptr; }

private:
    const port_beats& pass(const port_beats& banks, const blocks::butterfly_controls& controls) override;
    void trace_back(const blocks::butterfly_controls& controls);

    blocks::butterfly_controls m_controls; // of the map
    std::array<std::uint8_t, 1u << blocks::butterfly::max_levels> m_bank_of_port{};
    port_beats m_out;
};

template <unsigned Side>
fast_distribution_network<Side>::fast_distribution_network(sc_core::sc_module_name name, const device_limits& sizes)
    : distribution_network(name, sizes), m_out(sizes.engines, Side)
{
    trace_back({});
}

template <unsigned Side>
const port_beats& fast_distribution_network<Side>::pass(const port_beats& banks,
                                                        const blocks::butterfly_controls& controls)
{
    if (controls != m_controls) { trace_back(controls); }
    const auto move = beat_moves<Side>::copier(banks, m_out);
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

} // namespace

// ---- either ----

distribution_network::distribution_network(sc_core::sc_module_name name, const device_limits& sizes)
    : sc_core::sc_module(name), m_shape(blocks::butterfly::of_ports(sizes.engines, blocks::level_order::far_first)),
      m_side(sizes.side)
{}

const port_beats& distribution_network::deliver(const port_beats& banks, const blocks::butterfly_controls& controls)
{
    if (controls.transpose && !m_shape.has_transpose()) {
        bus::report_error(name(), "/tensorloom/distribution_network/transpose",
                          std::to_string(m_shape.ports()) + " ports have no transpose layer");
    }
    const port_beats& out = pass(banks, controls);
    m_delivered_elements += static_cast<std::uint64_t>(__builtin_popcountll(out.valid)) * m_side;
    if (m_waveform) {
        show_beats(banks, m_side, m_waveform->in);
        m_waveform->controls = controls;
        show_beats(out, m_side, m_waveform->out);
    }
    return out;
}

const network_waveform& distribution_network::watch()
{
    const port_beats nothing(m_shape.ports(), m_side);
    if (!m_waveform) { m_waveform = std::make_unique<network_waveform>(network_waveform{nothing, {}, nothing}); }
    return *m_waveform;
}

std::unique_ptr<distribution_network> make_distribution_network(sc_core::sc_module_name name,
                                                                const device_limits& sizes, blocks::fidelity model)
{
    if (model == blocks::fidelity::rtl) { return make_rtl_distribution_network(name, sizes); }
    return with_side(name, sizes.side, [&](auto side) -> std::unique_ptr<distribution_network> {
        if (model == blocks::fidelity::detailed) {
            return std::make_unique<detailed_distribution_network<side>>(name, sizes);
        }
        return std::make_unique<fast_distribution_network<side>>(name, sizes);
    });
}

} // namespace tensorloom::fetta
