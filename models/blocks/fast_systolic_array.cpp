#include <tensorloom/models/blocks/systolic_array.h>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/weighted_rows.h>

namespace tensorloom::blocks {

/// The array as what comes out and how long it takes. Results are in memory when the time of a stream has passed.
template <class Element> class fast_systolic_array : public systolic_array {
public:
    fast_systolic_array(sc_core::sc_module_name name, const systolic_array_config& config,
                        const bus::stop_request& stop);

    load_outcome load(const array_weights& weights) override;
    stream_outcome stream(const array_rows& rows) override;
    using systolic_array::watch;
    const element_waveform* watch(unsigned, unsigned) override { return nullptr; }
    const char* kind() const override { return "fast_systolic_array"; }

private:
    using word = arithmetic::accumulator_of<Element>;

    template <class Entry>
    std::uint64_t pass(array_phase phase, std::uint64_t cycles, std::uint64_t rows, const Entry& entry);
    std::uint64_t multiply(const array_rows& rows);
    std::uint64_t multiply_padded(const array_rows& rows, std::uint64_t first, std::uint64_t count, unsigned columns);
    void write_what_left(const array_rows& rows, std::uint64_t cycles);
    void tell(const array_rows& rows, std::uint64_t cycles);

    arithmetic::weighted_rows<Element> m_product;
    std::vector<Element> m_weights;    // side x side
    std::vector<Element> m_left;       // rows with the zeros that memory does not have
    std::vector<word> m_sums;          // likewise
    std::vector<std::uint64_t> m_told; // rows of each column that the listener knows
};

namespace {

constexpr std::uint64_t rows_at_once = 64; // that are padded together: they stay in the first-level cache

template <class Pointer> Pointer row_of(Pointer first, std::uint64_t row, std::ptrdiff_t stride)
{
    return first + static_cast<std::ptrdiff_t>(row) * stride;
}

} // namespace

template <class Element>
fast_systolic_array<Element>::fast_systolic_array(sc_core::sc_module_name name, const systolic_array_config& config,
                                                  const bus::stop_request& stop)
    : systolic_array(name, config, stop), m_product(config.side)
{}

template <class Element> load_outcome fast_systolic_array<Element>::load(const array_weights& weights)
{
    const std::size_t side = settings().side;
    const std::uint64_t cycles = schedule().load_cycles(weights.row_cycles);
    const auto entry = [&](std::uint64_t row) { return schedule().load_entry(row, weights.row_cycles); };
    const std::uint64_t passed = pass(array_phase::load, cycles, side, entry);
    if (passed < cycles) { return {passed, true}; }
    m_weights.assign(side * side, Element{});
    const auto* const first = reinterpret_cast<const Element*>(weights.first);
    for (unsigned i = 0; i < weights.rows; ++i) {
        std::copy_n(row_of(first, i, weights.stride), weights.columns, m_weights.data() + i * side);
    }
    m_product.prepare(m_weights.data());
    return {cycles, false};
}

template <class Element> stream_outcome fast_systolic_array<Element>::stream(const array_rows& rows)
{
    const std::uint64_t count = rows.rows(settings().side);
    const std::uint64_t cycles = schedule().stream_cycles(count, rows.row_cycles);
    const auto entry = [&](std::uint64_t row) { return schedule().entry(row, rows.row_cycles); };
    const std::uint64_t passed = pass(array_phase::stream, cycles, count, entry);
    if (listener() != nullptr) { tell(rows, passed); }
    if (passed < cycles) {
        write_what_left(rows, passed);
        return {passed, 0, true};
    }
    return {cycles, multiply(rows), false};
}

// Waits; what a waveform shows changes with every row that enters.
template <class Element>
template <class Entry>
std::uint64_t fast_systolic_array<Element>::pass(array_phase phase, std::uint64_t cycles, std::uint64_t rows,
                                                 const Entry& entry)
{
    const auto& period = settings().clock_period;
    if (!is_watched()) { return wait_cycles(cycles, period, stop()); }
    std::uint64_t passed = 0;
    begin(phase);
    while (passed < cycles && wait_cycles(1, period, stop()) == 1) {
        if (waveform().row < rows && entry(waveform().row) == passed) { ++waveform().row; }
        ++passed;
    }
    end();
    return passed;
}

// All rows: whole ones where they are, others padded.
template <class Element> std::uint64_t fast_systolic_array<Element>::multiply(const array_rows& rows)
{
    const unsigned side = settings().side;
    const std::uint64_t count = rows.rows(side);
    const bool all_columns = rows.left_columns == side && rows.result_columns == side;
    const std::uint64_t whole = all_columns ? rows.elements / side : 0;
    std::uint64_t overflowed = m_product.run(reinterpret_cast<const Element*>(rows.left), rows.left_stride, whole,
                                             reinterpret_cast<word*>(rows.result), rows.result_stride);
    for (std::uint64_t done = whole; done < count; done += rows_at_once) {
        overflowed += multiply_padded(rows, done, std::min(rows_at_once, count - done), side);
    }
    return overflowed;
}

// Some rows, with zeros for operands that do not exist; writes the first `columns` results of each, as far as they
// exist.
template <class Element>
std::uint64_t fast_systolic_array<Element>::multiply_padded(const array_rows& rows, std::uint64_t first,
                                                            std::uint64_t count, unsigned columns)
{
    const unsigned side = settings().side;
    m_left.assign(count * side, Element{});
    m_sums.resize(count * side);
    for (std::uint64_t r = 0; r < count; ++r) {
        std::copy_n(row_of(reinterpret_cast<const Element*>(rows.left), first + r, rows.left_stride),
                    rows.in_row(first + r, rows.left_columns, side), m_left.data() + r * side);
    }
    const std::uint64_t overflowed = m_product.run(m_left.data(), static_cast<std::ptrdiff_t>(side), count,
                                                   m_sums.data(), static_cast<std::ptrdiff_t>(side));
    const unsigned most = std::min(columns, rows.result_columns);
    for (std::uint64_t r = 0; r < count; ++r) {
        std::copy_n(m_sums.data() + r * side, rows.in_row(first + r, most, side),
                    row_of(reinterpret_cast<word*>(rows.result), first + r, rows.result_stride));
    }
    return overflowed;
}

// A stream was stopped after so many cycles.
template <class Element>
void fast_systolic_array<Element>::write_what_left(const array_rows& rows, std::uint64_t cycles)
{
    const unsigned side = settings().side;
    for (std::uint64_t r = 0; r < rows.rows(side); ++r) {
        const std::uint64_t begin = schedule().output(r, 0, rows.row_cycles);
        if (begin >= cycles) { return; }
        multiply_padded(rows, r, 1, static_cast<unsigned>(std::min<std::uint64_t>(side, cycles - begin)));
    }
}

// The results of so many cycles.
template <class Element> void fast_systolic_array<Element>::tell(const array_rows& rows, std::uint64_t cycles)
{
    const unsigned side = settings().side;
    const std::uint64_t count = rows.rows(side);
    m_told.assign(side, 0);
    for (std::uint64_t k = 0; k < cycles; ++k) {
        for (unsigned j = 0; j < side; ++j) {
            if (m_told[j] < count && schedule().output(m_told[j], j, rows.row_cycles) == k) {
                listener()->result_out(m_told[j]++, j, k);
            }
        }
    }
}

std::unique_ptr<systolic_array> make_fast_systolic_array(sc_core::sc_module_name name,
                                                         const systolic_array_config& config,
                                                         const bus::stop_request& stop)
{
    return arch::with_element<double, std::complex<double>, std::int8_t, std::int32_t, std::int64_t>(
        config.format, [&](auto element) -> std::unique_ptr<systolic_array> {
            return std::make_unique<fast_systolic_array<decltype(element)>>(name, config, stop);
        });
}

} // namespace tensorloom::blocks
