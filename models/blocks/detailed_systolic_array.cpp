#include <tensorloom/models/blocks/systolic_array.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>
#include <tensorloom/models/blocks/stepped_systolic_array.h>

namespace tensorloom::blocks {
namespace {

/// The array register by register: in every cycle all elements read their neighbours' registers, then all registers are
/// updated.
///
/// Elements without valid data are not simulated.
template <class Element> class detailed_registers {
public:
    static constexpr const char* kind = "detailed_systolic_array";

    explicit detailed_registers(const systolic_array_config& config);

    void empty();
    void begin_load() { std::fill(m_active.begin(), m_active.end(), 0); }
    void shift_in(const Element* row);
    void operand(unsigned i, const Element& element)
    {
        m_arrives[i] = 1;
        m_left[i] = element;
    }
    void end_of_tile(unsigned i) { m_ends[i] = 1; }
    void load(unsigned j, unsigned t, const Element& element);
    std::uint64_t tick();
    template <class Visit> void for_each_result(const Visit& visit) const
    {
        const auto& sums = past(m_depth - 1);
        sums.last_valid.for_each([&](unsigned j) { visit(j, sums.c[at(m_side - 1, j)]); });
    }
    bool last_ends() const { return past(m_depth - 1).last_ends; }
    void show(unsigned i, unsigned j, element_waveform& shown) const;

private:
    using sum = arithmetic::accumulator_of<Element>;

    /// The registers of all elements that operands pass, row by row. a means nothing where valid is not set.
    struct registers {
        std::vector<Element> a;
        std::vector<element_bits> valid; // by row
        std::vector<element_bits> end;   // by row: the token of a tile's end
    };

    void move_weights();
    std::size_t at(unsigned i, unsigned j) const { return std::size_t{i} * m_side + j; }
    const Element& active(std::size_t element) const { return m_weights[m_active[element]][element]; }
    Element& shadow(std::size_t element) { return m_weights[m_active[element] ^ 1u][element]; }

    /// The sums of a cycle, which leave their elements when m_depth cycles have passed. c means nothing where no data
    /// was valid.
    struct sums_of_cycle {
        std::vector<sum> c;
        element_bits last_valid; // of the last row
        bool last_ends = false;  // a tile's end is in the last element
    };
    /// The sums of this many cycles ago, 0 to m_depth - 1; m_depth: those that are computed next.
    sums_of_cycle& past(unsigned cycles) { return m_past[(m_newest + cycles) % m_past.size()]; }
    const sums_of_cycle& past(unsigned cycles) const { return m_past[(m_newest + cycles) % m_past.size()]; }

    const unsigned m_side;
    const bool m_streaming;
    const unsigned m_depth;
    registers m_now;
    registers m_next;
    std::vector<sums_of_cycle> m_past;
    std::size_t m_newest = 0;
    std::array<std::vector<Element>, 2> m_weights; // both registers of all elements
    std::vector<unsigned char> m_active;           // which of an element's is multiplied with
    // at the left edge in this cycle, by row
    std::vector<unsigned char> m_arrives;
    std::vector<unsigned char> m_ends;
    std::vector<Element> m_left;
    // of the next tile, on their way down; shadows change when the sums have been computed
    struct arriving_weight {
        unsigned row;
        unsigned column;
        unsigned tile_row;
        Element element;
        unsigned cycles; // until it arrives there
    };
    std::vector<arriving_weight> m_arriving;
};

template <class Element>
detailed_registers<Element>::detailed_registers(const systolic_array_config& config)
    : m_side(config.side), m_streaming(config.streaming), m_depth(config.pipeline_depth),
      m_past(config.pipeline_depth + 1, {{}, element_bits(config.side), false}), m_arrives(config.side),
      m_ends(config.side), m_left(config.side)
{
    const std::size_t elements = at(m_side, 0);
    for (auto& set : m_weights) { set.resize(elements); }
    m_active.resize(elements);
    for (auto* r : {&m_now, &m_next}) {
        r->a.resize(elements);
        r->valid.assign(m_side, element_bits(m_side));
        r->end.assign(m_side, element_bits(m_side));
    }
    for (auto& cycle : m_past) { cycle.c.resize(elements); }
}

// Discards data that was in flight when the last stream was stopped.
template <class Element> void detailed_registers<Element>::empty()
{
    for (unsigned i = 0; i < m_side; ++i) {
        m_now.valid[i].clear();
        m_now.end[i].clear();
    }
    for (auto& cycle : m_past) {
        cycle.last_valid.clear();
        cycle.last_ends = false;
    }
    m_arriving.clear();
}

// Every element copies its weight to the one below; the top row gets a new one.
template <class Element> void detailed_registers<Element>::shift_in(const Element* row)
{
    auto& all = m_weights[0];
    std::copy_backward(all.begin(), all.end() - m_side, all.end());
    std::copy(row, row + m_side, all.begin());
}

template <class Element> void detailed_registers<Element>::load(unsigned j, unsigned t, const Element& element)
{
    m_arriving.push_back({0, j, t, element, 0});
}

// Computes the next values of all registers; then all change, and elements that the end of a tile passes swap their
// weights.
template <class Element> std::uint64_t detailed_registers<Element>::tick()
{
    std::uint64_t overflowed = 0;
    const auto& above = past(m_depth - 1);
    auto& next = past(m_depth);
    for (unsigned i = 0; i < m_side; ++i) {
        m_next.valid[i].shift_in(std::exchange(m_arrives[i], 0) != 0, m_now.valid[i]);
        if (m_streaming) { m_next.end[i].shift_in(std::exchange(m_ends[i], 0) != 0, m_now.end[i]); }
        const Element* const weights[] = {m_weights[0].data() + at(i, 0), m_weights[1].data() + at(i, 0)};
        const unsigned char* const active = m_active.data() + at(i, 0);
        m_next.valid[i].for_each([&](unsigned j) {
            const Element a_in = j > 0 ? m_now.a[at(i, j - 1)] : m_left[i];
            const sum c_in = i > 0 ? above.c[at(i - 1, j)] : sum{};
            const Element r = weights[active[j]][j];
            overflowed += arithmetic::mac_overflows<Element>(c_in, a_in, r) ? 1 : 0;
            m_next.a[at(i, j)] = a_in;
            next.c[at(i, j)] = arithmetic::mac(c_in, a_in, r);
        });
    }
    move_weights();
    std::swap(m_now, m_next);
    next.last_valid = m_now.valid[m_side - 1];
    next.last_ends = m_now.end[m_side - 1][m_side - 1];
    m_newest = (m_newest + m_depth) % m_past.size();
    for (unsigned i = 0; m_streaming && i < m_side; ++i) {
        m_now.end[i].for_each([&](unsigned j) { m_active[at(i, j)] ^= 1u; });
    }
    return overflowed;
}

// Weight t of a tile (from 0) moves the weights before it down to row t. Elements below may still hold weights that
// they have to swap in.
template <class Element> void detailed_registers<Element>::move_weights()
{
    const auto arrived = [](const arriving_weight& w) { return w.cycles == 0; };
    for (std::size_t k = 0, arriving = m_arriving.size(); k < arriving; ++k) {
        auto w = m_arriving[k];
        if (!arrived(w)) { continue; }
        std::swap(w.element, shadow(at(w.row, w.column)));
        while (w.row < w.tile_row) {
            ++w.row;
            if (m_depth > 1) {
                w.cycles = m_depth - 1;
                m_arriving.push_back(w);
                break;
            }
            std::swap(w.element, shadow(at(w.row, w.column)));
        }
    }
    m_arriving.erase(std::remove_if(m_arriving.begin(), m_arriving.end(), arrived), m_arriving.end());
    for (auto& w : m_arriving) { --w.cycles; }
}

template <class Element> void detailed_registers<Element>::show(unsigned i, unsigned j, element_waveform& shown) const
{
    shown.valid = m_now.valid[i][j];
    if (shown.valid) {
        shown.a_out = arithmetic::shown(m_now.a[at(i, j)]);
        shown.c_out = arithmetic::shown(past(0).c[at(i, j)]);
    }
    shown.weight = arithmetic::shown(active(at(i, j)));
    if (m_streaming) { shown.shadow = arithmetic::shown(m_weights[m_active[at(i, j)] ^ 1u][at(i, j)]); }
}

} // namespace

std::unique_ptr<systolic_array> make_detailed_systolic_array(sc_core::sc_module_name name,
                                                             const systolic_array_config& config,
                                                             const bus::stop_request& stop)
{
    return base::with_element<double, float, std::complex<double>, arithmetic::bfloat16, arithmetic::float16,
                              std::int8_t, std::int32_t, std::int64_t>(
        config.format, [&](auto element) -> std::unique_ptr<systolic_array> {
            using element_type = decltype(element);
            return std::make_unique<stepped_systolic_array<element_type, detailed_registers<element_type>>>(
                name, config, stop);
        });
}

} // namespace tensorloom::blocks
