#include <tensorloom/models/fetta/reduction_network.h>
#include <tensorloom/models/arithmetic/psum.h>
#include <tensorloom/models/fetta/detailed_reduction_network.h>
#include <tensorloom/models/fetta/fast_reduction_network.h>
#include <tensorloom/models/fetta/row_moves.h>

namespace tensorloom::fetta {

reduction_network::reduction_network(sc_core::sc_module_name name, const arch::fetta::geometry& sizes)
    : sc_core::sc_module(name), m_shape(blocks::butterfly::of_ports(sizes.engines, blocks::level_order::near_first)),
      m_side(sizes.side), m_nothing(sizes.engines, sizes.side)
{}

void reduction_network::evaluate(const port_rows& psums, const blocks::butterfly_controls& controls)
{
    if (controls.transpose && !m_shape.has_transpose()) {
        SC_REPORT_ERROR("/tensorloom/reduction_network/transpose",
                        (std::to_string(m_shape.ports()) + " ports have no transpose layer").c_str());
    }
    m_entered_elements += static_cast<std::uint64_t>(__builtin_popcountll(psums.valid)) * m_side;
    enter(psums, controls);
    if (m_waveform) {
        show_rows(psums, m_side, m_waveform->in);
        m_waveform->controls = controls;
    }
}

void reduction_network::evaluate() { evaluate(m_nothing, {}); }

void reduction_network::commit()
{
    advance();
    if (m_waveform) { show_rows(output(), m_side, m_waveform->out); }
}

void reduction_network::clear()
{
    empty();
    if (!m_waveform) { return; }
    show_rows(m_nothing, m_side, m_waveform->in);
    m_waveform->controls = {};
    show_rows(output(), m_side, m_waveform->out);
}

const network_waveform& reduction_network::watch()
{
    if (!m_waveform) { m_waveform = std::make_unique<network_waveform>(network_waveform{m_nothing, {}, m_nothing}); }
    return *m_waveform;
}

namespace {

template <class Psum>
std::unique_ptr<reduction_network> make_network(sc_core::sc_module_name name, const arch::fetta::geometry& sizes,
                                                blocks::fidelity model, blocks::idle_output idle)
{
    return with_side(sizes.side, [&](auto side) -> std::unique_ptr<reduction_network> {
        if (model == blocks::fidelity::detailed) {
            return std::make_unique<detailed_reduction_network<side, Psum>>(name, sizes, idle);
        }
        return std::make_unique<fast_reduction_network<side, Psum>>(name, sizes, idle);
    });
}

} // namespace

std::unique_ptr<reduction_network> make_reduction_network(sc_core::sc_module_name name,
                                                          const arch::fetta::geometry& sizes, blocks::fidelity model,
                                                          blocks::idle_output idle)
{
    if (sizes.psum == arch::element_type::bf16) {
        return make_network<arithmetic::psum_bf16>(name, sizes, model, idle);
    }
    return make_network<arithmetic::psum_f32>(name, sizes, model, idle);
}

} // namespace tensorloom::fetta
