#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/kernels/integer_rows_kernel.h>

namespace tensorloom::arithmetic {

/// weighted_rows.h in integers of word format.
///
/// Where the largest magnitude of some rows times the largest sum of magnitudes of a column fits a word, no sum can
/// overflow: the order is then free, and a kernel computes them. Elsewhere every sum is checked term by term.
template <class Word> class weighted_integer_rows {
public:
    weighted_integer_rows(std::size_t side, const integer_rows_kernel<Word>& kernel);

    void prepare(const Word* weights);
    std::uint64_t run(const Word* x, std::ptrdiff_t x_stride, std::size_t rows, Word* z, std::ptrdiff_t z_stride);

private:
    bool fits(const Word* x, std::ptrdiff_t x_stride, std::size_t rows) const;
    void multiply(const Word* x, std::ptrdiff_t x_stride, std::size_t rows, Word* z, std::ptrdiff_t z_stride);
    std::uint64_t follow(const Word* x, Word* z);

    std::size_t m_side;
    const integer_rows_kernel<Word>& m_kernel;
    std::vector<Word> m_weights;
    std::vector<Word> m_packed;         // panel by panel
    std::uint64_t m_largest_column = 0; // sum of magnitudes; the largest number when it is larger
    std::vector<Word> m_copy;           // of rows that are replaced panel by panel
    std::vector<Word> m_sums;           // of a row that is checked
};

} // namespace tensorloom::arithmetic
