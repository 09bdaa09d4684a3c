#pragma once
#include <algorithm>
#include <cstdint>
#include <tensorloom/workloads/contraction/mapping_search.h>

namespace tensorloom::test {

/// The extents of X[g,M,K] W[g,K,N] as the model of the mapping space sees them.
struct spec_mapping {
    bool stationary;
    std::uint64_t f, s; // stationary: free extents of what stays and of what streams; else rows and columns
};

inline spec_mapping spec_of(const workloads::flat_extents& e, fetta::mapping m)
{
    switch (m) {
    case fetta::mapping::ws_v:
    case fetta::mapping::ws_h: return {true, e.b_free, e.a_free};
    case fetta::mapping::is_v:
    case fetta::mapping::is_h: return {true, e.a_free, e.b_free};
    case fetta::mapping::os_1: return {false, e.a_free, e.b_free};
    default: return {false, e.b_free, e.a_free};
    }
}

inline std::uint64_t spec_ceiling(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Cycles of a contraction on 16 engines of 4 x 4, operands resident in the mapping's layout, in words of their own:
/// cyc = (tiles-1) max(t,4) + t + 4 + D + 3 + R + A, with pieces of at most as many rows as an accumulator has and a
/// remainder of at least 4; output-stationary: (tiles-1) max(k,4) + k + 3 + D + 4 + R + A. D = 0, R = 4, A = 1. gf, gs:
/// parts of f and s. Accumulators of 8 KB have 512 rows of float32.
inline std::uint64_t spec_cycles(const workloads::flat_extents& e, fetta::mapping m,
                                 const workloads::engine_split& split, std::uint64_t accumulator_rows = 512)
{
    // Output-stationary: rows of an engine are IA's free index, columns IB's. Else the columns are IB's free index,
    // IA's streams.
    const bool os = m >= fetta::mapping::os_1;
    const std::uint64_t gb = split.batch, gk = split.contracted;
    const std::uint64_t gf = os ? split.ia_free : split.ib_free, gs = os ? split.ib_free : split.ia_free;
    const spec_mapping s = spec_of(e, m);
    if (!s.stationary) {
        const std::uint64_t tiles = spec_ceiling(e.batch, gb) * spec_ceiling(s.f, 4 * gf) * spec_ceiling(s.s, 4 * gs);
        const std::uint64_t k = spec_ceiling(e.contracted, gk);
        return (tiles - 1) * std::max<std::uint64_t>(k, 4) + k + 3 + 0 + 4 + 4 + 1;
    }
    const std::uint64_t tiles =
        spec_ceiling(e.batch, gb) * spec_ceiling(e.contracted, 4 * gk) * spec_ceiling(s.f, 4 * gf);
    std::uint64_t t = spec_ceiling(s.s, gs), all = 0, last = 0;
    while (t > 0) {
        std::uint64_t piece = std::min(t, accumulator_rows);
        if (t > piece && t - piece < 4) { piece = t - 4; }
        all += tiles * std::max<std::uint64_t>(piece, 4);
        last = piece;
        t -= piece;
    }
    return all - std::max<std::uint64_t>(last, 4) + last + 4 + 0 + 3 + 4 + 1;
}

} // namespace tensorloom::test
