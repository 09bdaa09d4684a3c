#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/triada/config.h>

namespace tensorloom::test {

/// What memory holds after a program of GEMTs and POINTWISEs that a TriADA of this format and mesh has run to its end:
/// products that fit the mesh cell by cell (models/triada/cell_mesh.h), others one sum at a time in the order of the
/// oracle of its tests (models/triada/gemt_case.h).
///
/// False when the program is not one to compare: tensors of one command overlap, or one is read where a workspace lay,
/// whose results the device does not promise. `base`: address of the first byte of the memory. `found`: the memory
/// behind the device's run, of which workspaces are taken as they are.
bool run_gemts(const triada::config& device, const std::vector<std::uint8_t>& program, std::uint64_t base,
               const std::vector<std::uint8_t>& found, std::vector<std::uint8_t>& memory);

} // namespace tensorloom::test
