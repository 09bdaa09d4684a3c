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
/// numbers; up to q/N rows of N <= q share a row of the call. (The paper's one call per transform pays more latency.) A
/// complex operation counts as one. With Lv > 1 levels every number moves Lv + 1 times: to gather the operand of the
/// first call, with its product by a twiddle factor after each level but the last, and to order the results. (Table v1
/// charges 2 moves per level but the last, those of the recursion as it is written.) Format: c128; a complex
/// multiply-add is four real ones in hardware.
tensor_unit_result fourier_transform(mmv_session& session, const tensor_unit_terms& terms, fourier_direction direction,
                                     const tensor_unit_values& rows, std::uint64_t batch, std::uint64_t points);

/// The same by the definition on the scalar unit, 2 operations per multiply-add. The factors of a row are those of the
/// previous row times their step, one operation each, which costs about N roundings of accuracy.
tensor_unit_result fourier_transform_scalar(mmv_session& session, fourier_direction direction,
                                            const tensor_unit_values& rows, std::uint64_t batch, std::uint64_t points);

/// One transform on the scalar unit by radix 2, N a power of two: log2 N levels of N / 2 butterflies, 3 operations each
/// (a sum, a difference, a product with a factor, including factors of 1), in place. Their results are in bit-reversed
/// order; one copy, N moves, orders them.
tensor_unit_result fourier_transform_radix_2(mmv_session& session, fourier_direction direction,
                                             const tensor_unit_values& numbers, std::uint64_t points,
                                             charge_table charges = charge_table::v1);

/// Throws base::input_error unless N is a power of two.
void require_radix_2_size(std::uint64_t points);

/// Throws base::input_error unless N = q^a r with r a divisor of q.
void require_fourier_size(std::uint64_t points, std::uint64_t side);

// ---- numbers in the scratchpad ----

/// Matrices and twiddle factors in the scratchpad for transforms of one size and direction.
class fourier_tables {
public:
    fourier_tables(tensor_unit_program& program, std::uint64_t points, fourier_direction direction);

    std::uint64_t points() const { return m_points; }

private:
    friend class fourier_data;
    std::uint64_t m_points;
    fourier_direction m_direction;
    scratchpad_matrix m_level;                 ///< q x q transform; when N > q
    scratchpad_matrix m_leaf;                  ///< transforms of N <= q along the diagonal, as many as fit
    scratchpad_matrix m_scales;                ///< inverse: 1 / N, 1 / N^2
    std::vector<scratchpad_matrix> m_twiddles; ///< per level, N2 x q
};

/// Numbers to transform, and a second buffer of the same size; transforms alternate between both.
class fourier_data {
public:
    fourier_data(tensor_unit_program& program, std::uint64_t numbers);

    /// Contiguous; every function changes their address.
    const scratchpad_matrix& now() const { return m_now; }
    const scratchpad_matrix& spare() const { return m_spare; }
    void swap() { std::swap(m_now, m_spare); }

    void load(const tensor_unit_values& numbers); ///< sets the first numbers

    /// Transforms `batch` rows.
    void transform(const fourier_tables& tables, std::uint64_t batch);
    /// Transforms `batch` squares along both sides, with two transpositions.
    void transform_squares(const fourier_tables& tables, std::uint64_t batch);

private:
    void transform_unscaled(const fourier_tables& tables, std::uint64_t batch);
    /// After a level of transforms of `points` numbers, to where the next level needs its operands.
    void multiply_by_twiddles(const fourier_tables& tables, std::size_t level, std::uint64_t points,
                              std::uint64_t transforms);
    void move(const isa::vector::strided_command& command); ///< all numbers, from one buffer to the other
    void scale(const fourier_tables& tables, std::uint64_t numbers, std::uint64_t sides);
    void transpose(std::uint64_t batch, std::uint64_t points);

    tensor_unit_program& m_program;
    scratchpad_matrix m_now, m_spare;
};

} // namespace tensorloom::workloads
