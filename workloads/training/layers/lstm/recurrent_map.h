#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/training/layers/layer_operations.h>
#include <tensorloom/workloads/training/network_step_builder.h>

namespace tensorloom::workloads {

/// A tensor with one part per frame, at block boundaries of the unified memory, for loops over the frames.
struct frame_parts {
    frame_parts() = default;
    /// `count` frames of `elements` elements each.
    frame_parts(step_builder& to, const std::string& called, std::uint64_t count, std::uint64_t elements,
                base::element_type type);

    tensor_part ascending(std::uint64_t first = 0) const;
    tensor_part descending(std::uint64_t first) const;

    std::size_t tensor = 0;
    std::uint64_t pitch = 0; ///< elements from a frame to the next
};

/// Y = X W^T of one frame at a time, in loops over the frames: forward from the first to the last, backward from the
/// last to the first. X of a frame is computed from the frame before.
///
/// X of every frame is kept for the backward pass. The gradient of a dense W is one product of X and dY of all frames,
/// after the loop. Of a tensor network, products of cores only are computed once, before the loop; the other
/// intermediates of the forward pass are recomputed in the backward pass, because for all frames they would need more
/// memory than everything else. Sums over the batch, which are gradients of cores or of their products, are accumulated
/// over the frames in float32, from 0, the last frame first; results of these sums are computed once, after the loop.
class recurrent_operations {
public:
    recurrent_operations(const linear_contractions& contractions, std::uint64_t frames, std::string of)
        : m_contractions(contractions), m_frames(frames), m_of(std::move(of)), m_map(contractions, m_of)
    {}

    /// Before the loop. X of the first frame is 0: `zeros` are its words.
    void begin_forward(step_builder& to, tensor_part zeros);
    std::size_t forward(step_builder& to);                            ///< in the loop: Y in words
    void keep(step_builder& to, tensor_part x, std::uint64_t length); ///< in the loop: the next frame's X

    void begin_backward(step_builder& to);
    /// In the loop: computes dX from dY, both in words.
    void backward(step_builder& to, tensor_part dy, tensor_part dx);
    void end_backward(step_builder& to, tensor_part dy); ///< dY of all frames, an operand without gaps

private:
    const contraction_graph& graph(const step_builder& to) const;
    bool is_of_a_frame(const contraction_graph& graph, const graph_contraction& c) const;
    std::uint64_t span_of(const step_builder& to, std::size_t tensor) const;
    void place(step_builder& to, std::size_t tensor, tensor_part part) const; ///< in the graphs of all parts
    void place_columns(step_builder& to, std::size_t tensor, tensor_part whole) const;
    template <class F>
    void for_each_contraction(step_builder& to, std::size_t part, bool forward, bool of_a_frame, F f) const;

    struct frame_sum {
        std::size_t tensor = 0; ///< of the graph
        std::uint64_t elements = 0;
        std::size_t of_frame = 0;             ///< the sum over the batch of a frame
        tensor_part sum;                      ///< over the frames
        std::optional<std::size_t> parameter; ///< of a core's gradient
    };

    linear_contractions m_contractions;
    std::uint64_t m_frames;
    std::string m_of;
    linear_operations m_map;
    frame_parts m_x; // a further part after the last frame
    std::vector<frame_sum> m_sums;
};

} // namespace tensorloom::workloads
