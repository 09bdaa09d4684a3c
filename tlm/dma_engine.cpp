#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <tensorloom/tlm/dma_engine.h>
#include <algorithm>
#include <cstring>
#include <utility>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::bus {
namespace {

constexpr std::size_t most_grants = 16; // the oldest is dropped for the next

bool holds(const tlm::tlm_dmi& dmi, std::uint64_t address)
{
    return address >= dmi.get_start_address() && address <= dmi.get_end_address();
}

bool allows(const tlm::tlm_dmi& dmi, tlm::tlm_command command)
{
    return command == tlm::TLM_READ_COMMAND ? dmi.is_read_allowed() : dmi.is_write_allowed();
}

} // namespace

std::optional<std::string> validate(const dma_config& config)
{
    const unsigned b = config.burst_bytes;
    if (b < 4 || b > (1u << 20) || (b & (b - 1)) != 0) {
        return "DMA burst of " + std::to_string(b) + " bytes, expected a power of two from 4 to 1048576";
    }
    if (const auto wrong = validate_clock(config.clock_period.period())) { return wrong; }
    if (config.outstanding < 1 || config.outstanding > 64) {
        return "DMA with " + std::to_string(config.outstanding) + " outstanding bursts, expected 1 to 64";
    }
    if (config.transport != dma_transport::blocking && config.transport != dma_transport::non_blocking) {
        return std::string("unknown DMA transport, expected blocking or non_blocking");
    }
    if (config.use_dmi != dmi_use::off && config.use_dmi != dmi_use::on && config.use_dmi != dmi_use::hinted) {
        return std::string("unknown use_dmi of the DMA, expected off, on or hinted");
    }
    if (config.timeout_cycles > 0 && config.transport == dma_transport::blocking) {
        return "DMA timeout_cycles is " + std::to_string(config.timeout_cycles) +
               ", expected 0 with blocking transport, which cannot abandon a call";
    }
    return std::nullopt;
}

// ---- direct memory pointers ----

std::optional<sc_core::sc_time> dmi_cache::move(dma_port& port, const dma_burst& burst)
{
    const tlm::tlm_dmi* dmi = grant_of(port, burst);
    if (dmi == nullptr || dmi->get_end_address() - burst.address < burst.bytes - 1) { return std::nullopt; }
    unsigned char* memory = dmi->get_dmi_ptr() + (burst.address - dmi->get_start_address());
    const bool reads = burst.command == tlm::TLM_READ_COMMAND;
    std::memcpy(reads ? burst.data : memory, reads ? memory : burst.data, burst.bytes);
    return static_cast<double>(burst.bytes) * (reads ? dmi->get_read_latency() : dmi->get_write_latency());
}

void dmi_cache::invalidate(std::uint64_t first, std::uint64_t last)
{
    m_granted.erase(std::remove_if(m_granted.begin(), m_granted.end(),
                                   [=](const tlm::tlm_dmi& dmi) {
                                       return dmi.get_start_address() <= last && dmi.get_end_address() >= first;
                                   }),
                    m_granted.end());
    m_refused.reset();
    for (auto& hint : m_hints) {
        if (hint && *hint >= first && *hint <= last) { hint.reset(); }
    }
}

const tlm::tlm_dmi* dmi_cache::granted(tlm::tlm_command command, std::uint64_t address) const
{
    for (const auto& dmi : m_granted) {
        if (holds(dmi, address) && allows(dmi, command)) { return &dmi; }
    }
    return nullptr;
}

const tlm::tlm_dmi* dmi_cache::grant_of(dma_port& port, const dma_burst& burst)
{
    if (const auto* dmi = granted(burst.command, burst.address)) { return dmi; }
    std::uint64_t address = burst.address;
    if (m_use == dmi_use::hinted) {
        const auto hint = std::exchange(hint_of(burst.command), std::nullopt);
        if (!hint || granted(burst.command, *hint) != nullptr) { return nullptr; }
        address = *hint;
    }
    if (m_refused && address >= m_refused->first && address <= m_refused->last) { return nullptr; }
    tlm::tlm_generic_payload request;
    burst.describe(request);
    request.set_address(address);
    tlm::tlm_dmi answer;
    const bool given = port.target().get_direct_mem_ptr(request, answer) && answer.get_dmi_ptr() != nullptr;
    if (!holds(answer, address)) {
        m_refused = range{address, address}; // an answer for other addresses counts as a refusal
        return nullptr;
    }
    if (!given || !allows(answer, burst.command)) {
        m_refused = range{answer.get_start_address(), answer.get_end_address()};
        return nullptr;
    }
    if (m_granted.size() == most_grants) { m_granted.erase(m_granted.begin()); }
    m_granted.push_back(answer);
    return holds(answer, burst.address) ? &m_granted.back() : nullptr;
}

// ---- transfers ----

dma_engine::dma_engine(const dma_config& config)
    : m_config(config), m_direct(config.use_dmi), m_window(config.outstanding), m_replay(config.outstanding)
{}

void dma_engine::bind(dma_port& port)
{
    m_port = &port;
    connect();
    port.listen(*this);
}

void dma_engine::connect()
{
    m_carrier = make_burst_transport(
        m_config, *m_port,
        {[this](dma_burst& burst) { answered(burst); }, [this] { ++count(dma_event::late_answer); }});
}

dma_result dma_engine::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, const stop_request& stop)
{
    const dma_run run{address, to, bytes};
    return run_bursts(tlm::TLM_READ_COMMAND, &run, &run + 1, stop);
}

dma_result dma_engine::read(std::uint64_t address, unsigned char* to, std::uint64_t bytes, const stop_request& stop,
                            const burst_listener& arrived)
{
    m_listener = &arrived;
    const dma_result result = read(address, to, bytes, stop);
    m_listener = nullptr;
    return result;
}

dma_result dma_engine::write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes,
                             const stop_request& stop)
{
    const dma_run run{address, const_cast<unsigned char*>(from), bytes}; // targets must not write to it
    return run_bursts(tlm::TLM_WRITE_COMMAND, &run, &run + 1, stop);
}

dma_result dma_engine::read(const std::vector<dma_run>& runs, const stop_request& stop)
{
    return move(tlm::TLM_READ_COMMAND, runs, stop);
}

dma_result dma_engine::write(const std::vector<dma_run>& runs, const stop_request& stop)
{
    return move(tlm::TLM_WRITE_COMMAND, runs, stop);
}

dma_result dma_engine::move(tlm::tlm_command command, const std::vector<dma_run>& runs, const stop_request& stop)
{
    if (m_config.overlap_runs) { return run_bursts(command, runs.data(), runs.data() + runs.size(), stop); }
    dma_result all;
    for (const auto& run : runs) {
        const std::uint64_t before = all.moved;
        all = run_bursts(command, &run, &run + 1, stop);
        all.moved += before;
        if (!all.ok()) { break; }
    }
    return all;
}

void dma_engine::begin(tlm::tlm_command command, const dma_run* run, const dma_run* end, const stop_request& stop)
{
    m_transfer = {command, run, end, &stop, {}, {}, {}};
    m_failure.reset();
    m_issues = true;
    if (m_has_thread) {
        m_begin.notify();
    } else {
        m_has_thread = true;
        sc_core::sc_spawn([this] { send_transfers(); }, sc_core::sc_gen_unique_name("dma_bursts"));
    }
}

// A thread that is still in a target ends when the target lets it.
void dma_engine::send_transfers()
{
    const burst_transport* const carrier = m_carrier.get();
    while (issue_bursts()) {
        m_issues = false;
        if (m_transfer.ends > sc_core::sc_time_stamp()) {
            m_end.notify(m_transfer.ends - sc_core::sc_time_stamp());
        } else {
            m_end.notify();
        }
        sc_core::wait(m_begin);
    }
    m_abandoned.erase(std::find_if(m_abandoned.begin(), m_abandoned.end(),
                                   [carrier](const auto& abandoned) { return abandoned.get() == carrier; }));
}

// False: the bursts have been abandoned.
bool dma_engine::issue_bursts()
{
    auto& [command, run, end, stop, result, bus_free, ends] = m_transfer;
    m_direct.begin();
    m_carrier->begin();
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    result.ended = now;
    stalled_until(now);
    m_replay.begin(now, m_runs_ahead && m_last_ended > now);
    bus_free = std::max(now, m_bus_free);
    dma_run rest; // the rest of a run
    for (;; m_next = m_next + 1 == m_window.size() ? 0 : m_next + 1) {
        while (rest.bytes == 0 && run != end) { rest = *run++; }
        if (rest.bytes == 0) { break; }
        dma_burst& burst = m_window[m_next];
        m_carrier->retire(burst);
        m_replay.ended(m_next, burst.done);
        const sc_core::sc_time earliest = std::max(bus_free, burst.done);
        const bool stopped = stop->acts_at(sc_core::sc_time_stamp()); // whether the bus opens or not
        const auto opened = stopped ? std::nullopt : m_carrier->open(earliest);
        if (m_peers != nullptr) { m_peers->wait_for_turn(m_number); }
        const sc_core::sc_time at = opened ? *opened : sc_core::sc_time_stamp();
        if (stop->acts_at(at) || (m_peers != nullptr && m_peers->failed_by(at))) {
            result.outcome = dma_result::outcome::stopped;
            result.address = rest.address;
            break;
        }
        if (m_failure && m_failure_seen <= at) { break; }
        if (!opened) {
            failed({dma_result::outcome::timed_out, rest.address, tlm::TLM_OK_RESPONSE, result.moved}, at);
            break;
        }
        if (result.moved > 0 || m_runs_ahead) { stalled(at - bus_free); }

        burst.command = command;
        burst.first = result.moved;
        burst.address = rest.address;
        burst.data = rest.data;
        burst.bytes = burst_at(rest.address, rest.bytes);
        burst.issued = at;
        burst.timed_out = burst.abandoned = false;
        if (m_config.use_dmi != dmi_use::off && move_directly(burst)) {
            bus_free = burst.done;
        } else {
            bus_free = at + beats_of(burst.bytes);
            if (!m_carrier->send(burst)) { return false; }
        }
        m_replay.issued(m_next, {at, at - earliest, bus_free - at, command == tlm::TLM_READ_COMMAND});
        result.ended = std::max(result.ended, burst.done); // in blocking transport it is known
        rest.address += burst.bytes;
        rest.data += burst.bytes;
        rest.bytes -= burst.bytes;
        result.moved += burst.bytes;
    }

    ends = sc_core::sc_time_stamp();
    for (std::size_t b = 0; b < m_window.size(); ++b) {
        const std::size_t place = (m_next + b) % m_window.size();
        m_carrier->retire(m_window[place]);
        m_replay.ended(place, m_window[place].done);
        ends = std::max(ends, m_window[place].done);
    }
    m_last_ended = ends;
    if (m_runs_ahead && !m_failure && result.ok()) { ends = sc_core::sc_time_stamp(); }
    return true;
}

dma_result dma_engine::conclude()
{
    while (m_issues) { sc_core::wait(m_end); }
    auto& [command, run, end, stop, result, bus_free, ends] = m_transfer;
    wait_until(ends);
    m_replay.finish();
    m_bus_free = bus_free;
    const bool waits = !m_runs_ahead || m_failure || !result.ok();
    if (waits) { stalled_until(m_last_ended); }
    const sc_core::sc_time ended = waits ? ends : result.ended;
    if (m_failure) { result = *m_failure; }
    result.sent = waits ? ended : bus_free;
    result.ended = ended;
    result.idle = waits ? ended : m_last_ended;
    return result;
}

void dma_engine::abandon_bursts()
{
    if (!m_issues) { return; }
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    dma_burst* const burst = m_carrier->abandon_bursts();
    if (burst == nullptr) { return; }
    m_abandoned.push_back(std::move(m_carrier));
    m_has_thread = false;
    connect();
    for (auto& b : m_window) { b.done = std::min(b.done, now); }
    failed({dma_result::outcome::stopped, burst->address, tlm::TLM_OK_RESPONSE, burst->first}, now);
    m_transfer.bus_free = m_transfer.ends = m_last_ended = now;
    m_issues = false;
    m_end.notify();
}

bool dma_engine::refers_to(const unsigned char* first, const unsigned char* end) const
{
    const auto refers = [=](const auto& carrier) { return carrier->refers_to(first, end); };
    return refers(m_carrier) || std::any_of(m_abandoned.begin(), m_abandoned.end(), refers);
}

void dma_engine::restart()
{
    m_replay.restart();
    m_stalled = sc_core::SC_ZERO_TIME;
    m_stalled_cycles = 0;
}

void dma_engine::run_ahead(bool on)
{
    stalled_until(sc_core::sc_time_stamp());
    m_runs_ahead = on && m_config.overlap_runs && m_config.transport == dma_transport::blocking;
}

// No burst is issued from the end of the last one's beats until this time, or the end of the transfer.
void dma_engine::stalled_until(const sc_core::sc_time& time)
{
    const auto end = std::min(time, m_last_ended);
    if (end <= m_bus_free) { return; }
    stalled(end - m_bus_free);
    m_bus_free = end;
}

// The largest burst that is naturally aligned.
unsigned dma_engine::burst_at(std::uint64_t address, std::uint64_t bytes) const
{
    unsigned burst = m_config.burst_bytes;
    while (burst > bytes || address % burst != 0) { burst /= 2; }
    return burst;
}

sc_core::sc_time dma_engine::beats_of(unsigned bytes) const
{
    const std::uint64_t beats = (bytes + m_port->bus_bytes() - 1) / m_port->bus_bytes();
    return sc_core::sc_time::from_value(beats * m_config.clock_period.period().value());
}

bool dma_engine::move_directly(dma_burst& burst)
{
    const auto time = m_direct.move(*m_port, burst);
    if (!time) { return false; }
    burst.done = burst.issued + std::max(*time, beats_of(burst.bytes));
    succeeded(burst);
    count(dma_event::dmi_byte) += burst.bytes;
    return true;
}

void dma_engine::answered(dma_burst& burst)
{
    if (burst.timed_out) {
        failed({dma_result::outcome::timed_out, burst.address, tlm::TLM_OK_RESPONSE, burst.first}, burst.done);
        return;
    }
    if (burst.abandoned) {
        failed({dma_result::outcome::stopped, burst.address, tlm::TLM_OK_RESPONSE, burst.first}, burst.done);
        return;
    }
    burst.done = std::max(burst.done, burst.issued + beats_of(burst.bytes));
    const bool incomplete = burst.status == tlm::TLM_INCOMPLETE_RESPONSE;
    if (incomplete) { ++count(dma_event::incomplete_response); }
    if (burst.status == tlm::TLM_OK_RESPONSE || (incomplete && m_config.accept_incomplete)) {
        const bool reads = burst.command == tlm::TLM_READ_COMMAND;
        ++count(reads ? dma_event::read_transaction : dma_event::write_transaction);
        succeeded(burst);
        if (burst.dmi_hinted) { m_direct.hinted(burst); }
        return;
    }
    failed({dma_result::outcome::failed, burst.address, burst.status, burst.first}, burst.done);
}

void dma_engine::succeeded(const dma_burst& burst)
{
    count(burst.command == tlm::TLM_READ_COMMAND ? dma_event::read_byte : dma_event::write_byte) += burst.bytes;
    if (m_listener != nullptr) { (*m_listener)(burst); }
}

void dma_engine::failed(const dma_result& how, const sc_core::sc_time& seen)
{
    m_failure_seen = m_failure ? std::min(m_failure_seen, seen) : seen;
    if (m_peers != nullptr) { m_peers->failed(seen); }
    if (!m_failure || how.moved < m_failure->moved) { m_failure = how; }
}

void dma_engine::stalled(const sc_core::sc_time& time)
{
    m_stalled += time;
    const std::uint64_t cycles = m_stalled.value() / m_config.clock_period.period().value();
    count(dma_event::stalled_cycle) += cycles - m_stalled_cycles;
    m_stalled_cycles = cycles;
}

} // namespace tensorloom::bus
