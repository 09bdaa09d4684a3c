#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>

namespace tensorloom::test {

/// The rows of a CONTRACT one by one, element by element, straight from the formulas in words: quotients, remainders
/// and lists of bits.
struct naive_row {
    int role;                 ///< 0 IA, 1 IB, 2 result
    unsigned engine;          ///< at whose port
    std::uint64_t tile, line; ///< number of the tile; step or row in the tile
    std::int64_t position = 0;
    std::int64_t row = 0; ///< banked
    unsigned bank = 0;    ///< banked
    struct element {
        unsigned lane;
        std::array<std::uint64_t, 3> index; ///< batch, contracted, free; result: batch, IA's, IB's
        std::int64_t linear;                ///< linear: its number in the linear order
    };
    std::vector<element> elements{}; ///< those that exist
};

class naive_accesses {
public:
    naive_accesses(const fetta::contract_command& command, const fetta::device_limits& limits) : c(command), g(limits)
    {}

    /// Calls see(row) for every row of every port that has an element, in the order of tiles.
    template <class See> void visit(const See& see)
    {
        const bool os = c.mapping >= 4;
        const std::uint64_t stream = os ? up(c.contracted, count(c.mask_contracted)) : up(c.ia_free, count(c.mask_ia));
        const auto pieces = os || (c.flags & 3) != 0 ? std::vector<std::uint64_t>{stream} : cut(stream);
        const std::uint64_t kts = os ? 1 : up(c.contracted, count(c.mask_contracted) * g.side);
        const std::uint64_t rts = os ? up(c.ia_free, count(c.mask_ia) * g.side) : 1;
        const std::uint64_t cts = up(c.ib_free, count(c.mask_ib) * g.side);
        tile = 0;
        for (gt = 0; gt < up(c.batch, count(c.mask_batch)); ++gt) {
            for (rt = 0; rt < rts; ++rt) {
                for (ct = 0; ct < cts; ++ct) {
                    std::uint64_t from = 0;
                    for (const std::uint64_t piece : pieces) {
                        for (kt = 0; kt < kts; ++kt, ++tile) { visit_tile(from, from + piece, stream, see); }
                        from += piece;
                    }
                }
            }
        }
    }

private:
    static std::uint64_t up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }
    std::vector<unsigned> bits(std::uint32_t mask) const
    {
        std::vector<unsigned> list;
        for (unsigned b = 0; b < 6; ++b) {
            if ((mask >> b) % 2 == 1) { list.push_back(b); }
        }
        return list;
    }
    std::uint64_t count(std::uint32_t mask) const { return std::uint64_t{1} << bits(mask).size(); }
    std::uint64_t part(unsigned engine, std::uint32_t mask) const
    {
        std::uint64_t p = 0, weight = 1;
        for (const unsigned b : bits(mask)) {
            p += weight * ((engine >> b) % 2);
            weight *= 2;
        }
        return p;
    }
    std::vector<std::uint64_t> cut(std::uint64_t steps) const
    {
        const std::uint64_t most = g.accumulator_bank_bytes / g.side / (g.psum == base::element_type::bf16 ? 2 : 4);
        std::vector<std::uint64_t> pieces(steps / most, most);
        if (steps % most != 0) { pieces.push_back(steps % most); }
        if (pieces.size() > 1 && pieces.back() < g.side) {
            pieces[pieces.size() - 2] -= g.side - pieces.back();
            pieces.back() = g.side;
        }
        return pieces;
    }

    template <class See> void visit_tile(std::uint64_t from, std::uint64_t to, std::uint64_t stream, const See& see)
    {
        const std::uint64_t p = g.side;
        const bool os = c.mapping >= 4;
        const bool horizontal = c.mapping == 1 || c.mapping == 3;
        for (unsigned j = 0; j < g.engines; ++j) {
            const std::uint64_t cb = part(j, c.mask_batch), ck = part(j, c.mask_contracted), ca = part(j, c.mask_ia),
                                ci = part(j, c.mask_ib);
            const std::uint64_t b = gt * count(c.mask_batch) + cb;
            const auto tile_k = [&](std::uint64_t i) { return (kt * count(c.mask_contracted) + ck) * p + i; };
            const auto tile_a = [&](std::uint64_t m) { return (rt * count(c.mask_ia) + ca) * p + m; };
            const auto tile_i = [&](std::uint64_t n) { return (ct * count(c.mask_ib) + ci) * p + n; };
            for (std::uint64_t s = from; s < to; ++s) {
                const std::uint64_t k = ck * stream + s, a = ca * stream + s;
                give(0, j, s, os ? counters{gt, s, rt, 0} : counters{gt, kt, s, 0}, see, [&](std::uint64_t lane) {
                    return os ? indices{b, k, tile_a(lane)} : indices{b, tile_k(lane), a};
                });
                if (os) {
                    give(1, j, s, {gt, s, ct, 0}, see, [&](std::uint64_t lane) { return indices{b, k, tile_i(lane)}; });
                } else {
                    give(2, j, s, {gt, s, ct, 0}, see, [&](std::uint64_t lane) { return indices{b, a, tile_i(lane)}; });
                }
            }
            for (std::uint64_t r = 0; r < p; ++r) {
                if (os) {
                    give(2, j, r, {gt, rt, ct, r}, see, [&](std::uint64_t lane) {
                        return indices{b, tile_a(r), tile_i(lane)};
                    });
                } else {
                    give(1, j, r, {gt, kt, ct, r}, see, [&](std::uint64_t lane) {
                        return horizontal ? indices{b, tile_k(lane), tile_i(r)} : indices{b, tile_k(r), tile_i(lane)};
                    });
                }
            }
        }
    }

    using counters = std::array<std::uint64_t, 4>;
    using indices = std::array<std::uint64_t, 3>;

    template <class See, class Index>
    void give(int role, unsigned engine, std::uint64_t line, const counters& at, const See& see, const Index& index_of)
    {
        const fetta::contract_operand& o = role == 0 ? c.ia : role == 1 ? c.ib : c.result;
        const std::uint32_t ends[3][3] = {
            {c.batch, c.contracted, c.ia_free}, {c.batch, c.contracted, c.ib_free}, {c.batch, c.ia_free, c.ib_free}};
        naive_row row{role, engine, tile, line};
        for (unsigned lane = 0; lane < g.side; ++lane) {
            const indices i = index_of(lane);
            if (i[0] >= ends[role][0] || i[1] >= ends[role][1] || i[2] >= ends[role][2]) { continue; }
            row.elements.push_back({lane, i, linear_number(o, i)});
        }
        if (row.elements.empty()) { return; }
        for (unsigned n = 0; n < 4; ++n) { row.position += std::int64_t(at[n]) * o.stride[n]; }
        const std::uint32_t mask = role == 0 ? c.mask_ib : role == 1 ? c.mask_ia : c.mask_contracted;
        const auto shared = bits(mask);
        row.row = o.base + static_cast<std::int64_t>(std::floor(double(row.position) / double(count(mask))));
        const auto low = static_cast<std::uint64_t>(row.position - (row.row - o.base) * std::int64_t(count(mask)));
        unsigned port = 0;
        for (unsigned b = 0; b < 6; ++b) {
            if ((mask >> b) % 2 == 0) { port += (engine >> b) % 2 << b; }
        }
        port ^= o.bank;
        for (unsigned n = 0; n < shared.size(); ++n) { port ^= ((low >> n) % 2) << shared[n]; }
        const unsigned root = g.engines == 64 ? 8 : g.engines == 16 ? 4 : 2;
        const bool transpose = (c.flags >> (6 + role)) % 2 == 1;
        row.bank = transpose ? port % root * root + port / root : port;
        see(row);
    }

    static std::int64_t linear_number(const fetta::contract_operand& o, const indices& index)
    {
        std::int64_t number = o.base;
        unsigned end = 0;
        for (unsigned group = 0; group < 3; ++group) {
            std::uint64_t left = index[group];
            end += o.modes[group];
            for (unsigned m = 0; m < o.modes[group]; ++m) { // the last mode of a group is the fastest
                const auto& mode = o.mode[end - 1 - m];
                if (mode.size == 0) { break; }
                number += std::int64_t(left % mode.size) * mode.stride;
                left /= mode.size;
            }
        }
        return number;
    }

    const fetta::contract_command& c;
    const fetta::device_limits& g;
    std::uint64_t tile = 0, gt = 0, rt = 0, ct = 0, kt = 0;
};

} // namespace tensorloom::test
