#pragma once
#include <cstdint>
#include <cstring>
#include <type_traits>
#include "support/mmv_reference_format.h"
#include "support/mmv_reference_words.h"

namespace tensorloom::test {

template <class Element>
typename units_in_format<Element>::word units_in_format<Element>::immediate(const isa::vector::strided_command& s) const
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
        check_format();
    }
}

template <class Element>
void units_in_format<Element>::carry(const isa::vector::strided_command& s, std::uint64_t& overflowed)
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
        check_format();
    }
}

// Returns the operations.
template <class Element>
std::uint64_t units_in_format<Element>::eliminate(scalar_opcode code, const isa::vector::strided_command& s)
{
    if constexpr (std::is_floating_point_v<word>) {
        const std::int64_t rows = s.size[1], columns = s.size[2];
        const bool row = code == scalar_opcode::eliminate_row, column = code == scalar_opcode::eliminate_column;
        const auto& pivots = code == scalar_opcode::eliminate_diagonal ? s.result : s.a;
        const auto& left = row ? s.a : s.result;     // factor of the row
        const auto& right = column ? s.a : s.result; // factor of the column
        const std::int64_t steps = column ? columns : rows - 1;
        std::uint64_t operations = 0;
        for (std::int64_t t = 0; t < steps; ++t) {
            for (std::int64_t i = column ? 0 : t + 1; i < rows; ++i) {
                for (std::int64_t j = row ? 0 : t + 1; j < columns; ++j) {
                    const word product = rounded(get(place(left, i, t)) * get(place(right, t, j)));
                    const word quotient = rounded(product / get(place(pivots, t, t)));
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
        check_format();
    }
}

template <class Element>
std::uint64_t units_in_format<Element>::close(scalar_opcode code, const isa::vector::strided_command& s)
{
    if (is_complex_word<word>) { check_format(); }
    const std::int64_t rows = s.size[1], columns = s.size[2];
    const auto& left = code == scalar_opcode::close_row ? s.a : s.result;
    const auto& right = code == scalar_opcode::close_column ? s.a : s.result;
    const std::int64_t steps = code == scalar_opcode::close_column ? columns : rows;
    std::uint64_t operations = 0;
    const auto flag = [&](std::int64_t address) { return get(address) != word(0); };
    for (std::int64_t t = 0; t < steps; ++t) {
        for (std::int64_t i = 0; i < rows; ++i) {
            for (std::int64_t j = 0; j < columns; ++j) {
                const bool there = flag(place(left, i, t)), on = flag(place(right, t, j));
                const bool known = flag(place(s.result, i, j));
                put(place(s.result, i, j), word(known || (there && on)));
                operations += 2;
            }
        }
    }
    return operations;
}

template <class Element>
void units_in_format<Element>::scalar(scalar_opcode code, const isa::vector::strided_command& s)
{
    if (code == scalar_opcode::charge) {
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
    case scalar_opcode::set: element_wise(s, [&](const index_3&) { return immediate(s); }); break;
    case scalar_opcode::move: element_wise(s, [&](const index_3& at) { return get(place(s.a, at)); }); break;
    case scalar_opcode::s_add: binary(s, [&](auto a, auto b) { return plus(a, b, overflowed); }); break;
    case scalar_opcode::s_sub: binary(s, [&](auto a, auto b) { return minus(a, b, overflowed); }); break;
    case scalar_opcode::s_mul: binary(s, [&](auto a, auto b) { return times(a, b, overflowed); }); break;
    case scalar_opcode::s_mac:
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
    case scalar_opcode::s_add_clamped:
        binary(s, [&](auto a, auto b) {
            const word sum = plus(a, b, overflowed);
            return less(word(1), sum) ? word(1) : sum;
        });
        break;
    case scalar_opcode::s_positive:
        element_wise(s, [&](const index_3& at) { return word(less(word(0), get(place(s.a, at)))); });
        break;
    case scalar_opcode::s_less: binary(s, [&](auto a, auto b) { return word(less(a, b)); }); break;
    case scalar_opcode::s_mul_mod:
        operations *= 2;
        binary(s, [&](auto a, auto b) { return reduced(word(0), a, b, immediate(s)); });
        break;
    case scalar_opcode::s_mac_mod:
        operations *= 2;
        element_wise(s, [&](const index_3& at) {
            return reduced(get(place(s.result, at)), get(place(s.a, at)), get(place(s.b, at)), immediate(s));
        });
        break;
    case scalar_opcode::s_carry:
        operations *= 3;
        carry(s, overflowed);
        break;
    case scalar_opcode::eliminate_diagonal:
    case scalar_opcode::eliminate_row:
    case scalar_opcode::eliminate_column: operations = eliminate(code, s); break;
    case scalar_opcode::close_diagonal:
    case scalar_opcode::close_row:
    case scalar_opcode::close_column: operations = close(code, s); break;
    default: throw reference_failure{error_code::unknown_opcode, "opcode"};
    }
    m_counts[event::scalar_instruction] += 1;
    m_counts[event::scalar_op] += operations;
    m_counts[event::cpu_op] += s.cpu_ops;
    end(overflowed);
}

} // namespace tensorloom::test
