#include <tensorloom/models/shell/scoreboard.h>
#include <algorithm>
#include <utility>

namespace tensorloom::shell {

void scoreboard::clear()
{
    std::fill(m_units.begin(), m_units.end(), state::free);
    m_order.clear();
    m_issued = 0;
    m_executed = 0;
    m_token = 0;
}

std::optional<unsigned> scoreboard::blocker(const access_set& accesses) const
{
    for (const auto& e : m_order) {
        if (e.accesses.unit == accesses.unit || depends(accesses, e.accesses)) { return e.accesses.unit; }
    }
    return std::nullopt;
}

std::optional<unsigned> scoreboard::earliest(std::uint64_t commands) const
{
    if (m_order.empty() || m_order.front().number >= commands) { return std::nullopt; }
    return m_order.front().accesses.unit;
}

std::optional<unsigned> scoreboard::earliest_working() const
{
    for (const auto& e : m_order) {
        if (working(e.accesses.unit)) { return e.accesses.unit; }
    }
    return std::nullopt;
}

void scoreboard::enter(access_set accesses, std::uint32_t token)
{
    m_units[accesses.unit] = state::working;
    m_order.push_back({std::move(accesses), m_issued++, 1, token});
}

void scoreboard::pass(std::uint32_t token)
{
    ++m_issued;
    if (m_order.empty()) {
        ++m_executed;
        m_token = token;
    } else {
        ++m_order.back().commands;
        m_order.back().token = token;
    }
}

void scoreboard::leave(unsigned unit, bool well)
{
    if (!well) {
        m_units[unit] = state::failed;
        return;
    }
    m_units[unit] = state::free;
    const auto e = m_order.begin() + static_cast<std::ptrdiff_t>(place_of(unit));
    if (e == m_order.begin()) {
        m_executed += e->commands;
        m_token = e->token;
    } else {
        std::prev(e)->commands += e->commands;
        std::prev(e)->token = e->token;
    }
    m_order.erase(e);
}

std::uint64_t scoreboard::number(unsigned unit) const { return m_order[place_of(unit)].number; }

std::size_t scoreboard::place_of(unsigned unit) const
{
    const auto is_it = [&](const entry& e) { return e.accesses.unit == unit; };
    return static_cast<std::size_t>(std::find_if(m_order.begin(), m_order.end(), is_it) - m_order.begin());
}

} // namespace tensorloom::shell
