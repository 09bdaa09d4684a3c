#include <tensorloom/models/rtl/fetta/network_registers.h>
#include <tensorloom/models/rtl/pins.h>
#include <verilated_distribution_network_bf16.h>
#include <verilated_distribution_network_f32.h>
#include <verilated_reduction_network.h>

namespace tensorloom::rtl {
namespace {

// The ports whose bit is set.
template <class Visit> void for_each_port(std::uint32_t valid, const Visit& visit)
{
    for (; valid != 0; valid &= valid - 1) { visit(static_cast<unsigned>(__builtin_ctz(valid))); }
}

template <class Network> void set_controls(Network& network, const network_controls& controls)
{
    for (unsigned q = 0; q < network_levels; ++q) {
        put(network.diagonal, q * network_ports, network_ports, controls.diagonal[q]);
    }
    network.transpose = controls.transpose;
}

template <class Module, unsigned element_bits> class verilated_distribution : public distribution_multiplexers {
public:
    void set(std::uint16_t valid, const float* values, const network_controls& controls) override
    {
        m_network.valid_in = valid;
        set_controls(m_network, controls);
        for_each_port(valid, [&](unsigned port) {
            for (unsigned lane = 0; lane < network_lanes; ++lane) {
                const unsigned at = port * network_lanes + lane;
                put_number<element_bits>(m_network.in, at, values[at]);
            }
        });
        m_network.eval();
    }
    std::uint16_t valid(unsigned level) const override
    {
        return static_cast<std::uint16_t>(get(m_network.valid, level * network_ports, network_ports));
    }
    void values(unsigned level, float* to) const override
    {
        for_each_port(valid(level), [&](unsigned port) {
            for (unsigned lane = 0; lane < network_lanes; ++lane) {
                const unsigned at = port * network_lanes + lane;
                to[at] = number<element_bits>(m_network.out, level * network_ports * network_lanes + at);
            }
        });
    }

private:
    VerilatedContext m_context;
    Module m_network{&m_context, "distribution_network"};
};

class verilated_reduction : public reduction_registers {
public:
    verilated_reduction()
    {
        for (auto& network : m_lanes) {
            network = std::make_unique<lane_network>(&m_context, "reduction_network");
            network->eval();
        }
    }

    void set(std::uint16_t valid, const float* values, const network_controls& controls) override
    {
        for (unsigned lane = 0; lane < network_lanes; ++lane) {
            auto& network = *m_lanes[lane];
            network.valid_in = valid;
            set_controls(network, controls);
            for_each_port(valid, [&](unsigned port) {
                put_number<sum_bits>(network.in, port, values[port * network_lanes + lane]);
            });
        }
    }
    void tick(bool clear) override
    {
        for (auto& network : m_lanes) {
            network->clear = clear;
            network->clock = 0;
            network->eval();
        }
        m_diagonal = clear ? 0 : m_lanes.front()->level_diagonal;
        for (auto& network : m_lanes) {
            network->clock = 1;
            network->eval();
        }
    }

    std::uint16_t valid() const override { return m_lanes.front()->valid; }
    void values(float* to) const override
    {
        for_each_port(valid(), [&](unsigned port) {
            for (unsigned lane = 0; lane < network_lanes; ++lane) {
                to[port * network_lanes + lane] = number<sum_bits>(m_lanes[lane]->out, port);
            }
        });
    }
    std::uint16_t valid(unsigned level) const override
    {
        return static_cast<std::uint16_t>(get(m_lanes.front()->level_valid, level * network_ports, network_ports));
    }
    void values(unsigned level, float* to) const override
    {
        for_each_port(valid(level), [&](unsigned port) {
            for (unsigned lane = 0; lane < network_lanes; ++lane) {
                to[port * network_lanes + lane] =
                    number<sum_bits>(m_lanes[lane]->level_out, level * network_ports + port);
            }
        });
    }
    std::uint16_t diagonal(unsigned level) const override
    {
        return static_cast<std::uint16_t>(get(m_diagonal, level * network_ports, network_ports));
    }

private:
    using lane_network = verilated_reduction_network;
    static constexpr unsigned sum_bits = 32;

    VerilatedContext m_context;
    std::array<std::unique_ptr<lane_network>, network_lanes> m_lanes; // controls and valid bits are the same in all
    std::uint64_t m_diagonal = 0;
};

} // namespace

std::unique_ptr<distribution_multiplexers> make_distribution_multiplexers(base::element_type operand)
{
    if (operand == base::element_type::bf16) {
        return std::make_unique<verilated_distribution<verilated_distribution_network_bf16, 16>>();
    }
    return std::make_unique<verilated_distribution<verilated_distribution_network_f32, 32>>();
}

std::unique_ptr<reduction_registers> make_reduction_registers() { return std::make_unique<verilated_reduction>(); }

} // namespace tensorloom::rtl
