#pragma once
#include <cstdint>
#include <optional>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <tensorloom/models/blocks/pass_sequencer.h>

namespace tensorloom::blocks {

/// Placement of the tensors of a product in memory.
struct product_tensors {
    isa::tensor_descriptor x, y;
    std::optional<isa::tensor_descriptor> initial_y;
    std::uint64_t workspace = 0;                         ///< address of the intermediate tensors
    base::element_type format = base::element_type::f64; ///< format of their elements
};

/// A product that is larger than the device: stage by stage, pass by pass (isa/tiles/tile_plan.h). A stage begins when
/// the previous one has been unloaded. The device implements loads, computation and unloads of blocks.
class tiled_product : private pass_series_if {
public:
    /// `buffers`: 1, or 2 for double buffering.
    shell::command_outcome run(pass_sequencer& sequencer, const isa::tile_plan& plan, const product_tensors& tensors,
                               unsigned buffers);

protected:
    const isa::tiled_stage& stage() const { return m_stage; }

    // `buffer`: below the number of buffers.

    virtual erased_transfer load_operand(const isa::tensor_descriptor& block, unsigned buffer) = 0;
    /// Sums of a block of these sizes start at +0, or at values from memory.
    virtual std::optional<erased_transfer>
    open(const isa::mode_sizes& sizes, const std::optional<isa::tensor_descriptor>& initial, unsigned buffer) = 0;
    virtual erased_transfer unload(unsigned buffer, const isa::tensor_descriptor& block) = 0;
    virtual shell::command_outcome run_pass(const isa::tile_pass& pass, std::uint64_t number, unsigned operand,
                                            unsigned sums) = 0;
    void log(const logged_transfer& transfer) override = 0;

private:
    std::uint64_t passes() const override { return m_passes; }
    unsigned buffers() const override { return m_buffers; }
    std::uint64_t result_of(std::uint64_t pass) const override { return pass / m_stage.passes_of_result(); }
    bool opens(std::uint64_t pass) const override { return m_stage.pass(pass).opens; }
    bool closes(std::uint64_t pass) const override { return m_stage.pass(pass).closes; }
    std::optional<erased_transfer> load(std::uint64_t pass) override;
    std::optional<erased_transfer> open(std::uint64_t pass) override;
    std::optional<erased_transfer> unload(std::uint64_t pass) override;
    shell::command_outcome run(std::uint64_t pass, running_pass_if& control) override;
    unsigned operand_buffer(std::uint64_t pass) const { return static_cast<unsigned>(pass % m_buffers); }
    unsigned sum_buffer(std::uint64_t pass) const { return static_cast<unsigned>(result_of(pass) % m_buffers); }

    // of the running stage
    isa::tiled_stage m_stage;
    isa::tensor_descriptor m_input, m_output;
    std::optional<isa::tensor_descriptor> m_initial; // of the output
    std::uint64_t m_passes = 0;
    unsigned m_buffers = 1;
};

} // namespace tensorloom::blocks
