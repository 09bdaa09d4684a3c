#include <tensorloom/tlm/dma_ports.h>
#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>

namespace tensorloom::bus {
namespace {

constexpr std::uint64_t chunks_of_port = 8; // the balance of the ports, against short bursts

std::uint64_t bytes_of(const dma_run* run, const dma_run* end)
{
    std::uint64_t bytes = 0;
    for (; run != end; ++run) { bytes += run->bytes; }
    return bytes;
}

// Does something in the delta cycle after an event's notification.
class turn_method : public sc_core::sc_module {
public:
    turn_method(sc_core::sc_module_name name, const sc_core::sc_event& when, std::function<void()> work)
        : sc_core::sc_module(name), m_work(std::move(work))
    {
        SC_HAS_PROCESS(turn_method);
        SC_METHOD(run);
        sensitive << when;
        dont_initialize();
    }
    const char* kind() const override { return "dma_turn_method"; }

private:
    void run() { m_work(); }
    std::function<void()> m_work;
};

// The runs of a transfer follow each other in dma_ports, which cuts them.
dma_config config_of_port(dma_config config, unsigned ports)
{
    config.overlap_runs = config.overlap_runs || ports > 1;
    return config;
}

} // namespace

dma_ports::dma_ports(const dma_config& config, unsigned ports) : m_config(config)
{
    for (unsigned p = 0; p < ports; ++p) { m_lanes.emplace_back(config_of_port(config, ports)); }
    for (auto& l : m_lanes) { l.engine.count_into(m_counts); }
    if (ports == 1) { return; }
    for (unsigned p = 0; p < ports; ++p) { m_lanes[p].engine.join(*this, p); }
    m_turns = std::make_unique<turn_method>("dma_turns", m_someone_waits, [this] { give_turns(); });
}

dma_result dma_ports::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, const stop_request& stop)
{
    return read({{address, to, bytes}}, stop);
}

dma_result dma_ports::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes,
                            const stop_request& stop)
{
    return write({{address, const_cast<unsigned char*>(from), bytes}}, stop); // targets must not write to it
}

dma_result dma_ports::read(const std::vector<dma_run>& runs, const stop_request& stop)
{
    return m_lanes.size() == 1 ? first().read(runs, stop) : move(tlm::TLM_READ_COMMAND, runs, stop);
}

dma_result dma_ports::write(const std::vector<dma_run>& runs, const stop_request& stop)
{
    return m_lanes.size() == 1 ? first().write(runs, stop) : move(tlm::TLM_WRITE_COMMAND, runs, stop);
}

// ---- several ports ----

dma_result dma_ports::move(tlm::tlm_command command, const std::vector<dma_run>& runs, const stop_request& stop)
{
    if (m_config.overlap_runs) { return move_together(command, runs.data(), runs.data() + runs.size(), stop); }
    dma_result all;
    for (const auto& run : runs) {
        const std::uint64_t before = all.moved;
        all = move_together(command, &run, &run + 1, stop);
        all.moved += before;
        if (!all.ok()) { break; }
    }
    return all;
}

dma_result dma_ports::move_together(tlm::tlm_command command, const dma_run* run, const dma_run* end,
                                    const stop_request& stop)
{
    m_failure_seen.reset();
    deal(run, end);
    const sc_core::sc_time begun = sc_core::sc_time_stamp();
    for (auto& l : m_lanes) {
        if (!l.runs.empty()) { l.engine.begin(command, l.runs.data(), l.runs.data() + l.runs.size(), stop); }
    }
    for (auto& l : m_lanes) {
        if (!l.runs.empty()) { l.result = l.engine.conclude(); }
    }
    add_saved(begun);
    dma_result all = result_of_parts(bytes_of(run, end));
    all.sent = all.ended = all.idle = sc_core::sc_time_stamp();
    return all;
}

// The transfer ends with the last port, whichever that is.
void dma_ports::add_saved(const sc_core::sc_time& begun)
{
    sc_core::sc_time without_bus, without_memory;
    for (const auto& l : m_lanes) {
        if (l.runs.empty()) { continue; }
        const sc_core::sc_time took = l.result.ended - begun;
        const auto saved = l.engine.saved().since(l.saved_before);
        without_bus = std::max(without_bus, took - std::min(took, saved.by_bus));
        without_memory = std::max(without_memory, took - std::min(took, saved.by_memory));
    }
    const sc_core::sc_time took = sc_core::sc_time_stamp() - begun;
    m_saved += {took - without_bus, took - without_memory};
}

void dma_ports::deal(const dma_run* run, const dma_run* end)
{
    for (auto& l : m_lanes) {
        l.runs.clear();
        l.firsts.clear();
        l.beats = 0;
        l.result = {};
        l.saved_before = l.engine.saved();
    }
    const std::uint64_t bus_bytes = first().bus_bytes();
    const std::uint64_t share = bytes_of(run, end) / (m_lanes.size() * chunks_of_port);
    std::uint64_t chunk = m_config.burst_bytes;
    while (chunk > share && chunk > bus_bytes) { chunk /= 2; }
    const auto fewer_beats = [](const lane& a, const lane& b) { return a.beats < b.beats; };
    std::uint64_t first = 0;
    for (; run != end; ++run) {
        for (std::uint64_t at = 0; at < run->bytes;) {
            const std::uint64_t now = std::min(run->bytes - at, chunk - (run->address + at) % chunk);
            lane& next = *std::min_element(m_lanes.begin(), m_lanes.end(), fewer_beats);
            next.runs.push_back({run->address + at, run->data + at, now});
            next.firsts.push_back(first);
            next.beats += (now + bus_bytes - 1) / bus_bytes;
            at += now;
            first += now;
        }
    }
}

// Bytes of the transfer before the first that this port has not moved.
std::uint64_t dma_ports::lane::first_unmoved() const
{
    std::uint64_t moved = result.moved;
    for (std::size_t r = 0; r < runs.size(); ++r) {
        if (moved < runs[r].bytes) { return firsts[r] + moved; }
        moved -= runs[r].bytes;
    }
    return std::numeric_limits<std::uint64_t>::max();
}

// A failure counts before stops, which may be those of the other ports.
dma_result dma_ports::result_of_parts(std::uint64_t bytes) const
{
    const auto order = [](const lane& l) {
        return std::pair(l.result.ok()                                      ? 2
                         : l.result.outcome == dma_result::outcome::stopped ? 1
                                                                            : 0,
                         l.first_unmoved());
    };
    const auto earlier = [&](const lane& a, const lane& b) { return order(a) < order(b); };
    dma_result all = std::min_element(m_lanes.begin(), m_lanes.end(), earlier)->result;
    all.moved = bytes;
    for (const auto& l : m_lanes) { all.moved = std::min(all.moved, l.first_unmoved()); }
    return all;
}

void dma_ports::abandon_bursts()
{
    for (auto& l : m_lanes) { l.engine.abandon_bursts(); }
}

void dma_ports::renew(std::vector<unsigned char>& buffer)
{
    const auto in_use = [this](const std::vector<unsigned char>& bytes) {
        return std::any_of(m_lanes.begin(), m_lanes.end(), [&bytes](const lane& l) {
            return l.engine.refers_to(bytes.data(), bytes.data() + bytes.size());
        });
    };
    m_kept.erase(std::remove_if(m_kept.begin(), m_kept.end(), [&](const auto& bytes) { return !in_use(bytes); }),
                 m_kept.end());
    if (in_use(buffer)) { m_kept.push_back(std::exchange(buffer, std::vector<unsigned char>(buffer.size()))); }
}

void dma_ports::wait_for_turn(unsigned port)
{
    m_waiting.push_back(port);
    m_someone_waits.notify(sc_core::SC_ZERO_TIME);
    sc_core::wait(m_lanes[port].turn);
}

void dma_ports::give_turns()
{
    std::sort(m_waiting.begin(), m_waiting.end());
    for (const unsigned port : m_waiting) { m_lanes[port].turn.notify(); }
    m_waiting.clear();
}

void dma_ports::failed(const sc_core::sc_time& seen)
{
    m_failure_seen = m_failure_seen ? std::min(*m_failure_seen, seen) : seen;
}

} // namespace tensorloom::bus
