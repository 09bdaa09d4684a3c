#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/torus/isa/schedule.h>
#include <tensorloom/models/torus/isa/timing.h>

namespace tensorloom::torus {

// Matrix products on the P x P nodes of the plane R = 0, i along Q and j along S: A of I x K, B of K x J, C of I x J, P
// blocks along each side. C(i, j) always belongs to node (i, j). Source: Aizu TR 2012-001, section 2; docs/torus.md.

/// How blocks meet.
enum class matrix_class : std::uint8_t { bbc, bcr_row, bcr_column, cra, asc };
inline constexpr base::named_value matrix_class_values[] = {
    {0, "bbc", "broadcast, broadcast, compute (SUMMA): in step t k = t, A driven on rows, B on columns"},
    {1, "bcr-ki", "broadcast, compute, roll (Fox): k = i + t, A driven on rows, B rolls"},
    {2, "bcr-kj", "broadcast, compute, roll: k = j + t, B driven on columns, A rolls"},
    {3, "cra", "compute, roll all (Cannon): k by the scheduling vector, nothing driven"},
    {4, "asc", "systolic array: single elements instead of blocks, B stationary"},
};
/// The matrix that accumulates the product of the other two.
enum class matrix_form : std::uint8_t { c_ab, a_cb, b_ac };
inline constexpr base::named_value matrix_form_values[] = {
    {0, "17a", "C += A B"},
    {1, "17b", "A += C B^T"},
    {2, "17c", "B += A^T C"},
};
enum class matrix : std::uint8_t { a, b, c };
inline constexpr unsigned matrices = 3;
inline constexpr base::named_value matrix_values[] = {{0, "A", "I x K"}, {1, "B", "K x J"}, {2, "C", "I x J"}};

/// Classes with stationary blocks support only form 17a: the other forms would need lines that sum.
constexpr bool has_form(matrix_class cls, matrix_form form)
{
    return form == matrix_form::c_ab || cls == matrix_class::cra;
}

/// Elements of a block along i, j, k: a block of A is i x k, of B k x j, of C i x j.
struct matrix_blocks {
    std::uint32_t i = 1, j = 1, k = 1;
};
/// Rows and columns of one of the matrices.
std::array<std::uint32_t, 2> shape_of(matrix which, const matrix_blocks& blocks);

/// A fully specified schedule.
struct matrix_schedule {
    matrix_class cls = matrix_class::cra;
    matrix_form form = matrix_form::c_ab;
    scheduling_vector vector; ///< signs of i, j, k; CRA: ai i + aj j + ak k = t (mod P)
    std::uint32_t side = 1;   ///< P
};

/// The block index k that meets at node (i, j) in step t.
std::uint32_t summed_block(const matrix_schedule& schedule, std::uint32_t i, std::uint32_t j, std::uint32_t step);
/// The block (row, column) of a matrix whose home is node (i, j).
std::array<std::uint32_t, 2> home_label(matrix which, const matrix_schedule& schedule, std::uint32_t i,
                                        std::uint32_t j);
/// The block of the summed index that meets block (row, column) of the accumulating matrix in step t.
std::uint32_t term_block(const matrix_schedule& schedule, std::uint32_t row, std::uint32_t column, std::uint32_t step);

/// A matrix whose blocks roll to a neighbour after every step.
struct matrix_roll {
    matrix which = matrix::a;
    axis along = axis::q; ///< Q: to the next i, S: to the next j
    int sign = 1;
};
/// A matrix of which every line carries a block before every step.
struct matrix_drive {
    matrix which = matrix::a;
    axis along = axis::s;      ///< S: a line per row i, Q: a line per column j
    bool follows_line = false; ///< false: node t of line n drives in step t; true: node (n + t) mod P
};

/// Program of the nodes: P steps of accumulator += left times right, each followed by rolls. Not for class ASC.
struct plane_program {
    matrix accumulator = matrix::c, left = matrix::a, right = matrix::b;
    bool left_transposed = false, right_transposed = false; ///< not conjugated
    std::uint32_t steps = 1;
    std::vector<matrix_drive> drives;
    std::vector<matrix_roll> rolls; ///< none on a plane of one node
};
plane_program program_of(const matrix_schedule& schedule);

/// Words moved and multiply-adds per step of a program. A word of an accumulator counts `accumulator_words`.
step_profile profile_of(const plane_program& program, const matrix_blocks& blocks, std::uint64_t accumulator_words = 1);

/// Movement of a product, summed over nodes and steps, in words of elements.
struct matrix_movement {
    struct roll {
        matrix which;
        axis along;
        int sign;
        std::uint64_t words;
    };
    std::uint64_t steps = 0;
    std::uint64_t macs = 0;
    std::uint64_t driven = 0;       ///< words onto lines
    std::uint64_t delivered = 0;    ///< words that other nodes receive from lines
    std::vector<roll> rolled;       ///< words over links; for ASC from element to element
    std::uint64_t entered = 0;      ///< words into a systolic array
    std::uint64_t word_pitches = 0; ///< words times pitches of wire
    std::uint64_t longest_line = 0; ///< pitches of the longest wire
};
/// Movement of a product of P blocks of this size along each side; for class ASC of P x P elements.
matrix_movement movement_of(const matrix_schedule& schedule, const matrix_blocks& blocks, bool folded);

/// Movement of ASC: `rows` rows of A pass an array of P x P elements of B. Steps count from the first element that
/// enters to the last sum that leaves; moving the weights to their places belongs to loading.
matrix_movement systolic_movement(std::uint32_t side, std::uint64_t rows);

} // namespace tensorloom::torus
