#include "soc/soc_platform.h"

namespace tensorloom::testbench {

soc_platform::soc_platform(sc_core::sc_module_name name, const soc_platform_config& config,
                           const std::array<bus::host_thread::program_type, soc_devices>& programs,
                           bus::activity_sink* activity, bus::transaction_sink* recording)
    : sc_core::sc_module(name), router("router", config.router, activity), sram("sram", config.sram, activity),
      dram("dram", config.dram, activity), m_irq("irq", soc_devices), m_connections(config.protocol_checkers, recording)
{
    static constexpr std::array<const char*, soc_devices> names{"large", "small"};
    std::vector<hosted_device> devices;
    for (std::size_t d = 0; d < soc_devices; ++d) {
        const std::string device = names[d];
        m_hosts[d] = std::make_unique<bus::host_thread>((device + "_host").c_str(), programs[d]);
        m_devices[d] = make_device<triada::traits>(names[d], config.devices[d], config.dma_bits, activity);
        devices.push_back(on_host(*m_hosts[d], m_devices[d], soc_device_base[d]));
        devices.back().host_wire = "from_" + device + "_host";
        devices.back().dma_wire = "from_" + device + "_dma";
        devices.back().regs_wire = "to_" + device + "_regs";
    }
    connect(m_connections, router, m_irq, devices);
    m_connections.connect_memory<512>(router.out, sram.in, "to_sram", config.sram_traffic);
    router.map(soc_sram_base, soc_sram_base + sram.size() - 1, 2);
    m_connections.connect_memory<512>(router.out, dram.in, "to_dram", config.dram_traffic);
    router.map(soc_dram_base, soc_dram_base + dram.size() - 1, 3);
}

} // namespace tensorloom::testbench
