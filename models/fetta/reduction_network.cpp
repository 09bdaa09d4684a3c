#include <tensorloom/models/fetta/reduction_network.h>
#include <utility>
#include <tensorloom/models/arithmetic/psum.h>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::fetta {
namespace {

// ---- detailed ----

/// The network register by register: every level adds or moves the values of the registers before it, then all
/// registers are updated.
template <unsigned Side, class Psum> class detailed_reduction_network : public reduction_network {
public:
    detailed_reduction_network(sc_core::sc_module_name name, const device_limits& sizes, blocks::idle_output idle);
    const port_beats& output() const override { return *m_leaving; }
    using reduction_network::watch;
    const level_waveform* watch(unsigned level) override { return m_watched.watch(level); }

private:
    struct stage {
        port_beats rows;
        blocks::butterfly_controls controls; // of these beats
    };

    void enter(const port_beats& psums, const blocks::butterfly_controls& controls) override;
    void advance() override;
    void empty() override;
    void show();
    void pass(unsigned level, const port_beats& in, const blocks::butterfly_controls& controls);

    const blocks::idle_output m_idle;
    std::vector<stage> m_now; // the registers after each level
    std::vector<stage> m_next;
    port_beats m_transposed; // what leaves, when the transpose layer is on
    const port_beats* m_leaving = nullptr;
    watched_levels m_watched;
};

template <unsigned Side, class Psum>
detailed_reduction_network<Side, Psum>::detailed_reduction_network(sc_core::sc_module_name name,
                                                                   const device_limits& sizes, blocks::idle_output idle)
    : reduction_network(name, sizes), m_idle(idle), m_now(shape().levels, {port_beats(sizes.engines, Side), {}}),
      m_next(m_now), m_transposed(sizes.engines, Side), m_leaving(&m_now.back().rows),
      m_watched(shape().levels, sizes.engines, Side)
{}

template <unsigned Side, class Psum>
void detailed_reduction_network<Side, Psum>::enter(const port_beats& psums, const blocks::butterfly_controls& controls)
{
    pass(0, psums, controls);
    for (unsigned level = 1; level < shape().levels; ++level) {
        pass(level, m_now[level - 1].rows, m_now[level - 1].controls);
    }
}

template <unsigned Side, class Psum>
void detailed_reduction_network<Side, Psum>::pass(unsigned level, const port_beats& in,
                                                  const blocks::butterfly_controls& controls)
{
    const unsigned q = shape().bit(level);
    stage& next = m_next[level];
    const auto arrivals = blocks::switch_adders(in.valid, controls.diagonal[q], q, m_idle);
    next.rows.valid = arrivals.valid();
    next.controls = controls;
    const auto move = beat_moves<Side>::copier(in, next.rows);
    const auto add = beat_moves<Side>::template adder<Psum>(in, next.rows);
    blocks::for_arrivals(arrivals, q, move, add);
}

template <unsigned Side, class Psum> void detailed_reduction_network<Side, Psum>::advance()
{
    std::swap(m_now, m_next);
    const stage& last = m_now.back();
    m_leaving = &last.rows;
    if (last.controls.transpose) {
        beat_moves<Side>::transpose(shape(), last.rows, m_transposed);
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

// ---- fast ----

/// The network as its sums and a delay: beats are added when they enter, and wait for their cycle.
///
/// The beats to add, and their order, are recomputed only when controls or valid ports change.
template <unsigned Side, class Psum> class fast_reduction_network : public reduction_network {
public:
    fast_reduction_network(sc_core::sc_module_name name, const device_limits& sizes, blocks::idle_output idle);
    const port_beats& output() const override { return m_line[(m_entry + 1) % m_line.size()]; }
    using reduction_network::watch;
    const level_waveform* watch(unsigned) override { return nullptr; }

private:
    static constexpr unsigned max_ports = 1u << blocks::butterfly::max_levels;

    /// Rows by number: entering rows have the numbers of their ports, followed by sums.
    struct addition {
        unsigned left;
        unsigned right;
    };
    struct departure {
        unsigned row;
        unsigned port;
    };

    void enter(const port_beats& psums, const blocks::butterfly_controls& controls) override;
    void advance() override { m_entry = (m_entry + 1) % m_line.size(); }
    void empty() override;
    void plan(std::uint64_t valid, const blocks::butterfly_controls& controls);

    const blocks::idle_output m_idle;
    blocks::butterfly_controls m_controls; // of the plan, with m_valid
    std::uint64_t m_valid = 0;
    std::vector<addition> m_additions;
    std::vector<departure> m_departures;
    std::uint64_t m_leaving = 0; // ports

    std::vector<float> m_sums;      // of the beats that enter
    std::vector<port_beats> m_line; // the delay: a ring, a place more than cycles
    std::size_t m_entry = 0;        // where the next beats enter
};

template <unsigned Side, class Psum>
fast_reduction_network<Side, Psum>::fast_reduction_network(sc_core::sc_module_name name, const device_limits& sizes,
                                                           blocks::idle_output idle)
    : reduction_network(name, sizes), m_idle(idle), m_line(shape().levels + 1, port_beats(sizes.engines, Side))
{}

template <unsigned Side, class Psum>
void fast_reduction_network<Side, Psum>::enter(const port_beats& psums, const blocks::butterfly_controls& controls)
{
    port_beats& out = m_line[m_entry];
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
        beat_moves<Side>::template add<Psum>(row(a.left), row(a.right), sum);
        sum += Side;
    }
    for (const departure& d : m_departures) { beat_moves<Side>::copy(row(d.row), &out.values[d.port * Side]); }
}

// Sends the beats' numbers through the network.
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
    for (port_beats& rows : m_line) { rows.valid = 0; }
}

} // namespace

// ---- either ----

reduction_network::reduction_network(sc_core::sc_module_name name, const device_limits& sizes)
    : sc_core::sc_module(name), m_shape(blocks::butterfly::of_ports(sizes.engines, blocks::level_order::near_first)),
      m_side(sizes.side), m_nothing(sizes.engines, sizes.side)
{}

void reduction_network::evaluate(const port_beats& psums, const blocks::butterfly_controls& controls)
{
    if (controls.transpose && !m_shape.has_transpose()) {
        bus::report_error(name(), "/tensorloom/reduction_network/transpose",
                          std::to_string(m_shape.ports()) + " ports have no transpose layer");
    }
    m_entered_elements += static_cast<std::uint64_t>(__builtin_popcountll(psums.valid)) * m_side;
    enter(psums, controls);
    if (m_waveform) {
        show_beats(psums, m_side, m_waveform->in);
        m_waveform->controls = controls;
    }
}

void reduction_network::evaluate() { evaluate(m_nothing, {}); }

void reduction_network::commit()
{
    advance();
    if (m_waveform) { show_beats(output(), m_side, m_waveform->out); }
}

void reduction_network::clear()
{
    empty();
    if (!m_waveform) { return; }
    show_beats(m_nothing, m_side, m_waveform->in);
    m_waveform->controls = {};
    show_beats(output(), m_side, m_waveform->out);
}

const network_waveform& reduction_network::watch()
{
    if (!m_waveform) { m_waveform = std::make_unique<network_waveform>(network_waveform{m_nothing, {}, m_nothing}); }
    return *m_waveform;
}

namespace {

template <class Psum>
std::unique_ptr<reduction_network> make_network(sc_core::sc_module_name name, const device_limits& sizes,
                                                blocks::fidelity model, blocks::idle_output idle)
{
    return with_side(name, sizes.side, [&](auto side) -> std::unique_ptr<reduction_network> {
        if (model == blocks::fidelity::detailed) {
            return std::make_unique<detailed_reduction_network<side, Psum>>(name, sizes, idle);
        }
        return std::make_unique<fast_reduction_network<side, Psum>>(name, sizes, idle);
    });
}

} // namespace

std::unique_ptr<reduction_network> make_reduction_network(sc_core::sc_module_name name, const device_limits& sizes,
                                                          blocks::fidelity model, blocks::idle_output idle)
{
    if (model == blocks::fidelity::rtl) { return make_rtl_reduction_network(name, sizes); }
    if (sizes.psum == base::element_type::bf16) {
        return make_network<arithmetic::psum_bf16>(name, sizes, model, idle);
    }
    return make_network<arithmetic::psum_f32>(name, sizes, model, idle);
}

} // namespace tensorloom::fetta
