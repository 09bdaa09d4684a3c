#include <tensorloom/models/blocks/pass_sequencer.h>
#include <algorithm>
#include <utility>

namespace tensorloom::blocks {

using shell::command_outcome;

pass_sequencer::pass_sequencer(sc_core::sc_module_name name, const shell::program_clock& clock, phase_signal& phase,
                               shell::device_log& log)
    : sc_core::sc_module(name), m_clock(clock), m_phase(phase), m_log(log)
{
    SC_HAS_PROCESS(pass_sequencer);
    SC_THREAD(serve_port);
    SC_THREAD(end_transfers);
}

// ---- the thread of the command ----

command_outcome pass_sequencer::run(pass_series_if& series)
{
    m_series = &series;
    m_passes_done = m_operands_released = m_operands_loaded = m_operands_issued = m_port_done = 0;
    m_cancelled_at.reset();
    m_failed_at.reset();
    m_port_outcome = {};
    m_port_busy = true;
    m_port_time = m_log.freed();
    for (auto* points : {&m_released, &m_loaded, &m_ended_at, &m_done}) { points->clear(); }
    m_series_begins.notify(sc_core::SC_ZERO_TIME);

    auto outcome = run_passes();
    if (!outcome.ok()) {
        m_cancelled_at = m_clock.now();
        m_pass_ended.notify(sc_core::SC_ZERO_TIME);
    }
    m_clock.settle();
    log_until(device_phase::unload, m_clock.now(), [this] { return !m_port_busy; });
    log_ended(m_clock.now(), m_clock.now() + 1);
    continue_after(m_port_time);
    const bool port_failed = !m_port_outcome.ok() && m_port_outcome.error != isa::error_code::aborted;
    if (port_failed || outcome.ok()) { outcome = m_port_outcome; }
    m_series = nullptr;
    return outcome;
}

command_outcome pass_sequencer::run_passes()
{
    for (std::uint64_t pass = 0; pass < m_series->passes(); ++pass) {
        if (!wait_for_transfers(device_phase::load, [&] { return may_run(pass); })) { return m_port_outcome; }
        continue_after(m_series->begins_after_port(pass) ? m_done.at(pass) : m_loaded.at(m_series->operand_of(pass)));
        m_phase.enter(device_phase::compute);
        const auto outcome = m_series->run(pass, *this);
        if (!outcome.ok()) { return outcome; }
        m_ended_at.set(pass, m_log.freed());
        m_loaded.forget_before(m_series->operand_of(pass));
        m_done.forget_before(pass);
        ++m_passes_done;
        release_up_to(pass + 1 < m_series->passes() ? m_series->operand_of(pass + 1) : m_series->operand_of(pass) + 1);
        m_pass_ended.notify(sc_core::SC_ZERO_TIME);
        log_ended(m_clock.now(), m_clock.now());
    }
    return {};
}

bool pass_sequencer::may_run(std::uint64_t pass) const
{
    return m_series->begins_after_port(pass) ? m_port_done > pass : m_operands_loaded > m_series->operand_of(pass);
}

void pass_sequencer::release_operand()
{
    release_up_to(m_series->operand_of(m_passes_done) + 1);
    m_pass_ended.notify(sc_core::SC_ZERO_TIME);
}

bool pass_sequencer::wait_for_result()
{
    const bool free = wait_for_transfers(device_phase::unload, [this] { return m_port_done > m_passes_done; });
    if (free) { continue_after(m_done.at(m_passes_done)); }
    m_phase.enter(device_phase::compute);
    return free;
}

void pass_sequencer::release_up_to(std::uint64_t operands)
{
    for (; m_operands_released < operands; ++m_operands_released) {
        m_released.set(m_operands_released, m_log.freed());
    }
}

// The command goes on then.
void pass_sequencer::continue_after(const base::freed_cycles& point)
{
    auto now = m_log.freed();
    now.join(point);
    m_log.set_freed(now);
}

// Its cycles are the port's.
void pass_sequencer::log_transfer(const logged_transfer& transfer)
{
    const auto now = m_log.freed();
    m_series->log(transfer);
    m_log.set_freed(now);
}

// Waits until `ready`; false when that cannot happen any more, because the port has failed or has been stopped. The
// wait, and the transfers logged by then, depend only on simulated time, not on the order of the two threads within one
// time.
template <class Ready> bool pass_sequencer::wait_for_transfers(device_phase phase, const Ready& ready)
{
    const std::uint64_t from = m_clock.now();
    if (m_series->moves_beside_passes()) {
        m_clock.settle();
        log_ended(from, from + 1);
    }
    if (m_failed_at && *m_failed_at < from) { return false; }
    log_until(phase, from, [&] { return ready() || !m_port_busy || m_failed_at; });
    return ready();
}

// Waits until `done` and logs the transfers that end meanwhile.
template <class Done> void pass_sequencer::log_until(device_phase phase, std::uint64_t waited_from, const Done& done)
{
    m_is_waiting = true;
    while (!done()) {
        m_phase.enter(phase);
        wait(m_transfer_ended);
        log_ended(waited_from, m_clock.now() + 1);
    }
    m_is_waiting = false;
}

// Logs the transfers that ended before this cycle. The computation has been waiting since cycle `waited_from`.
void pass_sequencer::log_ended(std::uint64_t waited_from, std::uint64_t before)
{
    while (!m_ended.empty() && m_ended.front().transfer.end_cycle() < before) {
        const auto& [unload, number, transfer] = m_ended.front();
        const std::uint64_t waited =
            std::min(transfer.cycles, transfer.end_cycle() - std::min(transfer.end_cycle(), waited_from));
        const std::uint64_t start = std::max(waited_from, transfer.start_cycle);
        log_transfer({unload, number, start, waited, transfer.cycles - waited, transfer.counts});
        m_ended.pop_front();
    }
}

// ---- the thread of the memory port ----

void pass_sequencer::serve_port()
{
    while (true) {
        wait(m_series_begins);
        // The last results are unloaded when there is nothing left to load.
        for (std::uint64_t pass = 0; pass < m_series->passes() + m_series->unload_distance(); ++pass) {
            if (!transfer_for(pass)) { break; }
            m_done.set(pass, m_port_time);
            progressed(m_operands_issued, pass + 1);
        }
        while (!m_on_its_way.empty()) { wait(m_all_arrived); }
        m_port_busy = false;
        m_transfer_ended.notify(sc_core::SC_ZERO_TIME);
    }
}

// Waits until the passes have reached a state; false when they cannot any more.
template <class Free> bool pass_sequencer::wait_for_pass(const Free& free)
{
    while (!free() && !m_cancelled_at) { wait(m_pass_ended); }
    return free();
}

// All transfers for one pass; false when the port must stop.
bool pass_sequencer::transfer_for(std::uint64_t pass)
{
    const unsigned distance = m_series->unload_distance();
    const bool is_pass = pass < m_series->passes();
    const std::uint64_t operand = is_pass ? m_series->operand_of(pass) : 0;
    if (pass > distance) { m_ended_at.forget_before(pass - distance); }
    if (is_pass && operand == m_operands_issued) {
        if (!wait_for_pass([&] { return m_operands_released + m_series->buffers() > operand; })) { return false; }
        if (operand >= m_series->buffers()) {
            m_port_time.join(m_released.at(operand - m_series->buffers()));
            m_released.forget_before(operand - m_series->buffers());
        }
        if (cancelled() || !moved(false, pass, m_series->load(pass))) { return false; }
        m_loaded.set(operand, m_port_time);
        m_operands_issued = operand + 1;
        progressed(m_operands_issued, pass);
    }
    if (pass >= distance && m_series->closes(pass - distance)) {
        const std::uint64_t closed = pass - distance;
        if (!wait_for_pass([&] { return m_passes_done > closed; })) { return false; }
        m_port_time.join(m_ended_at.at(closed));
        if (cancelled() || !moved(true, m_series->result_of(closed), m_series->unload(closed))) { return false; }
    }
    if (!is_pass || !m_series->opens(pass)) { return true; }
    if (m_series->buffers() == 1) {
        if (!wait_for_pass([&] { return m_passes_done >= pass; })) { return false; }
        if (pass > 0) { m_port_time.join(m_ended_at.at(pass - 1)); }
    }
    return !cancelled() && moved(m_series->open_stores(), pass, m_series->open(pass));
}

// False when the transfer was not successful.
bool pass_sequencer::moved(bool unload, std::uint64_t number, std::optional<erased_transfer> transfer)
{
    if (!transfer) { return true; }
    m_port_time += transfer->freed;
    ended_transfer all{unload, static_cast<std::uint32_t>(number), std::move(*transfer)};
    if (!m_series->transfers_ahead()) { return ended(std::move(all)); }
    const bool ok = all.transfer.outcome.ok();
    m_on_its_way.push_back({std::move(all), 0, 0});
    m_sent.notify(sc_core::SC_ZERO_TIME);
    return ok;
}

void pass_sequencer::progressed(std::uint64_t operands, std::uint64_t passes)
{
    if (!m_on_its_way.empty()) {
        m_on_its_way.back().operands = operands;
        m_on_its_way.back().passes = passes;
        return;
    }
    m_operands_loaded = operands;
    m_port_done = passes;
    m_transfer_ended.notify(sc_core::SC_ZERO_TIME);
}

bool pass_sequencer::ended(ended_transfer transfer)
{
    const auto outcome = transfer.transfer.outcome;
    m_ended.push_back(std::move(transfer));
    if (m_is_waiting) { // what memories count until a row comes is that row's: it comes before the next transfer
        m_transfer_ended.notify(sc_core::SC_ZERO_TIME);
        for (unsigned delta = 0; delta < 2; ++delta) { wait(sc_core::SC_ZERO_TIME); }
    }
    if (outcome.ok()) { return true; }
    m_port_outcome = outcome;
    m_failed_at = m_clock.now();
    return false;
}

// ---- the thread of transfers that were reported ahead ----

void pass_sequencer::end_transfers()
{
    while (true) {
        while (m_on_its_way.empty()) { wait(m_sent); }
        auto& first = m_on_its_way.front();
        m_series->wait_for(first.transfer.transfer);
        if (ended(std::move(first.transfer))) {
            m_operands_loaded = std::max(m_operands_loaded, first.operands);
            m_port_done = std::max(m_port_done, first.passes);
        }
        m_on_its_way.pop_front();
        m_transfer_ended.notify(sc_core::SC_ZERO_TIME);
        if (m_on_its_way.empty()) { m_all_arrived.notify(sc_core::SC_ZERO_TIME); }
    }
}

} // namespace tensorloom::blocks
