#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <systemc>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/tlm/host_thread.h>
#include "platform/run/device_runs.h"
#include "platform/run/die.h"
#include "platform/run/program_costs.h"
#include "platform/process/process_resources.h"
#include "platform/process/progress.h"
#include "platform/system/testbed_platform.h"
#include "platform/run/simulated_session.h"
#include "platform/options/testbench_options.h"

namespace tensorloom::testbench {

/// Limits of a run of a custom program.
struct run_limits {
    std::uint64_t cycles = std::numeric_limits<std::uint64_t>::max();  ///< of each program
    std::uint64_t records = std::numeric_limits<std::uint64_t>::max(); ///< of all logs; run_testbeds() throws above it
};

/// Settings of a testbed that are not options.
struct testbed_settings {
    std::uint64_t memory_bytes = 0; ///< size of the memory on the bus, if it is an SRAM
    activity::log_detail detail = activity::log_detail::totals;
    std::size_t expected_records = 0; ///< per program: their memory is allocated at its start
    run_limits limits;
    std::string range_remedy;  ///< remedy for numbers out of range: if given, the result
                               ///< is wrong, else the device has failed
    progress* shown = nullptr; ///< gets the progress of the device, if nothing else shows progress
    std::function<void(const bus::log_record&)> observer; ///< sees every record of the device, if given
};

/// Throws base::input_error when the technology misses a number of the energy or area of the memory on the bus.
void require_memory_costs(const platform_options& around, const costs::technology& technology);

/// A platform by the options, whose SRAM and router run at the device's clock. `memory_bytes`: of the memory, if it is
/// an SRAM; `traffic`: gets its accesses, if given.
platform_config platform_config_of(const common_options& common, std::uint64_t memory_bytes,
                                   bus::transaction_sink* traffic);

/// Converts a device's report about a program to an exception of the testbench. `range_remedy`: testbed_settings'.
[[noreturn]] void end_with(const workloads::program_error& error, const std::string& range_remedy);

/// Size of the memory of a run that used so many bytes of it: of the DRAM; or of the SRAM that energy is charged for,
/// the smallest one in powers of two from 64 KiB on.
std::uint64_t charged_memory_bytes(const platform_options& around, std::uint64_t used_bytes);

/// Simulates until the programs of all hosts are done; the resources of the simulation. Throws what a program threw;
/// isa::device_failure if one is not done at the end.
process_usage simulate(const std::vector<const bus::host_thread*>& hosts);

/// A separate platform with one device, and its results. Several can be in one simulation. device_testbed defines the
/// kind of device.
class testbed {
public:
    virtual ~testbed();
    testbed(const testbed&) = delete;
    testbed& operator=(const testbed&) = delete;

    /// charged_memory_bytes(), with room for the largest program and the data of the runs. The simulated SRAM is
    /// larger, because the need of a run is known only afterwards; cycles do not depend on it.
    std::uint64_t memory_bytes() const { return charged_memory_bytes(m_around, m_memory_used); }
    const device_runs& runs() const;
    std::size_t programs() const { return runs().all().size(); } ///< number of programs run so far
    /// For one program, before it starts: device_runs::take_excerpt().
    void take_excerpt(std::size_t program, std::function<bool(const bus::log_record&)> wanted);
    double clock_period_ns() const { return m_clock_period_ns; }

    /// Energy models of device and memory: a DRAM, or an SRAM of memory_bytes(). `device`: by its event table.
    /// Throws base::input_error for missing entries of the technology.
    std::vector<activity::module_energy> energy_models(const costs::technology& technology,
                                                       const costs::energy_model& device) const;
    /// The die of the device, by its floor plan, and of the memory if it is an SRAM. Throws likewise.
    die die_with(const costs::technology& technology, const costs::floor_plan& device) const;

protected:
    /// `name`: of the platform in the simulation.
    testbed(const std::string& name, const common_options& common, const testbed_settings& settings);

    platform_config platform_settings(const common_options& common, const testbed_settings& settings) const;
    /// Of each program.
    static std::uint64_t timeout_ns(const common_options& common, const run_limits& limits);
    bus::activity_sink* sink();
    void note_memory_used(std::uint64_t bytes) { m_memory_used = bytes; }
    /// In the host's thread, between programs: waits for the next instant at which all clocks begin a period together;
    /// there the timing of memory and transfers restarts, and runs() are empty. What follows takes the time that it
    /// takes in a simulation of its own. Memories keep their contents.
    void begin_afresh(bus::host_thread& cpu);

private:
    class watched_runs;
    friend process_usage run_testbeds(const std::vector<testbed*>& testbeds, const common_options& common,
                                      const std::function<void(sc_core::sc_trace_file&)>& trace_first);

    virtual platform& around() = 0;
    virtual void restart_device() = 0;
    virtual void take_down() = 0;   ///< destroys the platform after the run
    virtual void leave_alive() = 0; ///< leaves it alive until the process ends

    std::string m_name;
    double m_clock_period_ns;
    platform_options m_around;
    std::uint64_t m_memory_used = 0;
    std::unique_ptr<activity::address_trace> m_address_trace; // of the memory, where one was asked for
    std::unique_ptr<watched_runs> m_runs;
};

/// Costs of programs of a device, with its counts.
template <class Counts> struct device_costs : program_costs {
    Counts counts;
};

/// The testbed of a device. Traits: of the device (models/<device>/device.h).
template <class Traits> class device_testbed : public testbed {
public:
    using config_type = typename Traits::config;
    using session_type = session_of_device<Traits>;
    using counts_type = typename Traits::counts;
    using program_type = std::function<void(session_type&)>;

    /// Elaboration. `program`: the host's program for the device. A device's report that the program does not catch
    /// becomes a wrong_result or an isa::device_failure; the latter also if a program is not done within limits.cycles.
    device_testbed(const std::string& name, const config_type& device, const common_options& common,
                   const testbed_settings& settings, program_type program)
        : device_testbed(name, device, common, settings,
                         on_session(*this, device, common.platform.memory_bytes(settings.memory_bytes),
                                    settings.range_remedy, timeout_ns(common, settings.limits), std::move(program)))
    {}
    /// The same with a program that drives the device directly.
    device_testbed(const std::string& name, const config_type& device, const common_options& common,
                   const testbed_settings& settings, bus::host_thread::program_type program)
        : testbed(name, common, settings), m_config(device),
          m_platform(std::make_unique<testbed_platform<Traits>>(
              name.c_str(), device, platform_settings(common, settings), std::move(program), sink()))
    {}

    const config_type& device() const { return m_config; }

    /// For a program that drives the device directly, in its thread and as often as needed: runs `program` with the
    /// cycles, counts and costs that it has in a simulation of its own; runs() and memory_bytes() are then of this
    /// program alone. `memory_bytes`: as in the settings. Throws as the constructor with such a program does.
    void run_afresh(bus::host_thread& cpu, const common_options& common, std::uint64_t memory_bytes,
                    const program_type& program)
    {
        begin_afresh(cpu);
        on_session(*this, m_config, common.platform.memory_bytes(memory_bytes), {}, timeout_ns(common, {}),
                   program)(cpu);
    }

    /// Accesses of the banks of the device's memories, after the simulation: device_shell's.
    const std::vector<base::counted_memory>& counted_memories() const { return m_counted; }

    /// Argument of run_testbeds() to trace the device, with the arguments of its trace() besides the file.
    template <class... Watched> std::function<void(sc_core::sc_trace_file&)> waveform(const Watched&... watched) const
    {
        return [&device = m_platform->device, watched...](sc_core::sc_trace_file& file) {
            device.trace(file, watched...);
        };
    }

    /// Costs of the programs `first` to `end` - 1.
    device_costs<counts_type> costs(std::size_t first, std::size_t end,
                                    const std::vector<activity::module_energy>& models) const
    {
        device_costs<counts_type> costs;
        static_cast<program_costs&>(costs) = program_costs_of(runs(), first, end, clock_period_ns(), models);
        add_device_counts(runs(), first, end, costs.counts.data());
        return costs;
    }

private:
    static bus::host_thread::program_type on_session(device_testbed& self, const config_type& device,
                                                     std::uint64_t bytes, const std::string& remedy,
                                                     std::uint64_t timeout_ns, program_type program)
    {
        return [&self, device, bytes, remedy, timeout_ns, run = std::move(program)](bus::host_thread& cpu) {
            simulated_session<Traits> session(cpu, device_base, device, memory_base, bytes, timeout_ns);
            try {
                run(session);
            } catch (const workloads::program_error& e) {
                end_with(e, remedy);
            }
            self.note_memory_used(session.used_bytes());
        };
    }

    // testbed
    platform& around() override { return *m_platform; }
    void restart_device() override { m_platform->device.restart_transfers(); }
    void take_down() override
    {
        m_counted = m_platform->device.counted_memories();
        m_platform.reset();
    }
    void leave_alive() override
    {
        m_counted = m_platform->device.counted_memories();
        static_cast<void>(m_platform.release());
    }

    config_type m_config;
    std::unique_ptr<testbed_platform<Traits>> m_platform;
    std::vector<base::counted_memory> m_counted;
};

/// Start of data in the memory of every testbed whose programs use the runtime.
inline constexpr std::uint64_t data_base = memory_base + session_memory::program_bytes;

/// Throws base::input_error when a limit on the address space is too low for the memories of the device and the
/// platform. Both are reserved when the platform is built, and allocated page by page when they are used.
void require_addresses(const std::string& device_memory, std::uint64_t device_bytes, std::uint64_t memory_bytes);

/// Simulates until the programs of all testbeds are done, with the waveform of the first one if requested:
/// `trace_first` adds its signals. Returns the resources of the simulation. The platforms are then destroyed, except
/// detailed ones, which stay until the process ends (a large mesh takes long to destroy). Throws a program's exception,
/// isa::device_failure if one is not done at the end, and base::input_error when a log exceeds its limit.
process_usage run_testbeds(const std::vector<testbed*>& testbeds, const common_options& common,
                           const std::function<void(sc_core::sc_trace_file&)>& trace_first);

} // namespace tensorloom::testbench
