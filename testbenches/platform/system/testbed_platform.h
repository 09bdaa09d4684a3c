#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/models/memory/dram.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/host_thread.h>
#include <tensorloom/tlm/router.h>
#include <tensorloom/tlm/transaction_sink.h>
#include "platform/system/connections.h"
#include "platform/system/hosted_devices.h"
#include "platform/system/testbed_device.h"

namespace tensorloom::testbench {

/// Configuration of a testbed_platform, with its address map.
inline constexpr std::uint64_t device_base = 0x4000'0000;
inline constexpr std::uint64_t device_stride = 0x1000; ///< between the registers of several devices
inline constexpr std::uint64_t memory_base = 0x8000'0000;

struct platform_config {
    memory::sram_config memory;
    std::optional<memory::dram_settings> dram; ///< in place of the SRAM
    bus::router_config router;
    unsigned dma_bits = 512;                         ///< of the device's DMA port: 32, 64, 128, 256 or 512
    bus::transaction_sink* memory_traffic = nullptr; ///< gets the accesses of the memory
    bool protocol_checkers = false;                  ///< one before and after every socket of router, memory and device
};

/// The one memory of a testbed_platform: an SRAM or, with settings for one, a DRAM. Either is the module "memory".
class bus_memory {
public:
    /// Elaboration, within the platform's constructor.
    bus_memory(const memory::sram_config& sram, const std::optional<memory::dram_settings>& dram,
               bus::activity_sink* activity)
    {
        if (dram) {
            m_dram = std::make_unique<memory::dram<512>>("memory", *dram, activity);
            m_clock_ps = dram->dram.tCK_ps;
        } else {
            m_sram = std::make_unique<memory::sram<512>>("memory", sram, activity);
        }
    }

    bus::at_target_socket<512>& in() { return m_dram ? m_dram->in : m_sram->in; }
    std::uint64_t bytes() const { return m_dram ? m_dram->size() : m_sram->size(); }

    void save(std::ostream& to) const { m_dram ? m_dram->save(to) : m_sram->save(to); }
    void restore(std::istream& from) { m_dram ? m_dram->restore(from) : m_sram->restore(from); }

    /// Updates the counts to the current time: refreshes of a DRAM and its open rows.
    void settle()
    {
        if (m_dram) { m_dram->settle(); }
    }

    /// The timing as at the begin of a simulation: dram_module::restart(), sram_module::reset(). At a multiple of
    /// clock_ps().
    void restart() { m_dram ? m_dram->restart() : m_sram->reset(); }
    std::uint64_t clock_ps() const { return m_clock_ps; } ///< of a DRAM; 1 for an SRAM, which runs at the device's

private:
    std::unique_ptr<memory::sram<512>> m_sram;
    std::unique_ptr<memory::dram<512>> m_dram;
    std::uint64_t m_clock_ps = 1;
};

/// The device-independent part of a platform: hosts, a 512-bit router and one memory (an SRAM, or a DRAM).
class platform : public sc_core::sc_module {
    std::vector<std::unique_ptr<bus::host_thread>> m_hosts;

public:
    bus::host_thread& cpu; ///< the first host
    bus::router<512> router;
    bus_memory memory;

    /// One for each device.
    const std::vector<std::unique_ptr<bus::host_thread>>& hosts() const { return m_hosts; }
    const char* kind() const override { return "platform"; }

protected:
    /// `programs`: of the hosts, at least one.
    platform(sc_core::sc_module_name name, const platform_config& config,
             std::vector<bus::host_thread::program_type> programs, bus::activity_sink* activity);

    /// "device"; of several "device_0" and so on.
    std::string numbered(const std::string& module, std::size_t number) const;

    /// Elaboration, once: connects hosts, devices (one for each host) and memory.
    template <class Body> void connect_all(const std::vector<testbed_device<Body>>& made)
    {
        std::vector<hosted_device> devices;
        for (std::size_t i = 0; i < made.size(); ++i) {
            devices.push_back(on_host(*m_hosts[i], made[i], device_base + i * device_stride));
        }
        connect_hosted(std::move(devices));
    }

private:
    void connect_hosted(std::vector<hosted_device> devices);

    sc_core::sc_vector<sc_core::sc_signal<bool>> m_irqs;
    connections m_connections;
    bus::transaction_sink* m_memory_traffic;
};

/// The shared platform with one device, or several of one configuration. Each has a host of its own.
///
///     host --> router --> device.regs          device.irq --> host
///                ^  |
///     device.dma +  +---> memory
///
/// Traits: of the device (models/<device>/device.h). The modules of one device are "cpu" and "device", of several
/// "cpu_0", "device_0" and so on; the registers of number i are at device_base + i x device_stride.
template <class Traits> class testbed_platform : public platform {
    std::vector<testbed_device<typename Traits::body>> m_made;

public:
    typename Traits::body& device; ///< the first one

    testbed_platform(sc_core::sc_module_name name, const typename Traits::config& device_config,
                     const platform_config& config, std::vector<bus::host_thread::program_type> programs,
                     bus::activity_sink* activity = nullptr)
        : platform(name, config, std::move(programs), activity), m_made(make_all(device_config, config, activity)),
          device(*m_made.front().device)
    {
        connect_all(m_made);
    }
    /// With one device.
    testbed_platform(sc_core::sc_module_name name, const typename Traits::config& device_config,
                     const platform_config& config, bus::host_thread::program_type program,
                     bus::activity_sink* activity = nullptr)
        : testbed_platform(name, device_config, config, std::vector{std::move(program)}, activity)
    {}

    typename Traits::body& device_at(std::size_t number) { return *m_made[number].device; }

private:
    auto make_all(const typename Traits::config& device_config, const platform_config& config,
                  bus::activity_sink* activity)
    {
        std::vector<testbed_device<typename Traits::body>> made;
        for (std::size_t i = 0; i < hosts().size(); ++i) {
            made.push_back(
                make_device<Traits>(numbered("device", i).c_str(), device_config, config.dma_bits, activity));
        }
        return made;
    }
};

} // namespace tensorloom::testbench
