#pragma once
#include <cstddef>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/result_check.h>

namespace tensorloom::workloads {

// The rule for NaN and infinities in data, in all testbenches: refused with their place, unless the user allows them.

/// "element (1,2,3)", counted from 0: the place of a flat index in C order. A vector: "element 17".
template <class Sizes> std::string element_text(std::size_t flat, const Sizes& shape)
{
    std::string text;
    for (std::size_t m = shape.size(); m-- > 0;) {
        const auto size = static_cast<std::size_t>(shape[m]);
        text = std::to_string(flat % size) + (text.empty() ? "" : "," + text);
        flat /= size;
    }
    return "element " + (shape.size() == 1 ? text : "(" + text + ")");
}

/// Throws base::input_error, which begins with `where` ("--input: x.npy: "), for the first element that is NaN or
/// infinite; of a complex number either part. T: floating point or complex.
template <class T, class Sizes>
void require_finite(const std::vector<T>& values, const Sizes& shape, const std::string& where)
{
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (is_finite_number(values[i])) { continue; }
        const auto re = static_cast<double>(std::real(values[i])), im = static_cast<double>(std::imag(values[i]));
        throw base::input_error(where + element_text(i, shape) + " is " +
                                base::shortest_text(std::isfinite(re) ? im : re) +
                                ", expected finite numbers (or --allow-nonfinite)");
    }
}

} // namespace tensorloom::workloads
