#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/activity/program_log.h>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/tlm/activity_sink.h>

namespace tensorloom::testbench {

/// The programs that one device ran, one after the other: a program_log of each, with the counts of the modules
/// attached here. Calls about other devices are ignored. A device that starts without having attached is a
/// std::logic_error.
class device_runs : public bus::activity_sink {
public:
    struct run {
        std::uint64_t start_ps = 0;
        std::uint64_t end_ps = 0;
        std::unique_ptr<activity::program_log> log;
    };

    /// `device`: its hierarchical name. Memory for the expected records is allocated when a program starts.
    device_runs(std::string device, activity::log_detail detail, std::size_t expected_records = 0);

    void attach(const std::string& object, const base::event_table& table, const std::uint64_t* counts) override;
    void started(const std::string& device, std::uint64_t start_ps) override;
    void clocked(const std::string& device, std::uint64_t period_ps) override;
    void log(const std::string& device, const bus::log_record& record) override;
    void freed(const std::string& device, const base::freed_cycles& cycles) override;
    void finished(const std::string& device, std::uint64_t cycles) override;

    /// Also keeps every record of run `number`, from 0, for which `wanted` is true. Call it before that run
    /// starts.
    void take_excerpt(std::size_t number, std::function<bool(const bus::log_record&)> wanted);
    const activity::program_log* excerpt() const { return m_excerpt.get(); } ///< null: its run has not started

    /// Drops the programs so far: the next one is number 0. None may be running.
    void forget();

    const std::string& device() const { return m_device; }
    const std::vector<run>& all() const { return m_runs; }
    /// Events of the device over all its runs; empty before it attaches.
    const std::vector<std::uint64_t>& totals() const { return m_totals; }

private:
    struct module {
        std::string object;
        base::event_table events{nullptr, 0};
        const std::uint64_t* counts = nullptr; // live
    };

    std::unique_ptr<activity::program_log> new_log(activity::log_detail detail) const;
    activity::program_log* excerpt_of_latest();

    std::string m_device;
    activity::log_detail m_detail;
    std::size_t m_expected;
    std::vector<module> m_modules;
    std::vector<std::uint64_t> m_totals;
    std::vector<run> m_runs;
    std::optional<std::size_t> m_excerpt_run;
    std::function<bool(const bus::log_record&)> m_wanted;
    std::unique_ptr<activity::program_log> m_excerpt;
};

} // namespace tensorloom::testbench
