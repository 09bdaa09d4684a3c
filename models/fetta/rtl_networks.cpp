#include <tensorloom/models/fetta/pe_array.h>
#include <tensorloom/models/fetta/distribution_network.h>
#include <tensorloom/models/fetta/reduction_network.h>
#include <tensorloom/models/rtl/fetta/engine_registers.h>
#include <tensorloom/models/rtl/fetta/network_registers.h>
#include <tensorloom/models/rtl/formats.h>

namespace tensorloom::fetta {
namespace {

rtl::network_controls pins_of(const blocks::butterfly_controls& controls)
{
    rtl::network_controls pins;
    for (unsigned q = 0; q < rtl::network_levels; ++q) {
        pins.diagonal[q] = static_cast<std::uint16_t>(controls.diagonal[q]);
    }
    pins.transpose = controls.transpose;
    return pins;
}

/// The distribution network in Verilog.
class rtl_distribution_network : public distribution_network {
public:
    rtl_distribution_network(sc_core::sc_module_name name, const device_limits& sizes)
        : distribution_network(name, sizes), m_network(rtl::make_distribution_multiplexers(sizes.operand)),
          m_out(sizes.engines, sizes.side), m_watched(shape().levels, sizes.engines, sizes.side)
    {}
    using distribution_network::watch;
    const level_waveform* watch(unsigned level) override
    {
        m_is_watched = true;
        return m_watched.watch(level);
    }

private:
    const port_beats& pass(const port_beats& banks, const blocks::butterfly_controls& controls) override
    {
        m_network->set(static_cast<std::uint16_t>(banks.valid), banks.values.data(), pins_of(controls));
        for (unsigned level = m_is_watched ? 0 : shape().levels - 1; level < shape().levels; ++level) {
            m_out.valid = m_network->valid(level);
            m_network->values(level, m_out.values.data());
            m_watched.show(level, m_out, controls.diagonal[shape().bit(level)]);
        }
        return m_out;
    }

    std::unique_ptr<rtl::distribution_multiplexers> m_network;
    port_beats m_out;
    watched_levels m_watched;
    bool m_is_watched = false;
};

/// The reduction network in Verilog.
class rtl_reduction_network : public reduction_network {
public:
    rtl_reduction_network(sc_core::sc_module_name name, const device_limits& sizes)
        : reduction_network(name, sizes), m_network(rtl::make_reduction_registers()), m_out(sizes.engines, sizes.side),
          m_level(m_out), m_watched(shape().levels, sizes.engines, sizes.side)
    {}
    const port_beats& output() const override { return m_out; }
    using reduction_network::watch;
    const level_waveform* watch(unsigned level) override
    {
        m_is_watched = true;
        return m_watched.watch(level);
    }

private:
    void enter(const port_beats& psums, const blocks::butterfly_controls& controls) override
    {
        m_network->set(static_cast<std::uint16_t>(psums.valid), psums.values.data(), pins_of(controls));
    }
    void advance() override { tick(false); }
    void empty() override { tick(true); }

    void tick(bool clear)
    {
        m_network->tick(clear);
        m_out.valid = m_network->valid();
        m_network->values(m_out.values.data());
        for (unsigned level = 0; m_is_watched && level < shape().levels; ++level) {
            m_level.valid = m_network->valid(level);
            m_network->values(level, m_level.values.data());
            m_watched.show(level, m_level, m_network->diagonal(level));
        }
    }

    std::unique_ptr<rtl::reduction_registers> m_network;
    port_beats m_out, m_level;
    watched_levels m_watched;
    bool m_is_watched = false;
};

} // namespace

std::unique_ptr<distribution_network> make_rtl_distribution_network(sc_core::sc_module_name name,
                                                                    const device_limits& sizes)
{
    return std::make_unique<rtl_distribution_network>(name, sizes);
}

std::unique_ptr<reduction_network> make_rtl_reduction_network(sc_core::sc_module_name name, const device_limits& sizes)
{
    return std::make_unique<rtl_reduction_network>(name, sizes);
}

std::optional<std::string> rtl_error(const device_limits& limits)
{
    if (auto missing = rtl::missing()) { return missing; }
    if (limits.psum != base::element_type::f32) {
        return "rtl has no partial sums in " + std::string(base::element_type_name(limits.psum)) + ", but in f32";
    }
    if (limits.engines != rtl::network_ports) {
        return "rtl has no " + std::to_string(limits.engines) + " engines, but " + std::to_string(rtl::network_ports);
    }
    if (limits.side != rtl::engine_registers::side) {
        return "rtl has no engines of side " + std::to_string(limits.side) + ", but of " +
               std::to_string(rtl::engine_registers::side);
    }
    if (limits.mac_latency != 1) {
        return "rtl has no multiply-add of " + std::to_string(limits.mac_latency) + " cycles, but of one";
    }
    return std::nullopt;
}

} // namespace tensorloom::fetta
