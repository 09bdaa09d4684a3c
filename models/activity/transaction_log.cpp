#include <tensorloom/models/activity/transaction_log.h>

#include <algorithm>

namespace tensorloom::activity {

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
    const std::uint64_t latency = r.end_ps < r.begin_ps ? 0 : r.end_ps - r.begin_ps; // less only against the protocol
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

} // namespace tensorloom::activity
