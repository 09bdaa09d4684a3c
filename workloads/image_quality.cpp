#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/workloads/image_quality.h>

#include <cmath>
#include <string>

namespace tensorloom::workloads {

namespace {

std::string shape_text(const std::vector<std::size_t>& shape)
{
    std::string text;
    for (std::size_t size : shape) { text += (text.empty() ? "" : " x ") + std::to_string(size); }
    return text.empty() ? "()" : text;
}

} // namespace

double psnr(const tensor<double>& reference, const tensor<double>& other, double peak)
{
    if (reference.shape != other.shape) {
        throw arch::input_error("image of shape " + shape_text(other.shape) +
                                " found, expected that of the reference, " + shape_text(reference.shape));
    }
    if (reference.data.empty()) { throw arch::input_error("image without elements found, expected at least one"); }
    if (!(peak > 0) || std::isinf(peak)) {
        throw arch::input_error("peak " + std::to_string(peak) + " found, expected a finite number above 0");
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
