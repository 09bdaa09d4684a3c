#pragma once
#include <algorithm>
#include <tensorloom/models/isa/firmware/tensorloom.h>
#include <tensorloom/models/triada/isa/gemt_command.h>

namespace tensorloom::test {

inline tl_tensor tensor_for_c(const isa::tensor_descriptor& d)
{
    tl_tensor t{};
    t.base = d.base;
    t.type = d.type;
    t.order = d.order;
    std::copy(d.size.begin(), d.size.end(), t.size);
    std::copy(d.stride.begin(), d.stride.end(), t.stride);
    return t;
}

/// A command as the C driver takes it.
inline tl_gemt gemt_for_c(const triada::gemt_command& command)
{
    tl_gemt g;
    tl_gemt_init(&g);
    g.flags = command.flags;
    std::copy(command.order.begin(), command.order.end(), g.order);
    g.stage_mask = command.stage_mask;
    std::copy(command.shifts.begin(), command.shifts.end(), g.shifts);
    g.partials = command.partials;
    g.zero_threshold = command.zero_threshold;
    g.completion_address = command.completion_address;
    std::copy(command.row_order_address.begin(), command.row_order_address.end(), g.row_order_address);
    g.x = tensor_for_c(command.x);
    g.y = tensor_for_c(command.y);
    g.initial_y = tensor_for_c(command.initial_y);
    g.workspace = tensor_for_c(command.workspace);
    for (unsigned m = 0; m < 3; ++m) { g.matrix[m] = tensor_for_c(command.matrix[m]); }
    return g;
}

} // namespace tensorloom::test
