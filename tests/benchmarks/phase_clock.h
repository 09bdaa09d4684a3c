#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <tensorloom/tlm/activity_sink.h>
#include "benchmarks/rounds.h"

namespace tensorloom::benchmarks {

/// The clocks at one moment.
struct moment {
    double cpu_s = 0;    ///< of all threads
    double thread_s = 0; ///< CPU, of the thread that simulates
    double wall_s = 0;

    static moment now() { return {cpu_seconds(), thread_cpu_seconds(), wall_seconds()}; }
};

/// Which ends a phase_clock notes: of the last stage, or of each.
enum class timed_stages { last, each };

/// Notes when a device's phases end. Reading the clocks takes as long as a small step, so of the time-steps only the
/// last one of a stage is timed: that with the highest number.
class phase_clock : public bus::activity_sink {
public:
    /// `last_steps`: of stages 1, 2, 3. The critical path needs each stage.
    explicit phase_clock(const std::array<std::uint32_t, 3>& last_steps, timed_stages stages = timed_stages::last)
        : m_last_steps(last_steps), m_stages(stages)
    {}

    double load_s() const { return m_loaded.cpu_s - m_before_load.cpu_s; }
    /// Start of the first stage to the end of the last.
    double compute_s() const { return m_computed[2].cpu_s - m_loaded.cpu_s; }
    double compute_wall_s() const { return m_computed[2].wall_s - m_loaded.wall_s; }
    /// The CPU time of the busier of two threads, stage by stage: how long the stages take when every thread has a
    /// core.
    double critical_path_s() const
    {
        double sum = 0;
        moment begin = m_loaded;
        for (const moment& end : m_computed) {
            const double own = end.thread_s - begin.thread_s;
            sum += std::max(own, end.cpu_s - begin.cpu_s - own);
            begin = end;
        }
        return sum;
    }
    double unload_s() const { return m_unloaded.cpu_s - m_computed[2].cpu_s; }

    void attach(const std::string&, const base::event_table&, const std::uint64_t*) override {}
    void started(const std::string&, std::uint64_t) override {}
    void log(const std::string&, const bus::log_record& record) override
    {
        const std::string_view phase = record.phase;
        if (phase == "load") {
            m_loaded = moment::now();
        } else if (phase == "unload") {
            m_unloaded = moment::now();
        } else if (phase == "fetch" || phase == "matrices") {
            m_before_load = moment::now();
        } else if (phase.substr(0, 6) == "stage_") {
            const auto stage = static_cast<std::size_t>(phase[6] - '1');
            const bool timed = stage == 2 || m_stages == timed_stages::each;
            if (timed && record.id == m_last_steps[stage]) { m_computed[stage] = moment::now(); }
        }
    }
    void finished(const std::string&, std::uint64_t) override {}

private:
    std::array<std::uint32_t, 3> m_last_steps;
    timed_stages m_stages;
    moment m_before_load;
    moment m_loaded;
    std::array<moment, 3> m_computed;
    moment m_unloaded;
};

} // namespace tensorloom::benchmarks
