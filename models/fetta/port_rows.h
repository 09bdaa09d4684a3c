#pragma once
#include <cstdint>
#include <vector>

namespace tensorloom::fetta {

/// What stands at all ports of a network in one cycle: port p has values[p * side] to values[p * side + side - 1].
/// bfloat16 is kept as the float that it is.
struct port_rows {
    port_rows() = default;
    port_rows(unsigned ports, unsigned side) : values(std::size_t{ports} * side) {}

    std::vector<float> values;
    std::uint64_t valid = 0; ///< bit p: port p has a row
};

} // namespace tensorloom::fetta
