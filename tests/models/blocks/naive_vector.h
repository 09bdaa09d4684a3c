#pragma once
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>
#include <tensorloom/models/arch/vector/vector_command.h>
#include <tensorloom/models/arch/vector/instruction_set.h>
#include "support/real_vector.h"

namespace tensorloom::test {

__extension__ typedef __int128 wide_integer;

/// A vector instruction in the words of the opcode table: what it makes of vectors, and which words it touches out of
/// order.
template <class W> struct naive_vector {
    static constexpr bool integers = std::is_integral_v<W>;

    // the instruction
    arch::vector::opcode code{};
    std::uint64_t n = 1, table = 0, s = 1;
    unsigned bits = 0;
    std::function<W(std::uint64_t)> a, b, c;               // element i
    std::function<bool(std::uint64_t)> a_exists, b_exists; // element i is a word, not a 0 of a shift
    bool zero_a = false;
    bool broadcast = false;
    bool in_place = false; // z is a

    // what comes of it
    std::vector<W> z;
    bool bad_index = false;
    std::uint64_t overflowed = 0;
    std::uint64_t words = 0; // that the lanes go through
    std::uint64_t reads = 0; // of the scratchpad
    std::uint64_t writes = 0;
    std::vector<std::vector<std::uint64_t>> irregular_a, irregular_c, irregular_z; // by item: the words that it takes

    void run();

    static bool flag(const W& w) { return w != W(0); }

private:
    using opcode = arch::vector::opcode;

    template <class R> static R one_nan(R x) { return std::isnan(x) ? std::numeric_limits<R>::quiet_NaN() : x; }
    W in_range(wide_integer exact)
    {
        if (exact > wide_integer{std::numeric_limits<W>::max()} ||
            exact < wide_integer{std::numeric_limits<W>::min()}) {
            ++overflowed;
        }
        return static_cast<W>(exact);
    }
    W plus(const W& x, const W& y, int sign)
    {
        if constexpr (integers) {
            return in_range(wide_integer{x} + sign * wide_integer{y});
        } else if constexpr (std::is_floating_point_v<W>) {
            return one_nan(sign > 0 ? x + y : x - y);
        } else {
            return {one_nan(x.real() + sign * y.real()), one_nan(x.imag() + sign * y.imag())};
        }
    }
    W times(const W& x, const W& y)
    {
        if constexpr (integers) {
            return in_range(wide_integer{x} * wide_integer{y});
        } else if constexpr (std::is_floating_point_v<W>) {
            return one_nan(x * y);
        } else {
            const double ac = one_nan(std::fma(x.real(), y.real(), 0.0)),
                         ad = one_nan(std::fma(x.real(), y.imag(), 0.0));
            return {one_nan(std::fma(-x.imag(), y.imag(), ac)), one_nan(std::fma(x.imag(), y.real(), ad))};
        }
    }
    // The word as an index from low to high; -1 and bad_index when it is none.
    std::int64_t index(const W& w, double low, double high)
    {
        if constexpr (!std::is_same_v<W, std::complex<double>>) {
            const auto x = static_cast<long double>(w); // holds int64 and f64
            const long double exact = std::ldexp(1.0L, std::numeric_limits<W>::digits);
            if (x >= low && x <= high && std::fabs(x) <= exact && x == std::floor(x)) {
                return static_cast<std::int64_t>(x);
            }
        }
        bad_index = true;
        return -1;
    }
    static bool bit(const W& w, std::uint64_t k)
    {
        if constexpr (integers) {
            return ((wide_integer{w} >> k) & 1) != 0;
        } else {
            return false;
        }
    }
    W shifted(const W& w, std::uint64_t k)
    {
        if constexpr (integers) {
            return in_range(wide_integer{w} * (wide_integer{1} << k));
        } else {
            return w;
        }
    }
    template <class Value> void each(std::uint64_t count, const Value& value)
    {
        for (std::uint64_t i = 0; i < count; ++i) { z.push_back(value(i)); }
    }
    void read_all(bool of_b = true)
    {
        for (std::uint64_t i = 0; i < n; ++i) {
            reads += a_exists(i) ? 1 : 0;
            reads += of_b && b_exists(i) && (i == 0 || !broadcast) ? 1 : 0;
        }
    }
    void run_on_real_numbers();
    void read_indices()
    {
        for (std::uint64_t i = 0; i < n; ++i) { reads += b_exists(i) ? 1 : 0; }
    }
};

template <class W> void naive_vector<W>::run_on_real_numbers()
{
    const auto signed_n = static_cast<std::int64_t>(n);
    const auto block = static_cast<std::int64_t>(s), rows = static_cast<std::int64_t>(table);
    const auto element = [](const auto& of) {
        return [&of](std::int64_t i) { return of(static_cast<std::uint64_t>(i)); };
    };
    z = real_vector<W>{code, signed_n, block, rows, element(a), element(b), element(c)}.result();

    const bool packs = code == opcode::pack_bf16, unpacks = code == opcode::unpack_bf16;
    const bool two = code == opcode::max || code == opcode::min || code == opcode::relu_gradient ||
                     code == opcode::div || code == opcode::mul_add;
    const auto packed =
        packs || unpacks ? static_cast<std::uint64_t>(real_vector<W>::packed_words(signed_n, block, rows)) : 0;
    words = zero_a ? z.size() : n; // what is all 0 has no length
    words = std::max(words, packed);
    if (unpacks) {
        reads = packed;
    } else {
        read_all(two);
        reads += code == opcode::mul_add ? 1 : 0;
    }
}

template <class W> void naive_vector<W>::run()
{
    const std::uint64_t blocks = (n + s - 1) / s;
    words = std::max(n, table);
    const auto f = [](bool x) { return x ? W(1) : W(0); };
    switch (code) {
    case opcode::add:
        read_all();
        each(n, [&](auto i) { return plus(a(i), b(i), 1); });
        break;
    case opcode::sub:
        read_all();
        each(n, [&](auto i) { return plus(a(i), b(i), -1); });
        break;
    case opcode::mul:
        read_all();
        each(n, [&](auto i) { return times(a(i), b(i)); });
        break;
    case opcode::and_:
        read_all();
        each(n, [&](auto i) { return f(flag(a(i)) && flag(b(i))); });
        break;
    case opcode::or_:
        read_all();
        each(n, [&](auto i) { return f(flag(a(i)) || flag(b(i))); });
        break;
    case opcode::mask:
        read_all();
        each(n, [&](auto i) { return flag(b(i)) ? a(i) : W(0); });
        break;
    case opcode::not_:
    case opcode::is_zero:
        read_all(false);
        each(n, [&](auto i) { return f(!flag(a(i))); });
        break;
    case opcode::bit:
        read_all(false);
        each(n, [&](auto i) { return f(bit(a(i), bits)); });
        break;
    case opcode::gather_last:
        words = blocks;
        for (std::uint64_t j = 0; j < blocks; ++j) {
            const std::uint64_t i = std::min(j * s + s, n) - 1;
            z.push_back(a(i));
            irregular_a.push_back({});
            if (a_exists(i)) {
                ++reads;
                irregular_a.back().push_back(i);
            }
        }
        break;
    case opcode::scatter_last:
        words = in_place ? blocks : n;
        for (std::uint64_t i = 0; i < n; ++i) {
            const bool last = i % s == s - 1;
            z.push_back(last ? b(i / s) : a(i));
            if (last && b_exists(i / s)) { ++reads; }
            if (!in_place && a_exists(i)) { ++reads; }
            if (in_place && last) {
                ++writes;
                irregular_z.push_back({i});
            }
        }
        break;
    case opcode::fill_first:
        for (std::uint64_t i = 0; i < n; ++i) {
            z.push_back(a(i - i % s));
            irregular_a.push_back({});
            if (i % s == 0 && a_exists(i)) {
                ++reads;
                irregular_a.back().push_back(i);
            }
        }
        break;
    case opcode::or_block:
        words = zero_a ? blocks : n; // nothing is longer than the result when a is all 0
        read_all(false);
        z.assign(blocks, W(0));
        for (std::uint64_t i = 0; i < n; ++i) {
            if (flag(a(i))) { z[i / s] = W(1); }
        }
        break;
    case opcode::revspec:
        read_all();
        for (std::uint64_t i = 0; i < n; ++i) {
            W scanned(0);
            const std::uint64_t first = i - i % s, end = std::min(first + s, n);
            for (std::uint64_t j = first; j + 1 < end; ++j) {
                if (b(j) != b(j + 1) && b(i) == b(j + 1)) { scanned = plus(scanned, a(j), 1); }
            }
            z.push_back(plus(a(i), scanned, -1));
        }
        break;
    case opcode::compact:
        read_all();
        z.assign(table, W(0));
        for (std::uint64_t i = 0; i < n; ++i) {
            const auto to = index(b(i), 0, static_cast<double>(table));
            irregular_z.push_back({});
            if (to <= 0) { continue; }
            z[static_cast<std::size_t>(to - 1)] = a(i);
            irregular_z.back().push_back(static_cast<std::uint64_t>(to - 1));
        }
        break;
    case opcode::revert:
        read_all();
        for (std::uint64_t i = 0; i < n; ++i) {
            const auto from = index(b(i), -1e15, static_cast<double>(table));
            irregular_c.push_back({});
            if (from > 0) {
                ++reads;
                irregular_c.back().push_back(static_cast<std::uint64_t>(from - 1));
            }
            z.push_back(plus(a(i), from > 0 ? c(static_cast<std::uint64_t>(from - 1)) : W(0), -1));
        }
        break;
    case opcode::gather_idx:
    case opcode::gather_prev: {
        read_indices();
        const bool prev = code == opcode::gather_prev;
        for (std::uint64_t i = 0; i < n; ++i) {
            const auto from = index(b(i), 0, static_cast<double>(table) - (prev ? 0 : 1)) - (prev ? 1 : 0);
            irregular_a.push_back({});
            if (from >= 0) {
                ++reads;
                irregular_a.back().push_back(static_cast<std::uint64_t>(from));
            }
            z.push_back(from >= 0 ? a(static_cast<std::uint64_t>(from)) : W(0));
        }
        break;
    }
    case opcode::expand:
        read_all();
        words = n * s;
        for (std::uint64_t i = 0; i < n; ++i) {
            for (std::uint64_t k = 0; k < s; ++k) { z.push_back(k < bits && bit(b(i), k) ? shifted(a(i), k) : W(0)); }
        }
        break;
    case opcode::flags:
        reads = table;
        z.assign(n, W(0));
        for (std::uint64_t j = 0; j < table; ++j) {
            const auto to = index(a(j), 0, 1e15);
            irregular_z.push_back({});
            if (to < 0 || to >= static_cast<std::int64_t>(n)) { continue; }
            z[static_cast<std::size_t>(to)] = W(1);
            irregular_z.back().push_back(static_cast<std::uint64_t>(to));
        }
        break;
    default:
        if constexpr (std::is_floating_point_v<W>) { run_on_real_numbers(); }
        break;
    }
    if (writes == 0 && !(code == opcode::scatter_last && in_place)) { writes = z.size(); }
}

/// Cycles that words at indices take on top, counted bank by bank. `first`: the word of the scratchpad that has index
/// 0.
inline std::uint64_t naive_conflicts(const std::vector<std::vector<std::uint64_t>>& items, std::uint64_t first,
                                     std::uint64_t lanes, std::uint64_t banks)
{
    std::uint64_t cycles = 0;
    for (std::size_t group = 0; group < items.size(); group += lanes) {
        std::map<std::uint64_t, std::uint64_t> accesses;
        std::uint64_t most = 1;
        for (std::size_t i = group; i < std::min<std::size_t>(group + lanes, items.size()); ++i) {
            for (const auto w : items[i]) { most = std::max(most, ++accesses[(first + w) % banks]); }
        }
        cycles += most - 1;
    }
    return cycles;
}

} // namespace tensorloom::test
