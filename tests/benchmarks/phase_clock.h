#pragma once
#include <string>
#include <string_view>
#include <tensorloom/tlm/activity_sink.h>
#include "benchmarks/rounds.h"

namespace tensorloom::benchmarks {

/// Notes the CPU time at which a device's phases end; costs next to nothing itself.
class phase_clock : public bus::activity_sink {
public:
    double load_s() const { return m_loaded - m_before_load; }
    double compute_s() const { return m_computed - m_loaded; }  ///< start of the first stage to the end of the last
    double unload_s() const { return m_unloaded - m_computed; }

    void attach(const std::string&, const arch::event_table&, const std::uint64_t*) override {}
    void started(const std::string&) override {}
    void log(const std::string&, const bus::log_record& record) override
    {
        const std::string_view cause = record.cause;
        const double now = cpu_seconds();
        if (cause == "load") {
            m_loaded = now;
        } else if (cause == "compute") {
            m_computed = now;
        } else if (cause == "unload") {
            m_unloaded = now;
        } else {
            m_before_load = now;
        }
    }
    void finished(const std::string&, std::uint64_t) override {}

private:
    double m_before_load = 0;
    double m_loaded = 0;
    double m_computed = 0;
    double m_unloaded = 0;
};

} // namespace tensorloom::benchmarks
