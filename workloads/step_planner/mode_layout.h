#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/step_planner/contraction_graph.h>

namespace tensorloom::workloads {

/// How a tensor lies in a memory: its modes of more than one index, outermost first, with their strides in elements.
/// Strides of outer modes may leave gaps: the pitch decides which banks rows lie in.
struct mode_layout {
    std::vector<unsigned> order;
    std::vector<std::uint64_t> stride;
    std::uint64_t span = 1; ///< elements from the first to the last, gaps included

    friend bool operator==(const mode_layout& x, const mode_layout& y)
    {
        return x.order == y.order && x.stride == y.stride;
    }
    std::uint64_t stride_of(unsigned mode) const; ///< 0 for a mode that it does not have
};

/// Without gaps.
mode_layout dense_layout(const contraction_graph& graph, const std::vector<unsigned>& order);

/// C order of its modes, as the graph lists them, without gaps.
mode_layout natural_layout(const contraction_graph& graph, std::size_t tensor);

/// By element of a tensor in C order: where it lies, in elements from the first one.
std::vector<std::uint64_t> element_places(const contraction_graph& graph, std::size_t tensor,
                                          const mode_layout& layout);

/// Every order of a tensor's modes, without gaps; with the batch outermost where samples must follow one another, or a
/// mode that is sliced. Of more than five other modes those orders that differ from the given one in the two fastest
/// and in the outermost mode.
std::vector<mode_layout> layout_orders(const contraction_graph& graph, std::size_t tensor, bool batch_outermost);

/// The same order with gaps: behind the fastest mode up to whole rows of `side` elements, and of 1, 2, 4, ... rows,
/// fewer than there are `banks`, behind one of the others. The one without gaps is not among them, nor what is more
/// than half as large again and a row of every bank.
std::vector<mode_layout> padded_layouts(const contraction_graph& graph, const mode_layout& dense, std::uint32_t side,
                                        std::uint32_t banks);

} // namespace tensorloom::workloads
