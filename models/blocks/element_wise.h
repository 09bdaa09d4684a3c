#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/row_operations.h>
#include <tensorloom/models/arithmetic/word_operations.h>

namespace tensorloom::blocks {

/// An operand of a vector instruction as read by the lanes: 0 before element `zeros`, then consecutive words, or the
/// same word.
template <class W> struct vector_source {
    static constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();

    const W* words = nullptr;
    std::uint64_t zeros = all;
    bool broadcast = false;

    W operator[](std::uint64_t i) const { return i < zeros ? W(0) : words[broadcast ? 0 : i - zeros]; }
    /// Words read by elements 0 to length - 1.
    std::uint64_t reads(std::uint64_t length) const
    {
        const std::uint64_t left = zeros < length ? length - zeros : 0;
        return broadcast && left > 1 ? 1 : left;
    }
};

// Words used as indices.

/// The index of a checked word.
template <class W> std::uint64_t as_index(const W& w) { return static_cast<std::uint64_t>(w); }

/// Whether elements 0 to n - 1 are whole numbers from low to high.
template <class W> bool all_are_indices(const vector_source<W>& x, std::uint64_t n, std::int64_t low, std::int64_t high)
{
    const std::uint64_t zeros = std::min(x.zeros, n);
    unsigned bad = zeros != 0 && !arithmetic::is_index(W(0), low, high) ? 1 : 0;
    for (std::uint64_t i = 0; i < n - zeros; ++i) { bad |= arithmetic::is_index(x.words[i], low, high) ? 0u : 1u; }
    return bad == 0;
}

// Functions of lanes that depend only on their own element: of(a, b, overflowed). Functions of one operand ignore b.

template <class W> W flag_word(bool f) { return f ? W(1) : W(0); }
template <class W> bool is_flag(const W& w) { return w != W(0); }

struct add_lane {
    template <class W> static W of(const W& a, const W& b, std::uint64_t& overflowed)
    {
        return arithmetic::word_sum(a, b, overflowed);
    }
};
struct subtract_lane {
    template <class W> static W of(const W& a, const W& b, std::uint64_t& overflowed)
    {
        return arithmetic::word_difference(a, b, overflowed);
    }
};
struct multiply_lane {
    template <class W> static W of(const W& a, const W& b, std::uint64_t& overflowed)
    {
        return arithmetic::word_product(a, b, overflowed);
    }
};
struct and_lane {
    template <class W> static W of(const W& a, const W& b, std::uint64_t&)
    {
        return flag_word<W>(static_cast<int>(is_flag(a)) & static_cast<int>(is_flag(b)));
    }
};
struct or_lane {
    template <class W> static W of(const W& a, const W& b, std::uint64_t&)
    {
        return flag_word<W>(static_cast<int>(is_flag(a)) | static_cast<int>(is_flag(b)));
    }
};
/// NOT and IS_ZERO.
struct zero_lane {
    template <class W> static W of(const W& a, const W&, std::uint64_t&) { return flag_word<W>(!is_flag(a)); }
};
struct copy_lane {
    template <class W> static W of(const W& a, const W&, std::uint64_t&) { return a; }
};
struct mask_lane {
    template <class W> static W of(const W& a, const W& b, std::uint64_t&) { return is_flag(b) ? a : W(0); }
};
/// b is the number of the bit.
struct bit_lane {
    template <class W> static W of(const W& a, const W& b, std::uint64_t&)
    {
        return flag_word<W>(arithmetic::word_bit(a, static_cast<unsigned>(b)));
    }
};

/// A lane of the functional block of multiply-adds: factor b + a, rounded once; a step of an optimizer with the factor
/// of all elements in a register. Our extension; no paper describes it.
template <class W> struct multiply_add_lane {
    W factor;

    W of(const W& a, const W& b, std::uint64_t&) const { return arithmetic::mac(a, factor, b); }
};

/// OR_BLOCK: whether one of the elements first to last - 1 is a flag.
template <class W> W any_flag(const vector_source<W>& a, std::uint64_t first, std::uint64_t last)
{
    bool any = false;
    for (std::uint64_t i = first; i < last && !any; ++i) { any = is_flag(a[i]); }
    return flag_word<W>(any);
}

template <class W> struct same_word {
    W word;
    const W& operator[](std::uint64_t) const { return word; }
};

/// z may be the words of a or of b, or be disjoint from both.
template <class Lane, class W, class A, class B>
std::uint64_t run_lanes(const Lane& lane, const A& a, const B& b, W* z, std::uint64_t length)
{
    std::uint64_t overflowed = 0;
#pragma GCC ivdep
    for (std::uint64_t i = 0; i < length; ++i) { z[i] = lane.of(a[i], b[i], overflowed); }
    return overflowed;
}

/// Many lanes at once.
inline std::uint64_t run_lanes(const multiply_add_lane<float>& lane, const float* a, const float* b, float* z,
                               std::uint64_t length)
{
    arithmetic::multiply_add(a, lane.factor, b, length, z);
    return 0;
}

/// Elements first to last - 1 of a whole vector z; returns how many overflowed.
template <class Lane, class W>
std::uint64_t element_wise(const vector_source<W>& a, const vector_source<W>& b, W* z, std::uint64_t first,
                           std::uint64_t last, const Lane& lane = {})
{
    std::uint64_t overflowed = 0;
    const auto next_change = [&](std::uint64_t i, const vector_source<W>& x) {
        return i < x.zeros ? std::min(last, x.zeros) : last;
    };
    for (std::uint64_t i = first; i < last;) {
        const std::uint64_t end = std::min(next_change(i, a), next_change(i, b));
        const auto with_a = [&](const auto& left) {
            if (i < b.zeros || b.broadcast) { return run_lanes(lane, left, same_word<W>{b[i]}, z + i, end - i); }
            return run_lanes(lane, left, b.words + (i - b.zeros), z + i, end - i);
        };
        overflowed += i < a.zeros ? with_a(same_word<W>{W(0)}) : with_a(a.words + (i - a.zeros));
        i = end;
    }
    return overflowed;
}

/// EXPAND: z[i s + k] = k < bits and bit k of b[i] ? a[i] 2^k : 0, k < s. Results first to last - 1, z disjoint from a
/// and b; returns how many overflowed.
template <class W>
std::uint64_t expand_bits(const vector_source<W>& a, const vector_source<W>& b, W* z, std::uint64_t s, unsigned bits,
                          std::uint64_t first, std::uint64_t last)
{
    std::uint64_t overflowed = 0;
    for (std::uint64_t r = first; r < last;) { // the rest of an element's expansion
        const std::uint64_t i = r / s, start = i * s;
        const std::uint64_t end = std::min(start + s, last);
        const std::uint64_t digits = std::max(r, std::min(start + bits, end));
        const W x = a[i], y = b[i];
        for (; r < digits; ++r) {
            const auto k = static_cast<unsigned>(r - start);
            z[r] = arithmetic::word_bit(y, k) ? arithmetic::word_shifted(x, k, overflowed) : W(0);
        }
        std::fill(z + r, z + end, W(0));
        r = end;
    }
    return overflowed;
}

} // namespace tensorloom::blocks
