#include <tensorloom/models/shell/log_reorder_buffer.h>
#include <algorithm>
#include <tuple>

namespace tensorloom::shell {

void log_reorder_buffer::add(std::uint64_t number, const issued_command& command, const report_row& row)
{
    m_rows.push_back({number, command, row, {row.counts, row.counts + m_events}});
}

void log_reorder_buffer::release(std::uint64_t before, const receiver& to)
{
    std::stable_sort(m_rows.begin(), m_rows.end(), [](const kept_row& a, const kept_row& b) {
        return std::tie(a.row.start_cycle, a.number) < std::tie(b.row.start_cycle, b.number);
    });
    auto next = m_rows.begin();
    for (; next != m_rows.end() && next->row.start_cycle < before; ++next) {
        next->row.counts = next->counts.data();
        to(next->command, next->row);
    }
    m_rows.erase(m_rows.begin(), next);
}

} // namespace tensorloom::shell
