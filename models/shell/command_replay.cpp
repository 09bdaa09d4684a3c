#include <tensorloom/models/shell/command_replay.h>
#include <algorithm>
#include <utility>

namespace tensorloom::shell {

void command_replay::begin(const base::freed_cycles& fetched)
{
    m_now = fetched;
    m_commands.clear();
    m_steps.clear();
    m_repeated = 0;
}

std::uint64_t command_replay::issue(std::uint64_t number, access_set accesses)
{
    const std::uint64_t place = m_repeated + m_steps.size();
    add({step_kind::issue, number, std::move(accesses), std::nullopt});
    return place;
}

void command_replay::ended(std::uint64_t place, const base::freed_cycles& cycles)
{
    m_steps[static_cast<std::size_t>(place - m_repeated)].cycles = cycles;
    repeat_known();
}

void command_replay::spend(const base::freed_cycles& cycles) { add({step_kind::spend, 0, {}, cycles}); }

void command_replay::wait_for(std::uint64_t number) { add({step_kind::wait, number, {}, base::freed_cycles()}); }

base::freed_cycles command_replay::finish()
{
    auto end = m_now;
    for (const auto& c : m_commands) { end.join(c.end); }
    return end;
}

void command_replay::add(step next)
{
    m_steps.push_back(std::move(next));
    repeat_known();
}

void command_replay::repeat_known()
{
    for (; !m_steps.empty() && m_steps.front().cycles; ++m_repeated) {
        repeat(m_steps.front());
        m_steps.pop_front();
    }
}

void command_replay::repeat(const step& s)
{
    switch (s.kind) {
    case step_kind::spend: m_now += *s.cycles; break;
    case step_kind::wait:
        for (const auto& c : m_commands) {
            if (c.number < s.number) { m_now.join(c.end); }
        }
        break;
    case step_kind::issue:
        for (const auto& c : m_commands) {
            if (c.accesses.unit == s.accesses.unit || depends(s.accesses, c.accesses)) { m_now.join(c.end); }
        }
        break;
    }
    const auto has_ended = [this](const command& c) { return c.end.is_within(m_now); };
    m_commands.erase(std::remove_if(m_commands.begin(), m_commands.end(), has_ended), m_commands.end());
    if (s.kind == step_kind::issue) { m_commands.push_back({s.number, s.accesses, m_now + *s.cycles}); }
}

} // namespace tensorloom::shell
