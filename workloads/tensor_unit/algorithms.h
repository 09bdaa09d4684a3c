#pragma once
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/tensor_unit/result.h>

namespace tensorloom::workloads {

struct product_size;

/// Upper limit of every field of a problem. Larger ones exceed a scratchpad of 32-bit addresses, but for tiny rows.
inline constexpr std::uint64_t largest_problem_size = std::uint64_t{1} << 26;

/// Sizes of a problem. An algorithm ignores unused fields; 0 selects the default (completed_problem()).
struct tensor_unit_problem {
    std::uint64_t size = 0;     ///< N: side of matrices or grid, vertices, points of a transform, limbs, coefficients
    std::uint64_t inner = 0;    ///< r: columns of the left operand of `rect`; default 16
    std::uint64_t sweeps = 0;   ///< k, of the stencil; default 4
    std::uint64_t nonzeros = 0; ///< Z: limit of non-zeros of the sparse product; default N
    std::uint64_t points = 0;   ///< p: evaluation points of the polynomial; default 64
    std::uint64_t cutoff = 0;   ///< leaf of a recursion; default: m limbs (Karatsuba), the best rows (products)
    std::uint64_t kappa = 64;   ///< bits of a word; a limb of a long integer is a quarter of it
    std::uint64_t edges = 0;    ///< of the default graph; 0: the graph of a formula
    std::uint64_t seed = 1;     ///< of the hashing in the sparse product, and of graphs with a number of edges
    call_shape shape = call_shape::tall;
    charge_table charges = charge_table::v1;

    tensor_unit_terms terms() const { return {shape, charges}; }
};

/// Optional fields of a problem for algorithms, besides size and shape, named as the options.
enum class tensor_unit_option : std::uint8_t { inner, sweeps, nonzeros, points, cutoff, kappa, edges };
std::string_view option_name(tensor_unit_option option);

/// One input of an algorithm.
struct tensor_unit_input {
    std::string name;
    std::vector<std::uint64_t> shape;
    tensor_unit_values values;
};

/// An algorithm for the tensor unit, or a baseline that computes the same on the scalar unit only (calls = 0). Source:
/// "A Computational Model for Tensor Core Units" (arXiv 1908.06649), section 4.
struct tensor_unit_algorithm {
    std::string_view name;
    std::string_view theorem;     ///< "Theorem 2", ...; empty for a baseline
    std::string_view description; ///< one line
    /// Names of the baselines with the same result, the plainest one first; empty for a baseline.
    std::vector<std::string_view> baselines;
    std::vector<tensor_unit_option> options;
    std::vector<base::element_type> formats; ///< of suitable devices; the default is first

    /// Default inputs, which also define names and shapes.
    std::vector<tensor_unit_input> (*inputs)(const tensor_unit_problem&);
    /// Total count of numbers in operands and result.
    std::uint64_t (*numbers)(const tensor_unit_problem&);
    /// Throws base::input_error (invalid sizes, formats, values), program_error.
    tensor_unit_result (*run)(mmv_session&, const tensor_unit_problem&, const std::vector<tensor_unit_input>&);
    /// The result by a plain loop on the host, computed differently from run().
    tensor_unit_values (*reference)(const tensor_unit_problem&, const std::vector<tensor_unit_input>&);
    /// Calls, rows and processor operations in closed form; nothing if they depend on the values.
    std::optional<tensor_unit_cost> (*cost)(const tensor_unit_problem&, std::uint64_t side);
    /// Throws base::input_error for sizes that run() refuses on an array of q x q. nullptr: accepts all.
    void (*require_size)(const tensor_unit_problem&, std::uint64_t side) = nullptr;
    /// Lower bound of the numbers in the scratchpad at the same time. nullptr: operands and result.
    std::uint64_t (*scratchpad_numbers)(const tensor_unit_problem&, std::uint64_t side) = nullptr;
    /// Edges of the graph that is the input, each counted once. nullptr: the input is no graph.
    std::uint64_t (*edges)(const std::vector<tensor_unit_input>&) = nullptr;
    /// Default cut-off of a recursion.
    std::uint64_t (*cutoff)(const tensor_unit_problem&, std::uint64_t side, std::uint64_t latency) = nullptr;

    bool uses(tensor_unit_option option) const;
};

/// Minimum size of the scratchpad in bytes. The run determines what it needs beyond (padding, intermediate results).
std::uint64_t least_scratchpad_bytes(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem,
                                     std::uint64_t side, base::element_type format);

/// All algorithms in the order of the paper, then the baselines.
const std::vector<tensor_unit_algorithm>& tensor_unit_algorithms();

/// Finds an algorithm. Throws base::input_error, which lists the names.
const tensor_unit_algorithm& find_tensor_unit_algorithm(const std::string& name);

/// The problem with defaults for fields that are 0, for an array of q x q and the model's latency, which determines the
/// best cut-off. Throws base::input_error if the size is 0, too large, or not supported by the algorithm.
tensor_unit_problem completed_problem(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem,
                                      std::uint64_t side, std::uint64_t latency = 0);

/// Throws base::input_error unless the inputs have the shapes of `algorithm.inputs(problem)`.
void check_inputs(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem,
                  const std::vector<tensor_unit_input>& inputs);

/// Sizes of the product of a problem with N x N matrices, and with N x inner by inner x N.
product_size square_size(const tensor_unit_problem& problem);
product_size rectangle_size(const tensor_unit_problem& problem);

/// The row of an algorithm in a table of structures with a field `algorithm`; nullptr without one.
template <class Row, std::size_t Size> const Row* row_of(const Row (&rows)[Size], std::string_view algorithm)
{
    const auto found =
        std::find_if(std::begin(rows), std::end(rows), [&](const Row& row) { return row.algorithm == algorithm; });
    return found == std::end(rows) ? nullptr : found;
}

} // namespace tensorloom::workloads
