#pragma once
#include <cstdint>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include "models/fetta/fetta_program.h"

namespace tensorloom::test {

/// A chain of products Y = X W of 4 x 4 matrices of bfloat16, each of which multiplies the result of the one before.
///
/// Linear operands in the unified memory: W stands still at 4 x 4 elements from element_of_w on; X and Y take turns.
namespace contract_chain {

inline constexpr std::uint32_t element_of_w = 8192;
inline constexpr std::uint32_t elements_of_x[] = {0, 16}; ///< and of Y, the other way round

/// Rows of X over 4 engines, the others share nothing: 13 cycles on 16 engines of 4 x 4.
inline fetta::contract_command product(const fetta::device_limits& g, std::uint32_t y, std::uint32_t x)
{
    auto c = fetta_program::product(g, y, x, element_of_w, 4, 4, 4);
    c.flags |= fetta::contract_command::flag_store_bf16;
    c.mask_contracted = 0, c.mask_ib = 0, c.mask_ia = 3, c.mask_batch = g.engines - 4;
    return c;
}

/// In a LOOP it writes what it reads in the next turn.
inline constexpr std::uint32_t advance = 128; // elements
inline fetta::contract_command that_advances(const fetta::device_limits& g)
{
    auto c = product(g, advance, 0);
    c.ia.step[0] = c.result.step[0] = advance;
    return c;
}

} // namespace contract_chain

/// So many of them, an even number: straight-line.
inline fetta_program contract_chain_in_line(const fetta::device_limits& g, std::uint32_t count)
{
    fetta_program p(g);
    for (std::uint32_t i = 0; i < count; ++i) {
        p.contract(contract_chain::product(g, contract_chain::elements_of_x[(i + 1) % 2],
                                           contract_chain::elements_of_x[i % 2]));
    }
    return p;
}

/// In a LOOP of two.
inline fetta_program contract_chain_in_loop(const fetta::device_limits& g, std::uint32_t count)
{
    fetta_program p(g);
    p.loop(count / 2);
    p.contract(contract_chain::product(g, contract_chain::elements_of_x[1], contract_chain::elements_of_x[0]));
    p.contract(contract_chain::product(g, contract_chain::elements_of_x[0], contract_chain::elements_of_x[1]));
    return p.end();
}

/// In a LOOP of one whose operands advance: Y of the last stands at element count x advance.
inline fetta_program contract_chain_that_advances(const fetta::device_limits& g, std::uint32_t count)
{
    return fetta_program(g).loop(count).contract(contract_chain::that_advances(g)).end();
}

} // namespace tensorloom::test
