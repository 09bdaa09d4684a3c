#pragma once
#include <cstdint>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::blocks {

/// What a lane of the functional block of multiply-adds does: factor b + a, rounded once; a step of an optimizer with
/// the factor of all elements in a register. Ours; no paper describes it.
template <class W> struct multiply_add_lane {
    W factor;

    W of(const W& a, const W& b, std::uint64_t&) const { return arithmetic::mac(a, factor, b); }
};

} // namespace tensorloom::blocks
