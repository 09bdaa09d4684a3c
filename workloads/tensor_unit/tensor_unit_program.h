#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>
#include <tensorloom/models/mmv/isa/matmul_command.h>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/tensor_unit/result.h>

namespace tensorloom::workloads {

/// A matrix in the scratchpad, or a part of one: its address, sizes, and strides in elements. A stride of 0 repeats a
/// row or a column. Operands of the tensor unit need a column stride of 1.
struct scratchpad_matrix {
    std::uint32_t address = 0; ///< of the first element, in bytes
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::int64_t row_stride = 0;
    std::int64_t column_stride = 1;
    base::element_type type = base::element_type::int64;
    std::int64_t step = 0; ///< elements to advance with every iteration of the innermost loop

    scratchpad_matrix block(std::uint64_t row, std::uint64_t column, std::uint64_t its_rows,
                            std::uint64_t its_columns) const;
    scratchpad_matrix transposed() const;
    scratchpad_matrix stepped(std::int64_t elements) const;
    /// Repeats the first row as all `its_rows`, or the first column as all `its_columns`.
    scratchpad_matrix with_repeated_row(std::uint64_t its_rows) const;
    scratchpad_matrix with_repeated_column(std::uint64_t its_columns) const;

    std::int32_t step_bytes() const;
    mmv::matrix_operand as_tensor_operand() const;
    isa::vector::strided_operand as_scalar_operand() const;
};

/// Writes programs of an (m,l)-TCU for an MMU/VCU pair: calls (MATMUL) and processor operations (scalar unit, or the
/// lanes of the vector unit).
///
/// Every instruction of the scalar unit has the model's processor charge (charge_table), independent of its own counts:
/// copies that only gather an operand, for example, are free in two of the tables. One of the vector unit is charged an
/// operation per element. Matrices are stored with whole
/// tiles: rows and columns extend to a multiple of q, at least q, so that every call can stream its rows.
class tensor_unit_program {
public:
    tensor_unit_program(mmv_session& session, const tensor_unit_terms& terms);

    std::uint64_t side() const { return m_builder.side(); } ///< q
    std::uint64_t tiles(std::uint64_t n) const { return (n + side() - 1) / side(); }
    std::uint64_t whole_tiles(std::uint64_t n) const { return n == 0 ? side() : tiles(n) * side(); }
    base::element_type format() const { return m_builder.limits().format; }
    mmv_program_builder& builder() { return m_builder; }
    /// Operations to charge for moves.
    std::uint64_t charge_of_moves(std::uint64_t moves, std::uint64_t charged_by_v1 = 0) const
    {
        return workloads::charge_of_moves(m_terms.charges, moves, charged_by_v1);
    }

    // ---- matrices ----
    scratchpad_matrix place(std::uint64_t rows, std::uint64_t columns);   ///< words, not initialized
    scratchpad_matrix cleared(std::uint64_t rows, std::uint64_t columns); ///< words set to 0, whole tiles
    /// Values, row by row, padded with 0 to whole tiles: as words, or as elements for calls.
    scratchpad_matrix loaded(const tensor_unit_values& values, std::uint64_t rows, std::uint64_t columns);
    scratchpad_matrix operand(const tensor_unit_values& values, std::uint64_t rows, std::uint64_t columns);
    /// Contiguous words as one row; no tiles.
    scratchpad_matrix row_of(std::uint64_t words);
    scratchpad_matrix cleared_row_of(std::uint64_t words);
    scratchpad_matrix loaded_row(const tensor_unit_values& values);
    /// Loads the first words of a matrix without gaps.
    void load_row(const scratchpad_matrix& to, const tensor_unit_values& values);
    /// Records copies of a row's words into columns of q, padded with 0 to whole tiles: a move per word.
    scratchpad_matrix by_columns(const scratchpad_matrix& row);

    // ---- instructions; operands advance by their steps with the innermost loop ----
    /// result = left x weights; left has at most q columns, weights at most q x q. One call, or one per q rows.
    void call(const scratchpad_matrix& left, const scratchpad_matrix& weights, const scratchpad_matrix& result);
    /// An instruction of the scalar unit over the elements of `result`.
    void scalar(mmv::opcode code, const scratchpad_matrix& result, const scratchpad_matrix& a,
                const scratchpad_matrix& b, std::uint64_t cpu_ops, std::uint64_t immediate = 0);
    void scalar(mmv::opcode code, const scratchpad_matrix& result, const scratchpad_matrix& a, std::uint64_t cpu_ops,
                std::uint64_t immediate = 0);
    void scalar(mmv::opcode code, const scratchpad_matrix& result, std::uint64_t cpu_ops, std::uint64_t immediate = 0);
    /// result = a + b or a - b on the lanes of the vector unit, an operation per element. All three lie in rows without
    /// gaps; `result` may be `a` or `b`.
    void add(const scratchpad_matrix& result, const scratchpad_matrix& a, const scratchpad_matrix& b,
             bool subtract = false);
    /// The same over three modes.
    void scalar(mmv::opcode code, const isa::vector::strided_command& command);
    void set(const scratchpad_matrix& result, std::int64_t value, std::uint64_t cpu_ops = 0);
    /// Charges operations of the host library between programs.
    void charge(std::uint64_t cpu_ops);
    void loop(std::uint64_t count) { m_builder.loop(static_cast<std::uint32_t>(count)); }
    void end() { m_builder.end(); }

    // ---- results ----
    /// Runs the recorded instructions and reads the matrix.
    tensor_unit_values values_of(const scratchpad_matrix& matrix);
    tensor_unit_result result_of(const scratchpad_matrix& matrix, std::vector<std::uint64_t> shape);
    tensor_unit_result result_of(tensor_unit_values values, std::vector<std::uint64_t> shape);

private:
    scratchpad_matrix tiled(std::uint64_t rows, std::uint64_t columns, bool elements);
    scratchpad_matrix filled(const scratchpad_matrix& matrix, const tensor_unit_values& values);

    mmv_program_builder m_builder;
    tensor_unit_terms m_terms;
};

/// Throws base::input_error unless the device computes in one of these formats.
void require_format(const mmv_session& session, const char* algorithm,
                    std::initializer_list<base::element_type> formats);

/// Throws base::input_error unless both numbers are equal.
void require_count(const char* what, std::size_t found, std::size_t expected);

} // namespace tensorloom::workloads
