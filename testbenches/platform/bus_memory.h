#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <systemc>
#include <tensorloom/models/memory/dram.h>
#include <tensorloom/models/memory/sram.h>
#include <tensorloom/tlm/activity_sink.h>

namespace tensorloom::testbench {

/// The one memory of a device_platform: an SRAM or, with settings for one, a DRAM. Either is the module "memory".
class bus_memory {
public:
    /// Elaboration, within the platform's constructor.
    bus_memory(const memory::sram_config& sram, const std::optional<memory::dram_settings>& dram,
               bus::activity_sink* activity)
    {
        if (dram) {
            m_dram = std::make_unique<memory::dram<512>>("memory", *dram, activity);
        } else {
            m_sram = std::make_unique<memory::sram<512>>("memory", sram, activity);
        }
    }

    bus::at_target_socket<512>& in() { return m_dram ? m_dram->in : m_sram->in; }
    std::uint64_t bytes() const { return m_dram ? m_dram->size() : m_sram->size(); }

    /// Brings the counts up to the present time: refreshes of a DRAM and its open rows.
    void settle()
    {
        if (m_dram) { m_dram->settle(); }
    }

private:
    std::unique_ptr<memory::sram<512>> m_sram;
    std::unique_ptr<memory::dram<512>> m_dram;
};

} // namespace tensorloom::testbench
