#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/arch/bytes.h>
#include <tensorloom/models/arch/shell_commands.h>

namespace tensorloom::arch::mmv {

/// An operand where it lies in this iteration. Addresses wrap at 4 GiB; where they lead is checked afterwards.
template <class Operand> void advance(Operand& operand, const loop_indices& iteration)
{
    for (unsigned l = 0; l < stepped_loops; ++l) {
        operand.address += static_cast<std::uint32_t>(operand.step[l]) * iteration[l];
        operand.step[l] = 0;
    }
}

inline void encode_steps(const std::array<std::int32_t, stepped_loops>& step, std::uint8_t* to)
{
    for (unsigned l = 0; l < stepped_loops; ++l) { store_le(to + 4 * l, step[l]); }
}

inline std::array<std::int32_t, stepped_loops> decode_steps(const std::uint8_t* from)
{
    std::array<std::int32_t, stepped_loops> step{};
    for (unsigned l = 0; l < stepped_loops; ++l) { step[l] = load_le<std::int32_t>(from + 4 * l); }
    return step;
}

} // namespace tensorloom::arch::mmv
