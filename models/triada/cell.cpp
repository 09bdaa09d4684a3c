#include <tensorloom/models/triada/cell.h>
#include <complex>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::triada {

using arch::triada_event;

template <class T> void cell<T>::activate(bool active)
{
    m_active = active;
    m_waits = false;
    for (auto& element : m_elements) { element = T{}; }
}

template <class T> void cell<T>::receive_coefficient(const T& coefficient, bool tag)
{
    if (!m_active) { return; }
    ++m_strobe.counts[triada_event::register_write];
    m_coefficient = coefficient;
    m_coefficient_step = m_strobe.id;
    m_waits = !m_strobe.esop || !arithmetic::is_zero(coefficient);
    if (!tag) { return; }
    const T& operand = m_elements[m_strobe.stage];
    if (m_strobe.esop && arithmetic::counts_as_zero(operand, m_strobe.zero_threshold)) { return; }
    ++m_strobe.counts[triada_event::register_read];
    m_lines[m_strobe.y_mode]->drive_operand(operand);
}

template <class T> void cell<T>::receive_operand(const T& operand)
{
    const bool in_time = m_coefficient_step == m_strobe.id || m_strobe.literal_wait;
    if (!m_active || !m_waits || !in_time) { return; }
    m_waits = false;
    T& accumulator = m_elements[m_strobe.stage + 1];
    accumulator = arithmetic::mac(accumulator, operand, m_coefficient);
    ++m_strobe.counts[triada_event::mac];
    ++m_strobe.counts[triada_event::register_read];
    ++m_strobe.counts[triada_event::register_write];
}

template class cell<double>;
template class cell<float>;
template class cell<std::complex<double>>;
template class cell<std::complex<float>>;

} // namespace tensorloom::triada
