#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <vector>
#include <systemc>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/dma_config.h>
#include <tensorloom/tlm/router.h>
#include "console.h"
#include "exit_register.h"
#include "interrupt_controller.h"
#include "memory_map.h"
#include "riscv_cpu.h"
#include "timer.h"

namespace tensorloom::virtual_platform {

struct platform_config {
    bool devices = true;
    unsigned burst_bytes = 4096;              ///< largest transfer of the devices' DMA
    bus::dmi_use dma_dmi = bus::dmi_use::off; ///< the devices' DMA moves bytes by direct pointers
    firmware_work work = work_jobs;
};

/// The four accelerators; a platform without them has none of these modules.
class accelerators;

/// The whole platform: processor, RAM, console, timer, interrupt controller, exit register, and the accelerators,
/// around one router. memory_map.h has the addresses.
///
///     cpu ----------------+              +----> ram
///                         +--> router ---+----> console, timer, interrupts, exit
///     accelerators.dma ---+              +----> accelerators.regs
///
///     accelerators.irq --> interrupts --> cpu.external_interrupt         timer --> cpu.timer_interrupt
class platform : public sc_core::sc_module {
public:
    /// `firmware`: the bytes of RAM from its first on.
    platform(sc_core::sc_module_name name, const platform_config& config, std::vector<unsigned char> firmware,
             std::ostream& console_output);
    ~platform() override;

    /// What the firmware wrote to the exit register; nothing if it did not end.
    std::optional<std::uint32_t> exit_status() const { return m_exit.status(); }
    std::uint64_t instructions() const { return m_cpu.instructions(); }

private:
    void start_of_simulation() override;
    template <class Socket> void add_target(Socket& socket, std::uint32_t first, std::uint32_t bytes);
    template <class Device> void add_device(Device& device, std::uint32_t registers_at, unsigned source);

    std::vector<unsigned char> m_firmware;
    bus::router<32> m_router;
    memory::sram<32> m_ram;
    riscv_cpu m_cpu;
    console m_console;
    timer m_timer;
    interrupt_controller m_interrupts;
    exit_register m_exit;
    sc_core::sc_vector<sc_core::sc_signal<bool>> m_source;
    sc_core::sc_signal<bool> m_external_interrupt, m_timer_interrupt;
    std::unique_ptr<accelerators> m_accelerators;
    unsigned m_targets = 0;
};

} // namespace tensorloom::virtual_platform
