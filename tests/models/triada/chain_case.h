#pragma once
#include <complex>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>
#include "models/triada/gemt_case.h"

namespace tensorloom::test {

/// What a pointwise step does, in the numbers of its command.
enum class pointwise_work : std::uint8_t { multiply = 1, add = 2, scale = 3, threshold = 4, relu = 5 };

/// Where a step of a chain finds its tensor.
enum class tensor_place {
    memory,
    held, ///< in the cells: the result of the step before
    next  ///< in the cells: loaded beside an earlier step
};

/// Pointwise work on a tensor, in the words of the tests.
template <class T> struct pointwise_case {
    pointwise_work work = pointwise_work::multiply;
    shape3 shape{};
    std::vector<T> x;       ///< of one from memory
    std::vector<T> operand; ///< of multiply and add; empty: the one that the cells keep
    bool hold_operand = false;
    std::complex<double> value;
    unsigned shift = 0;
    bool esop = true;
    bool sums_wanted = false; ///< Y in the accumulator's format

    bool takes_operand() const { return work == pointwise_work::multiply || work == pointwise_work::add; }
    bool keeps_operand() const { return takes_operand() && operand.empty(); }
};

/// The value of a command as an element of the format: rounded once.
template <class T> T pointwise_value(const std::complex<double>& value)
{
    if constexpr (arithmetic::number_format<T>::parts == 2) {
        return T(value);
    } else if constexpr (std::is_same_v<T, arithmetic::bfloat16>) {
        return oracle_bfloat16(value.real());
    } else {
        return static_cast<T>(value.real());
    }
}

/// A tensor that is loaded beside the work of a product.
template <class T> struct next_tensor {
    shape3 shape{};
    std::vector<T> x;
};

/// Where the tensor that the cells held goes beside the work of a product on another one.
struct previous_tensor {
    shape3 shape{};
    bool sums_wanted = false;
};

/// A step of a chain: a product or pointwise work on one tensor, which stays in the cells or leaves them.
template <class T> struct chain_step {
    std::optional<pointwise_case<T>> pointwise; ///< otherwise the product
    gemt_case<T> product;
    tensor_place from = tensor_place::memory;
    bool hold = false;
    bool begins_program = false; ///< the first step does anyway
    std::optional<next_tensor<T>> next;
    std::optional<previous_tensor> previous;

    const shape3& shape() const { return pointwise ? pointwise->shape : product.shape; }
    const shape3& result_shape() const { return pointwise ? pointwise->shape : product.result_shape(); }
    bool sums_wanted() const { return pointwise ? pointwise->sums_wanted : product.sums_wanted; }
};

} // namespace tensorloom::test
