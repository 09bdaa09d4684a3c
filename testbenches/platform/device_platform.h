#pragma once
#include <cstdint>
#include <optional>
#include <systemc>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/tlm/router.h>

#include "platform/bus_memory.h"
#include "platform/connections.h"

namespace tensorloom::testbench {

/// Where things are on the bus of a device_platform.
inline constexpr std::uint64_t device_base = 0x4000'0000;
inline constexpr std::uint64_t memory_base = 0x8000'0000;

struct platform_config {
    memory::sram_config memory;
    std::optional<memory::dram_settings> dram; ///< in place of the SRAM
    bus::router_config router;
    bool protocol_checkers = false; ///< one before and behind every socket of router, memory and device
};

/// The shared platform: a host, a 512-bit router, one memory (an SRAM, or a DRAM) and one device.
///
///     host --> router --> device.regs          device.irq --> host
///                ^  |
///     device.dma +  +---> memory
///
/// Device has the shape of every device of the library: regs, irq, a 512-bit dma, constructor (name, config, activity
/// sink).
template <class Device> class device_platform : public sc_core::sc_module {
public:
    bus::host_thread cpu;
    bus::router<512> router;
    bus_memory memory;
    Device device;

    template <class Config>
    device_platform(sc_core::sc_module_name name, const Config& device_config, const platform_config& config,
                    bus::host_thread::program_type program, bus::activity_sink* activity = nullptr)
        : sc_core::sc_module(name), cpu("cpu", std::move(program)), router("router", config.router, activity),
          memory(config.memory, config.dram, activity), device("device", device_config, activity), m_irq("irq"),
          m_connections(config.protocol_checkers)
    {
        m_connections.connect_widths<32, 512>(cpu.bus, router.in, "cpu");
        m_connections.connect<512>(device.dma, router.in, "dma");
        m_connections.connect_widths<512, 32>(router.out, device.regs, "regs");
        m_connections.connect<512>(router.out, memory.in(), "memory");
        router.map(device_base, device_base + 0xfff, 0);
        router.map(memory_base, memory_base + memory.bytes() - 1, 1);
        device.irq.bind(m_irq);
        cpu.irq.bind(m_irq);
    }

private:
    sc_core::sc_signal<bool> m_irq;
    connections m_connections;
};

} // namespace tensorloom::testbench
