#include "support/mmv_reference_units.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include "support/mmv_reference_words.h"

namespace tensorloom::test {
namespace {

using arch::error_code;
using arch::mmv::event;
using arch::mmv::opcode;

std::uint64_t ceiling(std::uint64_t n, std::uint64_t d) { return (n + d - 1) / d; }

template <class Element> class units_in_format : public reference_units {
    using word = std::conditional_t<std::is_same_v<Element, std::int8_t>, std::int32_t, Element>;
    static constexpr std::int64_t word_bytes = sizeof(word);

public:
    units_in_format(const arch::mmv::mmv_limits& limits, unsigned word_bits, reference_scratchpad& scratchpad,
                    arch::mmv::counts& counts)
        : m_limits(limits), m_word_bits(word_bits), m_scratchpad(scratchpad), m_counts(counts)
    {}

    void matmul(const arch::mmv::matmul_command& m) override;
    void vector(opcode code, const arch::mmv::vector_command& v) override;
    void repl(const arch::mmv::strided_command& s) override;
    void scalar(opcode code, const arch::mmv::strided_command& s) override;

private:
    using index_3 = std::array<std::int64_t, 3>;

    static std::int64_t place(const arch::mmv::strided_operand& o, const index_3& at)
    {
        return std::int64_t{o.address} + word_bytes * (at[0] * o.stride[0] + at[1] * o.stride[1] + at[2] * o.stride[2]);
    }
    static std::int64_t place(const arch::mmv::strided_operand& o, std::int64_t row, std::int64_t column)
    {
        return place(o, index_3{0, row, column});
    }
    word get(std::int64_t address) const { return m_scratchpad.get<word>(address); }
    void put(std::int64_t address, const word& w) { m_scratchpad.put(address, w); }

    template <class Action> static void for_each_element(const arch::mmv::strided_command& s, const Action& action)
    {
        for (std::int64_t i = 0; i < s.size[0]; ++i) {
            for (std::int64_t j = 0; j < s.size[1]; ++j) {
                for (std::int64_t k = 0; k < s.size[2]; ++k) { action(index_3{i, j, k}); }
            }
        }
    }
    template <class Operation> void element_wise(const arch::mmv::strided_command& s, const Operation& operation)
    {
        for_each_element(s, [&](const index_3& at) { put(place(s.result, at), operation(at)); });
    }
    template <class Operation> void binary(const arch::mmv::strided_command& s, const Operation& operation)
    {
        element_wise(s, [&](const index_3& at) { return operation(get(place(s.a, at)), get(place(s.b, at))); });
    }

    word immediate(const arch::mmv::strided_command& s) const;
    std::uint64_t circuit(opcode code, std::uint64_t n, std::uint64_t table, std::uint64_t block,
                          std::uint64_t bits) const;
    void count_vector(opcode code, std::uint64_t words, std::uint64_t handled, std::uint64_t gates);
    void carry(const arch::mmv::strided_command& s, std::uint64_t& overflowed);
    word reduced(const word& z, const word& a, const word& b, const word& m) const;
    std::uint64_t eliminate(opcode code, const arch::mmv::strided_command& s);
    std::uint64_t close(opcode code, const arch::mmv::strided_command& s);
    void end(std::uint64_t overflowed)
    {
        m_counts[event::word_overflowed] += overflowed;
        if (overflowed != 0) { throw reference_failure{error_code::arithmetic_overflow, "result"}; }
    }

    const arch::mmv::mmv_limits& m_limits;
    std::uint64_t m_word_bits;
    reference_scratchpad& m_scratchpad;
    arch::mmv::counts& m_counts;
};

template <class Element> void units_in_format<Element>::matmul(const arch::mmv::matmul_command& m)
{
    constexpr std::int64_t element_bytes = sizeof(Element);
    const std::int64_t s = m_limits.side;
    const std::int64_t rows = static_cast<std::int64_t>(ceiling(m.words, m_limits.side));
    const auto exists = [&](std::int64_t i, std::int64_t j, std::uint32_t columns) {
        return i * s + j < std::int64_t{m.words} && j < std::int64_t{columns};
    };

    // The array holds s x s weights, those that the command does not have as 0.
    std::vector<Element> weights(static_cast<std::size_t>(s * s));
    const reference_scratchpad::weights now{m.weights.address, m.weights.row_stride * element_bytes, m.left_columns,
                                            m.result_columns * element_bytes};
    for (std::int64_t i = 0; i < m.left_columns; ++i) {
        for (std::int64_t j = 0; j < m.result_columns; ++j) {
            const std::int64_t at = std::int64_t{m.weights.address} + (i * m.weights.row_stride + j) * element_bytes;
            weights[static_cast<std::size_t>(i * s + j)] = m_scratchpad.get<Element>(at);
        }
    }
    const bool kept = m_scratchpad.resident() == now;

    std::uint64_t overflowed = 0;
    std::vector<Element> x(static_cast<std::size_t>(s));
    std::vector<word> z(static_cast<std::size_t>(rows * s));
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t i = 0; i < s; ++i) {
            x[static_cast<std::size_t>(i)] =
                exists(r, i, m.left_columns) ? m_scratchpad.get<Element>(std::int64_t{m.left.address} +
                                                                         (r * m.left.row_stride + i) * element_bytes)
                                             : Element(0);
        }
        for (std::int64_t j = 0; j < s; ++j) {
            word sum = 0;
            for (std::int64_t i = 0; i < s; ++i) {
                multiply_add(sum, x[static_cast<std::size_t>(i)], weights[static_cast<std::size_t>(i * s + j)],
                             overflowed);
            }
            z[static_cast<std::size_t>(r * s + j)] = sum;
        }
    }
    m_scratchpad.set_resident(now);
    for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t j = 0; j < s; ++j) {
            if (exists(r, j, m.result_columns)) {
                put(std::int64_t{m.result.address} + (r * m.result.row_stride + j) * word_bytes,
                    z[static_cast<std::size_t>(r * s + j)]);
            }
        }
    }

    const auto square = static_cast<std::uint64_t>(s * s);
    m_counts[event::matmul_call] += 1;
    m_counts[event::matmul_row] += static_cast<std::uint64_t>(rows);
    m_counts[event::mac] += static_cast<std::uint64_t>(rows) * square;
    m_counts[event::weight_load] += kept ? 0 : 1;
    m_counts[event::weight_write] += kept ? 0 : square;
    m_counts[event::mac_overflowed] += overflowed;
    if (overflowed != 0) { throw reference_failure{error_code::accumulator_overflow, "sum"}; }
}

// The table of the MMV-RAM model: leading terms with constant 1.
template <class Element>
std::uint64_t units_in_format<Element>::circuit(opcode code, std::uint64_t n, std::uint64_t table, std::uint64_t block,
                                                std::uint64_t bits) const
{
    const std::uint64_t b = m_word_bits;
    switch (code) {
    case opcode::add:
    case opcode::sub:
    case opcode::mul: return n * b * b;
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
    case opcode::gather_prev: return n * table * b;
    case opcode::expand: return n * block * 2 * bits;
    default: return n * b; // mask, is_zero, fill_first, flags, repl
    }
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
    case opcode::sub: m_counts[event::lane_add] += handled; break;
    case opcode::mul: m_counts[event::lane_multiply] += handled; break;
    case opcode::gather_last:
    case opcode::scatter_last:
    case opcode::fill_first:
    case opcode::gather_idx:
    case opcode::gather_prev:
    case opcode::flags:
    case opcode::repl: m_counts[event::lane_move] += handled; break;
    case opcode::revspec: m_counts[event::revspec_op] += handled; break;
    case opcode::compact: m_counts[event::compact_op] += handled; break;
    case opcode::revert: m_counts[event::revert_op] += handled; break;
    default: m_counts[event::lane_logic] += handled; break;
    }
}

template <class Element> void units_in_format<Element>::vector(opcode code, const arch::mmv::vector_command& v)
{
    const std::int64_t n = v.length, s = v.block, t = v.table;
    const auto element = [&](const arch::mmv::vector_operand& o, std::int64_t i) {
        return i < std::int64_t{o.shift} ? word(0) : get(std::int64_t{o.address} + (i - o.shift) * word_bytes);
    };
    const auto a = [&](std::int64_t i) { return v.zero_a() ? word(0) : element(v.a, i); };
    const auto b = [&](std::int64_t i) { return element(v.b, v.broadcast_b() ? 0 : i); };
    const auto c = [&](std::int64_t i) { return element(v.c, i); };
    const auto flag = [](const word& w) { return w != word(0); };
    const auto real = [](bool supported) {
        if (!supported || is_complex_word<word>) { refuse_format(); }
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
    default: throw reference_failure{error_code::unknown_opcode, "opcode"};
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

template <class Element> void units_in_format<Element>::repl(const arch::mmv::strided_command& s)
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

template <class Element>
typename units_in_format<Element>::word units_in_format<Element>::immediate(const arch::mmv::strided_command& s) const
{
    word w{};
    std::memcpy(static_cast<void*>(&w), s.immediate.data(), sizeof w);
    return w;
}

template <class Element>
typename units_in_format<Element>::word units_in_format<Element>::reduced(const word& z, const word& a, const word& b,
                                                                          const word& m) const
{
    if constexpr (std::is_integral_v<word>) {
        if (m < 1) { throw reference_failure{error_code::bad_field, "modulus"}; }
        const wide_integer rest = (wide_integer{z} + wide_integer{a} * wide_integer{b}) % wide_integer{m};
        return static_cast<word>(rest < 0 ? rest + m : rest);
    } else {
        static_cast<void>(z), static_cast<void>(a), static_cast<void>(b), static_cast<void>(m);
        refuse_format();
    }
}

template <class Element>
void units_in_format<Element>::carry(const arch::mmv::strided_command& s, std::uint64_t& overflowed)
{
    if constexpr (std::is_same_v<word, std::int64_t>) {
        const std::uint64_t bits = s.immediate[0];
        if (bits < 1 || bits > 62) { throw reference_failure{error_code::bad_field, "bits of a digit"}; }
        std::int64_t carried = 0;
        for_each_element(s, [&](const index_3& at) {
            if (at[2] == 0) { carried = 0; }
            const std::int64_t sum = plus(get(place(s.a, at)), carried, overflowed);
            carried = sum >> bits;
            put(place(s.result, at), at[2] + 1 == s.size[2] ? sum : sum - carried * (std::int64_t{1} << bits));
        });
    } else {
        static_cast<void>(s), static_cast<void>(overflowed);
        refuse_format();
    }
}

// Returns the operations.
template <class Element>
std::uint64_t units_in_format<Element>::eliminate(opcode code, const arch::mmv::strided_command& s)
{
    if constexpr (std::is_same_v<word, double>) {
        const std::int64_t rows = s.size[1], columns = s.size[2];
        const bool row = code == opcode::eliminate_row, column = code == opcode::eliminate_column;
        const auto& pivots = code == opcode::eliminate_diagonal ? s.result : s.a;
        const auto& left = row ? s.a : s.result;     // factor of the row
        const auto& right = column ? s.a : s.result; // factor of the column
        const std::int64_t steps = column ? columns : rows - 1;
        std::uint64_t operations = 0;
        for (std::int64_t t = 0; t < steps; ++t) {
            for (std::int64_t i = column ? 0 : t + 1; i < rows; ++i) {
                for (std::int64_t j = row ? 0 : t + 1; j < columns; ++j) {
                    const double product = rounded(get(place(left, i, t)) * get(place(right, t, j)));
                    const double quotient = rounded(product / get(place(pivots, t, t)));
                    put(place(s.result, i, j), rounded(get(place(s.result, i, j)) - quotient));
                    operations += 3;
                }
            }
        }
        if (row) {
            for (std::int64_t i = 0; i < rows; ++i) {
                for (std::int64_t j = 0; j < columns; ++j) {
                    put(place(s.b, i, j), rounded(-get(place(s.result, i, j)) / get(place(s.a, i, i))));
                    operations += 2;
                }
            }
        }
        return operations;
    } else {
        static_cast<void>(code), static_cast<void>(s);
        refuse_format();
    }
}

template <class Element> std::uint64_t units_in_format<Element>::close(opcode code, const arch::mmv::strided_command& s)
{
    if (is_complex_word<word>) { refuse_format(); }
    const std::int64_t rows = s.size[1], columns = s.size[2];
    const auto& left = code == opcode::close_row ? s.a : s.result;
    const auto& right = code == opcode::close_column ? s.a : s.result;
    const std::int64_t steps = code == opcode::close_column ? columns : rows;
    std::uint64_t operations = 0;
    const auto flag = [&](std::int64_t address) { return get(address) != word(0); };
    for (std::int64_t t = 0; t < steps; ++t) {
        for (std::int64_t i = 0; i < rows; ++i) {
            for (std::int64_t j = 0; j < columns; ++j) {
                const bool path = flag(place(left, i, t)) && flag(place(right, t, j));
                put(place(s.result, i, j), word(flag(place(s.result, i, j)) || path));
                operations += 2;
            }
        }
    }
    return operations;
}

template <class Element> void units_in_format<Element>::scalar(opcode code, const arch::mmv::strided_command& s)
{
    if (code == opcode::charge) {
        m_counts[event::cpu_op] += s.cpu_ops;
        m_counts[event::scalar_op] += s.cpu_ops;
        return;
    }
    if (s.elements() == 0) { throw reference_failure{error_code::bad_field, "size"}; }
    for_each_element(s,
                     [&](const index_3& at) { m_scratchpad.check(place(s.result, at), sizeof(word), sizeof(word)); });

    std::uint64_t overflowed = 0;
    std::uint64_t operations = s.elements();
    switch (code) {
    case opcode::set: element_wise(s, [&](const index_3&) { return immediate(s); }); break;
    case opcode::move: element_wise(s, [&](const index_3& at) { return get(place(s.a, at)); }); break;
    case opcode::s_add: binary(s, [&](auto a, auto b) { return plus(a, b, overflowed); }); break;
    case opcode::s_sub: binary(s, [&](auto a, auto b) { return minus(a, b, overflowed); }); break;
    case opcode::s_mul: binary(s, [&](auto a, auto b) { return times(a, b, overflowed); }); break;
    case opcode::s_mac:
        operations *= 2;
        element_wise(s, [&](const index_3& at) {
            word z = get(place(s.result, at));
            if constexpr (std::is_integral_v<word>) {
                z = plus(z, times(get(place(s.a, at)), get(place(s.b, at)), overflowed), overflowed);
            } else {
                multiply_add(z, get(place(s.a, at)), get(place(s.b, at)), overflowed);
            }
            return z;
        });
        break;
    case opcode::s_add_clamped:
        binary(s, [&](auto a, auto b) {
            const word sum = plus(a, b, overflowed);
            return less(word(1), sum) ? word(1) : sum;
        });
        break;
    case opcode::s_positive:
        element_wise(s, [&](const index_3& at) { return word(less(word(0), get(place(s.a, at)))); });
        break;
    case opcode::s_less: binary(s, [&](auto a, auto b) { return word(less(a, b)); }); break;
    case opcode::s_mul_mod:
        operations *= 2;
        binary(s, [&](auto a, auto b) { return reduced(word(0), a, b, immediate(s)); });
        break;
    case opcode::s_mac_mod:
        operations *= 2;
        element_wise(s, [&](const index_3& at) {
            return reduced(get(place(s.result, at)), get(place(s.a, at)), get(place(s.b, at)), immediate(s));
        });
        break;
    case opcode::s_carry:
        operations *= 3;
        carry(s, overflowed);
        break;
    case opcode::eliminate_diagonal:
    case opcode::eliminate_row:
    case opcode::eliminate_column: operations = eliminate(code, s); break;
    case opcode::close_diagonal:
    case opcode::close_row:
    case opcode::close_column: operations = close(code, s); break;
    default: throw reference_failure{error_code::unknown_opcode, "opcode"};
    }
    m_counts[event::scalar_instruction] += 1;
    m_counts[event::scalar_op] += operations;
    m_counts[event::cpu_op] += s.cpu_ops;
    end(overflowed);
}

} // namespace

std::unique_ptr<reference_units> make_reference_units(const arch::mmv::mmv_limits& limits, unsigned word_bits,
                                                      reference_scratchpad& scratchpad, arch::mmv::counts& counts)
{
    switch (limits.format) {
    case arch::element_type::f64:
        return std::make_unique<units_in_format<double>>(limits, word_bits, scratchpad, counts);
    case arch::element_type::c128:
        return std::make_unique<units_in_format<std::complex<double>>>(limits, word_bits, scratchpad, counts);
    case arch::element_type::int8:
        return std::make_unique<units_in_format<std::int8_t>>(limits, word_bits, scratchpad, counts);
    case arch::element_type::int32:
        return std::make_unique<units_in_format<std::int32_t>>(limits, word_bits, scratchpad, counts);
    default: return std::make_unique<units_in_format<std::int64_t>>(limits, word_bits, scratchpad, counts);
    }
}

} // namespace tensorloom::test
