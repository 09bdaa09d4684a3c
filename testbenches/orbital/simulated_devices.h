#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>
#include <systemc>
#include <tensorloom/models/costs/technology.h>
#include "orbital/measured_run.h"
#include "platform/torus/orbit_job.h"
#include "platform/torus/torus_options.h"
#include "platform/process/progress.h"
#include "platform/report/run_report.h"
#include "platform/run/testbed.h"

namespace tensorloom::testbench {

/// Number of log records of a torus that takes this many steps: compute, roll, and records between passes.
constexpr std::uint64_t records_of_torus(std::uint64_t steps) { return 2 * steps + 16; }

/// Progress over the steps of all devices.
class step_progress {
public:
    step_progress(bool quiet, std::uint64_t steps) : m_progress(quiet), m_steps(steps) {}
    void see(const std::string& device, const bus::log_record& record);

private:
    progress m_progress;
    std::uint64_t m_steps;
    std::uint64_t m_done = 0;
};

/// A device on a separate platform, with a problem. T: as orbit_transform.
template <class T> class simulated_device {
public:
    using results = typename transform_problem<T>::results;

    virtual ~simulated_device() = default;
    const std::string& name() const { return m_name; } ///< of its platform in the simulation
    virtual std::uint64_t steps() const = 0;           ///< expected steps
    /// Elaboration.
    virtual void build(const run_options& options, activity::log_detail detail, step_progress& shown) = 0;
    virtual testbed& around() = 0;
    virtual std::function<void(sc_core::sc_trace_file&)> waveform() const = 0; ///< argument of run_testbeds()
    /// After the simulation: its results, checked if the options say so.
    virtual measured_run measure(const run_options& options) = 0;
    virtual device_programs programs() const = 0; ///< in the files with a line per record
    results& found() { return m_found; }

protected:
    explicit simulated_device(std::string name) : m_name(std::move(name)) {}

    std::string m_name;
    results m_found; ///< results of the simulation
};

/// Creates devices with their problems. Throws base::input_error for a matrix of another shape, a problem too large for
/// the memory, an energy that the technology does not have. T: as orbit_transform.
template <class T> struct device_factory {
    const torus_options& options;
    const common_options& common;
    const wire_settings& wires;
    const costs::technology& technology;

    std::unique_ptr<simulated_device<T>> torus_of(const std::string& name, const orbit_job& job, const torus_fit& fit,
                                                  const std::vector<torus::shape3>& watch) const;
    torus::energy_parameters torus_parameters(const orbit_job& job, const torus_fit& fit) const;
    costs::floor_plan torus_plan(const orbit_job& job, const torus_fit& fit) const;
    costs::floor_plan triada_plan(const orbit_job& job) const;
    /// Dense, with a cell for every element of the larger of operand and result.
    std::unique_ptr<simulated_device<T>> triada_of(const std::string& name, const orbit_job& job) const;
};

} // namespace tensorloom::testbench
