#pragma once
#include <cstdint>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::arithmetic {

/// What a step does to each element x of a tensor; b is the element of another tensor at the same place, s a value.
enum class pointwise_operation : std::uint8_t {
    multiply = 1,  ///< +0 + x b
    add = 2,       ///< x + b s
    scale = 3,     ///< +0 + x s
    threshold = 4, ///< +0 where the modulus of x is at most the threshold, else x
    relu = 5       ///< +0 where x <= 0, else x; not of complex numbers
};

/// A step on all elements of a tensor. The multiply-add of the first three is mac().
template <class Element> struct pointwise_step {
    pointwise_operation operation = pointwise_operation::relu;
    Element value{};      ///< s of add and scale
    double threshold = 0; ///< at least 0
    bool esop = false;    ///< no multiply-add with a zero: its product counts as +0
    unsigned shift = 0;   ///< of sums that become elements (integers)
};

/// The step on one element; sets `multiplied` where a multiply-add is done.
template <class Element>
accumulator_of<Element> pointwise(const pointwise_step<Element>& step, const Element& x, const Element& b,
                                  bool& multiplied)
{
    using sum = accumulator_of<Element>;
    multiplied = false;
    const auto product = [&](const sum& start, const Element& p, const Element& q) {
        if (step.esop && (is_zero(p) || is_zero(q))) { return start; }
        multiplied = true;
        return mac(start, p, q);
    };
    switch (step.operation) {
    case pointwise_operation::multiply: return product(sum{}, x, b);
    case pointwise_operation::add: return product(widened(x), b, step.value);
    case pointwise_operation::scale: return product(sum{}, x, step.value);
    case pointwise_operation::threshold: return counts_as_zero(x, step.threshold) ? sum{} : widened(x);
    case pointwise_operation::relu: break;
    }
    if constexpr (number_format<Element>::parts == 1) {
        const sum wide = widened(x);
        return wide <= 0 ? sum{} : wide;
    } else {
        return widened(x);
    }
}

struct pointwise_counts {
    std::uint64_t macs = 0;      ///< multiply-adds done
    std::uint64_t saturated = 0; ///< sums that saturated when they became elements (int8)
};

/// The step on `elements` sums, in place. Parts of complex numbers lie in planes: part p of element e at p x elements +
/// e. `b`: sums that are elements, of multiply and add; else nullptr.
template <class Element>
pointwise_counts run_pointwise(const pointwise_step<Element>& step, typename number_format<Element>::real* x,
                               const typename number_format<Element>::real* b, std::uint64_t elements);

} // namespace tensorloom::arithmetic
