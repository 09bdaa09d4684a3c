#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/element_rounding.h>
#include <cmath>
#include <cstring>
#include <sstream>

namespace tensorloom::workloads {
namespace {

std::string indices_text(std::size_t at, const std::vector<std::size_t>& shape)
{
    std::string text;
    for (std::size_t mode = shape.size(); mode-- > 0; at /= shape[mode]) {
        text = std::to_string(at % shape[mode]) + (text.empty() ? "" : ", ") + text;
    }
    return "(" + text + ")";
}

// A float that is rounded to odd: its 24 bits keep on which side of a tie of fewer bits the value lies.
float odd_float(long double value)
{
    auto odd = static_cast<float>(value);
    if (std::isnan(value) || static_cast<long double>(odd) == value) { return odd; }
    if (std::fabs(static_cast<long double>(odd)) > std::fabs(value)) { odd = std::nextafter(odd, 0.0f); }
    std::uint32_t bits = 0;
    std::memcpy(&bits, &odd, sizeof bits);
    bits |= 1;
    std::memcpy(&odd, &bits, sizeof bits);
    return odd;
}

} // namespace

arithmetic::bfloat16 nearest_bfloat16(long double value) { return arithmetic::bfloat16(odd_float(value)); }
arithmetic::float16 nearest_float16(long double value) { return arithmetic::float16(odd_float(value)); }

double rounded_to(base::element_type format, double value)
{
    switch (format) {
    case base::element_type::f32: return static_cast<double>(static_cast<float>(value));
    case base::element_type::bf16: return static_cast<double>(static_cast<float>(nearest_bfloat16(value)));
    case base::element_type::f16: return static_cast<double>(static_cast<float>(nearest_float16(value)));
    default: return value;
    }
}

template <class T>
void throw_element_error(const std::string& subject, long double value, std::size_t at,
                         const std::vector<std::size_t>& shape, const std::string& advice)
{
    std::ostringstream text;
    text << subject << ": element " << value << " at " << indices_text(at, shape)
         << " found, expected whole numbers from " << std::int64_t{std::numeric_limits<T>::min()} << " to "
         << std::int64_t{std::numeric_limits<T>::max()} << advice;
    throw base::input_error(text.str());
}

template void throw_element_error<std::int8_t>(const std::string&, long double, std::size_t,
                                               const std::vector<std::size_t>&, const std::string&);
template void throw_element_error<std::int32_t>(const std::string&, long double, std::size_t,
                                                const std::vector<std::size_t>&, const std::string&);
template void throw_element_error<std::int64_t>(const std::string&, long double, std::size_t,
                                                const std::vector<std::size_t>&, const std::string&);

} // namespace tensorloom::workloads
