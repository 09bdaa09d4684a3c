#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/trace_json.h>
#include <tensorloom/models/activity/transaction_log.h>
#include <tensorloom/models/base/values/bank_counts.h>
#include <tensorloom/models/base/values/event_table.h>
#include "platform/run/device_runs.h"
#include "platform/run/die.h"
#include "platform/run/program_costs.h"
#include "platform/process/process_resources.h"
#include "platform/report/report_table.h"
#include "platform/report/run_bound.h"
#include "platform/options/run_files.h"

namespace tensorloom::testbench {

using json = nlohmann::ordered_json;

/// Use of a device's array.
struct array_use {
    std::uint64_t macs = 0;    ///< needed and done
    double macs_per_cycle = 0; ///< peak: its PEs, summed over all devices of a run
    double working_cycles = 0; ///< cycles in which it worked; of several devices the mean weighted by PEs
    const char* pes = "PEs";   ///< name of its units
};

/// Writes the results of a run to the printed table and to summary.json. Cycles, energy, check and simulation are
/// written here for all testbenches; a testbench adds its own lines and fields.
class run_report {
public:
    /// `title`: the first line of the table. The summary begins with schema, testbench, version, the configuration with
    /// all options that were given, and a check that was not done.
    /// `second_source`: of the technology, or empty.
    run_report(const run_options& options, std::string testbench, std::string second_source)
        : m_options(options), m_testbench(std::move(testbench)), m_second_source(std::move(second_source))
    {}
    void begin(const std::string& title, const std::string& schema, json configuration);

    // The table.
    void line(const std::string& name, const std::string& text) { m_table.line(name, text); }
    std::ostream& text() { return m_text; } ///< for output other than lines with a name
    std::string table() const { return m_text.str(); }

    // The summary; fields keep their order.
    json& operator[](const std::string& field) { return m_summary[field]; }
    void fields(const json& more) { m_summary.update(more); }
    const json& summary() const { return m_summary; }

    /// Line and fields: cycles by cause (followed by `more`), and simulated_time_ns.
    void cycles(const program_costs& costs, const std::string& more = {});
    /// The line of the time, followed by `more`.
    void time(double ns, const std::string& more = {});
    /// Lines: utilisation end to end, while the array works, and end to end if all else took no time; what the run is
    /// bound by, with what each resource saves; why the bus idles, if there is one. Fields utilisation,
    /// utilisation_working and bound_by. `dma_ports`: as in bound_of().
    void utilisation(const program_costs& costs, const array_use& use, unsigned dma_ports = 1);
    /// A line for the total, one for each component, and lines for leakage, area, average power and exceeded limits of
    /// the die; the fields of energy_json(), second_source_json() and die_json(). `ns`: time of the run. Where the
    /// technology's second source gives the total or a component more than twice, or less than half, a line has both.
    void energy(const std::vector<costs::component_energy>& components, double ns, const die& on);
    /// The line of the check (passed, failed or not done), followed by `more`.
    void check(const std::optional<bool>& passed, const std::string& more = {});
    /// Resources of the simulation, the last line and field. `macs`: simulated multiply-adds.
    void simulation(const process_usage& usage, std::uint64_t macs);

    const common_options& common() const { return m_options.common; }

private:
    const run_options& m_options;
    std::string m_testbench;
    std::string m_second_source;
    std::ostringstream m_text;
    report_table m_table{m_text};
    json m_summary;
};

/// A value, or null.
template <class T> json or_null(const std::optional<T>& value) { return value ? json(*value) : json(nullptr); }
inline json or_null(bool known, const json& value) { return known ? value : json(nullptr); }

double ns_of(std::uint64_t cycles, const common_options& common);

/// resource, savings, bus_bytes_per_cycle, peak_bus_bytes_per_cycle, bus; `ceiling`: utilisation_ceiling.
json bound_json(const run_bound& bound, double ceiling);
/// {"compute": 1024, "fill": 12}
json causes_json(const cause_list& causes);
/// cycles, cycles_by_cause, simulated_time_ns.
json cycles_json(const program_costs& costs, const common_options& common);
/// energy_pJ with total and components; energy_estimated: components that include an estimate.
json energy_json(const std::vector<costs::component_energy>& components);
/// energy_by_second_source_pJ: the total and the components that the technology's second source changes, or null.
json second_source_json(const std::vector<costs::component_energy>& components);

/// Counts by the names of the events.
json events_json(const base::event_table& events, const std::uint64_t* counts);

/// Writes a document (converted to nlohmann::json, with sorted keys) atomically: a reader sees the old or the new file.
///
/// Numbers read back as the same double (at most 17 digits); those that are not finite are null. Bytes that are not
/// UTF-8 are replaced. base::input_error when the file cannot be written.
void write_summary(const std::filesystem::path& path, const json& document);

/// Writes objects with the same fields as CSV: a line of field names, and one for each object; null is an empty cell.
std::string csv_of(const std::vector<json>& rows);

/// How a device measures the utilisation of a record of its log, 0 to 1.
struct utilisation_measure {
    const char* unit = ""; ///< "of PEs"; see activity::utilisation_counter
    std::function<double(const activity::program_log& log, std::size_t record)> share;
};
/// Counts of the event `mac` / (`macs_per_cycle` x cycles in which the record's unit worked).
utilisation_measure mac_utilisation(const char* unit, std::size_t mac, double macs_per_cycle);

/// A log in a trace, with this measure.
activity::traced_device traced_log(const activity::program_log& log, const activity::energy_report& energy,
                                   const utilisation_measure& utilisation);

/// The programs of a device in the files with a line per record.
struct device_programs {
    std::string name; ///< name in lines
    const device_runs* runs = nullptr;
    std::vector<activity::module_energy> models;
    utilisation_measure utilisation;
    std::vector<std::string> jobs; ///< what each program does; a single name is for all
};

/// latency.csv, energy.csv, events.csv and trace.json of devices, whose programs are numbered from 0 ("run") and named
/// ("job"), and the transactions of recorders.
void write_program_files(const output_directory& directory, const common_options& common,
                         const std::vector<device_programs>& devices,
                         const activity::transaction_log* transactions = nullptr);

/// banks.csv: accesses and stall cycles of each bank of a device's memories, over all programs.
void write_banks_file(const output_directory& directory, const std::vector<base::counted_memory>& memories);

} // namespace tensorloom::testbench
