#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <tensorloom/models/torus/isa/orbit_tiles.h>
#include <tensorloom/models/blocks/pass_sequencer.h>
#include <tensorloom/models/blocks/tiled_product.h>
#include <tensorloom/models/torus/slot_memory.h>
#include <tensorloom/models/torus/slot_transfer.h>
#include <tensorloom/models/torus/stage_runner.h>

namespace tensorloom::torus {

// An ORBIT command as passes of a sequencer (blocks/pass_sequencer.h). Both classes move tensors through the memory
// port of the torus and run its stages.

/// Logs a transfer of a stage, 0 to 2; 0 for a single transform.
using transfer_log = std::function<void(unsigned stage, const blocks::logged_transfer&)>;

/// Right shift of a command's result.
unsigned result_shift(const orbit_command& command);

/// What a transform that fits works on.
struct fitting_transform {
    const orbit_command* command = nullptr;
    transform_memories memories;
    unsigned pending_shift = 0; ///< of the sums of a kept operand, in int8

    tensor_place operand() const { return {operand_slot(*command), memories.operand}; }
    tensor_place result() const { return {result_slot(*command), memories.result(*command)}; }
};

/// Runs the stages of a transform, after `transforms_before` others of its command. With `beside_transfers` the operand
/// is released after the first stage, and the last one waits for its result's memory.
shell::command_outcome run_stages(stage_runner& runner, const fitting_transform& work, std::uint64_t transforms_before,
                                  blocks::running_pass_if& control, bool beside_transfers);

/// A stream of transforms that fit: each pass is a transform, from slot X to the slot after its last stage, or back.
///
/// With double buffering the next operand is loaded during stages II and III, which do not use the operand's slot, and
/// a result is unloaded during stages I and II of the next transform, before the initial Y of that one is loaded there.
/// Otherwise loads, stages and unloads alternate. No slot is duplicated.
class transform_stream : private blocks::pass_series_if {
public:
    transform_stream(slot_transfer& transfers, stage_runner& runner, transfer_log log)
        : m_transfers(transfers), m_stages(runner), m_log(std::move(log))
    {}

    shell::command_outcome run(blocks::pass_sequencer& sequencer, const fitting_transform& work);

private:
    std::uint64_t passes() const override { return m_transforms; }
    unsigned buffers() const override { return 1; }
    std::uint64_t result_of(std::uint64_t pass) const override { return pass; }
    bool opens(std::uint64_t) const override { return true; }
    bool closes(std::uint64_t) const override { return true; }
    bool begins_with_result() const override { return !m_command->double_buffer(); }
    bool moves_beside_passes() const override { return m_command->double_buffer(); }
    std::optional<blocks::erased_transfer> load(std::uint64_t pass) override;
    std::optional<blocks::erased_transfer> open(std::uint64_t pass) override;
    std::optional<blocks::erased_transfer> unload(std::uint64_t pass) override;
    shell::command_outcome run(std::uint64_t pass, blocks::running_pass_if& control) override;
    void log(const blocks::logged_transfer& transfer) override { m_log(0, transfer); }

    slot_transfer& m_transfers;
    stage_runner& m_stages;
    transfer_log m_log;
    fitting_transform m_work;
    const orbit_command* m_command = nullptr;
    std::uint64_t m_transforms = 0;
};

/// A transform that is larger than the torus: a pass is the P steps of a stage on a tile. Operand and sums use the
/// slots of the stage; with double buffering, alternately the memories of the two slots that the stage does not use.
class tiled_transform : private blocks::tiled_product {
public:
    tiled_transform(slot_transfer& transfers, stage_runner& runner, transfer_log log)
        : m_transfers(transfers), m_stages(runner), m_log(std::move(log))
    {}

    /// Runs one transform of a command.
    shell::command_outcome run(blocks::pass_sequencer& sequencer, const orbit_command& command,
                               const isa::tile_plan& plan, std::uint64_t transform);

private:
    blocks::erased_transfer load_operand(const isa::tensor_descriptor& block, unsigned buffer) override;
    std::optional<blocks::erased_transfer>
    open(const isa::mode_sizes& sizes, const std::optional<isa::tensor_descriptor>& initial, unsigned buffer) override;
    blocks::erased_transfer unload(unsigned buffer, const isa::tensor_descriptor& block) override;
    shell::command_outcome run_pass(const isa::tile_pass& pass, std::uint64_t number, unsigned operand,
                                    unsigned sums) override;
    void log(const blocks::logged_transfer& transfer) override { m_log(index(), transfer); }
    unsigned index() const { return m_range.first + stage().position; } ///< of the stage, in stages_of()
    const stage_descriptor& descriptor() const { return m_descriptors[index()]; }
    std::array<slot, 2> idle_slots() const;
    tensor_place operand_place(unsigned buffer) const;
    tensor_place sums_place(unsigned buffer) const;

    slot_transfer& m_transfers;
    stage_runner& m_stages;
    transfer_log m_log;
    direction m_way = direction::forward;
    std::array<std::uint8_t, stages> m_shifts{};
    stage_range m_range;
    bool m_accumulates = false; // in the last stage
    std::array<torus::stage_descriptor, stages> m_descriptors;
    std::uint64_t m_transform = 0;
};

} // namespace tensorloom::torus
