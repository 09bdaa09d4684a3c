#pragma once
#include <cstdint>
#include <utility>
#include <vector>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/tensor_unit/result.h>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {

enum class fourier_direction {
    forward, ///< exp(-2 pi i n k / N)
    inverse  ///< exp(+2 pi i n k / N), divided by N
};

/// Theorem 7: discrete Fourier transforms of `batch` rows of N numbers, N = q^a r with r a divisor of q. One call per
/// level for the whole batch: N = q N2, transforms of q numbers at distance N2, twiddle factors, transforms of N2
/// numbers; up to q/N rows of N <= q share a row of the call. (One call per transform, as the paper's recurrence has
/// it, pays the latency far more often.)
///
/// A complex operation counts as one. Format: c128; a complex multiply-add is four real ones in hardware.
tensor_unit_result fourier_transform(mmv_session& session, call_shape shape, fourier_direction direction,
                                     const tensor_unit_values& rows, std::uint64_t batch, std::uint64_t points);

/// The same by the definition on the scalar unit, 2 operations per multiply-add; the factors of a row are those of the
/// row before times their step, one operation each, which costs about N roundings of accuracy.
tensor_unit_result fourier_transform_scalar(mmv_session& session, fourier_direction direction,
                                            const tensor_unit_values& rows, std::uint64_t batch, std::uint64_t points);

/// One transform on the scalar unit by radix 2, N a power of two: log2 N levels of N / 2 butterflies, 3 operations each
/// (a sum, a difference, a product with a factor, of 1 as well). Levels go from one place to another and leave their
/// results in order (Stockham), so nothing is moved besides.
tensor_unit_result fourier_transform_radix_2(mmv_session& session, fourier_direction direction,
                                             const tensor_unit_values& numbers, std::uint64_t points);

/// Throws base::input_error unless N is a power of two.
void require_radix_2_size(std::uint64_t points);

/// Throws base::input_error unless N = q^a r with r a divisor of q.
void require_fourier_size(std::uint64_t points, std::uint64_t side);

// ---- of numbers in the scratchpad ----

/// The matrices and twiddle factors that transforms of one size and direction need, in the scratchpad.
class fourier_tables {
public:
    fourier_tables(tensor_unit_program& program, std::uint64_t points, fourier_direction direction);

    std::uint64_t points() const { return m_points; }

private:
    friend class fourier_data;
    std::uint64_t m_points;
    fourier_direction m_direction;
    scratchpad_matrix m_level;                 ///< q x q transform; when N > q
    scratchpad_matrix m_leaf;                  ///< transforms of N <= q, as many as fit, along the diagonal
    scratchpad_matrix m_scales;                ///< 1 / N, 1 / N^2; of the inverse
    std::vector<scratchpad_matrix> m_twiddles; ///< per level, N2 x q
};

/// Numbers that are transformed, and room for as many again: they move from one to the other.
class fourier_data {
public:
    fourier_data(tensor_unit_program& program, std::uint64_t numbers);

    /// One after the other; where they are changes with every function.
    const scratchpad_matrix& now() const { return m_now; }
    const scratchpad_matrix& spare() const { return m_spare; }
    void swap() { std::swap(m_now, m_spare); }

    void load(const tensor_unit_values& numbers); ///< the first ones

    /// Transforms `batch` rows.
    void transform(const fourier_tables& tables, std::uint64_t batch);
    /// Transforms `batch` squares along both of their sides, with two transpositions.
    void transform_squares(const fourier_tables& tables, std::uint64_t batch);

private:
    void transform_level(const fourier_tables& tables, std::size_t level, std::uint64_t batch, std::uint64_t points);
    void transform_unscaled(const fourier_tables& tables, std::uint64_t batch);
    void scale(const fourier_tables& tables, std::uint64_t numbers, std::uint64_t sides);
    void transpose(std::uint64_t batch, std::uint64_t points);

    tensor_unit_program& m_program;
    scratchpad_matrix m_now, m_spare;
};

} // namespace tensorloom::workloads
