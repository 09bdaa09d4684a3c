#pragma once
#include <string>
#include <string_view>
#include <tensorloom/tlm/activity_sink.h>
#include "benchmarks/rounds.h"

namespace tensorloom::benchmarks {

/// Notes the CPU time at which a device's phases end. Reading the clock takes as long as a small step, so of the time-steps only
/// the last one is timed: step `last_step` of stage 3.
class phase_clock : public bus::activity_sink {
public:
    explicit phase_clock(std::uint32_t last_step) : m_last_step(last_step) {}

    double load_s() const { return m_loaded - m_before_load; }
    double compute_s() const { return m_computed - m_loaded; } ///< start of the first stage to the end of the last
    double unload_s() const { return m_unloaded - m_computed; }

    void attach(const std::string&, const arch::event_table&, const std::uint64_t*) override {}
    void started(const std::string&, std::uint64_t) override {}
    void log(const std::string&, const bus::log_record& record) override
    {
        const std::string_view phase = record.phase;
        if (phase == "load") {
            m_loaded = cpu_seconds();
        } else if (phase == "unload") {
            m_unloaded = cpu_seconds();
        } else if (phase == "stage_3") {
            if (record.id == m_last_step) { m_computed = cpu_seconds(); }
        } else if (phase == "fetch" || phase == "matrices") {
            m_before_load = cpu_seconds();
        }
    }
    void finished(const std::string&, std::uint64_t) override {}

private:
    std::uint32_t m_last_step;
    double m_before_load = 0;
    double m_loaded = 0;
    double m_computed = 0;
    double m_unloaded = 0;
};

} // namespace tensorloom::benchmarks
