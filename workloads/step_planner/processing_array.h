#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>

namespace tensorloom::workloads {

/// How a contraction is done in a step.
struct contraction_form {
    bool stores_bf16 = true; ///< its result; else float32
    bool keeps_sums = false; ///< from block to block, in the accumulators
    double times = 1;        ///< that it is done in a step: weighs it in the choice of layouts
};

/// What a contraction of a block takes.
struct contraction_work {
    std::uint64_t cycles = 0;    ///< with rows in time
    std::uint64_t conflicts = 0; ///< that it waits besides, for rows that lie in one bank
    fetta::counts counts;        ///< of the one whose result leaves
    fetta::counts kept;          ///< of one whose sums stay
    /// Of its operands, bytes that are written to memory and read again in another order first, and what the memory
    /// takes for both.
    std::uint64_t reordered_bytes = 0;
    double reorder_cycles = 0;
};

/// What does the contractions of a step, for an estimate: a FETTA's engines, or those of another accelerator with as
/// much memory. Counts are FETTA's events, whatever does them.
class processing_array {
public:
    virtual ~processing_array() = default;

    /// Of every contraction of a block, with layouts of its tensors that it chooses; `forms` by contraction.
    virtual std::vector<contraction_work> work_of(const contraction_graph& block,
                                                  const std::vector<contraction_form>& forms) const = 0;
};

/// FETTA's engines: best mapping and split of each contraction, no row waits. Layouts with which that is so, or nearly
/// so, are what a whole plan searches for (joint_layouts.h).
class fetta_array : public processing_array {
public:
    explicit fetta_array(const fetta::device_limits& g) : m_limits(g) {}
    std::vector<contraction_work> work_of(const contraction_graph& block,
                                          const std::vector<contraction_form>& forms) const override;

private:
    fetta::device_limits m_limits;
};

} // namespace tensorloom::workloads
