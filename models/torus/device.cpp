#include <tensorloom/models/torus/device.h>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::torus {

device_base::device_base(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity)
    : device_shell(name, description,
                   {checked(name, config, "/tensorloom/torus/config"), config.format,
                    caps_size_of(config.side, config.block), config.dma_ports},
                   activity),
      m_config(config), m_nodes(make_node_array("array", m_config)),
      m_contents(m_config, *m_nodes->memory.operator->()),
      m_orbits(m_config, *m_nodes, m_contents, dma(), stop(), clock(), log(), this->name()),
      m_products(m_config, *m_nodes, m_contents, dma(), stop(), clock(), log(), this->name()),
      m_pointwise(m_config, *m_nodes, m_contents, dma(), stop(), clock(), log(), this->name())
{
    use_units({&m_orbits, &m_products, &m_pointwise});
}

void device_base::trace(sc_core::sc_trace_file& file, const std::vector<shape3>& nodes)
{
    trace_units(file);
    for (const auto& at : nodes) {
        for (const auto along : at) {
            if (along >= m_config.side) {
                bus::report_error(name(), "/tensorloom/torus/trace", "watched node outside of the torus");
            }
        }
        m_nodes->trace_node(file, at,
                            std::string(name()) + ".node_" + std::to_string(at[0]) + "_" + std::to_string(at[1]) + "_" +
                                std::to_string(at[2]));
    }
}

} // namespace tensorloom::torus

TENSORLOOM_DEVICE_OF_EVERY_WIDTH(template, tensorloom::torus::traits);
