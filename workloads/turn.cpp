#include <tensorloom/workloads/turn.h>

#include <cmath>

namespace tensorloom::workloads {

namespace {

constexpr long double pi = 3.14159265358979323846264338327950288L;

} // namespace

long double cosine_of_turn(std::uint64_t a, std::uint64_t m)
{
    std::uint64_t x = 4 * a; // a whole turn is 4m, a quarter m
    if (x > 2 * m) { x = 4 * m - x; }
    const bool negative = x > m;
    if (negative) { x = 2 * m - x; }
    const auto quarter = 2 * static_cast<long double>(m);
    const long double value = 2 * x > m ? std::sin(pi * static_cast<long double>(m - x) / quarter)
                                        : std::cos(pi * static_cast<long double>(x) / quarter);
    return negative ? -value : value;
}

long double sine_of_turn(std::uint64_t a, std::uint64_t m) { return cosine_of_turn((4 * a + 3 * m) % (4 * m), 4 * m); }

long double cas_of_turn(std::uint64_t a, std::uint64_t m)
{
    if (4 * a % m == 0) { return 2 * a < m ? 1 : -1; }
    return std::sqrt(2.0L) * sine_of_turn((8 * a + m) % (8 * m), 8 * m);
}

} // namespace tensorloom::workloads
