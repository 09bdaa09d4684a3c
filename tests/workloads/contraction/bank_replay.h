#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/contraction/mapping_search.h>

namespace tensorloom::test {

/// Replays the accesses of a CONTRACT with linear operands, element by element: each tells in which cycles it is
/// needed, and each cycle lasts as long as the rows of its busiest bank. No engines, ports or networks.
class bank_replay {
public:
    using number = std::uint64_t;
    using contract_command = fetta::contract_command;

    bank_replay(const contract_command& command, const fetta::device_limits& g, const workloads::engine_split& split)
        : m_c(command), m_g(g), m_side(g.side), m_parts(split), m_latency(g.index_bits() + 1)
    {
        m_free_tiles = ceiling(m_c.ib_free, m_side * split.ib_free);
    }

    number conflicts()
    {
        if (m_c.mapped() >= mapping::os_1) {
            output_stationary();
        } else {
            stationary();
        }
        number extra = 0;
        for (const auto& [cycle, rows] : m_rows) {
            number longest = 1;
            for (const auto& of_bank : rows) { longest = std::max<number>(longest, of_bank.second.size()); }
            extra += longest - 1;
        }
        return extra;
    }

private:
    using contract_operand = fetta::contract_operand;
    using mapping = fetta::mapping;

    static number ceiling(number a, number b) { return (a + b - 1) / b; }

    // Linear element of three flat indices.
    static number element(const contract_operand& o, std::array<number, 3> flat)
    {
        number at = o.base;
        unsigned end = 0;
        for (unsigned group = 0; group < 3; ++group) {
            end += o.modes[group];
            for (unsigned m = end; m-- > end - o.modes[group]; flat[group] /= o.mode[m].size) {
                at += flat[group] % o.mode[m].size * static_cast<number>(o.mode[m].stride);
            }
        }
        return at;
    }

    void needs(number cycle, unsigned stream, number element)
    {
        const number row = element / m_side;
        m_rows[cycle][{stream, row % m_g.engines}].insert(row / m_g.engines);
    }

    template <class F> static void each(number a, number b, number c, F f)
    {
        for (number x = 0; x < a; ++x) {
            for (number y = 0; y < b; ++y) {
                for (number z = 0; z < c; ++z) { f(x, y, z); }
            }
        }
    }

    void stationary()
    {
        const number steps = ceiling(m_c.ia_free, m_parts.ia_free);
        const number summed_tiles = ceiling(m_c.contracted, m_side * m_parts.contracted);
        const bool whole = m_c.has(contract_command::flag_keep) || m_c.has(contract_command::flag_accumulate);
        std::vector<number> first{0}; // step of each piece of the stream, and the end
        while (first.back() != steps) {
            const number left = steps - first.back();
            number piece = whole ? left : std::min<number>(left, m_g.accumulator_rows());
            if (piece < left && left - piece < m_side) { piece = left - m_side; }
            first.push_back(first.back() + piece);
        }
        const number pieces = first.size() - 1;
        number pass = 0; // cycles of all pieces, once
        std::vector<number> before;
        for (number p = 0; p < pieces; ++p) {
            before.push_back(pass);
            pass += summed_tiles * std::max(first[p + 1] - first[p], m_side);
        }
        const auto start = [&](number gt, number ft, number piece, number kt) {
            return m_side + (gt * m_free_tiles + ft) * pass + before[piece] +
                   kt * std::max(first[piece + 1] - first[piece], m_side);
        };
        const auto piece_of = [&](number step) {
            number p = 0;
            while (first[p + 1] <= step) { ++p; }
            return p;
        };
        each(m_c.batch, m_c.contracted, m_c.ia_free, [&](number b, number k, number a) {
            const number step = a % steps, p = piece_of(step);
            for (number ft = 0; ft < m_free_tiles; ++ft) {
                const number s = start(b / m_parts.batch, ft, p, k / (m_side * m_parts.contracted));
                needs(s + step - first[p], 0, element(m_c.ia, {b, k, a}));
            }
        });
        const bool horizontal = m_c.mapped() == mapping::ws_h || m_c.mapped() == mapping::is_h;
        each(m_c.batch, m_c.contracted, m_c.ib_free, [&](number b, number k, number f) {
            for (number p = 0; p < pieces; ++p) {
                const number s =
                    start(b / m_parts.batch, f / (m_side * m_parts.ib_free), p, k / (m_side * m_parts.contracted));
                needs(s - 1 - (horizontal ? f : k) % m_side, 1, element(m_c.ib, {b, k, f}));
            }
        });
        if (m_c.has(contract_command::flag_keep)) { return; }
        each(m_c.batch, m_c.ia_free, m_c.ib_free, [&](number b, number a, number f) {
            const number step = a % steps, p = piece_of(step);
            const number s = start(b / m_parts.batch, f / (m_side * m_parts.ib_free), p, summed_tiles - 1);
            needs(s + step - first[p] + m_side - 1 + m_latency, 2, element(m_c.result, {b, a, f}));
        });
    }

    void output_stationary()
    {
        const number steps = ceiling(m_c.contracted, m_parts.contracted);
        const number row_tiles = ceiling(m_c.ia_free, m_side * m_parts.ia_free);
        const auto start = [&](number b, number rt, number ct) {
            return ((b / m_parts.batch * row_tiles + rt) * m_free_tiles + ct) * std::max(steps, m_side);
        };
        each(m_c.batch, m_c.contracted, m_c.ia_free, [&](number b, number k, number a) {
            for (number ct = 0; ct < m_free_tiles; ++ct) {
                needs(start(b, a / (m_side * m_parts.ia_free), ct) + k % steps, 0, element(m_c.ia, {b, k, a}));
            }
        });
        each(m_c.batch, m_c.contracted, m_c.ib_free, [&](number b, number k, number f) {
            for (number rt = 0; rt < row_tiles; ++rt) {
                needs(start(b, rt, f / (m_side * m_parts.ib_free)) + k % steps, 1, element(m_c.ib, {b, k, f}));
            }
        });
        if (m_c.has(contract_command::flag_keep)) { return; }
        each(m_c.batch, m_c.ia_free, m_c.ib_free, [&](number b, number a, number f) {
            const number s = start(b, a / (m_side * m_parts.ia_free), f / (m_side * m_parts.ib_free));
            needs(s + steps + m_side - 1 + (m_side - 1 - a % m_side) + m_latency, 2, element(m_c.result, {b, a, f}));
        });
    }

    const contract_command& m_c;
    const fetta::device_limits& m_g;
    number m_side;
    workloads::engine_split m_parts;
    number m_latency;
    number m_free_tiles = 1;
    std::map<number, std::map<std::pair<unsigned, number>, std::set<number>>> m_rows; // cycle, stream and bank: rows
};

} // namespace tensorloom::test
