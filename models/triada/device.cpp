#include <tensorloom/models/triada/device.h>

namespace tensorloom::triada {

namespace {

shell::shell_config shell_settings(const config& c)
{
    shell::shell_config s(c);
    s.format = static_cast<std::uint8_t>(c.format);
    s.caps_size = c.mesh;
    return s;
}

} // namespace

device_body::device_body(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity)
    : device_shell(name, arch::triada::description, shell_settings(shell::checked(config, "/tensorloom/triada/config")),
                   activity),
      m_config(config), m_gemt(m_config, dma(), stop(), clock(), log(), this->name())
{
    use_units({&m_gemt});
}

device_body::~device_body() = default;

void device_body::trace(sc_core::sc_trace_file& file, const std::vector<shape3>& cells)
{
    trace_units(file);
    for (const auto& at : cells) { m_gemt.trace_cell(file, at); }
}

template class device<32>;
template class device<64>;
template class device<128>;
template class device<256>;
template class device<512>;

} // namespace tensorloom::triada
