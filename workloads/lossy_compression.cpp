#include <tensorloom/workloads/lossy_compression.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <numeric>
#include <string>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

// Long double has the range for the modulus of any complex<double>.
template <class T> long double modulus(T value)
{
    const auto re = static_cast<long double>(std::real(value)), im = static_cast<long double>(std::imag(value));
    return std::isnan(re) || std::isnan(im) ? std::nanl("") : std::hypot(re, im);
}

} // namespace

template <class T> std::size_t keep_largest(tensor<T>& values, double fraction)
{
    if (!(fraction >= 0 && fraction <= 1)) {
        throw base::input_error("fraction of elements to keep " + std::to_string(fraction) + " found, expected 0 to 1");
    }
    const std::size_t size = values.data.size();
    const std::size_t kept = std::min(size, static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(size))));
    if (kept == size) { return kept; }

    std::vector<long double> moduli(size);
    std::transform(values.data.begin(), values.data.end(), moduli.begin(),
                   [](const T& value) { return modulus(value); });
    const auto comes_first = [&](std::size_t a, std::size_t b) {
        const bool nan_a = std::isnan(moduli[a]), nan_b = std::isnan(moduli[b]);
        if (nan_a || nan_b) { return nan_a && (!nan_b || a < b); }
        return moduli[a] != moduli[b] ? moduli[a] > moduli[b] : a < b;
    };
    std::vector<std::size_t> indices(size);
    std::iota(indices.begin(), indices.end(), std::size_t{0});
    const auto first_dropped = indices.begin() + static_cast<std::ptrdiff_t>(kept);
    std::nth_element(indices.begin(), first_dropped, indices.end(), comes_first);
    std::for_each(first_dropped, indices.end(), [&](std::size_t index) { values.data[index] = T{}; });
    return kept;
}

template std::size_t keep_largest(tensor<double>&, double);
template std::size_t keep_largest(tensor<float>&, double);
template std::size_t keep_largest(tensor<std::complex<double>>&, double);
template std::size_t keep_largest(tensor<std::complex<float>>&, double);
template std::size_t keep_largest(tensor<std::int32_t>&, double);

double psnr(const tensor<double>& reference, const tensor<double>& other, double peak)
{
    if (reference.shape != other.shape) {
        throw base::input_error("image of shape " + shape_text(other.shape, "()") +
                                " found, expected that of the reference, " + shape_text(reference.shape, "()"));
    }
    if (reference.data.empty()) { throw base::input_error("image without elements found, expected at least one"); }
    if (!(peak > 0) || std::isinf(peak)) {
        throw base::input_error("peak " + std::to_string(peak) + " found, expected a finite number above 0");
    }
    long double squares = 0;
    for (std::size_t i = 0; i < reference.data.size(); ++i) {
        const long double difference = static_cast<long double>(reference.data[i]) - other.data[i];
        squares += difference * difference;
    }
    const long double mean = squares / static_cast<long double>(reference.data.size());
    return static_cast<double>(10 * std::log10(static_cast<long double>(peak) * peak / mean));
}

} // namespace tensorloom::workloads
