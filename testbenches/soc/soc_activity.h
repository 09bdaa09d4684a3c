#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/tlm/activity_sink.h>
#include "platform/run/device_runs.h"
#include "soc/soc_options.h"

namespace tensorloom::testbench {

/// Activity of the devices and of their shared modules.
///
/// Each run of a device has a separate program_log with the modules of this device only (it and its DMA engine). The
/// events of a device are summed over its runs. Shared modules are kept apart, so that nothing is counted twice. Calls
/// about other devices are ignored.
class soc_activity : public bus::activity_sink {
public:
    struct module_counts {
        std::string object;
        base::event_table events{nullptr, 0};
        const std::uint64_t* counts = nullptr; ///< live
    };

    /// `devices`: their hierarchical names.
    soc_activity(const std::array<std::string, soc_devices>& devices, activity::log_detail detail);

    void attach(const std::string& object, const base::event_table& table, const std::uint64_t* counts) override;
    void started(const std::string& device, std::uint64_t start_ps) override;
    void log(const std::string& device, const bus::log_record& record) override;
    void freed(const std::string& device, const base::freed_cycles& cycles) override;
    void finished(const std::string& device, std::uint64_t cycles) override;

    const device_runs& runs(std::size_t device) const { return m_devices[device]; }
    /// Events of a device over all its runs.
    const std::vector<std::uint64_t>& totals(std::size_t device) const { return m_devices[device].totals(); }
    const std::vector<module_counts>& shared() const { return m_shared; }

    /// Divides `cycles` cycles of `period_ps` from time 0 by the busy devices: "both", "large alone", "small alone",
    /// "idle".
    std::vector<std::pair<std::string, std::uint64_t>> cycles_by_cause(std::uint64_t cycles,
                                                                       std::uint64_t period_ps) const;

private:
    bool busy_at(std::size_t device, std::uint64_t ps) const;

    std::array<device_runs, soc_devices> m_devices; // with the modules of each
    std::vector<module_counts> m_shared;
};

} // namespace tensorloom::testbench
