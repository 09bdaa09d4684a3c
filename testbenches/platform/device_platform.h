#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/protocol_checker.h>
#include <tensorloom/tlm/router.h>
#include <tensorloom/tlm/width_adapter.h>
#include "platform/host.h"

namespace tensorloom::testbench {

/// Where things are on the bus of a device_platform.
inline constexpr std::uint64_t device_base = 0x4000'0000;
inline constexpr std::uint64_t memory_base = 0x8000'0000;

struct platform_config {
    memory::sram_config memory;
    bus::router_config router;
    bool protocol_checkers = false; ///< one before and behind every socket of router, memory and device
};

/// The shared platform: a host, a 512-bit router, one SRAM and one device.
///
///     host --> router --> device.regs          device.irq --> host
///                ^  |
///     device.dma +  +---> memory
///
/// Device has the shape of every device of the library: regs, irq, a 512-bit dma, constructor (name, config, activity sink).
template <class Device> class device_platform : public sc_core::sc_module {
public:
    host cpu;
    bus::router<512> router;
    memory::sram<512> memory;
    Device device;

    template <class Config>
    device_platform(sc_core::sc_module_name name, const Config& device_config, const platform_config& config,
                    std::function<void(host&)> program, bus::activity_sink* activity = nullptr)
        : sc_core::sc_module(name), cpu("cpu", std::move(program)), router("router", config.router, activity),
          memory("memory", config.memory, activity), device("device", device_config, activity), m_from_cpu("from_cpu"),
          m_to_regs("to_regs"), m_irq("irq"), m_checked(config.protocol_checkers)
    {
        connect<32>(cpu.bus, m_from_cpu.in, "cpu_bus");
        connect<512>(m_from_cpu.out, router.in, "router_in_cpu");
        connect<512>(device.dma, router.in, "router_in_dma");
        connect<512>(router.out, m_to_regs.in, "router_out_regs");
        connect<32>(m_to_regs.out, device.regs, "device_regs");
        connect<512>(router.out, memory.in, "memory_in");
        router.map(device_base, device_base + 0xfff, 0);
        router.map(memory_base, memory_base + config.memory.bytes - 1, 1);
        device.irq.bind(m_irq);
        cpu.irq.bind(m_irq);
    }

private:
    template <unsigned BUSWIDTH, class Initiator, class Target>
    void connect(Initiator& from, Target& to, const char* name)
    {
        if (!m_checked) {
            from.bind(to);
            return;
        }
        auto checker = std::make_unique<bus::protocol_checker<BUSWIDTH>>((std::string("check_") + name).c_str());
        from.bind(checker->in);
        checker->out.bind(to);
        m_checkers.push_back(std::move(checker));
    }

    bus::width_adapter<32, 512> m_from_cpu;
    bus::width_adapter<512, 32> m_to_regs;
    sc_core::sc_signal<bool> m_irq;
    bool m_checked;
    std::vector<std::unique_ptr<sc_core::sc_module>> m_checkers;
};

} // namespace tensorloom::testbench
