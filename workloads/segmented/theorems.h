#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/workloads/segmented/problem.h>
#include <tensorloom/workloads/segmented/variants.h>

namespace tensorloom::workloads {

/// Numbers that the bounds of MMV-RAM are made of.
struct segmented_theorem_terms {
    std::uint64_t n = 0;       ///< elements, the side of matrices, the elements of a sparse matrix
    std::uint64_t columns = 0; ///< of a sparse matrix
    std::uint64_t s = 0;       ///< side of the array
    std::uint64_t w = 0;       ///< bits of a word, in the gates of the vector unit
    unsigned bits = 0;         ///< B: of operands of products
    std::uint64_t largest = 0; ///< M: the largest magnitude of the operand
};

/// Largest factor between the ratios of the last three sizes; none: no claim, these sizes are too few or too small.
struct flatness_claim {
    std::optional<double> steps, work;
};

/// A theorem about an algorithm on an MMV-RAM: its bounds with all constants 1, and problems of growing size.
struct segmented_theorem {
    std::string_view name; ///< "4.1", "lemma 4.4", ..
    const char* variant;
    std::string_view size;                                                      ///< what grows: "n", "B"
    std::string_view steps_bound, work_bound, bits_allowed, vector_steps_bound; ///< as formulas
    std::uint64_t (*steps)(const segmented_theorem_terms&);
    double (*work)(const segmented_theorem_terms&);   ///< multiply-adds and gates
    unsigned (*bits)(const segmented_theorem_terms&); ///< of a word, with its sign
    /// The size of which a vector unit alone takes log n / log log n steps.
    std::uint64_t (*parity_bits)(const segmented_theorem_terms&);
    std::vector<std::uint64_t> (*sizes)(std::uint64_t side);
    segmented_problem<std::int64_t> (*problem)(std::uint64_t size, std::uint64_t seed);
    flatness_claim (*flat)(std::uint64_t side);

    std::string title() const; ///< "theorem 4.1", "lemma 4.4"
    segmented_theorem_terms terms(const segmented_problem<std::int64_t>& problem, std::uint64_t side,
                                  std::uint64_t word_bits) const;
};

const std::vector<segmented_theorem>& segmented_theorems();

/// The variants of an operation that use the vector unit alone and, as the model has it, no multiplier.
std::vector<const segmented_variant*> vector_rivals(segmented_operation operation);

/// log2 n / log2 log2 n: steps of circuits of polynomial size and constant depth that compute the parity of n bits
/// (theorem 3.2, constants 1). None below 4 bits.
std::optional<double> parity_steps(std::uint64_t n);

} // namespace tensorloom::workloads
