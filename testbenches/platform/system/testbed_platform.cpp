#include "platform/system/testbed_platform.h"

namespace tensorloom::testbench {
namespace {

std::vector<std::unique_ptr<bus::host_thread>> hosts_of(std::vector<bus::host_thread::program_type> programs)
{
    std::vector<std::unique_ptr<bus::host_thread>> hosts;
    for (auto& program : programs) {
        const auto name = programs.size() == 1 ? std::string("cpu") : "cpu_" + std::to_string(hosts.size());
        hosts.push_back(std::make_unique<bus::host_thread>(name.c_str(), std::move(program)));
    }
    return hosts;
}

} // namespace

platform::platform(sc_core::sc_module_name name, const platform_config& config,
                   std::vector<bus::host_thread::program_type> programs, bus::activity_sink* activity)
    : sc_core::sc_module(name), m_hosts(hosts_of(std::move(programs))), cpu(*m_hosts.front()),
      router("router", config.router, activity), memory(config.memory, config.dram, activity),
      m_irqs("irq", m_hosts.size()), m_connections(config.protocol_checkers), m_memory_traffic(config.memory_traffic)
{}

std::string platform::numbered(const std::string& module, std::size_t number) const
{
    return m_hosts.size() == 1 ? module : module + "_" + std::to_string(number);
}

void platform::connect_hosted(std::vector<hosted_device> devices)
{
    for (std::size_t i = 0; i < devices.size(); ++i) {
        devices[i].host_wire = numbered("cpu", i);
        devices[i].dma_wire = numbered("dma", i);
        devices[i].regs_wire = numbered("regs", i);
    }
    connect(m_connections, router, m_irqs, devices);
    m_connections.connect_memory<512>(router.out, memory.in(), "memory", m_memory_traffic);
    router.map(memory_base, memory_base + memory.bytes() - 1, static_cast<unsigned>(devices.size()));
}

} // namespace tensorloom::testbench
