#include <tensorloom/models/torus/node_array.h>
#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/arithmetic/rotated_product.h>
#include <tensorloom/models/blocks/tensor_planes.h>
#include <tensorloom/models/torus/fast_plane.h>
#include <tensorloom/models/torus/pointwise_counts.h>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::torus {

/// The torus as arrays, without movement. A slot is one tensor, padded to P blocks along each mode, in C order of its
/// own modes. A pass of a stage is one product along a mode (arithmetic/rotated_product.h), computed when the pass
/// ends, or of int8 when it begins, as its steps count overflows; every result block takes the blocks of the summed
/// mode in the order in which they would have arrived. Events are counted in closed form, step by step. Bits, counts
/// and time are those of the detailed array. A tensor that becomes an operand is rounded to elements, in its arrays
/// only if a later read can observe it.
///
/// A slot has no memory before its first write, and none after it was cleared.
template <class Element> class fast_node_array : public node_array, public node_memory_if, public stage_control_if {
public:
    fast_node_array(sc_core::sc_module_name name, const config& config);

    // node_memory_if
    void lay_out(const array_layout& layout) override;
    void clear(const tensor_place& to) override;
    tensor_place placed(slot in) const override { return {m_placed_as[static_cast<unsigned>(in)], in}; }
    void write(const tensor_place& to, const shape3& sizes, std::uint64_t first, const unsigned char* bytes,
               std::uint64_t elements) override
    {
        settled(to.in).write(sizes, first, bytes, elements);
    }
    void write_sums(const tensor_place& to, const shape3& sizes, std::uint64_t first, const unsigned char* bytes,
                    std::uint64_t sums) override
    {
        settled(to.in).write_sums(sizes, first, bytes, sums);
    }
    std::uint64_t read(const tensor_place& from, const shape3& sizes, std::uint64_t first, unsigned char* bytes,
                       std::uint64_t elements, unsigned shift) const override
    {
        return tensor(from.in).read(sizes, first, bytes, elements, shift);
    }
    void read_sums(const tensor_place& from, const shape3& sizes, std::uint64_t first, unsigned char* bytes,
                   std::uint64_t sums, unsigned shift) const override;
    void resize_matrix(slot which, std::uint32_t rows, std::uint32_t columns) override
    {
        matrix_of(which) = {rows, columns, std::vector<Element>(std::size_t{rows} * columns)};
    }
    void write_matrix(slot which, std::uint64_t first, const unsigned char* bytes, std::uint64_t elements) override
    {
        std::memcpy(matrix_of(which).elements.data() + first, bytes, elements * sizeof(Element));
    }
    void read_matrix(slot which, std::uint64_t first, unsigned char* bytes, std::uint64_t elements) const override
    {
        std::memcpy(bytes, matrix_of(which).elements.data() + first, elements * sizeof(Element));
    }

    // stage_control_if
    void begin(const stage_pass& pass) override;
    void compute(counts& counts) override;
    void roll(counts& counts) override;
    void end() override;
    void apply(const pointwise_pass& pass, counts& counts) override;
    void abandon() override { lay_out(m_layout); }

    void trace_node(sc_core::sc_trace_file& file, const shape3& place, const std::string& prefix) override;
    const char* kind() const override { return "fast_node_array"; }

private:
    using product = arithmetic::rotated_product<Element>;
    using planes = blocks::tensor_planes<Element>;
    using accumulator = typename planes::accumulator;
    /// The coefficients of a stage, as long as they are on the torus: row by row.
    struct matrix {
        std::uint32_t rows = 0, columns = 0;
        std::vector<Element> elements;
    };
    /// In which order the blocks of the summed mode come to a block of results.
    struct block_order {
        std::array<std::size_t, 3> advance{}; // of the first one, by block label of the result
        bool ascending = true;
    };

    planes& tensor(slot which) { return m_tensors[static_cast<unsigned>(which)]; }
    const planes& tensor(slot which) const { return m_tensors[static_cast<unsigned>(which)]; }
    planes& settled(slot which);
    matrix& matrix_of(slot which) { return m_matrices[static_cast<unsigned>(which) - tensors]; }
    const matrix& matrix_of(slot which) const { return m_matrices[static_cast<unsigned>(which) - tensors]; }
    shape3 by_mode(slot which) const;
    shape3 padded_sizes(slot which) const;
    block_order order_of(const stage_descriptor& stage) const;
    typename product::problem problem_of_pass();
    void gather_coefficients();

    static constexpr unsigned tensors = static_cast<unsigned>(slot::c_i);
    static constexpr bool is_integer = std::is_integral_v<accumulator>;

    const std::uint32_t m_side;
    const bool m_shares; // sums
    array_layout m_layout;
    blocks::plane_pool<typename planes::real> m_pool;
    std::array<planes, tensors> m_tensors;
    std::array<slot, tensors> m_placed_as{};   // by memory
    std::array<bool, tensors> m_was_operand{}; // rounded to elements; the arrays may hold the sums still
    std::array<matrix, slots - tensors> m_matrices;
    fast_plane<Element> m_plane;
    stage_pass m_pass;
    product m_product;
    std::vector<Element> m_coefficients; // of the pass, summed by made, with its padding
    // int8: what the steps of the pass still have to count
    std::uint64_t m_saturated = 0;
    std::vector<std::uint64_t> m_overflowed; // by step
    std::size_t m_step = 0;
};

namespace {

template <class T> T conjugate(const T& x) { return x; }
template <class R> std::complex<R> conjugate(const std::complex<R>& x) { return std::conj(x); }

/// The place this many nodes further along an axis, modulo P.
std::uint32_t moved(std::uint32_t place, int by, std::uint32_t side)
{
    return by >= 0 ? (place + static_cast<std::uint32_t>(by)) % side
                   : (place + side - static_cast<std::uint32_t>(-by) % side) % side;
}

/// The place to which rolls take a slot's block.
place rolled(const stage_descriptor& stage, slot which, place from, int steps, std::uint32_t side)
{
    for (const auto& roll : stage.rolls) {
        auto& at = from[static_cast<unsigned>(roll.along)];
        if (roll.which == which) { at = moved(at, steps * roll.sign, side); }
    }
    return from;
}

} // namespace

template <class Element>
fast_node_array<Element>::fast_node_array(sc_core::sc_module_name name, const config& config)
    : node_array(name), m_side(config.side),
      m_shares(config.overlap == overlap_kind::shared), m_tensors{planes(m_pool), planes(m_pool), planes(m_pool),
                                                                  planes(m_pool)},
      m_plane(config.side, m_shares, *this), m_product(config.threads)
{
    plane.bind(m_plane);
    memory.bind(*this);
    control.bind(*this);
    lay_out(m_layout);
}

// ---- memory port ----

template <class Element> void fast_node_array<Element>::lay_out(const array_layout& layout)
{
    m_layout = layout;
    for (unsigned s = 0; s < tensors; ++s) { clear(static_cast<slot>(s)); }
    for (auto& each : m_matrices) { each = {}; }
}

template <class Element> void fast_node_array<Element>::clear(const tensor_place& to)
{
    tensor(to.in).clear(padded_sizes(to.as));
    m_placed_as[static_cast<unsigned>(to.in)] = to.as;
    m_was_operand[static_cast<unsigned>(to.in)] = false;
}

template <class Element>
void fast_node_array<Element>::read_sums(const tensor_place& from, const shape3& sizes, std::uint64_t first,
                                         unsigned char* bytes, std::uint64_t sums, unsigned shift) const
{
    if (std::is_same_v<Element, accumulator> || !m_was_operand[static_cast<unsigned>(from.in)]) {
        return tensor(from.in).read_sums(sizes, first, bytes, sums, shift);
    }
    std::vector<Element> rounded(sums);
    read(from, sizes, first, reinterpret_cast<unsigned char*>(rounded.data()), sums, shift);
    for (const auto& element : rounded) {
        const accumulator sum = arithmetic::widened(element);
        std::memcpy(bytes, &sum, sizeof sum);
        bytes += sizeof sum;
    }
}

/// A tensor about to be written: if it was an operand, its arrays are rounded first.
template <class Element> typename fast_node_array<Element>::planes& fast_node_array<Element>::settled(slot which)
{
    auto& rounded = m_was_operand[static_cast<unsigned>(which)];
    if (rounded) { tensor(which).round_to_elements(); }
    rounded = false;
    return tensor(which);
}

/// Elements of a block along each mode of the slot's tensor.
template <class Element> shape3 fast_node_array<Element>::by_mode(slot which) const
{
    const auto by_label = shape_of(which, m_layout.sizes).size;
    shape3 sizes{};
    for (unsigned label = 0; label < 3; ++label) { sizes[m_layout.mode[label]] = by_label[label]; }
    return sizes;
}

template <class Element> shape3 fast_node_array<Element>::padded_sizes(slot which) const
{
    shape3 sizes = by_mode(which);
    for (auto& n : sizes) { n *= m_side; }
    return sizes;
}

// ---- stages ----

template <class Element> void fast_node_array<Element>::begin(const stage_pass& pass)
{
    m_pass = pass;
    const auto sums = pass.sums();
    m_was_operand[static_cast<unsigned>(pass.operand().in)] = !is_integer;
    if (pass.opens) {
        m_was_operand[static_cast<unsigned>(sums.in)] = false;
        if (placed(sums.in).as != sums.as) { clear(sums); }
    }
    if constexpr (is_integer) {
        m_saturated = tensor(pass.operand().in).round_to_elements(pass.shift);
        m_overflowed.assign(pass.stage.steps, 0);
        m_step = 0;
        m_product.run(problem_of_pass(), m_overflowed.data());
    }
}

template <class Element> void fast_node_array<Element>::compute(counts& counted)
{
    const std::uint64_t macs = std::uint64_t{m_side} * m_side * m_side * macs_of(m_pass.stage, m_layout.sizes);
    counted[event::step] += 1;
    counted[event::mac] += macs;
    counted[event::register_read] += 3 * macs;
    counted[event::register_write] += macs;
    if constexpr (is_integer) {
        counted[event::operand_saturated] += std::exchange(m_saturated, 0);
        counted[event::mac_overflowed] += m_overflowed[m_step++];
    }
}

template <class Element> void fast_node_array<Element>::roll(counts& counted)
{
    for (const auto& each : m_pass.stage.rolls) {
        const auto stage = counts_of(each, m_layout.sizes, m_side);
        const bool sums = each.which == m_pass.stage.accumulator;
        const std::uint64_t width = sums ? sizeof(accumulator) / sizeof(Element) : 1;
        const auto in_a_step = [&](std::uint64_t words) { return words / m_pass.stage.steps * width; };
        add_passage(counted, each.along, sums && m_shares,
                    {stage.blocks / m_pass.stage.steps, in_a_step(stage.words), in_a_step(stage.wrap_words),
                     in_a_step(stage.word_pitches)});
    }
}

/// A result block is at home in step 0. In step t it is at the place of t rolls, and meets the operand block that has
/// arrived there.
template <class Element>
typename fast_node_array<Element>::block_order fast_node_array<Element>::order_of(const stage_descriptor& stage) const
{
    const auto& vector = m_layout.vector;
    const auto summed_at = [&](const place& home) {
        return home_label(stage.operand, home, vector, m_side)[stage.mode];
    };
    block_order order;
    // Labels and order are linear in the place: the neighbours of the first node determine them.
    for (int q = -1; q <= 1; ++q) {
        for (int r = -1; r <= 1; ++r) {
            for (int s = -1; s <= 1; ++s) {
                const place home{moved(0, q, m_side), moved(0, r, m_side), moved(0, s, m_side)};
                const auto label = home_label(stage.accumulator, home, vector, m_side);
                for (unsigned i = 0; i < 3; ++i) {
                    block_label unit{};
                    unit[i] = 1 % m_side;
                    if (label == unit) { order.advance[i] = summed_at(home); }
                }
            }
        }
    }
    const auto after_a_step = rolled(stage, stage.accumulator, {}, 1, m_side);
    order.ascending = summed_at(rolled(stage, stage.operand, after_a_step, -1, m_side)) == 1 % m_side;
    return order;
}

/// The window's coefficient of each pair of summed index and result index.
template <class Element> void fast_node_array<Element>::gather_coefficients()
{
    const auto& stage = m_pass.stage;
    const auto& from = matrix_of(stage.coefficient);
    const std::uint32_t rows = m_side * m_layout.sizes.in_block[stage.mode];
    const std::uint32_t columns = m_side * m_layout.sizes.out_block[stage.mode];
    m_coefficients.assign(std::size_t{rows} * columns, Element{});
    const std::uint64_t first_row = std::uint64_t{m_pass.window[0]} * rows;
    const std::uint64_t first_column = std::uint64_t{m_pass.window[1]} * columns;
    for (std::uint32_t n = 0; n < rows && first_row + n < from.rows; ++n) {
        const Element* const row = from.elements.data() + (first_row + n) * from.columns;
        for (std::uint32_t k = 0; k < columns && first_column + k < from.columns; ++k) {
            const Element& c = row[first_column + k];
            if (stage.transposed) {
                m_coefficients[std::size_t{k} * rows + n] = conjugate(c);
            } else {
                m_coefficients[std::size_t{n} * columns + k] = c;
            }
        }
    }
}

template <class Element> void fast_node_array<Element>::end()
{
    if constexpr (!is_integer) { m_product.run(problem_of_pass()); }
}

template <class Element> typename fast_node_array<Element>::product::problem fast_node_array<Element>::problem_of_pass()
{
    const auto& stage = m_pass.stage;
    const block_order order = order_of(stage);
    const shape3 operand = by_mode(stage.operand), made = by_mode(stage.accumulator);
    gather_coefficients();

    typename product::problem p;
    p.blocks = m_side;
    p.mode = m_layout.mode[stage.mode];
    for (unsigned label = 0; label < 3; ++label) {
        p.block[m_layout.mode[label]] = operand[m_layout.mode[label]];
        p.advance[m_layout.mode[label]] = order.advance[label];
    }
    p.made = made[p.mode];
    p.ascending = order.ascending;
    p.x = tensor(m_pass.operand().in).values();
    p.coefficients = m_coefficients.data();
    p.accumulate = !m_pass.opens;
    auto& sums = settled(m_pass.sums().in);
    p.y = p.accumulate ? sums.values() : sums.overwritten(padded_sizes(stage.accumulator));
    return p;
}

template <class Element> void fast_node_array<Element>::apply(const pointwise_pass& pass, counts& counted)
{
    auto& x = settled(pass.x.in);
    const std::uint64_t elements = isa::volume_of(x.shape());
    const auto* const b = pass.operand ? settled(pass.operand->in).values() : nullptr;
    const auto found = arithmetic::run_pointwise(step_of<Element>(pass), x.values(), b, elements);
    count_pointwise<Element>(pass, elements, found, counted);
}

template <class Element>
void fast_node_array<Element>::trace_node(sc_core::sc_trace_file&, const shape3&, const std::string&)
{
    bus::report_error(name(), "/tensorloom/torus/trace", "only the detailed fidelity can trace nodes");
}

std::unique_ptr<node_array> make_fast_node_array(sc_core::sc_module_name name, const config& config)
{
    return base::with_element<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16,
                              std::int8_t>(config.format, [&](auto element) -> std::unique_ptr<node_array> {
        return std::make_unique<fast_node_array<decltype(element)>>(name, config);
    });
}

} // namespace tensorloom::torus
