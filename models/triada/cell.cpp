#include <tensorloom/models/triada/cell.h>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::triada {

template <class Element> void cell<Element>::activate(bool active)
{
    m_active = active;
    m_waits = false;
}

template <class Element> void cell<Element>::receive_coefficient(const Element& coefficient, bool tag)
{
    if (!m_active) { return; }
    ++m_strobe.counts[event::register_write];
    m_coefficient = coefficient;
    m_coefficient_step = m_strobe.id;
    m_waits = !m_strobe.esop || !arithmetic::is_zero(coefficient);
    if (!tag) { return; }
    const auto operand = arithmetic::narrowed<Element>(read(m_strobe.source), m_strobe.shift);
    if (operand.saturated) { ++m_strobe.counts[event::operand_saturated]; }
    if (m_strobe.esop && arithmetic::counts_as_zero(operand.value, m_strobe.zero_threshold)) { return; }
    ++m_strobe.counts[event::register_read];
    m_lines[m_strobe.y_mode]->drive_operand(operand.value);
}

template <class Element> void cell<Element>::receive_operand(const Element& operand)
{
    const bool in_time = m_coefficient_step == m_strobe.id || m_strobe.literal_wait;
    if (!m_active || !m_waits || !in_time) { return; }
    m_waits = false;
    accumulator& sum = m_sums[static_cast<unsigned>(m_strobe.target)];
    if (arithmetic::mac_overflows(sum, operand, m_coefficient)) { ++m_strobe.counts[event::mac_overflowed]; }
    sum = arithmetic::mac(sum, operand, m_coefficient);
    ++m_strobe.counts[event::mac];
    m_strobe.counts[event::register_read] += 2; // the coefficient and the sum; the operand is on the line
    ++m_strobe.counts[event::register_write];
}

template <class Element> void cell<Element>::change_element()
{
    if (!m_active) { return; }
    using operation = arithmetic::pointwise_operation;
    auto& counted = m_strobe.counts;
    const auto what = *m_strobe.pointwise;
    accumulator& sum = m_sums[static_cast<unsigned>(m_strobe.source)];
    const auto x = arithmetic::narrowed<Element>(sum, m_strobe.shift);
    ++counted[event::register_read];
    Element other{};
    if (m_strobe.operand) {
        other = arithmetic::narrowed<Element>(read(*m_strobe.operand), 0).value;
        ++counted[event::register_read];
    }
    arithmetic::pointwise_step<Element> step{what, {}, 0, m_strobe.esop, 0};
    if (m_coefficient_step == m_strobe.id) {
        step.value = m_coefficient;
        step.threshold = arithmetic::shown(m_coefficient).re;
        ++counted[event::register_read];
    }
    bool multiplied = false;
    sum = arithmetic::pointwise(step, x.value, other, multiplied);
    ++counted[event::register_write];
    counted[event::mac] += multiplied ? 1 : 0;
    counted[event::operand_saturated] += x.saturated ? 1 : 0;
    counted[event::compare] += what == operation::threshold || what == operation::relu ? 1 : 0;
    m_waits = false;
}

template class cell<double>;
template class cell<float>;
template class cell<std::complex<double>>;
template class cell<std::complex<float>>;
template class cell<arithmetic::bfloat16>;
template class cell<std::int8_t>;

} // namespace tensorloom::triada
