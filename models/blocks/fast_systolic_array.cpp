#include <tensorloom/models/blocks/systolic_array.h>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/weighted_rows.h>
#include <tensorloom/models/arithmetic/word_operations.h>

namespace tensorloom::blocks {

/// The array as results and time only. Results are in memory when the time of a stream has passed.
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

    stream_outcome stream_tiles(const std::vector<array_tile>& tiles) override;

    template <class Entry>
    std::uint64_t pass(array_phase phase, std::uint64_t cycles, std::uint64_t rows, const Entry& entry);
    void take(const array_weights& weights);
    std::uint64_t multiply(const array_rows& rows);
    std::uint64_t multiply_padded(const array_rows& rows, std::uint64_t first, std::uint64_t count, unsigned columns);
    void write_what_left(const array_rows& rows, std::uint64_t cycles);
    template <class Entry> void tell(std::uint64_t rows, const Entry& entry, std::uint64_t cycles);

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
    const std::uint64_t cycles = schedule().load_cycles(weights.row_cycles);
    const auto entry = [&](std::uint64_t row) { return schedule().load_entry(row, weights.row_cycles); };
    const std::uint64_t passed = pass(array_phase::load, cycles, settings().side, entry);
    if (passed < cycles) { return {passed, true}; }
    take(weights);
    return {cycles, false};
}

template <class Element> void fast_systolic_array<Element>::take(const array_weights& weights)
{
    const std::size_t side = settings().side;
    m_weights.assign(side * side, Element{});
    const auto* const first = reinterpret_cast<const Element*>(weights.first);
    for (unsigned i = 0; i < weights.rows; ++i) {
        std::copy_n(row_of(first, i, weights.stride), weights.columns, m_weights.data() + i * side);
    }
    m_product.prepare(m_weights.data());
}

template <class Element> stream_outcome fast_systolic_array<Element>::stream(const array_rows& rows)
{
    const std::uint64_t count = rows.rows(settings().side);
    const std::uint64_t cycles = schedule().stream_cycles(count, rows.pace);
    const auto entry = [&](std::uint64_t row) { return schedule().entry(row, rows.pace); };
    const std::uint64_t passed = pass(array_phase::stream, cycles, count, entry);
    if (listener() != nullptr) { tell(count, entry, passed); }
    if (passed < cycles) {
        write_what_left(rows, passed);
        return {passed, 0, true};
    }
    return {cycles, multiply(rows), false};
}

template <class Element> stream_outcome fast_systolic_array<Element>::stream_tiles(const std::vector<array_tile>& tiles)
{
    const auto& when = schedule();
    const auto load_cycles = [&](std::size_t tile) {
        return tile < tiles.size() ? when.load_cycles(tiles[tile].weights.row_cycles) : 0;
    };
    const std::uint64_t load = load_cycles(0);
    std::vector<std::uint64_t> begins{0}; // from the end of the first load on
    std::vector<std::uint64_t> entries;   // of all rows, likewise; for waveform and listener
    for (std::size_t t = 0; t < tiles.size(); ++t) {
        const array_rows& rows = tiles[t].rows;
        const std::uint64_t count = rows.rows(settings().side);
        for (std::uint64_t r = 0; (is_watched() || listener() != nullptr) && r < count; ++r) {
            entries.push_back(begins.back() + when.entry(r, rows.pace));
        }
        begins.push_back(begins.back() + when.slot_cycles(count, rows.pace, load_cycles(t + 1)));
    }
    const std::uint64_t cycles = load + begins.back() + when.drain_cycles();

    const auto entry = [&](std::uint64_t row) { return entries[row]; };
    const auto load_entry = [&](std::uint64_t row) { return when.load_entry(row, tiles[0].weights.row_cycles); };
    std::uint64_t passed = pass(array_phase::load, load, settings().side, load_entry);
    if (passed == load) { passed += pass(array_phase::stream, cycles - load, entries.size(), entry); }
    const std::uint64_t streamed = passed - std::min(passed, load);
    if (listener() != nullptr) {
        tell(
            entries.size(), [&](std::uint64_t row) { return load + entries[row]; }, passed);
    }
    stream_outcome outcome{passed, 0, passed < cycles};
    for (std::size_t t = 0; t < tiles.size() && begins[t] < streamed; ++t) {
        take(tiles[t].weights);
        if (outcome.stopped) {
            write_what_left(tiles[t].rows, streamed - begins[t]);
        } else {
            outcome.overflowed += multiply(tiles[t].rows);
        }
    }
    return outcome;
}

// Waits; what a waveform shows changes with every row that enters.
template <class Element>
template <class Entry>
std::uint64_t fast_systolic_array<Element>::pass(array_phase phase, std::uint64_t cycles, std::uint64_t rows,
                                                 const Entry& entry)
{
    const auto& period = settings().clock_period.period();
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

// All rows: whole ones in place; accumulating and partial ones padded.
template <class Element> std::uint64_t fast_systolic_array<Element>::multiply(const array_rows& rows)
{
    const unsigned side = settings().side;
    const std::uint64_t count = rows.rows(side);
    const bool all_columns = rows.left_columns == side && rows.result_columns == side;
    const std::uint64_t whole = all_columns && !rows.accumulate ? rows.elements / side : 0;
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
    std::uint64_t overflowed = m_product.run(m_left.data(), static_cast<std::ptrdiff_t>(side), count, m_sums.data(),
                                             static_cast<std::ptrdiff_t>(side));
    const unsigned most = std::min(columns, rows.result_columns);
    for (std::uint64_t r = 0; r < count; ++r) {
        const word* const sums = m_sums.data() + r * side;
        word* const to = row_of(reinterpret_cast<word*>(rows.result), first + r, rows.result_stride);
        const unsigned existing = rows.in_row(first + r, most, side);
        if (rows.accumulate) {
            const auto add = [&](const word& a, const word& b) { return arithmetic::word_sum(a, b, overflowed); };
            std::transform(to, to + existing, sums, to, add);
        } else {
            std::copy_n(sums, existing, to);
        }
    }
    return overflowed;
}

// A stream was stopped after this many cycles.
template <class Element>
void fast_systolic_array<Element>::write_what_left(const array_rows& rows, std::uint64_t cycles)
{
    const unsigned side = settings().side;
    for (std::uint64_t r = 0; r < rows.rows(side); ++r) {
        const std::uint64_t begin = schedule().output(r, 0, rows.pace);
        if (begin >= cycles) { return; }
        multiply_padded(rows, r, 1, static_cast<unsigned>(std::min<std::uint64_t>(side, cycles - begin)));
    }
}

// The results of this many cycles.
template <class Element>
template <class Entry>
void fast_systolic_array<Element>::tell(std::uint64_t rows, const Entry& entry, std::uint64_t cycles)
{
    const unsigned side = settings().side;
    m_told.assign(side, 0);
    for (std::uint64_t k = 0; k < cycles; ++k) {
        for (unsigned j = 0; j < side; ++j) {
            if (m_told[j] < rows && entry(m_told[j]) + schedule().latency() + j == k) {
                listener()->result_out(m_told[j]++, j, k);
            }
        }
    }
}

std::unique_ptr<systolic_array> make_fast_systolic_array(sc_core::sc_module_name name,
                                                         const systolic_array_config& config,
                                                         const bus::stop_request& stop)
{
    return base::with_element<double, float, std::complex<double>, arithmetic::bfloat16, arithmetic::float16,
                              std::int8_t, std::int32_t, std::int64_t>(
        config.format, [&](auto element) -> std::unique_ptr<systolic_array> {
            return std::make_unique<fast_systolic_array<decltype(element)>>(name, config, stop);
        });
}

} // namespace tensorloom::blocks
