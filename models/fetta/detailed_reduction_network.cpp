#include <tensorloom/models/fetta/detailed_reduction_network.h>
#include <utility>
#include <tensorloom/models/arithmetic/psum.h>
#include <tensorloom/models/fetta/row_moves.h>

namespace tensorloom::fetta {

template <unsigned Side, class Psum>
detailed_reduction_network<Side, Psum>::detailed_reduction_network(sc_core::sc_module_name name,
                                                                   const arch::fetta::geometry& sizes,
                                                                   blocks::idle_output idle)
    : reduction_network(name, sizes), m_idle(idle), m_now(shape().levels, {port_rows(sizes.engines, Side), {}}),
      m_next(m_now), m_transposed(sizes.engines, Side), m_leaving(&m_now.back().rows),
      m_watched(shape().levels, sizes.engines, Side)
{}

template <unsigned Side, class Psum>
void detailed_reduction_network<Side, Psum>::enter(const port_rows& psums, const blocks::butterfly_controls& controls)
{
    pass(0, psums, controls);
    for (unsigned level = 1; level < shape().levels; ++level) {
        pass(level, m_now[level - 1].rows, m_now[level - 1].controls);
    }
}

template <unsigned Side, class Psum>
void detailed_reduction_network<Side, Psum>::pass(unsigned level, const port_rows& in,
                                                  const blocks::butterfly_controls& controls)
{
    const unsigned q = shape().bit(level);
    stage& next = m_next[level];
    const auto arrivals = blocks::switch_adders(in.valid, controls.diagonal[q], q, m_idle);
    next.rows.valid = arrivals.valid();
    next.controls = controls;
    const auto move = row_moves<Side>::copier(in, next.rows);
    const auto add = row_moves<Side>::template adder<Psum>(in, next.rows);
    blocks::for_arrivals(arrivals, q, move, add);
}

template <unsigned Side, class Psum> void detailed_reduction_network<Side, Psum>::advance()
{
    std::swap(m_now, m_next);
    const stage& last = m_now.back();
    m_leaving = &last.rows;
    if (last.controls.transpose) {
        row_moves<Side>::transpose(shape(), last.rows, m_transposed);
        m_leaving = &m_transposed;
    }
    show();
}

template <unsigned Side, class Psum> void detailed_reduction_network<Side, Psum>::empty()
{
    for (stage& s : m_now) {
        s.rows.valid = 0;
        s.controls = {};
    }
    m_transposed.valid = 0;
    show();
}

template <unsigned Side, class Psum> void detailed_reduction_network<Side, Psum>::show()
{
    for (unsigned level = 0; level < shape().levels; ++level) {
        m_watched.show(level, m_now[level].rows, m_now[level].controls.diagonal[shape().bit(level)]);
    }
}

template class detailed_reduction_network<2, arithmetic::psum_f32>;
template class detailed_reduction_network<4, arithmetic::psum_f32>;
template class detailed_reduction_network<8, arithmetic::psum_f32>;
template class detailed_reduction_network<16, arithmetic::psum_f32>;
template class detailed_reduction_network<2, arithmetic::psum_bf16>;
template class detailed_reduction_network<4, arithmetic::psum_bf16>;
template class detailed_reduction_network<8, arithmetic::psum_bf16>;
template class detailed_reduction_network<16, arithmetic::psum_bf16>;

} // namespace tensorloom::fetta
