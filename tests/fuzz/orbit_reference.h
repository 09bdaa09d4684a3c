#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/torus/config.h>

namespace tensorloom::test {

/// What memory holds after a program of ORBIT and MULTIPLY commands that a torus of this format and side has run to its
/// end. Computed element by element, in the order of the formulas in docs/torus.md: no block moves here.
///
/// False when the device does not promise the result: tensors of one command overlap, or a command reads the workspace
/// of an earlier one. `base`: address of the first byte of the memory. `found`: the memory after the device's run, from
/// which workspaces are taken as they are.
bool run_orbits(const torus::config& device, const std::vector<std::uint8_t>& program, std::uint64_t base,
                const std::vector<std::uint8_t>& found, std::vector<std::uint8_t>& memory);

} // namespace tensorloom::test
