#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/torus/isa/schedule.h>

namespace tensorloom::test {

/// The block of the summed mode that comes in step t to the result's block (i, j, k) of roles 1, 2, 3, modulo P.
inline std::int64_t summed_block(torus::direction way, unsigned stage, const torus::scheduling_vector& v,
                                 const std::array<std::int64_t, 3>& i, std::int64_t t)
{
    const auto [q, r, s] = v.sign;
    if (way == torus::direction::forward) {
        if (stage == 0) { return s * (i[2] + t - q * i[0] - r * i[1]); }
        if (stage == 1) { return q * (i[2] + t - r * i[1] - s * i[0]); }
        return r * (i[2] + t - q * i[1] - s * i[0]);
    }
    if (stage == 0) { return q * (i[2] - t - r * i[1] - s * i[0]); }
    if (stage == 1) { return s * (i[2] - t - q * i[0] - r * i[1]); }
    return q * i[0] + r * i[1] + s * i[2] + t;
}

} // namespace tensorloom::test
