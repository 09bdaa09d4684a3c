#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <tensorloom/models/torus/isa/orbit_tiles.h>
#include <tensorloom/models/blocks/pass_sequencer.h>
#include <tensorloom/models/blocks/tiled_product.h>
#include <tensorloom/models/torus/slot_transfer.h>
#include <tensorloom/models/torus/stage_runner.h>

namespace tensorloom::torus {

// An ORBIT command as passes of a sequencer (blocks/pass_sequencer.h). Both move tensors through the memory port of the
// torus and run its stages.

/// A transfer of a stage, 0 to 2, for the log; of a transform 0.
using transfer_log = std::function<void(unsigned stage, const blocks::logged_transfer&)>;

/// Transforms that fit, one after the other: a pass is a transform, from slot X to X3 or back.
///
/// With double buffering the next operand is loaded in stages II and III, which do not need the slot that holds
/// operands, and a result leaves in stages I and II of the next transform; otherwise loads, stages and unloads follow
/// each other. No slot is there twice.
class transform_stream : private blocks::pass_series_if {
public:
    transform_stream(slot_transfer& transfers, stage_runner& stages, transfer_log log)
        : m_transfers(transfers), m_stages(stages), m_log(std::move(log))
    {}

    shell::command_outcome run(blocks::pass_sequencer& sequencer, const orbit_command& command);

private:
    std::uint64_t passes() const override { return m_transforms; }
    unsigned buffers() const override { return 1; }
    std::uint64_t result_of(std::uint64_t pass) const override { return pass; }
    bool opens(std::uint64_t) const override { return true; }
    bool closes(std::uint64_t) const override { return true; }
    bool begins_with_result() const override { return !m_command->double_buffer(); }
    std::optional<blocks::erased_transfer> load(std::uint64_t pass) override;
    std::optional<blocks::erased_transfer> open(std::uint64_t) override { return std::nullopt; }
    std::optional<blocks::erased_transfer> unload(std::uint64_t pass) override;
    shell::command_outcome run(std::uint64_t pass, blocks::running_pass_if& control) override;
    void log(const blocks::logged_transfer& transfer) override { m_log(0, transfer); }

    slot_transfer& m_transfers;
    stage_runner& m_stages;
    transfer_log m_log;
    const orbit_command* m_command = nullptr;
    std::uint64_t m_transforms = 0;
};

/// A transform that is larger than the torus: a pass is the P steps of a stage on a tile. Its operand and its sums are
/// in the slots of the stage.
class tiled_transform : private blocks::tiled_product {
public:
    tiled_transform(slot_transfer& transfers, stage_runner& stages, transfer_log log)
        : m_transfers(transfers), m_stages(stages), m_log(std::move(log))
    {}

    /// One of a command's transforms.
    shell::command_outcome run(blocks::pass_sequencer& sequencer, const orbit_command& command,
                               const isa::tile_plan& plan, std::uint64_t transform);

private:
    blocks::erased_transfer load_operand(const isa::tensor_descriptor& block, unsigned buffer) override;
    std::optional<blocks::erased_transfer> open(const isa::mode_sizes&, const std::optional<isa::tensor_descriptor>&,
                                                unsigned) override
    {
        return std::nullopt; // sums begin with +0
    }
    blocks::erased_transfer unload(unsigned buffer, const isa::tensor_descriptor& block) override;
    shell::command_outcome run_pass(const isa::tile_pass& pass, std::uint64_t number, unsigned operand,
                                    unsigned sums) override;
    void log(const blocks::logged_transfer& transfer) override { m_log(stage().position, transfer); }
    const stage_descriptor& descriptor() const { return m_descriptors[stage().position]; }

    slot_transfer& m_transfers;
    stage_runner& m_stages;
    transfer_log m_log;
    direction m_way = direction::forward;
    std::array<torus::stage_descriptor, stages> m_descriptors;
    std::uint64_t m_transform = 0;
};

} // namespace tensorloom::torus
