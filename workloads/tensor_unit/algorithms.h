#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/tensor_unit/result.h>

namespace tensorloom::workloads {

/// Of every field of a problem. Nothing that is larger fits in a scratchpad of 32-bit addresses, but for rows of a few
/// numbers.
inline constexpr std::uint64_t largest_problem_size = std::uint64_t{1} << 26;

/// How large a problem is. What an algorithm does not use is ignored; 0 stands for the default (completed_problem()
/// puts it in).
struct tensor_unit_problem {
    std::uint64_t size = 0;     ///< N: side of matrices or grid, vertices, points of a transform, limbs, coefficients
    std::uint64_t inner = 0;    ///< r: columns of the left operand of `rect`; 16
    std::uint64_t sweeps = 0;   ///< k, of the stencil; 4
    std::uint64_t nonzeros = 0; ///< Z: non-zeros that the sparse product may have; N
    std::uint64_t points = 0;   ///< p: where the polynomial is evaluated; 64
    std::uint64_t cutoff = 0; ///< down to which a recursion divides: limbs of Karatsuba, m; rows of a product, the best
    std::uint64_t seed = 1;   ///< of the sparse product's hashing
    call_shape shape = call_shape::tall;
};

/// The fields of a problem, besides its size and shape, that an algorithm may use; by the names of the options.
enum class tensor_unit_option : std::uint8_t { inner, sweeps, nonzeros, points, cutoff };
std::string_view option_name(tensor_unit_option option);

/// One input of an algorithm.
struct tensor_unit_input {
    std::string name;
    std::vector<std::uint64_t> shape;
    tensor_unit_values values;
};

/// An algorithm for the tensor unit, or a baseline that computes the same on the scalar unit alone (calls = 0).
///
/// Source: "A Computational Model for Tensor Core Units" (arXiv 1908.06649), section 4.
struct tensor_unit_algorithm {
    std::string_view name;
    std::string_view theorem;       ///< "Theorem 2", ...; of a baseline empty
    std::string_view description;   ///< one line
    std::string_view baseline;      ///< name of the baseline that gives the same result; of a baseline empty
    std::string_view fast_baseline; ///< of another one, with fewer operations, where there is one; else empty
    std::vector<tensor_unit_option> options;
    std::vector<base::element_type> formats; ///< of devices that can run it, the one to take by default first

    /// The inputs that are computed when a user brings none; they tell names and shapes, too.
    std::vector<tensor_unit_input> (*inputs)(const tensor_unit_problem&);
    /// Numbers that operands and result have together.
    std::uint64_t (*numbers)(const tensor_unit_problem&);
    /// Runs it. Throws base::input_error (sizes, formats, values that the algorithm does not take), program_error.
    tensor_unit_result (*run)(mmv_session&, const tensor_unit_problem&, const std::vector<tensor_unit_input>&);
    /// The result by a plain loop on the host, in another way than run() has it.
    tensor_unit_values (*reference)(const tensor_unit_problem&, const std::vector<tensor_unit_input>&);
    /// Calls, rows and processor operations in closed form; nothing where they depend on the values (sparse).
    std::optional<tensor_unit_cost> (*cost)(const tensor_unit_problem&, std::uint64_t side);
    /// Throws base::input_error for sizes that run() refuses on an array of q x q whatever the values are. None: it
    /// takes all.
    void (*require_size)(const tensor_unit_problem&, std::uint64_t side) = nullptr;
    /// Numbers that lie in the scratchpad at the same time, not fewer than that. None: operands and result.
    std::uint64_t (*scratchpad_numbers)(const tensor_unit_problem&, std::uint64_t side) = nullptr;
    /// Where its recursion stops by default, of one that uses a cut-off.
    std::uint64_t (*cutoff)(const tensor_unit_problem&, std::uint64_t side, std::uint64_t latency) = nullptr;

    bool uses(tensor_unit_option option) const;
};

/// Bytes that the scratchpad must have at least: what a run takes beyond them (padding, intermediate results) shows
/// when it runs.
std::uint64_t least_scratchpad_bytes(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem,
                                     std::uint64_t side, base::element_type format);

/// All of them, in the order of the paper, then the baselines.
const std::vector<tensor_unit_algorithm>& tensor_unit_algorithms();

/// The algorithm of this name; throws base::input_error, which lists the names.
const tensor_unit_algorithm& find_tensor_unit_algorithm(const std::string& name);

/// The problem with defaults for what is 0, for an array of q x q and the model's latency, on which the best cut-off
/// depends. Throws base::input_error when its size is 0, unreasonable, or none that the algorithm takes there.
tensor_unit_problem completed_problem(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem,
                                      std::uint64_t side, std::uint64_t latency = 0);

/// Throws base::input_error unless the inputs have the shapes of `algorithm.inputs(problem)`.
void check_inputs(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem,
                  const std::vector<tensor_unit_input>& inputs);

} // namespace tensorloom::workloads
