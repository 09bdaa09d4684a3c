#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/workloads/mode_order.h>

#include <algorithm>

namespace tensorloom::workloads {

std::array<unsigned, 3> parse_mode_order(const std::string& digits)
{
    static constexpr char modes[] = {'1', '2', '3'};
    if (!std::is_permutation(digits.begin(), digits.end(), std::begin(modes), std::end(modes))) {
        throw arch::input_error("order '" + digits + "' found, expected one of 123, 132, 213, 231, 312, 321");
    }
    std::array<unsigned, 3> order{};
    std::transform(digits.begin(), digits.end(), order.begin(),
                   [](char digit) { return static_cast<unsigned>(digit - '0'); });
    return order;
}

} // namespace tensorloom::workloads
