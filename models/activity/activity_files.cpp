#include <tensorloom/models/activity/activity_files.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <tensorloom/models/activity/output_file.h>

namespace tensorloom::activity {

namespace {

using names = std::vector<std::string>;

names event_names(const program_log& log, const std::string& prefix)
{
    names columns;
    const auto& modules = log.modules();
    for (std::size_t m = 0; m < modules.size(); ++m) {
        std::string object = modules[m].object;
        if (!prefix.empty() && object.compare(0, prefix.size(), prefix) == 0) { object.erase(0, prefix.size()); }
        for (std::size_t e = 0; e < modules[m].events.size; ++e) {
            const std::string event = modules[m].events.events[e].name;
            columns.push_back(m == 0 ? event : object + "." + event);
        }
    }
    return columns;
}

names component_names(const energy_report& energy)
{
    names columns;
    for (const auto& component : energy.totals()) { columns.push_back(component.component + "_pJ"); }
    return columns;
}

// Each preceded by a comma.
std::string text_of(const names& columns)
{
    std::string text;
    for (const auto& name : columns) { text += "," + csv_text(name); }
    return text;
}

/// Maps a program's own columns to those of a table; columns that the program does not have are 0.
class placed_columns {
public:
    placed_columns(const names& own, const names& all) : m_place(all.size(), own.size())
    {
        for (std::size_t c = 0; c < own.size(); ++c) {
            m_place[static_cast<std::size_t>(std::find(all.begin(), all.end(), own[c]) - all.begin())] = c;
        }
    }
    /// `own`: its numbers, followed by a 0.
    template <class Number> void write(output_file& file, const std::vector<Number>& own) const
    {
        for (const std::size_t place : m_place) { file << "," << own[place]; }
    }

private:
    std::vector<std::size_t> m_place;
};

void write_latency_lines(output_file& file, const std::string& begin, const program_log& log,
                         const placed_columns& columns)
{
    std::vector<std::uint64_t> own;
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& record = log.records()[r];
        file << begin << record.command << "," << csv_text(record.cause) << "," << csv_text(record.phase) << ","
             << record.id << "," << record.detail << "," << record.start_cycle << "," << record.cycles;
        own.clear();
        for (std::size_t m = 0; m < log.modules().size(); ++m) {
            const std::uint64_t* counts = log.counts(r, m);
            own.insert(own.end(), counts, counts + log.modules()[m].events.size);
        }
        own.push_back(0);
        columns.write(file, own);
        file << "\n";
    }
}

void write_energy_lines(output_file& file, const std::string& begin, const program_log& log,
                        const energy_report& energy, const placed_columns& columns)
{
    std::vector<double> own;
    if (energy.records() != log.records().size()) {
        throw std::invalid_argument("the energy report is of another log");
    }
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& record = log.records()[r];
        file << begin << record.command << "," << csv_text(record.cause) << "," << csv_text(record.phase) << ","
             << record.id << "," << record.start_cycle << "," << record.cycles;
        const double* pj = energy.record_pj(r);
        own.assign(pj, pj + energy.totals().size());
        own.push_back(0);
        columns.write(file, own);
        file << "," << energy.record_total_pj(r) << "\n";
    }
}

constexpr char latency_columns[] = "command,cause,phase,id,detail,start_cycle,cycles";
constexpr char energy_columns[] = "command,cause,phase,id,start_cycle,cycles";

std::string begin_of(const tabled_program& program)
{
    return csv_text(program.device) + "," + std::to_string(program.run) + "," + csv_text(program.job) + ",";
}

/// The columns of all programs, in order of first appearance.
template <class Names> names all_columns(const std::vector<tabled_program>& programs, const Names& names_of)
{
    names all;
    for (const auto& program : programs) {
        for (auto& name : names_of(program)) {
            if (std::find(all.begin(), all.end(), name) == all.end()) { all.push_back(std::move(name)); }
        }
    }
    return all;
}

names events_of(const tabled_program& program) { return event_names(*program.log, program.log->device() + "."); }
names components_of(const tabled_program& program) { return component_names(*program.energy); }

} // namespace

std::string event_columns(const program_log& log, const std::string& prefix)
{
    return text_of(event_names(log, prefix));
}

std::string component_columns(const energy_report& energy) { return text_of(component_names(energy)); }

void write_latency_csv(const std::string& path, const program_log& log)
{
    const auto columns = event_names(log, {});
    output_file file(path);
    file << latency_columns << text_of(columns) << "\n";
    write_latency_lines(file, {}, log, {columns, columns});
    file.commit();
}

void write_energy_csv(const std::string& path, const program_log& log, const energy_report& energy)
{
    const auto columns = component_names(energy);
    output_file file(path);
    file << energy_columns << text_of(columns) << ",total_pJ\n";
    write_energy_lines(file, {}, log, energy, {columns, columns});
    file.commit();
}

void write_latency_csv(const std::string& path, const std::vector<tabled_program>& programs)
{
    const auto columns = all_columns(programs, events_of);
    output_file file(path);
    file << "device,run,job," << latency_columns << text_of(columns) << "\n";
    for (const auto& program : programs) {
        write_latency_lines(file, begin_of(program), *program.log, {events_of(program), columns});
    }
    file.commit();
}

void write_energy_csv(const std::string& path, const std::vector<tabled_program>& programs)
{
    const auto columns = all_columns(programs, components_of);
    output_file file(path);
    file << "device,run,job," << energy_columns << text_of(columns) << ",total_pJ\n";
    for (const auto& program : programs) {
        write_energy_lines(file, begin_of(program), *program.log, *program.energy, {components_of(program), columns});
    }
    file.commit();
}

void write_events_csv(const std::string& path, const std::vector<const energy_report*>& programs)
{
    std::vector<event_energy> rows;
    std::map<std::tuple<std::string, std::string, std::string, double>, std::size_t> places;
    for (const auto* program : programs) {
        for (const auto& event : program->events()) {
            const auto [place, is_new] =
                places.try_emplace({event.object, event.event, event.component, event.pj}, rows.size());
            if (is_new) {
                rows.push_back(event);
            } else {
                rows[place->second].count += event.count;
            }
        }
    }
    output_file file(path);
    file << "module,model,event,component,count,pJ,estimate\n";
    for (const auto& r : rows) {
        file << csv_text(r.object) << "," << csv_text(r.model) << "," << csv_text(r.event) << ","
             << csv_text(r.component) << "," << r.count << "," << r.pj << (r.estimate ? ",1\n" : ",0\n");
    }
    file.commit();
}

void write_banks_csv(const std::string& path, const std::vector<base::counted_memory>& memories)
{
    output_file file(path);
    file << "memory,bank,accesses,conflict_cycles\n";
    for (const auto& memory : memories) {
        std::size_t number = 0;
        for (const auto& bank : memory.counts.banks()) {
            file << csv_text(memory.name) << "," << number++ << "," << bank.accesses << "," << bank.conflict_cycles
                 << "\n";
        }
    }
    file.commit();
}

} // namespace tensorloom::activity
