#pragma once
#include <array>
#include <complex>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/tensor.h>
#include <tensorloom/workloads/transform.h>

namespace tensorloom::workloads {

// Chains: transforms of a tensor, and operations on its elements between them, one after the other where the tensor
// lies.

/// What a step of a chain does to a tensor x. b is the operand's element at the same place, s the value.
enum class chain_operation {
    transform, ///< transforms of its modes
    multiply,  ///< x b
    add,       ///< x + b s
    scale,     ///< x s
    threshold, ///< 0 where the modulus of x is at most s, else x
    relu       ///< 0 where x <= 0, else x
};
inline constexpr base::named_value chain_operation_values[] = {
    {0, "transform", "transforms of the modes"},
    {1, "multiply", "by the operand's element"},
    {2, "add", "the operand's element times the value"},
    {3, "scale", "by the value"},
    {4, "threshold", "0 where the modulus is at most the value"},
    {5, "relu", "0 where the element is not positive"},
};

/// A step of a chain. Members that an operation does not use have their defaults.
struct chain_step {
    chain_operation what = chain_operation::transform;
    shape3 in_shape{};  ///< of the tensor before the step
    shape3 out_shape{}; ///< after it; only a transform changes it
    std::string place;  ///< where it is given, for messages: "poisson.yaml:3", "--threshold"; may be empty

    // Of a transform.
    std::array<transform, 3> transforms; ///< of modes 1, 2, 3
    bool inverse = false;
    normalization scaling = normalization::orthonormal;
    std::array<unsigned, 3> order{3, 1, 2}; ///< the modes as they are summed
    std::array<unsigned, 3> shifts{};       ///< int8: right shift of the sums of the 1st, 2nd, 3rd stage, 0 to 31
    /// The step whose matrices, conjugate and transposed, are those of this one: the way back of a unitary transform.
    std::optional<std::size_t> back_of;

    // Of an operation on elements.
    std::string path;             ///< of multiply and add: .npy file of the operand
    std::complex<double> value{}; ///< factor of add and scale, threshold
    unsigned shift = 0;           ///< int8: right shift of the result's sums, 0 to 31
    bool resident = false;        ///< the operand stays in the device for the next tensors of a batch

    bool is_transform() const { return what == chain_operation::transform; }
    bool has_operand() const { return what == chain_operation::multiply || what == chain_operation::add; }
    /// Whether a transform sums mode 0, 1, 2.
    bool sums(std::size_t mode) const { return transforms[mode].kind != transform_kind::none; }
};

/// All that a step computes, for reports: "transform dct,dct,dft to 4 x 4 x 4 (norm backward, order 123)", "conjugate
/// transpose of step 1", "threshold 0.1", "multiply filter.npy (resident)". Without members that have their defaults.
std::string step_text(const chain_step& step);
/// "step 2: poisson.yaml:3": a step of a chain, for messages.
std::string place_text(const std::vector<chain_step>& chain, std::size_t step);

/// Gives a transform another order of its modes. The stages that run keep their shifts, the first its own, the next its
/// own.
void sum_in_order(chain_step& transform, const std::array<unsigned, 3>& order);

/// The multiply-adds of a dense device: complex ones count once.
double multiply_adds(const chain_step& step);

/// A transform and the way back with the same matrices, conjugate and transposed: the identity of a unitary transform.
/// The way back sums the modes in the reverse order.
/// With a threshold, the operation between both. Throws base::input_error for a threshold below 0.
std::vector<chain_step> there_and_back(const chain_step& transform, const std::optional<double>& threshold);

/// Reads a chain for a tensor of this shape. Paths in the file are relative to its folder.
///
///     chain:
///       - transform: dct          # a name, or a list of three, as parse_transform()
///         inverse: true           # these are optional
///         norm: backward          # orthonormal
///         order: 123              # 312
///         out_shape: 4x4x4        # the tensor's
///         shift: [0, 0, 7]        # [0, 0, 0]
///       - multiply: filter.npy
///         resident: true          # false
///       - add: bias.npy
///         scale: 0.5              # 1; a complex number is [re, im]
///       - scale: 0.5
///         shift: 7                # 0; of all operations on elements
///       - threshold: 0.1
///       - relu: true
///
/// Throws base::input_error with the step's number, the line, what was found and what was expected: text that is not
/// such a chain, an operand that is not a tensor of the shape that the steps before it give.
std::vector<chain_step> read_chain(const std::string& path, const shape3& shape);
/// Likewise, from a text; `origin` is the file's name in messages, `folder` where relative paths begin.
std::vector<chain_step> parse_chain(const std::string& text, const std::string& origin, const std::string& folder,
                                    const shape3& shape);

/// Whether a step needs complex numbers: a DFT, a factor with an imaginary part, a file with complex elements.
bool needs_complex(const chain_step& step);

/// Throws base::input_error, which names the step, for one that a device of this format cannot do: complex steps of a
/// real format, relu of a complex one, a value beyond the format's numbers (int8: not an integer from -128 to 127, a
/// threshold from 0), shifts of another format than int8.
void check_chain(const std::vector<chain_step>& chain, base::element_type format);

/// The data of a chain in a device's format; by step, empty where a step has none. T: double, float, complex of both,
/// bfloat16, int8.
template <class T> struct chain_data {
    std::vector<std::array<std::vector<T>, 3>> matrices; ///< by mode: C_s of N_s x K_s, row-major; empty: not summed
    std::vector<tensor<T>> operands;

    /// Computes and loads them. Throws base::input_error, which names the step: as transform_matrix() and
    /// load_npy_as().
    static chain_data of(const std::vector<chain_step>& chain);
};

/// The conjugate of a row-major matrix with `rows` rows, transposed.
template <class T> std::vector<T> conjugate_transpose(const std::vector<T>& matrix, std::size_t rows);

} // namespace tensorloom::workloads
