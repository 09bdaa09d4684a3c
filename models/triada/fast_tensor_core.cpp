#include <tensorloom/models/triada/tensor_core.h>
#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/mode_product.h>
#include <tensorloom/models/arithmetic/pointwise.h>
#include <tensorloom/models/blocks/tensor_planes.h>

namespace tensorloom::triada {

/// The tensor core as arrays: computes all time-steps of a burst as one product along a mode
/// (arithmetic/mode_product.h), and counts their events in closed form. Bits, counts and time are those of the detailed
/// core.
///
/// Under ESOP the arrays cover the part of a register that can be non-zero; a dense stream also multiplies the zeros of
/// the whole active box, so that infinities and NaN spread as in the cells. A source passes its memory to the next pass
/// with another source. Watched cells are replayed: their accumulators are summed again step by step while time passes.
template <class Element> class fast_tensor_core : public tensor_core {
public:
    fast_tensor_core(sc_core::sc_module_name name, const config& config, const bus::clock_source& clock,
                     const bus::stop_request& stop, step_observer& observer);

    // cell_memory_if
    void activate(const shape3& box) override { set_box(box); }
    void clear(cell_register reg, const shape3& shape) override;
    void keep_corner(cell_register reg, const shape3& shape) override { at(reg).reshape(shape); }
    void write(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t elements) override;
    void write_sums(cell_register reg, std::uint64_t first, const unsigned char* bytes, std::uint64_t sums) override;
    std::uint64_t read(cell_register reg, const shape3& shape, std::uint64_t first, unsigned char* bytes,
                       std::uint64_t elements, unsigned shift) const override;
    void read_sums(cell_register reg, const shape3& shape, std::uint64_t first, unsigned char* bytes,
                   std::uint64_t sums, unsigned shift) const override;
    void widen(cell_register reg) override { at(reg).reshape(settings().mesh); }
    const char* kind() const override { return "fast_tensor_core"; }

private:
    using product = arithmetic::mode_product<Element>;
    using registers = blocks::tensor_planes<Element>;
    using accumulator = typename registers::accumulator;
    using real = typename registers::real;

    /// A watched cell while a burst is replayed.
    struct replayed_cell {
        accumulator sum{};                                       // its accumulator, up to the step that shows
        std::array<accumulator, most_cell_registers> released{}; // what registers held that have given up their memory
    };

    /// The corners of source and target used by a burst; they differ only along the summed mode.
    struct pass_shapes {
        shape3 source;
        shape3 target;
    };

    void give_up(cell_register reg) override;
    void execute(const vector_burst& burst, counts* counts) override;
    void pass_deltas() override;
    void show(std::size_t watched, cell_waveform& waveform, const vector_burst& burst,
              const tagged_vector& vector) override;

    registers& at(cell_register reg) { return m_registers[static_cast<unsigned>(reg)]; }
    const registers& at(cell_register reg) const { return m_registers[static_cast<unsigned>(reg)]; }
    pass_shapes shapes_of(const vector_burst& burst) const;
    void multiply(const vector_burst& burst, const pass_shapes& shapes, registers& target);
    void step_in_place(const vector_burst& burst, counts& counts);
    void gather_terms(const vector_burst& burst, std::uint32_t columns);
    void count(const vector_burst& burst, counts* counts) const;
    void begin_replay(const vector_burst& burst);

    blocks::plane_pool<real> m_pool;
    std::vector<registers> m_registers;
    product m_product;
    std::vector<replayed_cell> m_replayed;

    // scratch, kept between bursts
    std::vector<arithmetic::product_term> m_terms;
    std::vector<arithmetic::product_counts> m_pivots; // of each term
    std::vector<unsigned char> m_padded;              // coefficients with their padding
};

namespace {

shape3 larger(const shape3& a, const shape3& b)
{
    return {std::max(a[0], b[0]), std::max(a[1], b[1]), std::max(a[2], b[2])};
}

} // namespace

template <class Element>
fast_tensor_core<Element>::fast_tensor_core(sc_core::sc_module_name name, const config& config,
                                            const bus::clock_source& clock, const bus::stop_request& stop,
                                            step_observer& observer)
    : tensor_core(name, config, clock, stop, observer), m_product(config.threads)
{
    for (unsigned r = 0; r < config.registers(); ++r) { m_registers.emplace_back(m_pool); }
}

// ---- memory port ----

template <class Element> void fast_tensor_core<Element>::clear(cell_register reg, const shape3& shape)
{
    at(reg).clear(shape);
    renew(reg);
}

template <class Element>
void fast_tensor_core<Element>::write(cell_register reg, std::uint64_t first, const unsigned char* bytes,
                                      std::uint64_t elements)
{
    at(reg).write(at(reg).shape(), first, bytes, elements);
}

template <class Element>
void fast_tensor_core<Element>::write_sums(cell_register reg, std::uint64_t first, const unsigned char* bytes,
                                           std::uint64_t sums)
{
    at(reg).write_sums(at(reg).shape(), first, bytes, sums);
}

template <class Element>
std::uint64_t fast_tensor_core<Element>::read(cell_register reg, const shape3& shape, std::uint64_t first,
                                              unsigned char* bytes, std::uint64_t elements, unsigned shift) const
{
    return at(reg).read(shape, first, bytes, elements, shift);
}

template <class Element>
void fast_tensor_core<Element>::read_sums(cell_register reg, const shape3& shape, std::uint64_t first,
                                          unsigned char* bytes, std::uint64_t sums, unsigned shift) const
{
    at(reg).read_sums(shape, first, bytes, sums, shift);
}

// ---- time-steps ----

template <class Element> void fast_tensor_core<Element>::execute(const vector_burst& burst, counts* counted)
{
    begin_replay(burst);
    if (burst.pointwise) { return step_in_place(burst, *counted); }
    const auto is_sent = [](const tagged_vector& vector) { return vector.sent > 0; };
    if (std::none_of(burst.vectors.begin(), burst.vectors.end(), is_sent)) { return; }

    const pass_shapes shapes = shapes_of(burst);
    auto& target = at(burst.target);
    const shape3 both = larger(target.shape(), shapes.target);
    if (target.is_zero() || both == shapes.target) {
        multiply(burst, shapes, target);
    } else { // a dense stream into a box that does not hold all of the target
        registers within(m_pool);
        within.clear(shapes.target);
        within.copy_corner(target);
        multiply(burst, shapes, within);
        target.reshape(both);
        target.copy_corner(within);
        within.clear({});
    }
    count(burst, counted);
}

template <class Element> void fast_tensor_core<Element>::step_in_place(const vector_burst& burst, counts& counted)
{
    const auto step = step_of<Element>(burst);
    auto& x = at(burst.source);
    x.reshape(box());
    real* const values = x.values();
    const real* operand = nullptr;
    if (burst.operand) {
        auto& other = at(*burst.operand);
        other.reshape(box());
        operand = other.values();
    }
    const auto done = arithmetic::run_pointwise(step, values, operand, volume());
    count_pointwise(burst, counted);
    counted[event::mac] = done.macs;
    counted[event::operand_saturated] = done.saturated;
}

// One product along a mode, for all vectors of the burst.
template <class Element>
void fast_tensor_core<Element>::multiply(const vector_burst& burst, const pass_shapes& shapes, registers& target)
{
    auto& source = at(burst.source);
    source.reshape(shapes.source);
    gather_terms(burst, shapes.target[burst.mode]);

    typename product::problem p;
    p.outer = 1;
    p.inner = 1;
    for (unsigned m = 0; m < burst.mode; ++m) { p.outer *= shapes.source[m]; }
    for (unsigned m = burst.mode + 1; m < 3; ++m) { p.inner *= shapes.source[m]; }
    p.rows = shapes.source[burst.mode];
    p.columns = shapes.target[burst.mode];
    p.x = source.values();
    p.accumulate = !target.is_zero();
    if (p.accumulate) { target.reshape(shapes.target); }
    p.y = p.accumulate ? target.values() : target.overwritten(shapes.target);
    p.skip_zeros = burst.esop;
    p.zero_threshold = burst.zero_threshold;
    p.shift = burst.shift;
    p.terms = m_terms.data();
    p.term_count = m_terms.size();
    m_pivots.resize(m_terms.size());
    m_product.run(p, m_pivots.data());
}

template <class Element>
typename fast_tensor_core<Element>::pass_shapes fast_tensor_core<Element>::shapes_of(const vector_burst& burst) const
{
    if (!burst.esop) { return {box(), box()}; }
    const auto& source = at(burst.source);
    const auto& target = at(burst.target);
    pass_shapes shapes{source.shape(), source.shape()};
    shapes.target[burst.mode] = burst.columns;
    for (const auto& vector : burst.vectors) {
        if (vector.sent > 0) { shapes.source[burst.mode] = std::max(shapes.source[burst.mode], vector.tag + 1); }
    }
    for (unsigned m = 0; m < 3 && !target.is_zero(); ++m) {
        shapes.target[m] = std::max(shapes.target[m], target.shape()[m]);
        if (m != burst.mode) { shapes.source[m] = shapes.target[m]; }
    }
    return shapes;
}

template <class Element> void fast_tensor_core<Element>::gather_terms(const vector_burst& burst, std::uint32_t columns)
{
    m_terms.clear();
    for (const auto& vector : burst.vectors) {
        if (vector.sent > 0) { m_terms.push_back({vector.elements, vector.tag, vector.nonzeros}); }
    }
    if (columns == burst.columns) { return; }
    m_padded.assign(m_terms.size() * columns * sizeof(Element), 0);
    unsigned char* to = m_padded.data();
    for (auto& term : m_terms) {
        std::copy_n(term.coefficients, burst.columns * sizeof(Element), to);
        term.coefficients = to;
        to += columns * sizeof(Element);
    }
}

template <class Element> void fast_tensor_core<Element>::count(const vector_burst& burst, counts* counted) const
{
    const stage_lines lines = lines_of(burst);
    auto pivots = m_pivots.begin();
    for (std::size_t i = 0; i < burst.vectors.size(); ++i) {
        const auto& vector = burst.vectors[i];
        if (vector.sent == 0) { continue; }
        counted[i] = counts_of_step(
            lines, {vector.sent, vector.nonzeros, pivots->operands, pivots->saturated, pivots->overflowed});
        ++pivots;
    }
}

// Its memory goes to the new pass. Waveforms keep showing its last content.
template <class Element> void fast_tensor_core<Element>::give_up(cell_register reg)
{
    const auto r = static_cast<unsigned>(reg);
    m_replayed.resize(watched().size());
    for (std::size_t w = 0; w < m_replayed.size(); ++w) {
        m_replayed[w].released[r] = m_registers[r].at(watched()[w]->at);
    }
    m_registers[r].clear(m_registers[r].shape());
}

// ---- waveforms ----

template <class Element> void fast_tensor_core<Element>::begin_replay(const vector_burst& burst)
{
    m_replayed.resize(watched().size());
    for (std::size_t w = 0; w < m_replayed.size(); ++w) { m_replayed[w].sum = at(burst.target).at(watched()[w]->at); }
}

template <class Element> void fast_tensor_core<Element>::pass_deltas() { wait_for_lines(); }

template <class Element>
void fast_tensor_core<Element>::show(std::size_t watched, cell_waveform& waveform, const vector_burst& burst,
                                     const tagged_vector& vector)
{
    const auto& n = box();
    const auto& position = waveform.at;
    const unsigned slice_mode = 3 - burst.mode - burst.x_mode;
    const std::uint32_t k = position[burst.mode];

    Element c{};
    const bool on_face = vector.sent != 0 && k < burst.length && position[slice_mode] < n[slice_mode];
    if (on_face && k < burst.columns) { std::memcpy(&c, vector.elements + k * sizeof(Element), sizeof c); }
    waveform.x_valid = on_face && (burst.pointwise || !burst.esop || !arithmetic::is_zero(c) || k == vector.tag);
    waveform.tag = waveform.x_valid && !burst.pointwise && k == vector.tag;
    waveform.coefficient = waveform.x_valid ? arithmetic::shown(c) : arithmetic::traced_element{};

    Element x{};
    const bool on_line = vector.sent != 0 && !burst.pointwise && position[burst.x_mode] < n[burst.x_mode] &&
                         position[slice_mode] < n[slice_mode];
    if (on_line) {
        shape3 pivot = position;
        pivot[burst.mode] = vector.tag;
        x = arithmetic::narrowed<Element>(at(burst.source).at(pivot), burst.shift).value;
    }
    waveform.y_valid = on_line && (!burst.esop || !arithmetic::counts_as_zero(x, burst.zero_threshold));
    waveform.operand = waveform.y_valid ? arithmetic::shown(x) : arithmetic::traced_element{};

    auto& cell = m_replayed[watched];
    const bool multiplies = k < burst.length && waveform.y_valid && (!burst.esop || !arithmetic::is_zero(c));
    if (multiplies) { cell.sum = arithmetic::mac(cell.sum, x, c); }
    if (burst.pointwise) { cell.sum = at(burst.source).at(position); }
    for (unsigned r = 0; r < m_registers.size(); ++r) {
        const auto reg = static_cast<cell_register>(r);
        waveform.element[r] = arithmetic::shown(reg == burst.target ? cell.sum
                                                : given_up(reg)     ? cell.released[r]
                                                                    : m_registers[r].at(position));
    }
}

std::unique_ptr<tensor_core> make_fast_tensor_core(sc_core::sc_module_name name, const config& config,
                                                   const bus::clock_source& clock, const bus::stop_request& stop,
                                                   step_observer& observer)
{
    return base::with_element<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16,
                              std::int8_t>(config.format, [&](auto element) -> std::unique_ptr<tensor_core> {
        return std::make_unique<fast_tensor_core<decltype(element)>>(name, config, clock, stop, observer);
    });
}

} // namespace tensorloom::triada
