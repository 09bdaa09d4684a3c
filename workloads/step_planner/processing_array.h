#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/joint_layouts.h>

namespace tensorloom::workloads {

/// Form of a contraction in a step.
struct contraction_form {
    bool stores_bf16 = true; ///< its result; else float32
    bool keeps_sums = false; ///< from block to block, in the accumulators
    double times = 1;        ///< executions per step: its weight in the choice of layouts
};

/// Costs of a contraction of a block.
struct contraction_work {
    std::uint64_t cycles = 0;    ///< without conflicts
    std::uint64_t conflicts = 0; ///< additional cycles that it waits for rows in the same bank
    fetta::counts counts;        ///< if the result leaves
    fetta::counts kept;          ///< if the sums stay
    /// Bytes of its operands that are first written to memory and read back in another order, and the memory cycles for
    /// both.
    std::uint64_t reordered_bytes = 0;
    double reorder_cycles = 0;
    unsigned in_other_order = 0; ///< tensors, of its three, that are not in the order that the array needs
};

/// The array that computes the contractions of a step, for estimates: FETTA's engines, or another accelerator with the
/// same memory. Counts are FETTA's events for all of them.
class processing_array {
public:
    virtual ~processing_array() = default;

    /// The costs of every contraction of a block, with layouts that the array chooses; `forms` by contraction.
    virtual std::vector<contraction_work> work_of(const contraction_graph& block,
                                                  const std::vector<contraction_form>& forms) const = 0;
};

/// FETTA's engines: best mapping and split of each contraction, without conflicts. A whole plan (joint_layouts.h)
/// searches layouts with few or no conflicts. With operand_paths::gathered all operands and results are charged for
/// their buffers, otherwise none is.
class fetta_array : public processing_array {
public:
    fetta_array(const fetta::device_limits& g, operand_paths paths)
        : m_limits(g), m_buffered(paths == operand_paths::gathered)
    {}
    std::vector<contraction_work> work_of(const contraction_graph& block,
                                          const std::vector<contraction_form>& forms) const override;

private:
    fetta::device_limits m_limits;
    bool m_buffered;
};

} // namespace tensorloom::workloads
