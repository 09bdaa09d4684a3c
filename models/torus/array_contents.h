#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>
#include <tensorloom/models/torus/isa/orbit_tiles.h>
#include <tensorloom/models/shell/debug_memory.h>
#include <tensorloom/models/torus/node_array.h>
#include <tensorloom/models/torus/slot_memory.h>

namespace tensorloom::torus {

/// A tensor of one transform on the torus.
struct lying_tensor {
    tensor_place place{slot::x};
    shape3 size{};
    std::uint8_t shift = 0; ///< int8: right shift with which its sums become elements
};

/// Which tensor the last command left for POINTWISE, or for an ORBIT that stores it.
enum class held_tensor : std::uint8_t { none, given, transformed };

/// The data held on the torus between commands: layout, sizes, and whether the next command may use it.
class array_contents {
public:
    array_contents(const config& config, node_memory_if& nodes) : m_config(config), m_nodes(nodes) {}

    /// Block sizes by mode, order of the modes, scheduling vector, and how many modes are not summed.
    struct layout {
        block_sizes blocks;
        std::array<std::uint8_t, 3> order{3, 1, 2};
        scheduling_vector vector;
        std::uint8_t left_out = 0;

        bool sums(unsigned mode) const; ///< 0 to 2
        bool operator==(const layout& o) const
        {
            return blocks.in_block == o.blocks.in_block && blocks.out_block == o.blocks.out_block && order == o.order &&
                   vector == o.vector && left_out == o.left_out;
        }
    };
    const layout& laid_out() const { return m_layout; }
    /// Sets everything to +0 and marks it unusable.
    void lay_out(const layout& wanted);
    void clear() { lay_out(m_layout); }

    // The data that the next command may use.
    std::optional<torus::orbit_sizes> matrices; ///< their sizes
    std::optional<lying_tensor> given;          ///< as X
    std::optional<lying_tensor> transformed;    ///< as X3, or as X1 or X2 after modes that are left out
    std::optional<lying_tensor> next;           ///< loaded as X for a later command
    std::optional<lying_tensor> operand;        ///< of POINTWISE
    held_tensor held = held_tensor::none;       ///< the result that stays

    const lying_tensor* held_one() const; ///< nullptr: none
    /// Memories of the operand and of the next tensor.
    slot_memories taken() const;
    /// Something else comes into this memory: tensors there may not be used any more.
    void overwrite(slot memory);

    /// The slot of the matrix of a mode, 0 to 2.
    slot matrix_slot(unsigned mode) const;

    /// "slot_X" to "slot_X3": what lies in the memory of a slot, sums in the accumulator's format, P blocks along each
    /// mode in the current layout, in C order of the tensor's modes. "matrix_1" to "_3": elements row by row. Bytes
    /// after the data read as 0, and writes there have no effect.
    std::vector<shell::debug_memory> memories();
    /// Saves everything except the content of memories(). As in shell::command_unit.
    void write_state(base::state_writer& state) const;
    std::function<void()> read_state(base::state_reader& state);

private:
    shape3 padded_sizes(slot which) const;
    shell::debug_memory tensor_memory(slot which);
    shell::debug_memory matrix_memory(unsigned mode);
    std::uint64_t matrix_elements(unsigned mode) const;

    const config& m_config;
    node_memory_if& m_nodes;
    layout m_layout;
};

} // namespace tensorloom::torus
