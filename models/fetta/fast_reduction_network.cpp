#include <tensorloom/models/fetta/fast_reduction_network.h>
#include <algorithm>
#include <tensorloom/models/arithmetic/psum.h>
#include <tensorloom/models/fetta/row_moves.h>

namespace tensorloom::fetta {

template <unsigned Side, class Psum>
fast_reduction_network<Side, Psum>::fast_reduction_network(sc_core::sc_module_name name,
                                                           const arch::fetta::geometry& sizes, blocks::idle_output idle)
    : reduction_network(name, sizes), m_idle(idle), m_line(shape().levels + 1, port_rows(sizes.engines, Side))
{}

template <unsigned Side, class Psum>
void fast_reduction_network<Side, Psum>::enter(const port_rows& psums, const blocks::butterfly_controls& controls)
{
    port_rows& out = m_line[m_entry];
    out.valid = 0;
    if (psums.valid == 0) { return; } // a bubble does not change the plan
    if (psums.valid != m_valid || controls != m_controls) { plan(psums.valid, controls); }
    out.valid = m_leaving;
    const unsigned ports = shape().ports();
    const auto row = [&](unsigned number) -> const float* {
        return number < ports ? &psums.values[number * Side] : &m_sums[(number - ports) * Side];
    };
    float* sum = m_sums.data();
    for (const addition& a : m_additions) {
        row_moves<Side>::template add<Psum>(row(a.left), row(a.right), sum);
        sum += Side;
    }
    for (const departure& d : m_departures) { row_moves<Side>::copy(row(d.row), &out.values[d.port * Side]); }
}

// Sends the rows' numbers through the network.
template <unsigned Side, class Psum>
void fast_reduction_network<Side, Psum>::plan(std::uint64_t valid, const blocks::butterfly_controls& controls)
{
    m_valid = valid;
    m_controls = controls;
    m_additions.clear();
    m_departures.clear();
    m_leaving = 0;
    std::array<unsigned, max_ports> now{};
    std::array<unsigned, max_ports> next{};
    for (unsigned port = 0; port < shape().ports(); ++port) { now[port] = port; }
    for (unsigned level = 0; level < shape().levels; ++level) {
        const unsigned q = shape().bit(level);
        const auto arrivals = blocks::switch_adders(valid, controls.diagonal[q], q, m_idle);
        const auto move = [&](unsigned from, unsigned to) { next[to] = now[from]; };
        const auto add = [&](unsigned left, unsigned right, unsigned to) {
            next[to] = shape().ports() + static_cast<unsigned>(m_additions.size());
            m_additions.push_back({now[left], now[right]});
        };
        blocks::for_arrivals(arrivals, q, move, add);
        valid = arrivals.valid();
        now = next;
    }
    for (std::uint64_t rest = valid; rest != 0; rest &= rest - 1) {
        const auto at = static_cast<unsigned>(__builtin_ctzll(rest));
        const unsigned port = controls.transpose ? shape().transposed(at) : at;
        m_departures.push_back({now[at], port});
        m_leaving |= std::uint64_t{1} << port;
    }
    m_sums.resize(std::max(m_sums.size(), m_additions.size() * Side));
}

template <unsigned Side, class Psum> void fast_reduction_network<Side, Psum>::empty()
{
    for (port_rows& rows : m_line) { rows.valid = 0; }
}

template class fast_reduction_network<2, arithmetic::psum_f32>;
template class fast_reduction_network<4, arithmetic::psum_f32>;
template class fast_reduction_network<8, arithmetic::psum_f32>;
template class fast_reduction_network<16, arithmetic::psum_f32>;
template class fast_reduction_network<2, arithmetic::psum_bf16>;
template class fast_reduction_network<4, arithmetic::psum_bf16>;
template class fast_reduction_network<8, arithmetic::psum_bf16>;
template class fast_reduction_network<16, arithmetic::psum_bf16>;

} // namespace tensorloom::fetta
