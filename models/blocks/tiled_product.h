#pragma once
#include <cstdint>
#include <optional>
#include <tensorloom/models/isa/program/tensor_descriptor.h>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <tensorloom/models/blocks/pass_sequencer.h>

namespace tensorloom::blocks {

/// A tensor in memory.
struct placed_tensor {
    isa::tensor_descriptor at;
    bool tiles = false; ///< stored tile by tile (isa::tile_descriptor()), in the tiles of its stage

    /// The descriptor of a block of this tensor, of the grid of `tile`.
    isa::tensor_descriptor block(const isa::mode_sizes& tile, const isa::tensor_block& block) const
    {
        return tiles ? isa::tile_descriptor(at, tile, block) : isa::block_descriptor(at, block);
    }
};

/// Placement of the tensors of a product in memory.
struct product_tensors {
    placed_tensor x, y;
    std::optional<placed_tensor> initial_y;
    std::uint64_t workspace = 0;                         ///< address of the intermediate tensors
    std::uint64_t workspace_gap = 0;                     ///< bytes between the first of them and the second
    bool workspace_tiles = false;                        ///< they are stored tile by tile
    base::element_type format = base::element_type::f64; ///< format of their elements
};

/// Buffers of a tiled product in the device.
struct product_buffers {
    unsigned operands = 1;        ///< 2: the next operand is loaded while one is in use
    unsigned sums = 1;            ///< used in turn by the results; at least the plan's partials
    unsigned unload_distance = 1; ///< as in pass_series_if; at most `sums`
    bool ahead = false;           ///< the device reports transfers ahead of their end
};

/// A product that is larger than the device: stage by stage, pass by pass (isa/tiles/tile_plan.h). A stage begins when
/// the previous one has been unloaded. The device implements loads, computation and unloads of blocks.
class tiled_product : private pass_series_if {
public:
    shell::command_outcome run(pass_sequencer& sequencer, const isa::tile_plan& plan, const product_tensors& tensors,
                               const product_buffers& buffers);

protected:
    const isa::tiled_stage& stage() const { return m_stage; }

    // `buffer`: below the number of buffers for operands, or for sums.

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
    unsigned buffers() const override { return m_buffers.operands; }
    unsigned unload_distance() const override { return m_buffers.unload_distance; }
    bool begins_after_port(std::uint64_t pass) const override { return m_buffers.operands == 1 || opens(pass); }
    bool transfers_ahead() const override { return m_buffers.ahead; }
    std::uint64_t operand_of(std::uint64_t pass) const override { return m_stage.pass(pass).operand_number; }
    std::uint64_t result_of(std::uint64_t pass) const override { return m_stage.pass(pass).result_number; }
    bool opens(std::uint64_t pass) const override { return m_stage.pass(pass).opens; }
    bool closes(std::uint64_t pass) const override { return m_stage.pass(pass).closes; }
    std::optional<erased_transfer> load(std::uint64_t pass) override;
    std::optional<erased_transfer> open(std::uint64_t pass) override;
    std::optional<erased_transfer> unload(std::uint64_t pass) override;
    shell::command_outcome run(std::uint64_t pass, running_pass_if& control) override;
    unsigned operand_buffer(const isa::tile_pass& pass) const
    {
        return static_cast<unsigned>(pass.operand_number % m_buffers.operands);
    }
    unsigned sum_buffer(const isa::tile_pass& pass) const
    {
        return static_cast<unsigned>(pass.result_number % m_buffers.sums);
    }

    // of the running stage
    isa::tiled_stage m_stage;
    placed_tensor m_input, m_output;
    std::optional<placed_tensor> m_initial; // of the output
    std::uint64_t m_passes = 0;
    product_buffers m_buffers;
};

} // namespace tensorloom::blocks
