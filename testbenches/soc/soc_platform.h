#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <systemc>
#include <tensorloom/models/memory/dram.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/tlm/router.h>
#include <tensorloom/tlm/transaction_sink.h>
#include "platform/system/connections.h"
#include "platform/system/hosted_devices.h"
#include "platform/triada/triada_testbed.h"
#include "soc/soc_options.h"

namespace tensorloom::testbench {

/// Configuration of a soc_platform, with its address map.
inline constexpr std::array<std::uint64_t, soc_devices> soc_device_base{0x4000'0000, 0x4000'1000};
inline constexpr std::uint64_t soc_sram_base = 0x1'0000'0000;
inline constexpr std::uint64_t soc_dram_base = 0x10'0000'0000;

struct soc_platform_config {
    std::array<triada::config, soc_devices> devices;
    bus::router_config router;
    memory::sram_config sram;
    memory::dram_settings dram;
    bus::transaction_sink* sram_traffic = nullptr; ///< get the accesses of the memories
    bus::transaction_sink* dram_traffic = nullptr;
    unsigned dma_bits = 512; ///< of both devices' DMA ports
    bool protocol_checkers = false;
};

/// Two hosts, two devices, SRAM and DRAM around one 512-bit router.
///
///     large_host, small_host --> router --> large.regs, small.regs       each device's irq --> its host
///                                 ^  |
///              large.dma, small.dma  +----> sram, dram
///
/// With `recording`, recorders "from_large_host", "from_small_host", "from_large_dma", "from_small_dma" are before the
/// router, and "to_sram", "to_dram" after it.
/// The router's initiators are, by number, soc_initiators; its targets: large.regs, small.regs, sram, dram.
class soc_platform : public sc_core::sc_module {
public:
    static constexpr std::array<const char*, 4> target_names{"large.regs", "small.regs", "sram", "dram"};

    bus::router<512> router;
    memory::sram<512> sram;
    memory::dram<512> dram;

    soc_platform(sc_core::sc_module_name name, const soc_platform_config& config,
                 const std::array<bus::host_thread::program_type, soc_devices>& programs, bus::activity_sink* activity,
                 bus::transaction_sink* recording);

    bus::host_thread& host(std::size_t device) { return *m_hosts[device]; }
    triada::device_base& device(std::size_t device) { return *m_devices[device].device; }
    const char* kind() const override { return "soc_platform"; }

private:
    std::array<std::unique_ptr<bus::host_thread>, soc_devices> m_hosts;
    std::array<testbed_device<triada::device_base>, soc_devices> m_devices;
    sc_core::sc_vector<sc_core::sc_signal<bool>> m_irq;
    connections m_connections;
};

} // namespace tensorloom::testbench
