#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tensorloom::workloads {

/// A contraction of two tensors: C = sum of A B over the contracted modes: a tensor network's step (FETTA, section II).
/// A mode is a letter. It belongs to one of four groups:
///     batch        in A, in B and in C      (G indices in all)
///     contracted   in A and in B, summed    (K)
///     a_free       in A and in C            (M)
///     b_free       in B and in C            (N)
/// A group is used as one flat index, its last mode fastest: contracted modes in the order of A, all others in the
/// order of C. A scalar has no modes; its shape is ().
struct contraction {
    std::string a, b, c; ///< modes of each tensor in C order
    std::string batch, contracted, a_free, b_free;
    std::array<std::uint32_t, 128> size{}; ///< by letter; 0 for unused letters

    std::uint32_t size_of(char letter) const { return size[static_cast<unsigned char>(letter)]; }
    /// Product of the sizes of these modes; 1 if there are none.
    std::uint64_t extent(std::string_view modes) const;
    std::vector<std::size_t> shape(std::string_view modes) const;
    std::uint64_t macs() const { return extent(batch) * extent(contracted) * extent(a_free) * extent(b_free); }
};

inline constexpr unsigned max_contraction_modes = 8; ///< of each tensor
inline constexpr std::uint64_t max_tensor_elements =
    (std::uint64_t{1} << 31) - 1; ///< of each tensor: strides have 32 bits

/// Parses an expression and its sizes.
///
///     expression := modes "," modes "->" modes      "bik,kj->bij"
///     modes      := letter*                         A-Z and a-z, case-sensitive, at most 8; none: a scalar
///     sizes      := "" | size ("," size)*           "b=8,i=64,k=64,j=32"
///     size       := letter "=" number               1 to 2^31 - 1
///
/// Blanks between the parts are skipped. Throws base::input_error, one line, for anything else, and for: a letter twice
/// in one tensor (a diagonal), a letter in one operand only (a sum over one operand), a letter of the result that no
/// operand has, a size that is missing, duplicate or of an unused letter, tensors of more than max_tensor_elements.
contraction parse_einsum(const std::string& expression, const std::string& sizes);

/// The same with the sizes of the operands' modes, in their order. Throws for shapes that do not match.
contraction parse_einsum(const std::string& expression, const std::vector<std::size_t>& shape_of_a,
                         const std::vector<std::size_t>& shape_of_b);

} // namespace tensorloom::workloads
