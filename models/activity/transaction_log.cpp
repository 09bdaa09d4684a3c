#include <tensorloom/models/activity/transaction_log.h>
#include <algorithm>
#include <array>
#include <iterator>
#include <tensorloom/models/activity/output_file.h>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::activity {

void busy_time::add(std::uint64_t begin, std::uint64_t end, std::uint64_t settled)
{
    if (begin < end) {
        auto at = m_pending.upper_bound(begin);
        if (at != m_pending.begin() && std::prev(at)->second >= begin) { --at; }
        while (at != m_pending.end() && at->first <= end) {
            begin = std::min(begin, at->first);
            end = std::max(end, at->second);
            at = m_pending.erase(at);
        }
        m_pending.emplace_hint(at, begin, end);
    }
    if (settled <= m_settled) { return; }
    m_settled = settled;
    while (!m_pending.empty() && m_pending.begin()->second < settled) {
        m_closed += m_pending.begin()->second - m_pending.begin()->first;
        m_pending.erase(m_pending.begin());
    }
}

std::uint64_t busy_time::total() const
{
    std::uint64_t total = m_closed;
    for (const auto& [begin, end] : m_pending) { total += end - begin; }
    return total;
}

std::size_t transaction_log::attach(const std::string& recorder)
{
    m_recorders.push_back({});
    m_recorders.back().name = recorder;
    return m_recorders.size() - 1;
}

void transaction_log::connected(std::size_t recorder, const std::string& initiator)
{
    m_recorders.at(recorder).initiator = initiator;
}

void transaction_log::log(std::size_t recorder, const bus::transaction_record& r)
{
    auto& state = m_recorders.at(recorder);
    auto& t = state.totals;
    const bool ok = r.status == bus::transfer_status::ok;
    const std::uint64_t latency =
        r.end_ps < r.begin_ps ? 0 : r.end_ps - r.begin_ps; // less only when the protocol is violated
    t.latency_min_ps = t.transactions == 0 ? latency : std::min(t.latency_min_ps, latency);
    t.latency_max_ps = std::max(t.latency_max_ps, latency);
    t.latency_sum_ps += latency;
    ++t.transactions;
    if (!ok) { ++t.errors; }
    if (r.command == bus::transfer_command::read) {
        ++t.reads;
        if (ok) { t.bytes_read += r.bytes; }
    } else if (r.command == bus::transfer_command::write) {
        ++t.writes;
        if (ok) { t.bytes_written += r.bytes; }
    }
    state.busy.add(r.begin_ps, r.end_ps, r.settled_ps);
    if (m_records.size() < m_most_records) {
        m_records.push_back({recorder, r});
    } else {
        ++state.dropped;
    }
}

void transaction_log::debug(std::size_t recorder, std::uint32_t bytes)
{
    auto& t = m_recorders.at(recorder).totals;
    ++t.debug_calls;
    t.debug_bytes += bytes;
}

void transaction_log::dmi_request(std::size_t recorder, bool granted)
{
    auto& t = m_recorders.at(recorder).totals;
    ++t.dmi_requests;
    if (granted) { ++t.dmi_grants; }
}

void transaction_log::dmi_invalidation(std::size_t recorder) { ++m_recorders.at(recorder).totals.dmi_invalidations; }

traffic_totals transaction_log::totals(std::size_t recorder) const
{
    traffic_totals t = m_recorders.at(recorder).totals;
    t.busy_ps = m_recorders.at(recorder).busy.total();
    return t;
}

const char* text_of(bus::transfer_command command)
{
    switch (command) {
    case bus::transfer_command::read: return "read";
    case bus::transfer_command::write: return "write";
    default: return "ignore";
    }
}

const char* text_of(bus::transfer_status status)
{
    switch (status) {
    case bus::transfer_status::ok: return "ok";
    case bus::transfer_status::generic_error: return "generic_error";
    case bus::transfer_status::address_error: return "address_error";
    case bus::transfer_status::command_error: return "command_error";
    case bus::transfer_status::burst_error: return "burst_error";
    case bus::transfer_status::byte_enable_error: return "byte_enable_error";
    default: return "incomplete";
    }
}

void write_transactions_csv(const std::string& path, const transaction_log& log)
{
    output_file file(path);
    file << "recorder,initiator,transport,command,address,bytes,status,begin_ps,end_request_ps,begin_response_ps,"
            "end_ps\n";
    for (const auto& [recorder, r] : log.records()) {
        file << csv_text(log.name(recorder)) << "," << csv_text(log.initiator(recorder)) << ","
             << (r.kind == bus::transfer_kind::blocking ? "blocking" : "phases") << "," << text_of(r.command) << ","
             << base::hexadecimal(r.address) << "," << r.bytes << "," << text_of(r.status) << "," << r.begin_ps << ",";
        if (r.kind == bus::transfer_kind::phases) { file << r.end_request_ps << "," << r.begin_response_ps; }
        if (r.kind == bus::transfer_kind::blocking) { file << ","; }
        file << "," << r.end_ps << "\n";
    }
    file.commit();
}

namespace {

// In a text in quotes, which knows no escapes.
std::string quoted(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '"' || c == '\n' || c == '\r'; }, '_');
    return '"' + text + '"';
}

} // namespace

void write_transactions_scv(const std::string& path, const transaction_log& log)
{
    constexpr std::array<bus::transfer_command, 3> commands{bus::transfer_command::read, bus::transfer_command::write,
                                                            bus::transfer_command::ignore};
    // Streams have the numbers of recorders, from 1 on; generators follow, those of a recorder one after the other.
    const auto generator = [&](std::size_t recorder, bus::transfer_command command) {
        return 1 + log.recorders() + commands.size() * recorder + static_cast<std::size_t>(command);
    };
    output_file file(path);
    for (std::size_t n = 0; n < log.recorders(); ++n) {
        file << "scv_tr_stream (ID " << n + 1 << ", name " << quoted(log.name(n)) << ", kind \"[TLM]\")\n";
    }
    for (std::size_t n = 0; n < log.recorders(); ++n) {
        for (const auto command : commands) {
            file << "scv_tr_generator (ID " << generator(n, command) << ", name \"" << text_of(command)
                 << "\", scv_tr_stream " << n + 1 << ",\n)\n";
        }
    }
    std::uint64_t number = 0;
    for (const auto& [recorder, r] : log.records()) {
        const auto attribute = [&, id = number + 1](const char* name, const char* type) -> output_file& {
            file << "tx_record_attribute " << id << " \"" << name << "\" " << type << " = ";
            return file;
        };
        const auto at = [&, id = number + 1, from = generator(recorder, r.command)](const char* what,
                                                                                    std::uint64_t ps) {
            file << what << " " << id << " " << from << " " << ps << " ps\n";
        };
        const bool phases = r.kind == bus::transfer_kind::phases;
        at("tx_begin", r.begin_ps);
        attribute("initiator", "STRING") << quoted(log.initiator(recorder)) << "\n";
        attribute("transport", "STRING") << (phases ? "\"phases\"" : "\"blocking\"") << "\n";
        attribute("address", "UNSIGNED") << r.address << "\n";
        attribute("bytes", "UNSIGNED") << r.bytes << "\n";
        attribute("status", "STRING") << "\"" << text_of(r.status) << "\"\n";
        if (phases) {
            attribute("end_request", "TIME") << "\"" << r.end_request_ps << " ps\"\n";
            attribute("begin_response", "TIME") << "\"" << r.begin_response_ps << " ps\"\n";
        }
        at("tx_end", r.end_ps);
        ++number;
    }
    file.commit();
}

void write_traffic_csv(const std::string& path, const transaction_log& log)
{
    output_file file(path);
    file
        << "recorder,initiator,transactions,reads,writes,bytes_read,bytes_written,errors,busy_ps,latency_min_ps,"
           "latency_mean_ps,latency_max_ps,debug_calls,debug_bytes,dmi_requests,dmi_grants,dmi_invalidations,dropped\n";
    for (std::size_t n = 0; n < log.recorders(); ++n) {
        const auto t = log.totals(n);
        file << csv_text(log.name(n)) << "," << csv_text(log.initiator(n)) << "," << t.transactions << "," << t.reads
             << "," << t.writes << "," << t.bytes_read << "," << t.bytes_written << "," << t.errors << "," << t.busy_ps
             << "," << t.latency_min_ps << "," << t.latency_mean_ps() << "," << t.latency_max_ps << "," << t.debug_calls
             << "," << t.debug_bytes << "," << t.dmi_requests << "," << t.dmi_grants << "," << t.dmi_invalidations
             << "," << log.dropped(n) << "\n";
    }
    file.commit();
}

} // namespace tensorloom::activity
