#include <tensorloom/workloads/tensor_unit/result.h>
#include <cmath>
#include <string>
#include <type_traits>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/mmv/word_values.h>

namespace tensorloom::workloads {
namespace {

constexpr double largest_whole = 9007199254740992.0; // 2^53

double real_part(double x) { return x; }
double real_part(const std::complex<double>& x) { return x.real(); }
double imaginary_part(double) { return 0; }
double imaginary_part(const std::complex<double>& x) { return x.imag(); }

} // namespace

std::size_t count_of(const tensor_unit_values& values)
{
    return std::visit([](const auto& numbers) { return numbers.size(); }, values);
}

std::int64_t checksum_of(const tensor_unit_values& values)
{
    constexpr std::int64_t modulus = 2147483647;
    std::int64_t sum = 0;
    const auto take = [&](std::size_t i, std::int64_t z) {
        const std::int64_t weight = static_cast<std::int64_t>((i + 1) % static_cast<std::size_t>(modulus));
        sum = (sum + weight * (z % modulus)) % modulus;
    };
    std::visit(
        [&](const auto& numbers) {
            for (std::size_t i = 0; i < numbers.size(); ++i) {
                if constexpr (std::is_same_v<std::decay_t<decltype(numbers)>, std::vector<std::int64_t>>) {
                    take(i, numbers[i]);
                } else {
                    take(i, std::llround(real_part(numbers[i])));
                }
            }
        },
        values);
    return sum < 0 ? sum + modulus : sum;
}

std::vector<std::int64_t> whole_numbers(const tensor_unit_values& values, const char* what)
{
    if (const auto* whole = std::get_if<std::vector<std::int64_t>>(&values)) { return *whole; }
    return std::visit(
        [&](const auto& numbers) -> std::vector<std::int64_t> {
            if constexpr (std::is_same_v<std::decay_t<decltype(numbers)>, std::vector<std::int64_t>>) {
                return numbers;
            } else {
                std::vector<std::int64_t> whole;
                whole.reserve(numbers.size());
                for (const auto& x : numbers) {
                    const double real = real_part(x);
                    if (!(std::abs(real) <= largest_whole) || real != std::floor(real) || imaginary_part(x) != 0) {
                        base::refuse(std::string(what) + ", element " + std::to_string(whole.size()), message_text(x),
                                     "a whole number");
                    }
                    whole.push_back(static_cast<std::int64_t>(real));
                }
                return whole;
            }
        },
        values);
}

} // namespace tensorloom::workloads
