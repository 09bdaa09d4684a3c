#include "platform.h"
#include <utility>
#include <tensorloom/models/fetta/device.h>
#include <tensorloom/models/mmv/device.h>
#include <tensorloom/models/torus/device.h>
#include <tensorloom/models/triada/device.h>

namespace tensorloom::virtual_platform {
namespace {

/// The default configuration of a device, with the platform's settings of its DMA.
template <class Config> Config device_config(const platform_config& config)
{
    Config device;
    device.burst_bytes = config.burst_bytes;
    device.dma.use_dmi = config.dma_dmi;
    return device;
}

memory::sram_config ram_config()
{
    memory::sram_config ram;
    ram.bytes = ram_bytes;
    return ram;
}

cpu_config processor_config(firmware_work work)
{
    cpu_config cpu;
    cpu.reset_pc = ram_at;
    cpu.reset_a0 = work;
    cpu.io_first = console_at;
    cpu.io_last = ram_at - 1;
    return cpu;
}

} // namespace

class accelerators {
public:
    explicit accelerators(const platform_config& config)
        : triada("triada", device_config<triada::config>(config)), torus("torus", device_config<torus::config>(config)),
          mmv("mmv", device_config<mmv::config>(config)), fetta("fetta", device_config<fetta::config>(config))
    {}

    triada::device<32> triada;
    torus::device<32> torus;
    mmv::device<32> mmv;
    fetta::device<32> fetta;
};

platform::platform(sc_core::sc_module_name name, const platform_config& config, std::vector<unsigned char> firmware,
                   std::ostream& console_output)
    : sc_core::sc_module(name), m_firmware(std::move(firmware)), m_router("router", {}), m_ram("ram", ram_config()),
      m_cpu("cpu", processor_config(config.work)), m_console("console", console_output), m_timer("timer"),
      m_interrupts("interrupts"), m_exit("exit"), m_source("source", source_end - 1),
      m_external_interrupt("external_interrupt"), m_timer_interrupt("timer_interrupt")
{
    m_cpu.bus.bind(m_router.in);
    m_router.map(ram_on_bus_at, ram_on_bus_at + (ram_bytes - 1), m_targets);
    add_target(m_ram.in, ram_at, ram_bytes);
    add_target(m_console.in, console_at, block_bytes);
    add_target(m_timer.in, timer_at, block_bytes);
    add_target(m_interrupts.in, interrupt_controller_at, block_bytes);
    add_target(m_exit.in, exit_at, block_bytes);

    m_interrupts.source.bind(m_source);
    m_interrupts.irq.bind(m_external_interrupt);
    m_timer.irq.bind(m_timer_interrupt);
    m_cpu.external_interrupt.bind(m_external_interrupt);
    m_cpu.timer_interrupt.bind(m_timer_interrupt);

    if (config.devices) {
        m_accelerators = std::make_unique<accelerators>(config);
        add_device(m_accelerators->triada, triada_at, source_triada);
        add_device(m_accelerators->torus, torus_at, source_torus);
        add_device(m_accelerators->mmv, mmv_at, source_mmv);
        add_device(m_accelerators->fetta, fetta_at, source_fetta);
    }
}

platform::~platform() = default;

template <class Socket> void platform::add_target(Socket& socket, std::uint32_t first, std::uint32_t bytes)
{
    m_router.out.bind(socket);
    m_router.map(first, first + (bytes - 1), m_targets++);
}

template <class Device> void platform::add_device(Device& device, std::uint32_t registers_at, unsigned source)
{
    device.dma.bind(m_router.in);
    device.irq.bind(m_source[source - 1]);
    add_target(device.regs, registers_at, block_bytes);
}

void platform::start_of_simulation() { m_cpu.preload(ram_at, m_firmware.data(), m_firmware.size()); }

} // namespace tensorloom::virtual_platform
