#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/weighted_rows.h>
#include <tensorloom/models/blocks/systolic_array.h>

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

} // namespace tensorloom::blocks
