#include <tensorloom/models/triada/operand_line.h>
#include <complex>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/triada/cell.h>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::triada {

template <class Element>
operand_line<Element>::operand_line(sc_core::sc_module_name name, unsigned mode, step_context& strobe)
    : sc_core::sc_module(name), m_mode(mode), m_strobe(strobe)
{
    SC_HAS_PROCESS(operand_line);
    SC_METHOD(deliver);
    sensitive << m_driven;
    dont_initialize();
}

template <class Element> void operand_line<Element>::drive_coefficient(const Element& value, bool tag)
{
    ++m_strobe.counts[event::coefficient_send];
    m_strobe.counts[coefficient_hop(m_mode)] += m_strobe.line_cells[m_mode];
    drive(value, true, tag);
}

template <class Element> void operand_line<Element>::drive_operand(const Element& value)
{
    ++m_strobe.counts[event::operand_send];
    m_strobe.counts[operand_hop(m_mode)] += m_strobe.line_cells[m_mode];
    drive(value, false, false);
}

template <class Element> void operand_line<Element>::drive(const Element& value, bool is_coefficient, bool tag)
{
    if (driven()) {
        bus::report_error(name(), "/tensorloom/triada/operand_line/second_drive", "driven twice in a step");
    }
    m_value = value;
    m_tag = tag;
    m_is_coefficient = is_coefficient;
    m_step = m_strobe.id;
    m_driven.notify(sc_core::SC_ZERO_TIME);
}

template <class Element> void operand_line<Element>::deliver()
{
    if (m_is_coefficient) {
        for (auto* listener : m_listeners) { listener->receive_coefficient(m_value, m_tag); }
    } else {
        for (auto* listener : m_listeners) { listener->receive_operand(m_value); }
    }
}

template class operand_line<double>;
template class operand_line<float>;
template class operand_line<std::complex<double>>;
template class operand_line<std::complex<float>>;
template class operand_line<arithmetic::bfloat16>;
template class operand_line<std::int8_t>;

} // namespace tensorloom::triada
