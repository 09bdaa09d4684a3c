#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <tensorloom/models/torus/isa/orbit_command.h>

namespace tensorloom::torus {

// Placement of an ORBIT command's modes on the torus, and its passes when it is larger than the torus
// (isa/tiles/tile_plan.h; docs/torus.md).

/// Sizes along modes 1, 2, 3 of the tensor before (N) and after (K) the transform.
struct orbit_sizes {
    isa::mode_sizes in_size{}, out_size{};

    bool operator==(const orbit_sizes& o) const { return in_size == o.in_size && out_size == o.out_size; }
};
/// Sizes given by a command itself; missing ones are those of its kept data.
struct known_sizes {
    std::optional<isa::mode_sizes> in_size, out_size;
};
known_sizes sizes_of(const orbit_command& command);

/// Sizes of each transform of an operand or result, which has a fourth mode for several; number of transforms.
isa::mode_sizes transform_sizes(const isa::tensor_descriptor& tensor);
std::uint64_t transforms_of(const isa::tensor_descriptor& tensor);
/// One of the transforms.
isa::tensor_descriptor transform_of(const isa::tensor_descriptor& tensor, std::uint64_t index);

/// The mode (0 to 2) whose blocks index 0, 1, 2 of a block label counts. The mode that a forward transform sums first
/// is index 2, the second one index 0.
std::array<unsigned, 3> modes_of_indices(const std::array<std::uint8_t, 3>& order);
/// Block sizes by index of their labels.
block_sizes by_index(const block_sizes& by_mode, const std::array<std::uint8_t, 3>& order);

/// Elements that fill the torus: P blocks along each mode.
orbit_sizes filled(const block_sizes& blocks, std::uint32_t side);

/// The passes of a command whose order and blocks have passed check(). Summed modes are in the order of summation; an
/// inverse transform sums from the last to the first.
isa::tile_plan plan_orbit(const orbit_command& command, const orbit_sizes& sizes, std::uint32_t side);

/// Coefficients of the matrices of these modes that a node stores: its block of every window of P blocks. At most
/// 2^64 - 1 (saturating).
std::uint64_t coefficients_of_node(const block_sizes& blocks, const orbit_sizes& sizes, std::uint32_t side,
                                   const std::vector<unsigned>& modes = {0, 1, 2});

} // namespace tensorloom::torus
