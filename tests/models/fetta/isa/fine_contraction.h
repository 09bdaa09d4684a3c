#pragma once
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>

namespace tensorloom::test::contractions {

// Contractions with nothing wrong, for a device as in the paper: what tests change in one place.

using fetta::contract_command;

inline const fetta::device_limits paper;

/// WS-V, g_k = 4, g_i = 4: G = 2, K = 32, 24 steps, 16 columns; 2 x 2 tiles. Rows 0 and 64 to 123 of IA, IB from row
/// 200, result (f32) from row 200.
inline contract_command fine()
{
    contract_command c;
    c.batch = 2;
    c.contracted = 32;
    c.ia_free = 24;
    c.ib_free = 16;
    c.mask_contracted = 0x3;
    c.mask_ib = 0xc;
    c.ia.stride = {48, 24, 1, 0}; // 4 positions per row
    c.ib.base = 200;
    c.ib.stride = {8, 4, 0, 1}; // a position per row
    c.result.base = 200;
    c.result.stride = {24, 1, 0, 0}; // 4 positions per row
    return c;
}

/// The same contraction of three tensors in C order.
inline contract_command fine_linear()
{
    contract_command c = fine();
    c.flags =
        contract_command::flag_linear_ia | contract_command::flag_linear_ib | contract_command::flag_linear_result;
    c.ia = c.ib = c.result = {};
    c.ia.modes = {1, 1, 2};
    c.ia.mode = {{{2, 768}, {32, 1}, {4, 192}, {6, 32}}};
    c.ib.base = 2048;
    c.ib.modes = {1, 2, 1};
    c.ib.mode = {{{2, 512}, {8, 64}, {4, 16}, {16, 1}}};
    c.result.base = 2048; // float32: element 4096 of 16 bits
    c.result.modes = {1, 1, 1};
    c.result.mode = {{{2, 384}, {24, 16}, {16, 1}}};
    return c;
}

inline contract_command fine_os()
{
    contract_command c = fine();
    c.mapping = static_cast<std::uint32_t>(fetta::mapping::os_1);
    c.ia.stride = {48, 1, 8, 0};
    c.ib.stride = {8, 1, 0, 0};
    c.result.stride = {24, 4, 0, 1};
    return c;
}

} // namespace tensorloom::test::contractions
