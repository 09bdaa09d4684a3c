#pragma once
#include <array>
#include <optional>
#include <tensorloom/models/torus/isa/orbit_command.h>
#include <tensorloom/models/torus/node_array.h>

namespace tensorloom::torus {

// Which memories of the nodes a transform uses, when other tensors lie in some of them.

/// Some of the memories of X, X1, X2, X3.
class slot_memories {
public:
    void add(slot memory) { m_bits |= bit(memory); }
    bool contains(slot memory) const { return (m_bits & bit(memory)) != 0; }

private:
    static unsigned bit(slot memory) { return 1u << static_cast<unsigned>(memory); }
    unsigned m_bits = 0;
};

/// This memory if it is not taken, otherwise the next one in the order X, X1, X2, X3, X, ...; none: all are taken.
std::optional<slot> free_memory(slot first, const slot_memories& taken);

/// The stages of a command, indices of stages_of(): the first ones forward, the last ones back.
struct stage_range {
    unsigned first = 0, end = stages;
};
stage_range stages_of(const orbit_command& command);
/// Slots of a command's operand, and of the sums of one of its stages.
slot operand_slot(const orbit_command& command);
slot sums_slot(const orbit_command& command, unsigned stage);
slot result_slot(const orbit_command& command);

/// Memories of a transform that fits.
struct transform_memories {
    slot operand = slot::x;
    std::array<slot, stages> sums{}; ///< by stage

    slot result(const orbit_command& command) const { return sums.at(stages_of(command).end - 1); }
};

/// Each stage uses the memory of its slot, if no other tensor lies there, otherwise the next free one; the operand's is
/// free after the first stage. With `accumulate` the result's memory is kept free from the beginning. None: a stage has
/// no memory.
std::optional<transform_memories> memories_of(const orbit_command& command, slot operand, const slot_memories& taken);

} // namespace tensorloom::torus
