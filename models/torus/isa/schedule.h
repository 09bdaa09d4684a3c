#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>

namespace tensorloom::torus {

// Compute-and-roll on a P x P x P torus: which blocks a node multiplies in which step, and in which direction blocks
// roll. Source: Aizu TR 2012-001, sections 3.1 and 4; docs/torus.md.

/// The three axes of links, and of a node's place (Q, R, S).
enum class axis : std::uint8_t { q, r, s };
inline constexpr unsigned axes = 3;
inline constexpr base::named_value axis_values[] = {{0, "Q", ""}, {1, "R", ""}, {2, "S", ""}};

/// Blocks of a node: of the input tensor (x), of the tensor after the first, second and third summed mode, and of the
/// matrices of stages I, II, III.
enum class slot : std::uint8_t { x, x1, x2, x3, c_i, c_ii, c_iii };
inline constexpr unsigned slots = 7;
inline constexpr base::named_value slot_values[] = {
    {0, "X", "the tensor: block (n1, n2, n3)"},
    {1, "X1", "with mode 3 transformed: (n1, n2, k3)"},
    {2, "X2", "with modes 3 and 1 transformed: (k1, n2, k3)"},
    {3, "X3", "all modes transformed: (k1, k2, k3)"},
    {4, "C_I", "of the matrix of mode 3: (n3, k3)"},
    {5, "C_II", "of the matrix of mode 1: (n1, k1)"},
    {6, "C_III", "of the matrix of mode 2: (n2, k2)"},
};
constexpr bool is_coefficient(slot s) { return s >= slot::c_i; }

/// Direction of a transform: forward from X to X3, inverse from X3 to X with conjugate transposed matrices.
enum class direction : std::uint8_t { forward, inverse };
inline constexpr base::named_value direction_values[] = {
    {0, "forward", "X to X3"},
    {1, "inverse", "X3 to X, by the conjugate transposes"},
};

using place = std::array<std::uint32_t, axes>; ///< (Q, R, S), each below P

/// The scheduling vector: signs of Q, R, S in T = (aQ Q + aR R + aS S) mod P, the third index of the skewed blocks.
struct scheduling_vector {
    std::array<int, axes> sign{1, 1, 1};

    bool operator==(const scheduling_vector& o) const { return sign == o.sign; }
};
/// Parses a vector such as "+-+"; nothing for any other text.
std::optional<scheduling_vector> scheduling_vector_of(const std::string& text);
std::string text_of(const scheduling_vector& vector);

/// T of a node.
std::uint32_t skew_of(const place& node, const scheduling_vector& vector, std::uint32_t side);

/// Elements of a block along modes 1, 2, 3: `in_block` along n, `out_block` along k.
struct block_sizes {
    std::array<std::uint32_t, 3> in_block{1, 1, 1}, out_block{1, 1, 1};
};
/// Sizes of a slot's block along its modes (0 to 2), in memory order; for a coefficient n, then k of the same mode.
struct block_shape {
    std::array<std::uint32_t, 3> size{1, 1, 1};
    unsigned modes = 3;

    std::uint64_t words() const { return std::uint64_t{size[0]} * size[1] * size[2]; }
};
block_shape shape_of(slot which, const block_sizes& sizes);

/// Block indices by mode; for a coefficient (n, k, 0).
using block_label = std::array<std::uint32_t, 3>;
/// The block of a slot whose home is this node, before a transform and after each of its stages.
block_label home_label(slot which, const place& node, const scheduling_vector& vector, std::uint32_t side);

/// A slot whose block rolls to a neighbour after every step.
struct roll {
    slot which = slot::x;
    axis along = axis::q;
    int sign = 1; ///< +1: to the node of the next larger index; -1: smaller
};

/// Program of a node for a stage: P steps of accumulator += operand times coefficient along a mode, each followed by
/// rolls. A node knows nothing else of the transform.
struct stage_descriptor {
    slot accumulator = slot::x, operand = slot::x, coefficient = slot::c_i;
    unsigned mode = 0;       ///< 0 to 2: summed over its n (forward), or over its k (inverse)
    bool transposed = false; ///< multiplied with the transpose
    std::uint32_t steps = 1;
    std::vector<roll> rolls; ///< at most two, on different links; none with one node
    bool conjugated = true;  ///< transposed: also conjugated
};
inline constexpr unsigned stages = 3;
std::array<stage_descriptor, stages> stages_of(direction way, const scheduling_vector& vector, std::uint32_t side);
inline constexpr const char* stage_names[] = {"I", "II", "III"};

/// Multiply-adds of a node in a step.
std::uint64_t macs_of(const stage_descriptor& stage, const block_sizes& sizes);

/// Movement by rolls of an operand in a whole stage, summed over nodes and steps.
struct roll_counts {
    std::uint64_t blocks = 0;
    std::uint64_t words = 0;
    std::uint64_t wrap_words = 0;   ///< words over the links that close the rings
    std::uint64_t word_pitches = 0; ///< words times pitches of wire, the same folded and unfolded
};
roll_counts counts_of(const roll& roll, const block_sizes& sizes, std::uint32_t side);

} // namespace tensorloom::torus
