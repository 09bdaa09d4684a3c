#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/arch/costs/energy.h>
#include <tensorloom/models/arch/fetta/energy.h>
#include <tensorloom/models/arch/fetta/events.h>
#include <tensorloom/models/arch/costs/technology.h>

namespace tensorloom::testbench {

/// Power of one block.
struct block_power {
    std::string component;
    double mw = 0;       ///< as long as the tensor contraction unit works
    double table_mw = 0; ///< with the activity that Table III of the paper is read with
    bool estimate = false;

    double share() const { return table_mw > 0 ? mw / table_mw : 0; }
};

/// What each block takes while CONTRACTs run, transfers and vector instructions left out, beside what it takes in a
/// cycle of Table III: as many multiply-adds as there are PEs, an element at every port lane of one (or both)
/// distribution networks, of the reduction network, of the accumulation unit and of the vector unit, and a row (or two)
/// of every bank. Blocks in the order of the events.
std::vector<block_power> steady_power(const arch::technology& technology, const arch::fetta::energy_settings& settings,
                                      const arch::fetta::counts& counts, std::uint64_t tcu_cycles);

} // namespace tensorloom::testbench
