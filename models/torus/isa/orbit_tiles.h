#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <tensorloom/models/torus/isa/orbit_command.h>

namespace tensorloom::torus {

// Where the modes of an ORBIT command lie on the torus, and how it is cut into passes when it is larger than that
// (isa/tiles/tile_plan.h; specs/torus.md, section 7).

/// Of modes 1, 2, 3 the sizes of the tensor as given, N, and transformed, K.
struct orbit_sizes {
    isa::mode_sizes in_size{}, out_size{};

    bool operator==(const orbit_sizes& o) const { return in_size == o.in_size && out_size == o.out_size; }
};
/// Those that a command says itself; the others are those of what it keeps.
struct known_sizes {
    std::optional<isa::mode_sizes> in_size, out_size;
};
known_sizes sizes_of(const orbit_command& command);

/// Sizes of each transform of an operand or result, which has a mode more when there are several; how many there are.
isa::mode_sizes transform_sizes(const isa::tensor_descriptor& tensor);
std::uint64_t transforms_of(const isa::tensor_descriptor& tensor);
/// One of them.
isa::tensor_descriptor transform_of(const isa::tensor_descriptor& tensor, std::uint64_t index);

/// Mode 0 to 2 whose blocks index 0, 1, 2 of a block label counts: the one that a forward transform sums first lies
/// along index 2, the second along index 0.
std::array<unsigned, 3> modes_of_indices(const std::array<std::uint8_t, 3>& order);
/// Sizes of blocks by index of their labels.
block_sizes by_index(const block_sizes& by_mode, const std::array<std::uint8_t, 3>& order);

/// Elements that fill the torus: P blocks along each mode.
orbit_sizes filled(const block_sizes& blocks, std::uint32_t side);

/// The passes of a command whose order and blocks have passed check(); modes in the order in which it sums them, which
/// an inverse one does from the last to the first.
isa::tile_plan plan_orbit(const orbit_command& command, const orbit_sizes& sizes, std::uint32_t side);

/// Coefficients of all matrices that a node holds: its block of every window of P blocks. 2^64 - 1 when there are more.
std::uint64_t coefficients_of_node(const block_sizes& blocks, const orbit_sizes& sizes, std::uint32_t side);

} // namespace tensorloom::torus
