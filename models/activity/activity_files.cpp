#include <tensorloom/models/activity/activity_files.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>
#include <nlohmann/json.hpp>
#include <tensorloom/models/activity/output_file.h>

namespace tensorloom::activity {

namespace {

std::string csv_text(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) { return std::string(text); }
    std::string quoted = "\"";
    for (const char c : text) { quoted += c == '"' ? std::string("\"\"") : std::string(1, c); }
    return quoted + "\"";
}

std::string json_text(std::string_view text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void check_same(const job_log& log, const energy_report& energy)
{
    if (energy.records() != log.records().size()) {
        throw std::invalid_argument("the energy report is of another log");
    }
}

/// A row of a log as a slice of time, or several rows in one.
struct slice {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::size_t first = 0; // records
    std::size_t last = 0;
};

/// Records that follow each other and have the same key, as one slice each.
template <class Key> std::vector<slice> runs(const std::vector<job_record>& records, Key key)
{
    std::vector<slice> slices;
    for (std::size_t r = 0; r < records.size(); ++r) {
        const auto& record = records[r];
        if (!slices.empty() && key(records[slices.back().last]) == key(record)) {
            slices.back().end = std::max(slices.back().end, record.end_cycle());
            slices.back().last = r;
        } else {
            slices.push_back({record.start_cycle, record.end_cycle(), r, r});
        }
    }
    return slices;
}

/// Writes the events of a trace. Slices are pairs of begin and end: viewers cut times to whole nanoseconds, and begins and ends
/// stay nested under any such rounding, which a begin with a duration does not.
class trace_writer {
public:
    trace_writer(const std::string& path, const job_log& log, const energy_report& energy)
        : m_file(path), m_energy(energy),
          m_period_ps(
              std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(energy.clock_period_ns() * 1000))))
    {
        m_file << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,"
                  "\"tid\":1,"
                  "\"args\":{\"name\":"
               << json_text(log.device()) << "}}";
    }

    unsigned new_track(std::string_view name)
    {
        const std::uint32_t track = ++m_tracks;
        m_file << ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":" << track
               << ",\"args\":{\"name\":" << json_text(name)
               << "}},\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":" << track
               << ",\"args\":{\"sort_index\":" << track << "}}";
        return track;
    }

    /// `name` is JSON.
    void begin(unsigned track, std::string_view name, std::uint64_t cycle, std::uint64_t cycles, double pj)
    {
        m_file << ",\n{\"name\":" << name << ",\"ph\":\"B\",\"pid\":1,\"tid\":" << std::uint32_t{track} << ",\"ts\":";
        time(cycle);
        m_file << ",\"args\":{\"start_cycle\":" << cycle << ",\"cycles\":" << cycles << ",\"pJ\":";
        number(pj);
        m_file << "}}";
    }

    void end(unsigned track, std::uint64_t cycle)
    {
        m_file << ",\n{\"ph\":\"E\",\"pid\":1,\"tid\":" << std::uint32_t{track} << ",\"ts\":";
        time(cycle);
        m_file << "}";
    }

    void begin(unsigned track, std::string_view name, const slice& s)
    {
        double pj = 0;
        for (std::size_t r = s.first; r <= s.last; ++r) { pj += m_energy.record_total_pj(r); }
        begin(track, name, s.begin, s.end - s.begin, pj);
    }

    void counter(std::string_view name, std::string_view unit, std::uint64_t cycle, double value)
    {
        m_file << ",\n{\"name\":\"" << name << "\",\"ph\":\"C\",\"pid\":1,\"ts\":";
        time(cycle);
        m_file << ",\"args\":{\"" << unit << "\":";
        number(value);
        m_file << "}}";
    }

    double ns(std::uint64_t cycles) const
    {
        return static_cast<double>(cycles) * static_cast<double>(m_period_ps) * 1e-3;
    }

    void commit()
    {
        m_file << "\n]}\n";
        m_file.commit();
    }

private:
    /// Picoseconds as microseconds, exactly.
    void time(std::uint64_t cycle)
    {
        const std::uint64_t ps = cycle * m_period_ps;
        m_file << ps / 1'000'000;
        std::uint64_t rest = ps % 1'000'000;
        if (rest == 0) { return; }
        char digits[8] = ".000000";
        for (int i = 6; i > 0; --i, rest /= 10) { digits[i] = static_cast<char>('0' + rest % 10); }
        m_file << std::string_view(digits, 7);
    }

    void number(double value)
    {
        if (std::isfinite(value)) {
            m_file << value;
        } else {
            m_file << "null";
        }
    }

    output_file m_file;
    const energy_report& m_energy;
    std::uint64_t m_period_ps;
    std::uint32_t m_tracks = 0;
};

/// The device's own track: job > command > cause. A cause that begins before the one before it has ended goes to a further track.
void write_device_tracks(trace_writer& trace, const job_log& log)
{
    const auto& records = log.records();
    const unsigned device = trace.new_track("device");
    if (records.empty()) {
        trace.begin(device, "\"job\"", 0, log.cycles(), 0);
        trace.end(device, log.cycles());
        return;
    }
    const auto causes = runs(records, [](const job_record& r) { return std::make_pair(r.command, r.cause); });
    std::vector<std::pair<unsigned, std::uint64_t>> overflow; // track, busy until
    std::vector<std::pair<slice, unsigned>> moved;
    std::uint64_t command_end = 0;
    std::uint64_t busy_until = 0;
    std::size_t next = 0;

    trace.begin(device, "\"job\"", slice{0, log.cycles(), 0, records.size() - 1});
    for (auto command : runs(records, [](const job_record& r) { return r.command; })) {
        command.begin = std::max(command.begin, command_end);
        command.end = std::max(command.begin, command.end);
        command_end = command.end;
        trace.begin(device, json_text("command " + std::to_string(records[command.first].command)), command);
        for (; next < causes.size() && causes[next].first <= command.last; ++next) {
            const slice& cause = causes[next];
            if (cause.begin >= busy_until && cause.begin >= command.begin) {
                trace.begin(device, json_text(records[cause.first].cause), cause);
                trace.end(device, cause.end);
                busy_until = cause.end;
                continue;
            }
            auto track =
                std::find_if(overflow.begin(), overflow.end(), [&](const auto& t) { return t.second <= cause.begin; });
            if (track == overflow.end()) { track = overflow.insert(overflow.end(), {0, 0}); }
            track->second = cause.end;
            moved.emplace_back(cause, static_cast<unsigned>(track - overflow.begin()));
        }
        trace.end(device, command.end);
    }
    trace.end(device, log.cycles());

    for (std::size_t t = 0; t < overflow.size(); ++t) {
        const unsigned track = trace.new_track("device, overlapped " + std::to_string(t + 1));
        for (const auto& [cause, index] : moved) {
            if (index != t) { continue; }
            trace.begin(track, json_text(records[cause.first].cause), cause);
            trace.end(track, cause.end);
        }
    }
}

/// A track per named part of a cause: phase > step.
void write_phase_tracks(trace_writer& trace, const job_log& log, const energy_report& energy)
{
    const auto& records = log.records();
    std::map<std::pair<std::string_view, std::string_view>, unsigned> tracks;
    for (const auto& phase :
         runs(records, [](const job_record& r) { return std::make_tuple(r.command, r.cause, r.phase); })) {
        const auto& head = records[phase.first];
        if (head.phase == head.cause) { continue; }
        const auto key = std::make_pair(head.cause, head.phase);
        auto track = tracks.find(key);
        if (track == tracks.end()) {
            track =
                tracks.emplace(key, trace.new_track(std::string(head.cause) + ": " + std::string(head.phase))).first;
        }
        trace.begin(track->second, json_text(head.phase), phase);
        std::string name;
        for (std::size_t r = phase.first; r <= phase.last; ++r) {
            name = "\"step ";
            name += std::to_string(records[r].id);
            name += '"';
            trace.begin(track->second, name, records[r].start_cycle, records[r].cycles, energy.record_total_pj(r));
            trace.end(track->second, records[r].end_cycle());
        }
        trace.end(track->second, phase.end);
    }
}

} // namespace

void write_latency_csv(const std::string& path, const job_log& log)
{
    output_file file(path);
    file << "command,cause,phase,id,detail,start_cycle,cycles";
    const auto& modules = log.modules();
    for (std::size_t m = 0; m < modules.size(); ++m) {
        for (std::size_t e = 0; e < modules[m].events.size; ++e) {
            const std::string event = modules[m].events.events[e].name;
            file << "," << csv_text(m == 0 ? event : modules[m].object + "." + event);
        }
    }
    file << "\n";
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& record = log.records()[r];
        file << record.command << "," << csv_text(record.cause) << "," << csv_text(record.phase) << "," << record.id
             << "," << record.detail << "," << record.start_cycle << "," << record.cycles;
        for (std::size_t m = 0; m < modules.size(); ++m) {
            const std::uint64_t* counts = log.counts(r, m);
            for (std::size_t e = 0; e < modules[m].events.size; ++e) { file << "," << counts[e]; }
        }
        file << "\n";
    }
    file.commit();
}

void write_energy_csv(const std::string& path, const job_log& log, const energy_report& energy)
{
    check_same(log, energy);
    output_file file(path);
    file << "command,cause,phase,id,start_cycle,cycles";
    for (const auto& component : energy.totals()) { file << "," << csv_text(component.component + "_pJ"); }
    file << ",total_pJ\n";
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& record = log.records()[r];
        file << record.command << "," << csv_text(record.cause) << "," << csv_text(record.phase) << "," << record.id
             << "," << record.start_cycle << "," << record.cycles;
        const double* pj = energy.record_pj(r);
        for (std::size_t c = 0; c < energy.totals().size(); ++c) { file << "," << pj[c]; }
        file << "," << energy.record_total_pj(r) << "\n";
    }
    file.commit();
}

void write_trace_json(const std::string& path, const job_log& log, const energy_report& energy,
                      const utilisation_of_record& utilisation)
{
    check_same(log, energy);
    trace_writer trace(path, log, energy);
    write_device_tracks(trace, log);
    write_phase_tracks(trace, log, energy);
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& record = log.records()[r];
        if (record.cycles == 0) { continue; } // no time to spread its energy over
        trace.counter("power", "mW", record.start_cycle, energy.record_total_pj(r) / trace.ns(record.cycles));
        if (utilisation) { trace.counter("utilisation", "of active cells", record.start_cycle, utilisation(r)); }
    }
    if (log.cycles() > 0) {
        trace.counter("power", "mW", log.cycles(), 0);
        if (utilisation) { trace.counter("utilisation", "of active cells", log.cycles(), 0); }
    }
    trace.commit();
}

} // namespace tensorloom::activity
