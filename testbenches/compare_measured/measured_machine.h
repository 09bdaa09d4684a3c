#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/mmv/config.h>
#include "compare_measured/measured_cases.h"
#include "platform/mmv/mmv_report.h"
#include "platform/mmv/mmv_testbed.h"
#include "platform/options/testbench_options.h"
#include "platform/report/run_report.h"
#include "platform/run/testbed.h"

namespace tensorloom::testbench {

/// A parameter of a preset that is fitted to measurements.
struct fitted_parameter {
    const char* name;
    double value;
    const char* unit;
    const char* meaning;
};

/// What was measured.
enum class measured_quantity {
    cycles,
    ratio ///< of the times, or of the bytes per time, of two runs
};

/// What stands for a machine that was measured.
struct machine_facts {
    const char* name;   ///< of the option --machine
    const char* title;  ///< "Gemmini, 16 x 16, int8"
    const char* source; ///< of the measurements
    const char* preset; ///< the device of ours that stands for it
    std::vector<fitted_parameter> fitted;
    const char* fitted_on; ///< the cases that decide them; null without
    measured_quantity quantity;
    std::vector<std::string> columns; ///< of a file of cases
    const char* shipped;              ///< a file of cases, as text
};

/// A measurement, and what the preset gives.
struct measured_case {
    std::string name;         ///< what ran: "1x2048x1000"
    std::size_t line = 0;     ///< of the file, from 1
    bool fitted = false;      ///< one of those that decide the fitted parameters
    double measured = 0;      ///< in the machine's quantity
    double model = 0;         ///< of the preset
    std::uint64_t cycles = 0; ///< of the preset's programs
    std::uint64_t macs = 0;   ///< needed
    program_costs costs;      ///< of the preset's programs
    bool passed = true;       ///< its values are those of the host

    double error() const { return model / measured - 1; }
};

/// A machine that was measured, as a preset of one of our devices with the cases of a file. Its platforms live until
/// the program ends.
class measured_machine {
public:
    virtual ~measured_machine() = default;

    /// Throws base::input_error with the row that is malformed, or that the preset cannot hold.
    virtual void read(const std::vector<measured_row>& rows) = 0;
    virtual std::vector<std::string> names() const = 0; ///< of the cases, in their order
    virtual void keep(const std::string& name) = 0;     ///< drops the cases of other names
    /// The names of the platforms after the first.
    virtual std::vector<std::string> further_platforms() const = 0;
    /// The platform options of the preset; fidelity, technology and clock are the user's.
    virtual platform_options platform() const = 0;
    virtual costs::floor_plan plan(const common_options& common, const costs::technology& technology) const = 0;
    virtual void require_prices(const common_options& common, const costs::technology& technology) const = 0;
    virtual nlohmann::ordered_json configuration(const common_options& common) const = 0;
    /// Elaboration: platforms for each case.
    virtual std::vector<testbed*> build(const common_options& common, activity::log_detail detail) = 0;
    /// Traces the first of them.
    virtual std::function<void(sc_core::sc_trace_file&)> waveform() const = 0;
    /// After the simulation.
    virtual std::vector<measured_case> results(const costs::technology& technology) = 0;
    virtual std::vector<device_programs> programs() const = 0;
};

/// "case_1" for platform 0.
std::string numbered_platform(std::size_t platform);

/// An MMU/VCU pair on a platform for each case. Case: name, line, testbed and energy_models.
template <class Case> class machine_of_cases : public measured_machine {
public:
    std::vector<std::string> names() const override
    {
        std::vector<std::string> all;
        for (const auto& c : m_cases) { all.push_back(c.name); }
        return all;
    }
    void keep(const std::string& name) override
    {
        m_cases.erase(std::remove_if(m_cases.begin(), m_cases.end(), [&](const auto& c) { return c.name != name; }),
                      m_cases.end());
    }
    std::vector<std::string> further_platforms() const override
    {
        std::vector<std::string> all;
        for (std::size_t i = 1; i < m_cases.size(); ++i) { all.push_back(numbered_platform(i)); }
        return all;
    }
    std::function<void(sc_core::sc_trace_file&)> waveform() const override
    {
        return m_cases.front().testbed->waveform(std::vector<watched_element>());
    }

protected:
    /// After the simulation: the costs of all programs of a case.
    static mmv_costs costs_of(const Case& c)
    {
        return mmv_costs_of(c.testbed->runs(), 0, c.testbed->programs(), c.testbed->clock_period_ns(), c.energy_models);
    }
    void charge(Case& c, const costs::technology& technology, std::uint64_t scratchpad_bytes) const
    {
        c.energy_models = c.testbed->energy_models(
            technology, device_energy(c.testbed->device(), m_common.platform, technology, scratchpad_bytes));
    }

    std::vector<Case> m_cases;
    common_options m_common; ///< since build()
};

struct measured_machine_entry {
    machine_facts (*facts)();
    std::unique_ptr<measured_machine> (*make)();
};

/// All machines, in the order of the page.
const std::vector<measured_machine_entry>& measured_machines();

/// The configuration of a summary.
nlohmann::ordered_json preset_json(const char* machine, const mmv::config& device, const common_options& common);

machine_facts gemmini_facts();
std::unique_ptr<measured_machine> make_gemmini();
machine_facts tpu_v1_facts();
std::unique_ptr<measured_machine> make_tpu_v1();
machine_facts volta_facts();
std::unique_ptr<measured_machine> make_volta();
machine_facts systolic_rtl_facts();
std::unique_ptr<measured_machine> make_systolic_rtl();
machine_facts ascend_910b_facts();
std::unique_ptr<measured_machine> make_ascend_910b();

} // namespace tensorloom::testbench
