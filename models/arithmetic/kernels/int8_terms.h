#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/kernels/int8_kernel.h>
#include <tensorloom/models/arithmetic/mode_product.h>
#include <tensorloom/models/arithmetic/kernels/plane_product.h>

namespace tensorloom::arithmetic {

/// The terms of a product of 8-bit integers in every form that its kernel needs; all threads share them.
///
/// Pairs of coefficients share a word (arithmetic/int8_kernel.h).
class int8_terms {
public:
    /// `fibres`: those of the product are contiguous. rows: of the tensor along the summed mode.
    void gather(const product_term* terms, std::size_t count, std::size_t columns, std::size_t rows, bool fibres,
                const int8_kernel& kernel);

    const gathered_terms<std::int32_t>& gathered() const { return m_gathered; }

    /// Pairs are of neighbouring rows of the tensor, in panels of tile_columns columns: pair t, column j of one at t *
    /// tile_columns + j. Rows that no term names have zeros. Otherwise pairs are of neighbouring terms: column k, pair
    /// t at k * pairs() + t.
    bool paired_by_row() const { return m_paired_by_row; }
    std::size_t pairs() const { return m_pairs; }
    const std::int32_t* words() const { return m_words; }

    /// Term t is the first one to name its row.
    bool names_first(std::size_t term) const { return m_names_first[term]; }

    /// What the magnitude of a first sum of column k may be, for none of its sums to leave 32 bits whatever the
    /// operands; negative: nothing.
    std::int64_t room(std::size_t column) const { return m_room[column]; }
    std::int64_t least_room() const { return m_least_room; }

private:
    void gather_rows(const product_term* terms);
    void measure_room();
    bool pair_by_row(std::size_t rows, const int8_kernel& kernel);
    void pair_by_term();

    gathered_terms<std::int32_t> m_gathered;
    bool m_paired_by_row = false;
    std::size_t m_pairs = 0;
    std::vector<std::int32_t> m_storage; // of words
    std::int32_t* m_words = nullptr;
    std::vector<std::int32_t> m_by_row; // coefficients by row of the tensor
    std::vector<bool> m_names_first;
    std::vector<std::int64_t> m_room;
    std::int64_t m_least_room = 0;
};

} // namespace tensorloom::arithmetic
