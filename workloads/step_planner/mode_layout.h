#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/step_planner/contraction_graph.h>

namespace tensorloom::workloads {

/// Layout of a tensor in a memory: its modes with more than one index, outermost first, with their strides in elements.
/// Strides of outer modes may leave gaps: the pitch determines the banks of the rows.
struct mode_layout {
    std::vector<unsigned> order;
    std::vector<std::uint64_t> stride;
    std::uint64_t span = 1; ///< elements from the first to the last, including gaps

    friend bool operator==(const mode_layout& x, const mode_layout& y)
    {
        return x.order == y.order && x.stride == y.stride;
    }
    std::uint64_t stride_of(unsigned mode) const; ///< 0 for a mode that the tensor does not have
};

/// The layout with this order of modes, without gaps.
mode_layout dense_layout(const contraction_graph& graph, const std::vector<unsigned>& order);

/// C order of its modes, as the graph lists them, without gaps.
mode_layout natural_layout(const contraction_graph& graph, std::size_t tensor);

/// For each element of a tensor in C order: its offset from the first one, in elements.
std::vector<std::uint64_t> element_places(const contraction_graph& graph, std::size_t tensor,
                                          const mode_layout& layout);

/// Every order of a tensor's modes, without gaps. The batch is outermost if samples must be contiguous, or a sliced
/// mode. For more than five other modes only orders that differ from the given one in the two fastest modes and the
/// outermost mode.
std::vector<mode_layout> layout_orders(const contraction_graph& graph, std::size_t tensor, bool batch_outermost);

/// The same order with gaps: after the fastest mode up to whole rows of `side` elements, and of 1, 2, 4, ... rows
/// (fewer than `banks`) after one of the other modes. Not included: the layout without gaps, and layouts larger
/// than 1.5 times the dense one plus a row of every bank.
std::vector<mode_layout> padded_layouts(const contraction_graph& graph, const mode_layout& dense, std::uint32_t side,
                                        std::uint32_t banks);

} // namespace tensorloom::workloads
