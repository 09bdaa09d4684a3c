#include <tensorloom/models/activity/activity_files.h>

#include <stdexcept>
#include <tensorloom/models/activity/output_file.h>

namespace tensorloom::activity {

std::string event_columns(const program_log& log, const std::string& prefix)
{
    std::string columns;
    const auto& modules = log.modules();
    for (std::size_t m = 0; m < modules.size(); ++m) {
        std::string object = modules[m].object;
        if (!prefix.empty() && object.compare(0, prefix.size(), prefix) == 0) { object.erase(0, prefix.size()); }
        for (std::size_t e = 0; e < modules[m].events.size; ++e) {
            const std::string event = modules[m].events.events[e].name;
            columns += "," + csv_text(m == 0 ? event : object + "." + event);
        }
    }
    return columns;
}

std::string component_columns(const energy_report& energy)
{
    std::string columns;
    for (const auto& component : energy.totals()) { columns += "," + csv_text(component.component + "_pJ"); }
    return columns;
}

namespace {

void write_latency_lines(output_file& file, const std::string& begin, const program_log& log)
{
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& record = log.records()[r];
        file << begin << record.command << "," << csv_text(record.cause) << "," << csv_text(record.phase) << ","
             << record.id << "," << record.detail << "," << record.start_cycle << "," << record.cycles;
        for (std::size_t m = 0; m < log.modules().size(); ++m) {
            const std::uint64_t* counts = log.counts(r, m);
            for (std::size_t e = 0; e < log.modules()[m].events.size; ++e) { file << "," << counts[e]; }
        }
        file << "\n";
    }
}

void write_energy_lines(output_file& file, const std::string& begin, const program_log& log,
                        const energy_report& energy)
{
    if (energy.records() != log.records().size()) {
        throw std::invalid_argument("the energy report is of another log");
    }
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& record = log.records()[r];
        file << begin << record.command << "," << csv_text(record.cause) << "," << csv_text(record.phase) << ","
             << record.id << "," << record.start_cycle << "," << record.cycles;
        const double* pj = energy.record_pj(r);
        for (std::size_t c = 0; c < energy.totals().size(); ++c) { file << "," << pj[c]; }
        file << "," << energy.record_total_pj(r) << "\n";
    }
}

constexpr char latency_columns[] = "command,cause,phase,id,detail,start_cycle,cycles";
constexpr char energy_columns[] = "command,cause,phase,id,start_cycle,cycles";

std::string begin_of(const tabled_program& program)
{
    return csv_text(program.device) + "," + std::to_string(program.run) + "," + csv_text(program.job) + ",";
}

/// What all programs say the same of themselves; nothing without programs.
template <class Columns>
std::string common_columns(const std::vector<tabled_program>& programs, const Columns& columns_of)
{
    if (programs.empty()) { return {}; }
    const std::string columns = columns_of(programs.front());
    for (const auto& program : programs) {
        if (columns_of(program) != columns) { throw std::invalid_argument("programs of different kinds in one table"); }
    }
    return columns;
}

} // namespace

void write_latency_csv(const std::string& path, const program_log& log)
{
    output_file file(path);
    file << latency_columns << event_columns(log, {}) << "\n";
    write_latency_lines(file, {}, log);
    file.commit();
}

void write_energy_csv(const std::string& path, const program_log& log, const energy_report& energy)
{
    output_file file(path);
    file << energy_columns << component_columns(energy) << ",total_pJ\n";
    write_energy_lines(file, {}, log, energy);
    file.commit();
}

void write_latency_csv(const std::string& path, const std::vector<tabled_program>& programs)
{
    const auto columns =
        common_columns(programs, [](const tabled_program& p) { return event_columns(*p.log, p.log->device() + "."); });
    output_file file(path);
    file << "device,run,job," << latency_columns << columns << "\n";
    for (const auto& program : programs) { write_latency_lines(file, begin_of(program), *program.log); }
    file.commit();
}

void write_energy_csv(const std::string& path, const std::vector<tabled_program>& programs)
{
    const auto columns = common_columns(programs, [](const tabled_program& p) { return component_columns(*p.energy); });
    output_file file(path);
    file << "device,run,job," << energy_columns << columns << ",total_pJ\n";
    for (const auto& program : programs) { write_energy_lines(file, begin_of(program), *program.log, *program.energy); }
    file.commit();
}

} // namespace tensorloom::activity
