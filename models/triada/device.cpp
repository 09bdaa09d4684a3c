#include <tensorloom/models/triada/device.h>

namespace tensorloom::triada {

device_base::device_base(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity)
    : device_shell(name, description,
                   {checked(name, config, "/tensorloom/triada/config"), config.format, config.mesh, config.dma_ports},
                   activity),
      m_config(config), m_gemt(m_config, dma(), stop(), clock(), log(), this->name())
{
    use_units({&m_gemt});
}

device_base::~device_base() = default;

void device_base::trace(sc_core::sc_trace_file& file, const std::vector<shape3>& cells)
{
    trace_units(file);
    for (const auto& at : cells) { m_gemt.trace_cell(file, at); }
}

} // namespace tensorloom::triada

TENSORLOOM_DEVICE_OF_EVERY_WIDTH(template, tensorloom::triada::traits);
