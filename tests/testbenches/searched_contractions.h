#pragma once

namespace tensorloom::test {

/// Searches random contractions by simulation, in every layout, from a DRAM and from an SRAM: for no objective may the
/// plan found cost more than 1 % over a plan that the estimates choose for any objective, both simulated. At least
/// `faster` of them must take fewer cycles than the choice of the estimates.
void expect_never_beaten(unsigned contractions, unsigned seed, unsigned faster);

} // namespace tensorloom::test
