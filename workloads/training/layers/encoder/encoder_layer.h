#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/training/layers/layer_kind.h>

namespace tensorloom::workloads {

/// Position of the normalization in a block: after each residual sum, or before attention and feed-forward.
enum class norm_place : std::uint8_t { post, pre };
inline constexpr base::named_value norm_place_values[] = {
    {0, "post", "after each residual sum, as in BERT"},
    {1, "pre", "before attention and feed-forward"},
};

/// A block of a transformer encoder, without dropout.
///
///     post    r = x + attention(x),   n = norm(r),   z = norm(n + feed_forward(n))
///     pre     r = x + attention(norm(x)),   z = r + feed_forward(norm(r))
///
/// A sample has `frames` rows of `features` numbers. attention: for each head h the rows Q, K, V of its share of the
/// features, P = softmax over s of Q K^T / sqrt(features / heads), O = P V; then a product of all heads' O.
/// feed_forward: down(gelu(up(x))). norm of a row: gamma (x - mean) / sqrt(variance + epsilon) + beta. Source: Vaswani
/// and others, "Attention is all you need" (2017), sections 3.1 to 3.3. Parameters: cores and bias of query, key,
/// value, output, up and down; gamma and beta of the norm after (or before) attention, then of the other norm.
struct encoder_layer {
    static constexpr const char* kind_name = "encoder";
    std::uint64_t frames = 1;
    std::uint64_t features = 0;
    std::uint64_t heads = 1;
    std::uint64_t hidden = 0; ///< size between up and down
    norm_place norm = norm_place::post;
    float epsilon = 1e-5f;
    linear_map attention; ///< of query, key, value and output, each with its own cores
    linear_map up, down;

    static encoder_layer read(layer_reader& from);
    std::uint64_t inputs() const { return frames * features; }
    std::uint64_t outputs() const { return frames * features; }
    std::uint64_t parameters() const;
    encoder_layer dense_twin() const;
    std::vector<layer_map> maps() const; ///< in the order of their parameters
    void check_sizes() const;            ///< without the matrices; throws base::input_error, one line
    void check() const;
    std::string text() const;
    std::string element_work() const { return "softmax, GELU, normalization, residual sums"; }
    std::vector<layer_field> fields() const;
    parameter_values initial_values(std::uint64_t seed) const;

    void declare(std::uint64_t batch, bool with_dx, layer_declaration& declaration) const;
    std::unique_ptr<layer_operations> operations(const layer_contractions& contractions, const std::string& name) const;
    std::unique_ptr<layer_emulation> emulation(const layer_contractions& contractions,
                                               emulated_parameters& parameters) const;
};

inline constexpr std::size_t projections = 4; ///< maps of attention: query, key, value, output
inline constexpr std::size_t encoder_maps = projections + 2;
inline constexpr std::size_t encoder_norms = 2;

/// The tensors of attention_graph(): `values` are V above, `mixed` is O.
struct attention_tensor {
    enum number : std::size_t {
        query,
        key,
        values,
        scores,
        weights,
        mixed,
        mixed_gradient,
        weights_gradient,
        values_gradient,
        scores_gradient,
        query_gradient,
        key_gradient
    };
};

/// The contractions between the four projections, for all samples and heads, forward and backward. Softmax is not a
/// contraction: the weights, the gradient of the scores, and the results of the projections are given.
contraction_graph attention_graph(const encoder_layer& layer, std::uint64_t batch);

} // namespace tensorloom::workloads
