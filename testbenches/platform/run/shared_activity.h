#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/tlm/activity_sink.h>
#include "platform/run/device_runs.h"

namespace tensorloom::testbench {

/// Activity of several devices on a platform, and of the modules that they share.
///
/// Each run of a device has a separate program_log with the modules of this device only (it and its DMA engine). The
/// events of a device are summed over its runs. Shared modules are kept apart, so that nothing is counted twice. Calls
/// about other devices are ignored.
class shared_activity : public bus::activity_sink {
public:
    struct module_counts {
        std::string object;
        base::event_table events{nullptr, 0};
        const std::uint64_t* counts = nullptr; ///< live
    };

    /// `devices`: their hierarchical names.
    shared_activity(const std::vector<std::string>& devices, activity::log_detail detail);

    void attach(const std::string& object, const base::event_table& table, const std::uint64_t* counts) override;
    void started(const std::string& device, std::uint64_t start_ps) override;
    void clocked(const std::string& device, std::uint64_t period_ps) override;
    void log(const std::string& device, const bus::log_record& record) override;
    void freed(const std::string& device, const base::freed_cycles& cycles) override;
    void finished(const std::string& device, std::uint64_t cycles) override;

    std::size_t devices() const { return m_devices.size(); }
    const device_runs& runs(std::size_t device) const { return m_devices[device]; }
    /// Events of a device over all its runs.
    const std::vector<std::uint64_t>& totals(std::size_t device) const { return m_devices[device].totals(); }
    const std::vector<module_counts>& shared() const { return m_shared; }

    /// Cycles of `period_ps` in which the same devices run a program.
    struct interval {
        std::uint64_t cycles = 0;
        std::vector<bool> busy; ///< by device
    };
    /// Those from cycle `first` of the simulation to `end`, one after the other.
    std::vector<interval> intervals(std::uint64_t first, std::uint64_t end, std::uint64_t period_ps) const;

private:
    std::vector<device_runs> m_devices; // with the modules of each
    std::vector<module_counts> m_shared;
};

} // namespace tensorloom::testbench
