#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <vector>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/segmented/problem.h>

namespace tensorloom::workloads {

/// A vector as an operand: x, or x >> d, whose element i is x[i-d] (0 where i < d).
struct vector_view {
    mmv_array array;
    std::uint32_t shift = 0;

    vector_view() = default;
    vector_view(const mmv_array& whole, std::uint32_t d = 0) : array(whole), shift(d) {} // NOLINT: an array is a view
};
inline vector_view shifted(const mmv_array& x, std::uint64_t d) { return {x, static_cast<std::uint32_t>(d)}; }

/// `elements` elements of an array, starting at `first`.
mmv_array slice(const mmv_array& array, std::uint64_t first, std::uint64_t elements);

/// Right operands of the algorithms, s x s. Vectors are rows, products are x R.
enum class constant_matrix {
    prefix,        ///< U: U[i][j] = 1 where i <= j: prefix sums of a row
    carry,         ///< Bm: the identity with a first row of ones: [a, q1, ..] -> [a, a + q1, ..]
    difference,    ///< D: 1 on the diagonal, -1 to its right: (v D)[j] = v[j] - v[j-1]
    ones,          ///< all 1: the sum of a row, s times
    strictly_lower ///< 1 where i > j; a left operand
};

/// Primitives of the algorithms: parts of their programs (mmv_program_builder::enter()).
namespace primitives {
inline constexpr const char* scan = "scan";         ///< prefix sums, of the whole vector or of blocks
inline constexpr const char* compress = "compress"; ///< with its scan of the flags
inline constexpr const char* diff = "diff";         ///< differences of neighbours
inline constexpr const char* revert = "revert";     ///< of speculative scans, whole or in blocks
inline constexpr const char* update = "update";     ///< ends of blocks, and their carry into the following blocks
inline constexpr const char* flags = "flags";       ///< of segment ends and row starts
inline constexpr const char* gather = "gather";     ///< elements of x by column, values at row ends
inline constexpr const char* product = "product";   ///< of elements, of tiles
inline constexpr const char* sum = "sum";           ///< of the products of a dot product
inline constexpr const char* arrange = "arrange";   ///< copies of matrices by strides

inline constexpr const char* all[] = {scan, compress, diff, revert, update, flags, gather, product, sum, arrange};
} // namespace primitives

/// The smallest and the largest integer that the steps of an algorithm have written, 0 included.
struct written_range {
    std::int64_t least = 0;
    std::int64_t most = 0;

    void include(const std::vector<std::int64_t>& values);
    unsigned bits() const; ///< of a word that holds both, with its sign
};

/// An MMV-RAM (arXiv 2506.23906, section 3) for algorithms: the instructions of an MMU/VCU pair on whole vectors, one
/// step each, recorded by a session. z is the result; its length is that of the instruction unless stated otherwise. z
/// may be an operand without a shift. LOADs and STOREs of inputs, constants and outputs are not steps of the model.
class mmv_ram {
    using op = isa::vector::opcode;

public:
    /// Places and loads these constants. `written`: gets the numbers of all steps, by a STORE after each; the device
    /// then needs the block REVERT, because its replacement is a loop.
    mmv_ram(mmv_session& session, const std::vector<constant_matrix>& constants, written_range* written = nullptr);

    const mmv::limits& limits() const { return m_builder.limits(); }
    std::uint32_t side() const { return m_builder.side(); }
    bool has(isa::vector::functional_block block) const { return limits().has(block); }
    mmv_program_builder& builder() { return m_builder; }
    const mmv_array& constant(constant_matrix which) const;

    mmv_array words(std::uint64_t n) { return m_builder.words(n); }
    template <class T> mmv_array loaded(const std::vector<T>& values) { return m_builder.loaded(values); }

    // ---- matrix unit: x row by row in rows of s ----
    void matmul(const mmv_array& z, const mmv_array& x, const mmv_array& weights);
    void matmul(const mmv_array& z, const mmv_array& x, constant_matrix weights) { matmul(z, x, constant(weights)); }

    /// z is written in rows of s; rows of x have `columns` elements (at most s) and are `stride` apart.
    void matmul_columns(const mmv_array& z, const mmv_array& x, std::uint64_t stride, std::uint64_t columns,
                        const mmv_array& weights);

    // ---- vector unit, element by element ----
    void add(const mmv_array& z, const vector_view& a, const vector_view& b) { element_wise(op::add, z, a, b); }
    void sub(const mmv_array& z, const vector_view& a, const vector_view& b) { element_wise(op::sub, z, a, b); }
    void mul(const mmv_array& z, const vector_view& a, const vector_view& b) { element_wise(op::mul, z, a, b); }
    void and_flags(const mmv_array& z, const vector_view& a, const vector_view& b) { element_wise(op::and_, z, a, b); }
    void or_flags(const mmv_array& z, const vector_view& a, const vector_view& b) { element_wise(op::or_, z, a, b); }
    void mask(const mmv_array& z, const vector_view& a, const vector_view& f) { element_wise(op::mask, z, a, f); }
    void not_flags(const mmv_array& z, const vector_view& a) { element_wise(op::not_, z, a, {}); }
    void is_zero(const mmv_array& z, const vector_view& a) { element_wise(op::is_zero, z, a, {}); }
    void bit(const mmv_array& z, const vector_view& a, unsigned which);
    /// z[i] = a[i] + word, z[i] = a[i] - word, with one word for all elements.
    void add_word(const mmv_array& z, const vector_view& a, const mmv_array& word) { with_word(op::add, z, a, word); }
    void sub_word(const mmv_array& z, const vector_view& a, const mmv_array& word) { with_word(op::sub, z, a, word); }
    /// z[i] = a[i] - word; the word advances by one with every iteration of the enclosing loop.
    void sub_next_word(const mmv_array& z, const vector_view& a, const mmv_array& word);
    /// z[i] = word; the word advances by one with every iteration of the enclosing loop.
    void spread_next(const mmv_array& z, const mmv_array& word);

    // ---- vector unit, block by block: of s elements, or of the number given ----
    /// Length: of a.
    void gather_last(const mmv_array& z, const mmv_array& a, std::uint64_t block = 0)
    {
        block_wise(op::gather_last, z, a.elements, a, {}, block);
    }
    /// In place.
    void scatter_last(const mmv_array& z, const mmv_array& b, std::uint64_t block = 0)
    {
        block_wise(op::scatter_last, z, z.elements, z, b, block);
    }
    void scatter_last_into_zeros(const mmv_array& z, const mmv_array& b, std::uint64_t block = 0);
    void fill_first(const mmv_array& z, const vector_view& a) { block_wise(op::fill_first, z, z.elements, a); }
    /// Length: of f.
    void or_block(const mmv_array& z, const mmv_array& f) { block_wise(op::or_block, z, f.elements, f); }
    void revspec(const mmv_array& z, const mmv_array& xb, const mmv_array& fb)
    {
        block_wise(op::revspec, z, z.elements, xb, fb);
    }
    /// Blocks of `block` elements, one per element of a.
    void expand(const mmv_array& z, const mmv_array& a, const mmv_array& b, std::uint64_t block, unsigned bits);

    // ---- vector unit, any element to any place ----
    /// Length: of x.
    void compact(const mmv_array& z, const mmv_array& x, const mmv_array& position)
    {
        by_table(op::compact, z, x.elements, z, x, position);
    }
    void revert(const mmv_array& z, const mmv_array& x, const mmv_array& g, const mmv_array& w)
    {
        by_table(op::revert, z, z.elements, w, x, g, w);
    }
    void gather_idx(const mmv_array& z, const mmv_array& table, const mmv_array& index)
    {
        by_table(op::gather_idx, z, z.elements, table, table, index);
    }
    void gather_prev(const mmv_array& z, const mmv_array& table, const mmv_array& index)
    {
        by_table(op::gather_prev, z, z.elements, table, table, index);
    }
    void flags(const mmv_array& z, const mmv_array& positions)
    {
        by_table(op::flags, z, z.elements, positions, positions);
    }
    /// z, size[0] x size[1] x size[2] contiguous elements, = a at these strides where i, j, k < `valid`, else 0.
    void repl(const mmv_array& z, const mmv_array& a, const std::array<std::uint64_t, 3>& size,
              const std::array<std::uint64_t, 3>& stride, const std::array<std::uint64_t, 3>& valid);

    // ---- scalar unit ----
    void set(const mmv_array& z, std::int64_t number);                           ///< every element of z, in one step
    void move(const mmv_array& z, const mmv_array& a);                           ///< a word
    void scalar_add(const mmv_array& z, const mmv_array& a, const mmv_array& b); ///< words

    /// Runs the recorded instructions and returns the total costs.
    template <class T> segmented_result<T> finish(const mmv_array& values);

private:
    void wrote(const mmv_array& z);
    void with_word(op code, const mmv_array& z, const vector_view& a, const mmv_array& word);
    void element_wise(op code, const mmv_array& z, const vector_view& a, const vector_view& b);
    void block_wise(op code, const mmv_array& z, std::uint64_t length, const vector_view& a, const vector_view& b = {},
                    std::uint64_t block = 0);
    void by_table(op code, const mmv_array& z, std::uint64_t length, const mmv_array& table, const vector_view& a,
                  const vector_view& b = {}, const vector_view& c = {});

    mmv_program_builder m_builder;
    std::map<constant_matrix, mmv_array> m_constants;
    written_range* m_written;
};

constexpr std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// ceil(log_base n) in integers; 0 for n <= 1.
constexpr unsigned ceil_log(std::uint64_t n, std::uint64_t base)
{
    unsigned k = 0;
    for (; n > 1; n = ceil_div(n, base)) { ++k; }
    return k;
}

} // namespace tensorloom::workloads
