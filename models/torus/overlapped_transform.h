#pragma once
#include <optional>
#include <tensorloom/models/torus/array_contents.h>
#include <tensorloom/models/torus/transform_passes.h>

namespace tensorloom::torus {

/// One transform that fits, beside which other tensors move: the held result of an earlier one is stored as previous Y,
/// and next X is loaded for a later one.
///
/// Order of the memory port: X, unless it lies there; previous Y; next X; Y, unless it stays. The stages begin when X
/// is there; the command ends when all of it is done.
class overlapped_transform : private blocks::pass_series_if {
public:
    overlapped_transform(slot_transfer& transfers, stage_runner& runner, transfer_log log)
        : m_transfers(transfers), m_stages(runner), m_log(std::move(log))
    {}

    /// `previous`: the held result, with flag store_previous. `next`: where next X comes, with flag load_next.
    shell::command_outcome run(blocks::pass_sequencer& sequencer, const fitting_transform& work,
                               const std::optional<lying_tensor>& previous, const std::optional<tensor_place>& next);

private:
    // Passes of the series: the transform, and an empty one for each of the other tensors.
    enum pass_number : std::uint64_t { transform, store_previous, load_next, count };

    std::uint64_t passes() const override { return count; }
    unsigned buffers() const override { return 2; }
    std::uint64_t result_of(std::uint64_t pass) const override { return pass; }
    bool opens(std::uint64_t) const override { return false; }
    bool closes(std::uint64_t pass) const override { return pass == transform; }
    bool begins_with_result() const override { return false; }
    std::optional<blocks::erased_transfer> load(std::uint64_t pass) override;
    std::optional<blocks::erased_transfer> open(std::uint64_t) override { return std::nullopt; }
    std::optional<blocks::erased_transfer> unload(std::uint64_t pass) override;
    shell::command_outcome run(std::uint64_t pass, blocks::running_pass_if& control) override;
    void log(const blocks::logged_transfer& transfer) override;

    slot_transfer& m_transfers;
    stage_runner& m_stages;
    transfer_log m_log;
    fitting_transform m_work;
    std::optional<lying_tensor> m_previous;
    std::optional<tensor_place> m_next;
};

} // namespace tensorloom::torus
