#pragma once
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>
#include <tensorloom/models/isa/vector/instruction_set.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/vector_command.h>
#include <tensorloom/models/isa/vector/signature.h>

namespace tensorloom::test {

/// Random instructions of a vector unit, and what stands in the scratchpad for them.
template <class W> class random_vector {
public:
    explicit random_vector(std::uint64_t seed) : m_random(seed) {}

    static constexpr std::uint64_t scratchpad_words = 2048;
    std::vector<unsigned char> memory;
    isa::vector::vector_command command;

    std::uint64_t below(std::uint64_t n) { return std::uniform_int_distribution<std::uint64_t>(0, n - 1)(m_random); }
    bool chance(unsigned percent) { return below(100) < percent; }

    W word()
    {
        if constexpr (std::is_integral_v<W>) {
            switch (below(8)) {
            case 0: return std::numeric_limits<W>::max() - static_cast<W>(below(3));
            case 1: return std::numeric_limits<W>::min() + static_cast<W>(below(3));
            case 2: return static_cast<W>(m_random());
            case 3: return 0;
            default: return static_cast<W>(below(2001)) - 1000;
            }
        } else if constexpr (std::is_floating_point_v<W>) {
            return static_cast<W>(real());
        } else {
            const double re = real();
            return {re, real()};
        }
    }

    /// A new instruction; addresses so that operands lie apart from each other, or z on one of them where that is
    /// allowed.
    void next(isa::vector::opcode code)
    {
        using isa::vector::opcode;
        memory.resize(scratchpad_words * sizeof(W));
        for (std::uint64_t i = 0; i < scratchpad_words; ++i) { put(i, word()); }
        const auto has = isa::vector::vector_signature_of(code);
        auto& c = command;
        c = {};
        const auto s = static_cast<std::uint32_t>(1 + below(chance(80) ? 9 : 40));
        const std::uint32_t lengths[] = {1, s > 1 ? s - 1 : 1, s, s + 1, 2 * s + 1, 3 * s};
        c.length = chance(50) ? lengths[below(6)] : static_cast<std::uint32_t>(1 + below(100));
        if (code == opcode::expand) { c.length = std::min(c.length, 900 / s); }
        if (has.block) { c.block = s; }
        if (has.packed_rows) { c.block = 2 * static_cast<std::uint32_t>(1 + below(6)); }
        if (has.packed_rows) { c.table = static_cast<std::uint32_t>(1 + below(5)); }
        if (has.table) { c.table = chance(30) ? c.length : static_cast<std::uint32_t>(1 + below(120)); }
        const bool every_index_needs_one = code == opcode::gather_idx || code == opcode::scatter_add;
        if (has.table && !every_index_needs_one && chance(10)) { c.table = 0; } // which has no index at all
        if (code == opcode::scatter_add) {
            c.length = std::min(c.length, 280 / s);
            c.table = std::min(c.table, chance(30) ? 3 : 900 / s);
        }
        if (has.bits == isa::vector::bits_use::which_bit) { c.bits = static_cast<std::uint32_t>(below(8 * sizeof(W))); }
        if (has.bits == isa::vector::bits_use::right_shift) {
            c.bits = static_cast<std::uint32_t>(below(8 * sizeof(W)));
        }
        if (has.bits == isa::vector::bits_use::operand_bits) {
            c.bits = static_cast<std::uint32_t>(1 + below(std::min<std::uint64_t>(s, 8 * sizeof(W))));
        }

        if (has.bits == isa::vector::bits_use::stream) { c.bits = static_cast<std::uint32_t>(m_random()); }

        const bool table_a = has.a == isa::vector::operand_use::table;
        if (!table_a && chance(10)) { c.flags |= isa::vector::vector_command::flag_zero_a; }
        if (has.broadcast_b && chance(20)) { c.flags |= isa::vector::vector_command::flag_broadcast_b; }
        if (!c.zero_a()) {
            c.a.address = at(below(8));
            if (!table_a && chance(30)) { c.a.shift = shift(s); }
        }
        if (has.b != isa::vector::operand_use::none) {
            c.b.address = at(300 + below(8));
            if (!c.broadcast_b() && chance(30)) { c.b.shift = shift(s); }
        }
        if (has.c != isa::vector::operand_use::none) { c.c.address = at(600 + below(8)); }
        c.result.address = at(1000 + below(64));
        place_on_operand(code);
        fill_operands(code);
    }

    /// z on an operand of its length.
    void place_on_operand(isa::vector::opcode code)
    {
        if (!chance(40) || isa::vector::vector_signature_of(code).reads_result) { return; }
        auto& c = command;
        const auto l = isa::vector::lengths_of(code, c);
        const auto fits = [&](const isa::vector::vector_operand& o, std::uint64_t length) {
            return l.result == 0 || (length == l.result && o.shift == 0);
        };
        if (!c.zero_a() && fits(c.a, l.a) && chance(60)) {
            c.result.address = c.a.address;
        } else if (l.b != 0 && fits(c.b, l.b) && !c.broadcast_b()) {
            c.result.address = c.b.address;
        } else if (l.c != 0 && fits(c.c, l.c)) {
            c.result.address = c.c.address;
        }
    }

    void put(std::uint64_t index, const W& w) { std::memcpy(memory.data() + index * sizeof(W), &w, sizeof w); }
    W get(std::uint64_t index) const
    {
        W w;
        std::memcpy(static_cast<void*>(&w), memory.data() + index * sizeof(W), sizeof w);
        return w;
    }

private:
    double real()
    {
        switch (below(12)) {
        case 0: return std::numeric_limits<double>::infinity();
        case 1: return -std::numeric_limits<double>::infinity();
        case 2: return -0.0;
        case 3: return 0;
        case 4: return std::numeric_limits<double>::quiet_NaN();
        default: return std::uniform_real_distribution<double>(-100, 100)(m_random);
        }
    }

    static std::uint32_t at(std::uint64_t index) { return static_cast<std::uint32_t>(index * sizeof(W)); }
    std::uint32_t shift(std::uint32_t s)
    {
        const std::uint32_t shifts[] = {1, s, 2 * s + 1, command.length, command.length + 3};
        return shifts[below(5)];
    }

    // Flags and indices where the instruction wants them: mostly good ones.
    void fill_operands(isa::vector::opcode code)
    {
        using isa::vector::opcode;
        auto& c = command;
        const bool mistakes = chance(15);
        const auto fill = [&](std::uint32_t address, std::uint64_t n, const auto& value) {
            for (std::uint64_t i = 0; i < n; ++i) { put(address / sizeof(W) + i, value(i)); }
        };
        const auto number = [&](std::int64_t low, std::int64_t high) {
            const auto i = low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low + 1)));
            if (!mistakes || !chance(5)) { return W(i); }
            if constexpr (std::is_floating_point_v<W>) {
                const W bad[] = {static_cast<W>(i) + W(0.5), static_cast<W>(high + 1),
                                 std::numeric_limits<W>::quiet_NaN(), -1, std::numeric_limits<W>::max()};
                return bad[below(5)];
            } else {
                return W(chance(50) ? high + 1 : -1);
            }
        };
        const auto table = static_cast<std::int64_t>(c.table);
        switch (code) {
        case opcode::and_:
        case opcode::or_:
        case opcode::not_:
        case opcode::or_block:
        case opcode::mask: {
            const unsigned ones = chance(20) ? 0 : chance(20) ? 100 : 20;
            const auto flag = [&](std::uint64_t) { return chance(ones) ? word() : W(0); };
            if (code != opcode::mask && !c.zero_a()) { fill(c.a.address, c.length, flag); }
            if (code != opcode::not_ && code != opcode::or_block) {
                fill(c.b.address, c.broadcast_b() ? 1 : c.length, flag);
            }
            break;
        }
        case opcode::random_mask: // most numbers are outside of 0 to 1
            if (chance(80)) {
                fill(c.b.address, c.length, [&](auto) { return W(static_cast<double>(below(9)) / 8); });
            }
            break;
        case opcode::revspec: {
            const bool scanned = chance(70);
            W sum(0);
            fill(c.b.address, c.length, [&](std::uint64_t i) {
                sum = i % c.block == 0 || !scanned ? W(static_cast<double>(below(3)))
                                                   : sum + W(static_cast<double>(below(2)));
                return sum;
            });
            break;
        }
        case opcode::compact:
        case opcode::gather_prev: fill(c.b.address, c.length, [&](auto) { return number(0, table); }); break;
        case opcode::revert:
            fill(c.b.address, c.length, [&](auto) { return chance(10) ? W(-3) : number(0, table); });
            break;
        case opcode::gather_idx:
        case opcode::scatter_add: fill(c.b.address, c.length, [&](auto) { return number(0, table - 1); }); break;
        case opcode::flags: fill(c.a.address, c.table, [&](auto) { return number(0, c.length + 5); }); break;
        default: break;
        }
    }

    std::mt19937_64 m_random;
};

} // namespace tensorloom::test
