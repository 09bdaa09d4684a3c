#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>
#include "support/mmv_reference_format.h"
#include "support/mmv_reference_words.h"
#include "support/real_vector.h"

namespace tensorloom::test {

// The table of the MMV-RAM model: leading terms with constant 1.
template <class Element>
std::uint64_t units_in_format<Element>::circuit(opcode code, std::uint64_t n, std::uint64_t table, std::uint64_t block,
                                                std::uint64_t bits) const
{
    const std::uint64_t b = m_word_bits;
    switch (code) {
    case opcode::add:
    case opcode::sub:
    case opcode::mul:
    case opcode::sigmoid:
    case opcode::tanh:
    case opcode::exp:
    case opcode::log:
    case opcode::div:
    case opcode::sqrt:
    case opcode::sum_block:
    case opcode::mul_add:
    case opcode::random_mask: return n * b * b;
    case opcode::and_:
    case opcode::or_:
    case opcode::not_:
    case opcode::or_block:
    case opcode::bit: return n;
    case opcode::gather_last:
    case opcode::scatter_last: return ceiling(n, block) * b;
    case opcode::revspec: return n * block * b + n * b * b;
    case opcode::compact: return n * n * b;
    case opcode::revert: return n * n * b + n * b * b;
    case opcode::gather_idx:
    case opcode::gather_prev:
    case opcode::flags: return n * table * b;
    case opcode::scatter_add: return n * block * (table * b + b * b);
    case opcode::expand: return n * block * 2 * bits;
    default: return n * b;
    }
}

/// Philox-2x32-10: ten rounds, in each the two halves of a product of 64 bits, one of them mixed with the other word
/// and the key of the round.
inline std::pair<std::uint32_t, std::uint32_t> philox_words(std::uint32_t left, std::uint32_t right, std::uint32_t key)
{
    for (std::uint64_t round = 0; round < 10; ++round) {
        const std::uint64_t product = std::uint64_t{left} * 3528905107u;
        const auto of_round = static_cast<std::uint32_t>(key + round * 2654435769u);
        const auto mixed = static_cast<std::uint32_t>(product / 4294967296u) ^ of_round ^ right;
        right = static_cast<std::uint32_t>(product % 4294967296u);
        left = mixed;
    }
    return {left, right};
}

template <class Element>
void units_in_format<Element>::count_vector(opcode code, std::uint64_t words, std::uint64_t handled,
                                            std::uint64_t gates)
{
    m_counts[event::vector_instruction] += 1;
    m_counts[event::vector_element] += words;
    m_counts[event::vector_circuit] += gates;
    switch (code) {
    case opcode::add:
    case opcode::sub:
    case opcode::sum_block:
    case opcode::scatter_add: m_counts[event::lane_add] += handled; break;
    case opcode::mul: m_counts[event::lane_multiply] += handled; break;
    case opcode::mul_add: m_counts[event::lane_multiply_add] += handled; break;
    case opcode::sigmoid:
    case opcode::tanh:
    case opcode::exp:
    case opcode::log:
    case opcode::div:
    case opcode::sqrt:
    case opcode::random_mask: m_counts[event::lane_function] += handled; break;
    case opcode::gather_last:
    case opcode::scatter_last:
    case opcode::fill_first:
    case opcode::gather_idx:
    case opcode::gather_prev:
    case opcode::flags:
    case opcode::unpack_bf16:
    case opcode::unpack_f16:
    case opcode::unpack_int8:
    case opcode::repl: m_counts[event::lane_move] += handled; break;
    case opcode::revspec: m_counts[event::revspec_op] += handled; break;
    case opcode::compact: m_counts[event::compact_op] += handled; break;
    case opcode::revert: m_counts[event::revert_op] += handled; break;
    default: m_counts[event::lane_logic] += handled; break;
    }
}

template <class Element> void units_in_format<Element>::vector(opcode code, const isa::vector::vector_command& v)
{
    const std::int64_t n = v.length, s = v.block, t = v.table;
    const auto element = [&](const isa::vector::vector_operand& o, std::int64_t i) {
        return i < std::int64_t{o.shift} ? word(0) : get(std::int64_t{o.address} + (i - o.shift) * word_bytes);
    };
    const auto a = [&](std::int64_t i) { return v.zero_a() ? word(0) : element(v.a, i); };
    const auto b = [&](std::int64_t i) { return element(v.b, v.broadcast_b() ? 0 : i); };
    const auto c = [&](std::int64_t i) { return element(v.c, i); };
    const auto flag = [](const word& w) { return w != word(0); };
    const auto real = [](bool supported) {
        if (!supported || is_complex_word<word>) { check_format(); }
    };
    if (n < 1) { throw reference_failure{error_code::bad_field, "length"}; }

    std::uint64_t overflowed = 0;
    std::vector<word> z;
    const auto each = [&](std::int64_t count, const auto& value) {
        for (std::int64_t i = 0; i < count; ++i) { z.push_back(word(value(i))); }
    };
    const auto blocks = [&] {
        if (s < 1) { throw reference_failure{error_code::bad_field, "block"}; }
        return (n + s - 1) / s;
    };
    std::int64_t longest = std::max(n, t);

    switch (code) {
    case opcode::add: each(n, [&](auto i) { return plus(a(i), b(i), overflowed); }); break;
    case opcode::sub: each(n, [&](auto i) { return minus(a(i), b(i), overflowed); }); break;
    case opcode::mul: each(n, [&](auto i) { return times(a(i), b(i), overflowed); }); break;
    case opcode::and_:
        real(true);
        each(n, [&](auto i) { return flag(a(i)) && flag(b(i)); });
        break;
    case opcode::or_:
        real(true);
        each(n, [&](auto i) { return flag(a(i)) || flag(b(i)); });
        break;
    case opcode::not_:
        real(true);
        each(n, [&](auto i) { return !flag(a(i)); });
        break;
    case opcode::mask: each(n, [&](auto i) { return flag(b(i)) ? a(i) : word(0); }); break;
    case opcode::is_zero: each(n, [&](auto i) { return !flag(a(i)); }); break;
    case opcode::bit:
        real(std::is_integral_v<word>);
        each(n, [&](auto i) { return bit_of(a(i), v.bits); });
        break;
    case opcode::gather_last:
        longest = blocks();
        each(blocks(), [&](auto j) { return a(std::min(j * s + s - 1, n - 1)); });
        break;
    case opcode::scatter_last:
        longest = blocks();
        each(n, [&](auto i) { return i % s == s - 1 ? b(i / s) : a(i); });
        break;
    case opcode::fill_first:
        blocks();
        each(n, [&](auto i) { return a(i / s * s); });
        break;
    case opcode::or_block:
        real(true);
        if (v.zero_a()) { longest = blocks(); } // what is all 0 has no length
        each(blocks(), [&](auto j) {
            bool any = false;
            for (std::int64_t i = j * s; i < std::min(n, j * s + s); ++i) { any = any || flag(a(i)); }
            return any;
        });
        break;
    case opcode::revspec:
        real(true);
        blocks();
        each(n, [&](auto i) {
            word reverted(0);
            for (std::int64_t j = i / s * s; j + 1 < std::min(n, i / s * s + s); ++j) {
                if (b(j) != b(j + 1) && b(i) == b(j + 1)) { reverted = plus(reverted, a(j), overflowed); }
            }
            return minus(a(i), reverted, overflowed);
        });
        break;
    case opcode::compact:
        real(true);
        z.resize(static_cast<std::size_t>(t));
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t to = index_between(0, t, b(i));
            if (to != 0) { z[static_cast<std::size_t>(to - 1)] = a(i); }
        }
        break;
    case opcode::revert:
        real(true);
        each(n, [&](auto i) {
            const std::int64_t from = index_between(std::numeric_limits<std::int64_t>::min(), t, b(i));
            return minus(a(i), from > 0 ? c(from - 1) : word(0), overflowed);
        });
        break;
    case opcode::gather_idx:
        real(true);
        each(n, [&](auto i) { return a(index_between(0, t - 1, b(i))); });
        break;
    case opcode::gather_prev:
        real(true);
        each(n, [&](auto i) {
            const std::int64_t from = index_between(0, t, b(i));
            return from == 0 ? word(0) : a(from - 1);
        });
        break;
    case opcode::expand:
        real(std::is_integral_v<word>);
        longest = n * s;
        each(n * s, [&](auto i) {
            const auto k = static_cast<std::uint32_t>(i % s);
            return k < v.bits && bit_of(b(i / s), k) ? times_power_of_two(a(i / s), k, overflowed) : word(0);
        });
        break;
    case opcode::flags:
        real(true);
        z.resize(static_cast<std::size_t>(n));
        for (std::int64_t j = 0; j < t; ++j) {
            const std::int64_t to = index_between(0, std::numeric_limits<std::int64_t>::max(), a(j));
            if (to < n) { z[static_cast<std::size_t>(to)] = word(1); }
        }
        break;
    case opcode::scatter_add: {
        real(std::is_floating_point_v<word>);
        blocks();
        longest = n * s;
        std::vector<std::int64_t> rows; // all of them are looked at before the first sum
        for (std::int64_t i = 0; i < n; ++i) { rows.push_back(index_between(0, t - 1, b(i))); }
        for (std::int64_t w = 0; w < n * s; ++w) {
            const std::int64_t at =
                std::int64_t{v.result.address} + (rows[static_cast<std::size_t>(w / s)] * s + w % s) * word_bytes;
            put(at, plus(get(at), a(w), overflowed));
        }
        break;
    }
    case opcode::random_mask:
        if constexpr (std::is_same_v<word, float>) {
            longest = n;
            const auto bits_of_c = [&](std::int64_t k) {
                const float word = c(k);
                std::uint32_t bits = 0;
                std::memcpy(&bits, &word, sizeof bits);
                return bits;
            };
            const std::uint32_t key = bits_of_c(0), first = bits_of_c(1);
            each(n, [&](auto i) {
                const auto at = first + static_cast<std::uint32_t>(i);
                const auto words = philox_words(at / 2, v.bits, key);
                const double random = std::floor((at % 2 == 0 ? words.first : words.second) / 256.0) / 16777216.0;
                return random < b(i) ? word(0) : a(i);
            });
        } else {
            check_format();
        }
        break;
    case opcode::pack_f16:
        if constexpr (std::is_same_v<word, float>) {
            longest = v.zero_a() ? (n + 1) / 2 : n;
            each((n + 1) / 2, [&](auto j) {
                std::uint32_t bits = half_of(a(2 * j));
                if (2 * j + 1 < n) { bits |= std::uint32_t{half_of(a(2 * j + 1))} << 16; }
                float packed = 0;
                std::memcpy(&packed, &bits, sizeof packed);
                return packed;
            });
        } else {
            check_format();
        }
        break;
    case opcode::unpack_f16:
        if constexpr (std::is_same_v<word, float>) {
            longest = n;
            each(n, [&](auto i) {
                const float packed = a(i / 2);
                std::uint32_t bits = 0;
                std::memcpy(&bits, &packed, sizeof bits);
                const float number = number_of_half(static_cast<std::uint16_t>(bits >> (i % 2 * 16)), 5);
                return std::isnan(number) ? std::numeric_limits<float>::quiet_NaN() : number;
            });
        } else {
            check_format();
        }
        break;
    case opcode::pack_int8:
        if constexpr (std::is_same_v<word, std::int32_t>) {
            longest = v.zero_a() ? (n + 3) / 4 : n;
            each((n + 3) / 4, [&](auto j) {
                std::uint32_t bits = 0;
                for (std::int64_t i = 4 * j; i < std::min(4 * j + 4, n); ++i) {
                    const double exact = std::nearbyint(std::ldexp(a(i), -static_cast<int>(v.bits)));
                    const double kept = std::fmin(127, std::fmax(-128, exact));
                    m_counts[event::word_saturated] += kept != exact ? 1 : 0;
                    bits |= (static_cast<std::uint32_t>(static_cast<std::int32_t>(kept)) & 0xffu) << (i % 4 * 8);
                }
                return static_cast<std::int32_t>(bits);
            });
        } else {
            check_format();
        }
        break;
    case opcode::unpack_int8:
        if constexpr (std::is_same_v<word, std::int32_t>) {
            longest = n;
            each(n,
                 [&](auto i) { return static_cast<std::int8_t>(static_cast<std::uint32_t>(a(i / 4)) >> (i % 4 * 8)); });
        } else {
            check_format();
        }
        break;
    default:
        if constexpr (std::is_floating_point_v<word>) {
            const bool packs = code == opcode::pack_bf16, unpacks = code == opcode::unpack_bf16;
            if (packs || unpacks || code == opcode::sum_block || code == opcode::max_block) { blocks(); }
            if ((packs || unpacks) && t < 1) { throw reference_failure{error_code::bad_field, "table"}; }
            z = real_vector<word>{code, n, s, t, a, b, c}.result();
            if (z.empty()) { throw reference_failure{error_code::unknown_opcode, "opcode"}; }
            longest = v.zero_a() ? static_cast<std::int64_t>(z.size()) : n;
            if (packs || unpacks) { longest = std::max(longest, real_vector<word>::packed_words(n, s, t)); }
        } else {
            check_format();
        }
    }

    const auto to = [&](std::size_t i) {
        return std::int64_t{v.result.address} + static_cast<std::int64_t>(i) * word_bytes;
    };
    const bool in_place =
        code == opcode::scatter_last && !v.zero_a() && v.a.shift == 0 && v.a.address == v.result.address;
    for (std::size_t i = 0; i < z.size(); ++i) { m_scratchpad.check(to(i), sizeof(word), sizeof(word)); }
    for (std::size_t i = 0; i < z.size(); ++i) {
        if (!in_place || i % v.block == v.block - 1) { put(to(i), z[i]); }
    }
    const auto words = static_cast<std::uint64_t>(longest);
    const bool copies = code == opcode::scatter_last && !in_place;
    count_vector(code, words, copies ? v.length : words, circuit(code, v.length, v.table, v.block, v.bits));
    end(overflowed);
}

template <class Element> void units_in_format<Element>::repl(const isa::vector::strided_command& s)
{
    std::vector<word> z;
    for_each_element(s, [&](const index_3& at) {
        const bool valid = at[0] < s.valid[0] && at[1] < s.valid[1] && at[2] < s.valid[2];
        z.push_back(valid ? get(place(s.a, at)) : word(0));
    });
    auto next = z.begin();
    element_wise(s, [&](const index_3&) { return *next++; });
    count_vector(opcode::repl, s.elements(), s.elements(), circuit(opcode::repl, s.elements(), 0, 0, 0));
    m_counts[event::cpu_op] += s.cpu_ops;
}

} // namespace tensorloom::test
