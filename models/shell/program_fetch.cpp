#include <tensorloom/models/shell/program_fetch.h>
#include <algorithm>

namespace tensorloom::shell {

program_fetch::program_fetch(sc_core::sc_module_name name, std::uint32_t piece_bytes, bus::dma_engine& dma,
                             dma_turn& turn, const program_clock& clock, const bus::stop_request& stop)
    : sc_core::sc_module(name), m_piece_bytes(piece_bytes), m_dma(dma), m_turn(turn), m_clock(clock), m_stop(stop)
{
    SC_HAS_PROCESS(program_fetch);
    SC_THREAD(fetch_programs);
}

void program_fetch::begin(std::uint64_t address, std::vector<std::uint8_t>& program)
{
    m_address = address;
    m_program = &program;
    m_running = true;
    m_outcome = {};
    m_known = isa::program_header::encoded_bytes;
    m_early.clear();
    m_arrivals.clear();
    m_begin.notify(sc_core::SC_ZERO_TIME);
}

void program_fetch::fetch_programs()
{
    while (true) {
        wait(m_begin);
        m_outcome = fetch_pieces();
        m_running = false;
        m_news.notify(sc_core::SC_ZERO_TIME);
    }
}

command_outcome program_fetch::fetch_pieces()
{
    std::size_t bytes = 0;
    for (std::size_t first = m_known; first < m_program->size(); first += bytes) {
        if (bytes > 0) { wait_for_turn(); }
        m_turn.take();
        if (bytes > 0) { m_clock.align(); }
        bytes = std::min(m_piece_bytes, m_program->size() - first);
        const auto result =
            m_dma.read(m_address + first, m_program->data() + first, bytes, m_stop, [&](const bus::dma_burst& burst) {
                arrived({first + burst.first, first + burst.first + burst.bytes, burst.done});
            });
        m_turn.give_back();
        if (!result.ok()) { return outcome_of(result); }
    }
    return {};
}

// Transfers begin at cycle boundaries. The turn is decided in the middle of a cycle, independent of the order of
// processes at the boundary.
void program_fetch::wait_for_turn()
{
    const auto to_the_middle = [&] {
        m_clock.align();
        wait(m_clock.half_period());
    };
    to_the_middle();
    while (m_turn.taken()) {
        wait(m_turn.free());
        to_the_middle();
    }
}

void program_fetch::arrived(const arrival& burst)
{
    m_early.push_back(burst);
    // Responses may come in any order.
    const auto follows = [&](const arrival& a) { return a.first == m_known; };
    for (auto next = m_early.end() - 1; next != m_early.end();
         next = std::find_if(m_early.begin(), m_early.end(), follows)) {
        if (!follows(*next)) { break; }
        const sc_core::sc_time before = m_arrivals.empty() ? sc_core::SC_ZERO_TIME : m_arrivals.back().at;
        m_arrivals.push_back({next->first, next->end, std::max(before, next->at)});
        m_known = next->end;
        m_early.erase(next);
    }
    m_news.notify(sc_core::SC_ZERO_TIME);
}

command_outcome program_fetch::wait_for(std::size_t bytes)
{
    while (m_known < bytes && m_running) { sc_core::wait(m_news); }
    if (m_known < bytes) {
        m_clock.align();
        return m_outcome;
    }
    while (m_arrivals.size() > 1 && m_arrivals.front().end < bytes) { m_arrivals.pop_front(); }
    if (m_arrivals.empty()) { return {}; }
    const bool goes_on = m_clock.wait_until(m_clock.cycle_at(m_arrivals.front().at), m_stop);
    return {goes_on ? isa::error_code::none : isa::error_code::aborted};
}

void program_fetch::finish()
{
    while (m_running) { sc_core::wait(m_news); }
    m_clock.align();
}

std::optional<program_failure> arriving_commands::admit(const isa::program_command& next)
{
    if (next.index < m_admitted) { return std::nullopt; } // repeated by a loop
    if (const auto refused = m_checks.check_header(next)) { return program_failure{*refused, next.index}; }
    const std::size_t end = m_program.size() - next.bytes_left + next.header.length;
    const auto come = m_fetch.wait_for(std::min(end + isa::command_header::encoded_bytes, m_program.size()));
    if (!come.ok()) { return failure_of(come, next.index); }
    if (const auto refused = m_checks.check_next(next)) { return program_failure{*refused, next.index}; }
    ++m_admitted;
    return std::nullopt;
}

} // namespace tensorloom::shell
