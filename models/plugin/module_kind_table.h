#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/plugin/module_kinds.h>

namespace tensorloom::plugin {

/// validate() of a configuration, by its namespace: settings_of has a member of that name.
template <class Config> std::optional<std::string> error_of(const Config& config) { return validate(config); }

/// The settings of a module that is a template over the width of its bus socket.
template <class Config, template <unsigned> class Module> class settings_of final : public module_settings {
public:
    base::config_fields fields() override
    {
        auto all = fields_of(m_config);
        all.push_back(base::choice(m_bus_width, {{"32", 32}, {"64", 64}, {"128", 128}, {"256", 256}, {"512", 512}},
                                   {"bus-width", "bus_width_bits", "BITS",
                                    "Width of the socket on the bus: of a device its DMA's, a template argument."}));
        return all;
    }
    std::optional<std::string> validate() const override { return error_of(m_config); }
    std::unique_ptr<sc_core::sc_module> make(const char* name) const override
    {
        switch (m_bus_width) {
        case 64: return std::make_unique<Module<64>>(name, m_config);
        case 128: return std::make_unique<Module<128>>(name, m_config);
        case 256: return std::make_unique<Module<256>>(name, m_config);
        case 512: return std::make_unique<Module<512>>(name, m_config);
        default: return std::make_unique<Module<32>>(name, m_config);
        }
    }

private:
    Config m_config;
    unsigned m_bus_width = 32;
};

template <class Config, template <unsigned> class Module> std::unique_ptr<module_settings> defaults_of()
{
    return std::make_unique<settings_of<Config, Module>>();
}

/// The devices of the library: written by the build, a row for each folder of models that has an isa.
std::vector<module_kind> device_kinds();

} // namespace tensorloom::plugin
