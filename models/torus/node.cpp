#include <tensorloom/models/torus/node.h>
#include <complex>
#include <utility>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::torus {

template <class Element>
node<Element>::node(sc_core::sc_module_name name, multiplier& unit, counts& counted)
    : sc_core::sc_module(name), q_plus("q_plus"), q_minus("q_minus"), r_plus("r_plus"), r_minus("r_minus"),
      s_plus("s_plus"), s_minus("s_minus"), m_unit(unit),
      m_counts(counted), m_ports{&q_plus, &q_minus, &r_plus, &r_minus, &s_plus, &s_minus}
{}

template <class Element> void node<Element>::lay_out(const block_sizes& sizes)
{
    for (unsigned s = 0; s < slots; ++s) {
        m_shapes[s] = shape_of(static_cast<slot>(s), sizes);
        if (s < m_tensors.size()) { clear(static_cast<slot>(s), static_cast<slot>(s)); }
    }
    for (auto& blocks : m_matrices) { blocks.clear(); }
    m_step = 0;
}

template <class Element> void node<Element>::clear(slot memory, slot as) { clear(held(memory), as); }

template <class Element> void node<Element>::clear(block<Element>& b, slot of) const
{
    b.values.assign(m_shapes[static_cast<unsigned>(of)].words() * block<Element>::format::parts, real{});
    b.holds_sums = false;
}

template <class Element> void node<Element>::resize_matrix(slot which, std::uint32_t windows)
{
    auto& blocks = m_matrices[static_cast<unsigned>(which) - m_tensors.size()];
    blocks.resize(windows);
    for (auto& b : blocks) { clear(b, which); }
}

template <class Element> block<Element>& node<Element>::held(slot which, std::uint32_t window)
{
    return const_cast<block<Element>&>(std::as_const(*this).held(which, window));
}

template <class Element> const block<Element>& node<Element>::held(slot which, std::uint32_t window) const
{
    const auto s = static_cast<unsigned>(which);
    return s < m_tensors.size() ? m_tensors[s] : m_matrices[s - m_tensors.size()].at(window);
}

template <class Element> void node<Element>::round_to_elements(block<Element>& b, [[maybe_unused]] unsigned shift)
{
    if constexpr (!std::is_same_v<Element, accumulator>) {
        for (std::size_t i = 0; b.holds_sums && i < b.values.size(); ++i) {
            const auto rounded = arithmetic::narrowed<Element>(b.values[i], shift);
            m_counts[event::operand_saturated] += rounded.saturated ? 1 : 0;
            b.values[i] = arithmetic::widened(rounded.value);
        }
    }
    b.holds_sums = false;
}

template <class Element> void node<Element>::load(const node_program& program)
{
    const auto& stage = program.stage;
    m_accumulator = stage.accumulator;
    m_operand = stage.operand;
    m_coefficient = stage.coefficient;
    m_operand_in = program.operand_in.value_or(stage.operand);
    m_sums_in = program.sums_in.value_or(stage.accumulator);
    m_window = program.window;
    m_steps = stage.steps;
    m_step = 0;
    m_opens = program.opens;
    m_moves = 0;
    for (const auto& roll : stage.rolls) {
        auto& moving = m_moving.at(m_moves++);
        moving.which = roll.which;
        moving.shared = program.shares && roll.which == stage.accumulator;
        moving.leaves_by = port_index(roll.along, roll.sign);
        moving.out = (*m_ports[moving.leaves_by])[0];
        moving.in = (*m_ports[port_index(roll.along, -roll.sign)])[0];
    }
    const auto& shape = m_shapes[static_cast<unsigned>(m_operand)].size;
    m_product = {};
    m_product.outer = 1;
    m_product.inner = 1;
    m_product.rows = shape[stage.mode];
    for (unsigned m = 0; m < shape.size(); ++m) {
        if (m < stage.mode) { m_product.outer *= shape[m]; }
        if (m > stage.mode) { m_product.inner *= shape[m]; }
    }
    m_product.columns = m_shapes[static_cast<unsigned>(m_accumulator)].words() / (m_product.outer * m_product.inner);
    m_product.transposed = stage.transposed;
    m_product.conjugated = stage.conjugated;
    round_to_elements(current(m_operand), program.shift);
    round_to_elements(current(m_coefficient), 0);
    current(m_accumulator).holds_sums = true;
}

template <class Element> const block<Element>& node<Element>::used(slot which) const
{
    const auto* passing = m_from_line[which == m_operand ? 0 : 1];
    return passing != nullptr ? *passing : current(which);
}

template <class Element> void node<Element>::take_from_line(slot which, const block<Element>& passing)
{
    m_from_line[which == m_operand ? 0 : 1] = &passing;
}

template <class Element> void node<Element>::compute()
{
    if (m_step == m_steps) {
        bus::report_error(name(), "/tensorloom/torus/node/no_step_left", "all steps of the stage are done");
    }
    m_product.accumulate = !m_opens || m_step > 0;
    m_product.x = used(m_operand).values.data();
    m_product.c = used(m_coefficient).values.data();
    m_product.y = current(m_accumulator).values.data();
    if constexpr (std::is_integral_v<accumulator>) {
        m_counts[event::mac_overflowed] += m_unit.run(m_product);
    } else {
        m_unit.run(m_product);
    }
    ++m_step;
    const std::uint64_t macs = std::uint64_t{m_product.outer} * m_product.rows * m_product.inner * m_product.columns;
    m_counts[event::mac] += macs;
    m_counts[event::register_read] += 3 * macs;
    m_counts[event::register_write] += macs;
}

template <class Element>
arithmetic::pointwise_counts node<Element>::apply(const arithmetic::pointwise_step<Element>& step, slot x,
                                                  const std::optional<slot>& operand)
{
    auto& b = held(x);
    b.holds_sums = true;
    return arithmetic::run_pointwise(step, b.values.data(), operand ? held(*operand).values.data() : nullptr,
                                     b.numbers());
}

template <class Element> void node<Element>::send()
{
    m_from_line = {};
    for (unsigned i = 0; i < m_moves; ++i) {
        auto& leaving = current(m_moving[i].which);
        if (m_moving[i].shared) {
            m_moving[i].out->share(std::move(leaving));
            continue;
        }
        m_counts[event::block_read] += leaving.words();
        m_moving[i].out->send(std::move(leaving));
    }
}

template <class Element> void node<Element>::receive()
{
    for (unsigned i = 0; i < m_moves; ++i) {
        auto& come = current(m_moving[i].which);
        come = m_moving[i].in->take();
        if (!m_moving[i].shared) { m_counts[event::block_write] += come.words(); }
    }
}

template <class Element> void node<Element>::show(node_waveform& w) const
{
    const auto first = [](const block<Element>& b) {
        arithmetic::traced_element shown{static_cast<double>(b.values.front()), 0};
        if constexpr (block<Element>::format::parts > 1) { shown.im = static_cast<double>(b.values[b.numbers()]); }
        return shown;
    };
    w.step = m_step;
    for (auto& leaving : w.links) { leaving.valid = false; }
    if (m_step == 0) { return; }
    w.accumulator_slot = static_cast<unsigned>(m_sums_in);
    w.operand_slot = static_cast<unsigned>(m_operand_in);
    w.coefficient_slot = static_cast<unsigned>(m_coefficient);
    w.accumulator = first(current(m_accumulator));
    w.operand = first(used(m_operand));
    w.coefficient = first(used(m_coefficient));
    for (unsigned i = 0; i < m_moves; ++i) {
        const auto& leaving = current(m_moving[i].which);
        w.links[m_moving[i].leaves_by] = {true, leaving.words(), first(leaving)};
    }
}

template class node<double>;
template class node<float>;
template class node<std::complex<double>>;
template class node<std::complex<float>>;
template class node<arithmetic::bfloat16>;
template class node<std::int8_t>;

} // namespace tensorloom::torus
