#include <tensorloom/models/triada/step_log.h>

namespace tensorloom::triada {

void step_log::begin(std::uint64_t dense_macs)
{
    m_dense_macs = dense_macs;
    m_overflowed = false;
    m_skipped.clear();
}

void step_log::end(bool complete, const sc_core::sc_time& now)
{
    if (complete) { pass_skipped_before(3, 0, now); }
    m_skipped.clear();
}

void step_log::row_skipped(unsigned stage, std::uint32_t step, std::uint32_t tag)
{
    m_skipped.push_back({stage, step, tag});
}

void step_log::step_done(unsigned stage, std::uint32_t step, std::uint32_t tag, const sc_core::sc_time& start,
                         const arch::triada::counts& counts)
{
    pass_skipped_before(stage, step, start);
    m_overflowed = m_overflowed || counts[arch::triada::event::mac_overflowed] != 0;
    m_sink({stage, step, tag, false, start, counts});
}

void step_log::pass_skipped_before(unsigned stage, std::uint32_t step, const sc_core::sc_time& now)
{
    while (!m_skipped.empty()) {
        const auto& next = m_skipped.front();
        if (next.stage > stage || (next.stage == stage && next.step > step)) { return; }
        step_row row{next.stage, next.step, next.tag, true, now, {}};
        row.counts[arch::triada::event::step_skipped] = 1;
        row.counts[arch::triada::event::mac_skipped] = m_dense_macs;
        m_sink(row);
        m_skipped.pop_front();
    }
}

} // namespace tensorloom::triada
