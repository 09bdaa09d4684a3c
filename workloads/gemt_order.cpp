#include <tensorloom/workloads/gemt_order.h>
#include <algorithm>
#include <numeric>
#include <random>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {

std::array<unsigned, 3> parse_mode_order(const std::string& digits)
{
    static constexpr char modes[] = {'1', '2', '3'};
    if (!std::is_permutation(digits.begin(), digits.end(), std::begin(modes), std::end(modes))) {
        throw base::input_error("order " + base::in_quotes(digits) +
                                " found, expected one of 123, 132, 213, 231, 312, 321");
    }
    std::array<unsigned, 3> order{};
    std::transform(digits.begin(), digits.end(), order.begin(),
                   [](char digit) { return static_cast<unsigned>(digit - '0'); });
    return order;
}

namespace {

// Uniform below a bound: draws from the incomplete last interval of the generator are thrown away.
std::uint64_t draw_below(std::uint64_t bound, std::mt19937_64& bits)
{
    const std::uint64_t surplus = (0 - bound) % bound; // 2^64 mod bound
    for (;;) {
        const std::uint64_t drawn = bits();
        if (drawn >= surplus) { return drawn % bound; }
    }
}

} // namespace

tag_kind parse_tags(const std::string& name)
{
    if (name == "diagonal") { return tag_kind::diagonal; }
    if (name == "reverse") { return tag_kind::reverse; }
    if (name == "random") { return tag_kind::random; }
    throw base::input_error("tags " + base::in_quotes(name) + " found, expected one of diagonal, reverse, random");
}

std::vector<std::uint32_t> row_order(tag_kind kind, std::size_t n, std::uint64_t seed)
{
    if (n > std::size_t{1} << 32) {
        throw base::input_error("tag order of " + std::to_string(n) + " rows found, expected at most 4294967296");
    }
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0u);
    if (kind == tag_kind::reverse) { std::reverse(order.begin(), order.end()); }
    if (kind == tag_kind::random) { // Fisher and Yates; std::shuffle may differ between libraries
        std::mt19937_64 bits(seed);
        for (std::size_t last = n; last > 1; --last) { std::swap(order[last - 1], order[draw_below(last, bits)]); }
    }
    return order;
}

} // namespace tensorloom::workloads
