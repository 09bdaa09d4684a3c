#include "platform/system/testbed_platform.h"

namespace tensorloom::testbench {

platform::platform(sc_core::sc_module_name name, const platform_config& config, bus::host_thread::program_type program,
                   bus::activity_sink* activity)
    : sc_core::sc_module(name), cpu("cpu", std::move(program)), router("router", config.router, activity),
      memory(config.memory, config.dram, activity), m_irq("irq"), m_connections(config.protocol_checkers),
      m_memory_traffic(config.memory_traffic)
{}

void platform::connect_host() { m_connections.connect_widths<32, 512>(cpu.bus, router.in, "cpu"); }

void platform::connect_targets(tlm::tlm_target_socket<32>& regs, sc_core::sc_out<bool>& irq)
{
    m_connections.connect_widths<512, 32>(router.out, regs, "regs");
    m_connections.connect_memory<512>(router.out, memory.in(), "memory", m_memory_traffic);
    router.map(device_base, device_base + 0xfff, 0);
    router.map(memory_base, memory_base + memory.bytes() - 1, 1);
    irq.bind(m_irq);
    cpu.irq.bind(m_irq);
}

} // namespace tensorloom::testbench
