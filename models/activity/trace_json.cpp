#include <tensorloom/models/activity/trace_json.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <nlohmann/json.hpp>
#include <tensorloom/models/activity/output_file.h>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::activity {

namespace {

std::string json_text(std::string_view text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Writes trace events. Slices are pairs of begin and end: viewers round times to whole nanoseconds, and begins and
/// ends stay nested under such rounding, unlike a begin with a duration. Names are JSON, times are ps.
class trace_writer {
public:
    explicit trace_writer(const std::string& path) : m_file(path)
    {
        m_file << "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
    }

    /// The following events belong to this process.
    void new_process(std::string_view name)
    {
        m_file << (m_processes.empty() ? "\n" : ",\n");
        m_processes.push_back({std::string(name), {}});
        m_process = static_cast<std::uint32_t>(m_processes.size());
        m_file << "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":" << m_process
               << ",\"tid\":1,\"args\":{\"name\":" << json_text(name)
               << "}},\n{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":" << m_process
               << ",\"tid\":1,\"args\":{\"sort_index\":" << m_process << "}}";
    }

    /// Likewise for a process that may already exist.
    void process(std::string_view name)
    {
        const auto same =
            std::find_if(m_processes.begin(), m_processes.end(), [&](const auto& p) { return p.name == name; });
        if (same == m_processes.end()) {
            new_process(name);
        } else {
            m_process = static_cast<std::uint32_t>(same - m_processes.begin()) + 1;
        }
    }

    /// A track of the process, new or existing.
    unsigned track(std::string_view name)
    {
        auto& tracks = m_processes[m_process - 1].tracks;
        const auto [entry, is_new] = tracks.emplace(name, static_cast<unsigned>(tracks.size()) + 1);
        const std::uint32_t track = entry->second;
        if (!is_new) { return track; }
        for (const auto* kind : {"thread_name", "thread_sort_index"}) {
            m_file << ",\n{\"name\":\"" << kind << "\",\"ph\":\"M\",\"pid\":" << m_process << ",\"tid\":" << track
                   << ",\"args\":{";
            if (kind == std::string_view("thread_name")) {
                m_file << "\"name\":" << json_text(name);
            } else {
                m_file << "\"sort_index\":" << track;
            }
            m_file << "}}";
        }
        return track;
    }

    /// `write_arguments` gets the file and writes members of a JSON object.
    template <class Arguments>
    void begin(unsigned track, std::string_view name, std::uint64_t ps, Arguments write_arguments)
    {
        m_file << ",\n{\"name\":" << name << ",\"ph\":\"B\",\"pid\":" << m_process
               << ",\"tid\":" << std::uint32_t{track} << ",\"ts\":";
        time(ps);
        m_file << ",\"args\":{";
        write_arguments(m_file);
        m_file << "}}";
    }

    void end(unsigned track, std::uint64_t ps)
    {
        m_file << ",\n{\"ph\":\"E\",\"pid\":" << m_process << ",\"tid\":" << std::uint32_t{track} << ",\"ts\":";
        time(ps);
        m_file << "}";
    }

    void counter(std::string_view name, std::string_view unit, std::uint64_t ps, double value)
    {
        m_file << ",\n{\"name\":\"" << name << "\",\"ph\":\"C\",\"pid\":" << m_process << ",\"ts\":";
        time(ps);
        m_file << ",\"args\":{\"" << unit << "\":";
        number(m_file, value);
        m_file << "}}";
    }

    static void number(output_file& file, double value)
    {
        if (std::isfinite(value)) {
            file << value;
        } else {
            file << "null";
        }
    }

    void commit()
    {
        m_file << "\n]}\n";
        m_file.commit();
    }

private:
    struct process_tracks {
        std::string name;
        std::map<std::string, unsigned, std::less<>> tracks; // track number by name, from 1
    };

    /// Picoseconds as microseconds, exactly.
    void time(std::uint64_t ps)
    {
        m_file << ps / 1'000'000;
        std::uint64_t rest = ps % 1'000'000;
        if (rest == 0) { return; }
        char digits[8] = ".000000";
        for (int i = 6; i > 0; --i, rest /= 10) { digits[i] = static_cast<char>('0' + rest % 10); }
        m_file << std::string_view(digits, 7);
    }

    output_file m_file;
    std::vector<process_tracks> m_processes;
    std::uint32_t m_process = 0; // number of the current process, from 1
};

// ---- a device ----

/// One or several records of a log as a slice of time.
struct slice {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::size_t first = 0; // records
    std::size_t last = 0;
};

/// Merges consecutive records with the same key into one slice.
template <class Key> std::vector<slice> runs(const std::vector<phase_record>& records, Key key)
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

/// The process of one device; times are its cycles.
class device_trace {
public:
    device_trace(trace_writer& file, const traced_device& device, std::uint64_t start_ps)
        : m_file(file), m_device(device), m_start_ps(start_ps),
          m_period_ps(std::max<std::uint64_t>(
              1, static_cast<std::uint64_t>(std::llround(device.energy->clock_period_ns() * 1000))))
    {
        m_file.process(log().device());
    }

    const program_log& log() const { return *m_device.log; }
    std::string job_name() const { return json_text(m_device.job.empty() ? "job" : "job " + m_device.job); }
    double pj(std::size_t record) const { return m_device.energy->record_total_pj(record); }

    unsigned track(std::string_view name) { return m_file.track(name); }

    void begin(unsigned track, std::string_view name, std::uint64_t cycle, std::uint64_t cycles, double energy_pj)
    {
        m_file.begin(track, name, at(cycle), [&](output_file& file) {
            file << "\"start_cycle\":" << cycle << ",\"cycles\":" << cycles << ",\"pJ\":";
            trace_writer::number(file, energy_pj);
        });
    }
    void begin(unsigned track, std::string_view name, const slice& s)
    {
        double energy_pj = 0;
        for (std::size_t r = s.first; r <= s.last; ++r) { energy_pj += pj(r); }
        begin(track, name, s.begin, s.end - s.begin, energy_pj);
    }
    void end(unsigned track, std::uint64_t cycle) { m_file.end(track, at(cycle)); }

    void power(std::uint64_t cycle, double mw) { m_file.counter("power", "mW", at(cycle), mw); }
    void utilisation(std::uint64_t cycle, double share)
    {
        const auto& utilisation = m_device.utilisation;
        if (utilisation.share) { m_file.counter("utilisation", utilisation.unit, at(cycle), share); }
    }
    double utilisation_of(std::size_t record) const
    {
        return m_device.utilisation.share ? m_device.utilisation.share(record) : 0;
    }

    double ns(std::uint64_t cycles) const
    {
        return static_cast<double>(cycles) * static_cast<double>(m_period_ps) * 1e-3;
    }

private:
    std::uint64_t at(std::uint64_t cycle) const { return m_start_ps + cycle * m_period_ps; }

    trace_writer& m_file;
    const traced_device& m_device;
    std::uint64_t m_start_ps;
    std::uint64_t m_period_ps;
};

/// Name of a command where its records show it: "command 3: matmul"; else its number.
std::string command_name(const std::vector<phase_record>& records, const slice& command)
{
    std::set<std::string_view> told;
    for (std::size_t r = command.first; r <= command.last; ++r) {
        const auto& record = records[r];
        if (record.phase != record.cause || (record.cause != "fetch" && record.cause != "other")) {
            told.insert(record.phase);
        }
    }
    const std::string number = "command " + std::to_string(records[command.first].command);
    return told.size() == 1 ? number + ": " + std::string(*told.begin()) : number;
}

/// The device's own track: job > command > cause. A cause that begins before the previous one has ended goes to another
/// track.
void write_device_tracks(device_trace& trace)
{
    const program_log& log = trace.log();
    const auto& records = log.records();
    const unsigned device = trace.track("device");
    if (records.empty()) {
        trace.begin(device, trace.job_name(), 0, log.cycles(), 0);
        trace.end(device, log.cycles());
        return;
    }
    const auto causes = runs(records, [](const phase_record& r) { return std::make_pair(r.command, r.cause); });
    std::vector<std::pair<unsigned, std::uint64_t>> overflow; // track, busy until
    std::vector<std::pair<slice, unsigned>> moved;
    std::uint64_t command_end = 0;
    std::uint64_t busy_until = 0;
    std::size_t next = 0;

    trace.begin(device, trace.job_name(), slice{log.begin_cycle(), log.cycles(), 0, records.size() - 1});
    for (auto command : runs(records, [](const phase_record& r) { return r.command; })) {
        command.begin = std::max(command.begin, command_end);
        command.end = std::max(command.begin, command.end);
        command_end = command.end;
        trace.begin(device, json_text(command_name(records, command)), command);
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
        const unsigned track = trace.track("device, overlapped " + std::to_string(t + 1));
        for (const auto& [cause, index] : moved) {
            if (index != t) { continue; }
            trace.begin(track, json_text(records[cause.first].cause), cause);
            trace.end(track, cause.end);
        }
    }
}

using phase_name = std::pair<std::string_view, std::string_view>; // cause and phase

/// The phases with steps. In other phases all records have step number 0.
std::set<phase_name> phases_of_steps(const std::vector<phase_record>& records)
{
    std::set<phase_name> found;
    for (const auto& r : records) {
        if (r.id != 0) { found.insert({r.cause, r.phase}); }
    }
    return found;
}

/// A track per named part of a cause: phase > step, or only the phase where it has no steps, once per record.
void write_phase_tracks(device_trace& trace)
{
    const auto& records = trace.log().records();
    const auto stepped = phases_of_steps(records);
    std::map<phase_name, unsigned> tracks;
    for (const auto& phase :
         runs(records, [](const phase_record& r) { return std::make_tuple(r.command, r.cause, r.phase); })) {
        const auto& head = records[phase.first];
        if (head.phase == head.cause) { continue; }
        const phase_name key(head.cause, head.phase);
        auto track = tracks.find(key);
        if (track == tracks.end()) {
            track = tracks.emplace(key, trace.track(std::string(head.cause) + ": " + std::string(head.phase))).first;
        }
        const bool of_steps = stepped.count(key) != 0;
        std::string name = json_text(head.phase);
        if (of_steps) { trace.begin(track->second, name, phase); }
        for (std::size_t r = phase.first; r <= phase.last; ++r) {
            if (of_steps) { name = "\"step " + std::to_string(records[r].id) + '"'; }
            trace.begin(track->second, name, records[r].start_cycle, records[r].cycles, trace.pj(r));
            trace.end(track->second, records[r].end_cycle());
        }
        if (of_steps) { trace.end(track->second, phase.end); }
    }
}

/// The change of a counter at a cycle: a record's work begins or ends.
struct counter_step {
    std::uint64_t cycle = 0;
    int working = 0; // number of records: +1 or -1
    double mw = 0;
    double utilisation = 0;
};

/// A record with energy but no cycles is shown in the cycle before it, since power needs a duration.
void add_steps(std::vector<counter_step>& steps, const device_trace& trace, std::size_t record)
{
    const auto& r = trace.log().records()[record];
    const double pj = trace.pj(record);
    if (r.busy_cycles == 0 && pj == 0) { return; }
    const std::uint64_t begin = r.busy_cycles > 0 ? r.busy_start_cycle : std::max<std::uint64_t>(r.start_cycle, 1) - 1;
    const std::uint64_t cycles = std::max<std::uint64_t>(r.busy_cycles, 1);
    const double mw = pj / trace.ns(cycles);
    const double share = trace.utilisation_of(record);
    steps.push_back({begin, 1, mw, share});
    steps.push_back({begin + cycles, -1, -mw, -share});
}

/// Sums over the records in progress; units work in parallel.
void write_counters(device_trace& trace)
{
    const program_log& log = trace.log();
    std::vector<counter_step> steps;
    for (std::size_t r = 0; r < log.records().size(); ++r) { add_steps(steps, trace, r); }
    std::stable_sort(steps.begin(), steps.end(), [](const counter_step& a, const counter_step& b) {
        return std::tie(a.cycle, a.working) < std::tie(b.cycle, b.working);
    });
    counter_step now;
    for (std::size_t s = 0; s < steps.size(); ++s) {
        now.working += steps[s].working;
        // Exactly 0 when no record is in progress, without rounding errors of earlier sums.
        now.mw = now.working == 0 ? 0 : now.mw + steps[s].mw;
        now.utilisation = now.working == 0 ? 0 : now.utilisation + steps[s].utilisation;
        if (s + 1 < steps.size() && steps[s + 1].cycle == steps[s].cycle) { continue; }
        trace.power(steps[s].cycle, now.mw);
        trace.utilisation(steps[s].cycle, now.utilisation);
    }
}

void write_device(trace_writer& file, const traced_device& device, std::uint64_t start_ps)
{
    device_trace trace(file, device, start_ps);
    write_device_tracks(trace);
    write_phase_tracks(trace);
    write_counters(trace);
}

void check_same(const traced_device& device)
{
    if (device.energy->records() != device.log->records().size()) {
        throw std::invalid_argument("the energy report is of another log");
    }
}

// ---- recorders ----

void write_transaction(trace_writer& file, unsigned track, const bus::transaction_record& r)
{
    std::string name = std::string("\"") + text_of(r.command);
    if (r.status != bus::transfer_status::ok) { (name += ' ') += text_of(r.status); }
    name += '"';
    file.begin(track, name, r.begin_ps, [&](output_file& f) {
        f << "\"address\":\"" << base::hexadecimal(r.address) << "\",\"bytes\":" << r.bytes << ",\"status\":\""
          << text_of(r.status) << "\"";
    });
    const std::uint64_t end_ps = std::max(r.begin_ps, r.end_ps);
    if (r.kind == bus::transfer_kind::phases) {
        const auto within = [&](std::uint64_t ps) { return std::clamp(ps, r.begin_ps, end_ps); };
        const auto nothing = [](output_file&) {};
        const std::uint64_t end_request_ps = within(r.end_request_ps);
        file.begin(track, "\"request\"", r.begin_ps, nothing);
        file.end(track, end_request_ps);
        file.begin(track, "\"response\"", std::max(end_request_ps, within(r.begin_response_ps)), nothing);
        file.end(track, end_ps);
    }
    file.end(track, end_ps);
}

/// The transactions of a recorder, in the order in which they began. One that begins before the previous one has ended
/// goes to another lane.
void write_recorder(trace_writer& file, const std::string& name, std::vector<const bus::transaction_record*> records)
{
    std::stable_sort(records.begin(), records.end(),
                     [](const auto* a, const auto* b) { return a->begin_ps < b->begin_ps; });
    std::vector<std::pair<unsigned, std::uint64_t>> lanes = {{file.track(name), 0}}; // track, busy until
    for (const auto* r : records) {
        auto lane = std::find_if(lanes.begin(), lanes.end(), [&](const auto& l) { return l.second <= r->begin_ps; });
        if (lane == lanes.end()) {
            const unsigned track = file.track(name + ", lane " + std::to_string(lanes.size() + 1));
            lane = lanes.insert(lanes.end(), {track, 0});
        }
        lane->second = std::max(r->begin_ps, r->end_ps);
        write_transaction(file, lane->first, *r);
    }
}

void write_recorders(trace_writer& file, const transaction_log& log)
{
    std::vector<std::vector<const bus::transaction_record*>> of_recorder(log.recorders());
    for (const auto& entry : log.records()) { of_recorder[entry.recorder].push_back(&entry.record); }
    file.new_process("bus");
    for (std::size_t n = 0; n < of_recorder.size(); ++n) {
        write_recorder(file, log.name(n), std::move(of_recorder[n]));
    }
}

} // namespace

void write_trace_json(const std::string& path, const program_log& log, const energy_report& energy,
                      const utilisation_counter& utilisation)
{
    const traced_device device{&log, &energy, utilisation};
    check_same(device);
    trace_writer file(path);
    write_device(file, device, 0);
    file.commit();
}

void write_trace_json(const std::string& path, const std::vector<traced_device>& devices,
                      const transaction_log* transactions)
{
    for (const auto& device : devices) { check_same(device); }
    trace_writer file(path);
    for (const auto& device : devices) { write_device(file, device, device.log->start_ps()); }
    if (transactions != nullptr && transactions->recorders() > 0) { write_recorders(file, *transactions); }
    file.commit();
}

} // namespace tensorloom::activity
