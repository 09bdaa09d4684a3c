#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include "platform/triada/gemt_job.h"

namespace tensorloom::testbench {

/// A part of a mode.
struct mode_range {
    std::uint32_t first = 0;
    std::uint32_t size = 0;
};

/// The part of a mode of `size` that a rank holds: parts follow each other, their sizes differ by at most one.
mode_range range_of(std::uint32_t size, unsigned ranks, unsigned rank);

/// A stage of a transform that ranks share: each holds a slab of the tensor and sums a mode that lies within it.
struct shared_stage {
    unsigned position = 0; ///< in the order, 0 to 2
    unsigned mode = 0;     ///< summed, 0 to 2
    unsigned split = 0;    ///< the tensor is cut into slabs along this mode, before and after the stage
    isa::mode_sizes input{};
    isa::mode_sizes output{};

    isa::mode_sizes slab_of_input(const mode_range& part) const { return slab_of(input, part); }
    isa::mode_sizes slab_of_output(const mode_range& part) const { return slab_of(output, part); }

private:
    isa::mode_sizes slab_of(isa::mode_sizes whole, const mode_range& part) const
    {
        whole[split] = part.size;
        return whole;
    }
};

/// How ranks share a transform on a mesh that holds it. Between stages with different splits every rank sends every
/// other one a block.
struct rank_plan {
    std::vector<shared_stage> stages; ///< those that run, 1 to 3

    std::uint32_t rows() const; ///< of the shortest split: the most ranks
};

/// The plan of a job for so many ranks, which has, of all that give each rank a slab, the fewest exchanges, then the
/// longest split, then slabs of the result that are contiguous. The tensors of a dense stream are as large as the
/// active box (fast_tensor_core). Throws base::input_error for more ranks than rows.
rank_plan plan_ranks(const gemt_job& job, unsigned ranks);

} // namespace tensorloom::testbench
