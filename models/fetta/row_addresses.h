#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/fetta/contract_index.h>

namespace tensorloom::fetta {

/// What the controller tells the path of an operand, or of the result, in one cycle: whether rows pass the ports, and
/// where they lie.
struct row_addresses {
    bool due = false;                            ///< otherwise nothing of the rest means anything
    bool first = false;                          ///< rows of their tile, in the order of cycles
    arch::fetta::banked_place place;             ///< banked: row of all banks, and the bank index that routes them
    std::vector<arch::fetta::row_elements> rows; ///< by engine; of engines that share a row only the first one has it
    std::vector<std::uint64_t>
        elements; ///< linear: `side` per engine, indices in the linear order of rows[engine].lanes elements
};

} // namespace tensorloom::fetta
