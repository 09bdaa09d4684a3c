#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/arch/bytes.h>
#include <tensorloom/models/arch/shell_commands.h>

namespace tensorloom::arch {

/// What an address, a row or an element index advances by per iteration of the innermost loop, and of the next.
using address_steps = std::array<std::int32_t, stepped_loops>;

/// Where something lies in this iteration; its steps become 0. Addresses wrap at 2^32; where they lead is checked
/// afterwards.
inline void advance(std::uint32_t& address, address_steps& step, const loop_indices& iteration)
{
    for (unsigned l = 0; l < stepped_loops; ++l) {
        address += static_cast<std::uint32_t>(step[l]) * iteration[l];
        step[l] = 0;
    }
}

/// True when no iteration moves it.
inline bool stays(const address_steps& step) { return step == address_steps{}; }

inline void encode_steps(const address_steps& step, std::uint8_t* to)
{
    for (unsigned l = 0; l < stepped_loops; ++l) { store_le(to + 4 * l, step[l]); }
}

inline address_steps decode_steps(const std::uint8_t* from)
{
    address_steps step{};
    for (unsigned l = 0; l < stepped_loops; ++l) { step[l] = load_le<std::int32_t>(from + 4 * l); }
    return step;
}

} // namespace tensorloom::arch
