#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/training/model_contractions.h>

namespace tensorloom::workloads {

// Computes layers on the host with the same bits as a device. Shares with the device side only the tensors of each
// contraction and its summation order (mapping, split, order of contracted modes); no operations, places, programs or
// addresses. Sums are those of models/arithmetic.

/// Numbers of tensors in C order.
using emulated_values = std::vector<float>;

float rounded(float x); ///< to bf16
emulated_values rounded(emulated_values all);
/// Adds neighbours level by level; an odd last value is carried to the next level.
float tree_sum(emulated_values all);

/// Data shared by the layers of an emulation.
struct emulated_parameters {
    const model_contractions& contractions;
    fetta::device_limits limits;
    const parameter_values& masters;
    parameter_values gradients;
    std::optional<std::uint32_t> mask_key; ///< of dropout in a training step
    std::uint64_t first_sample = 0;        ///< of the block, in its batch

    /// Adds a gradient of a block or piece, or sets it where it is the only one.
    void give_gradient(std::size_t parameter, emulated_values values);
    void clear_sums(); ///< before the first block of a batch
};

/// A layer of any kind: forward once and, in a training step, backward once.
class layer_emulation {
public:
    layer_emulation() = default;
    virtual ~layer_emulation() = default;
    layer_emulation(const layer_emulation&) = delete;
    layer_emulation& operator=(const layer_emulation&) = delete;

    /// Computes the outputs of a batch.
    virtual emulated_values forward(emulated_values x) = 0;
    /// Sets the gradients of its parameters; returns dX, empty for a first layer.
    virtual emulated_values backward(emulated_values dz) = 0;
};

/// A contraction of two tensors of a graph with bf16 values.
emulated_values contracted(const planned_graph& graph, std::size_t contraction, const emulated_values& a,
                           const emulated_values& b, const fetta::device_limits& g);

/// Y = X W^T + bias and back.
class map_emulation {
public:
    map_emulation(const linear_contractions& contractions, emulated_parameters& parameters)
        : m_contractions(contractions), m_parameters(parameters)
    {}

    emulated_values forward(emulated_values x);
    /// Sets the gradients of its cores and bias; returns dX, if the map has it.
    emulated_values backward(emulated_values dy);

private:
    const planned_graph& planned(std::size_t part) const
    {
        return m_parameters.contractions.graphs[m_contractions.graphs[part]];
    }
    emulated_values forward_part(std::vector<emulated_values>& tensors, std::size_t part) const;
    emulated_values backward_part(std::vector<emulated_values>& tensors, std::size_t part);
    bool give_gradient(graph_tensor_number of, emulated_values& values);

    linear_contractions m_contractions;
    emulated_parameters& m_parameters;
    std::vector<std::vector<std::vector<emulated_values>>> m_pieces; // by part and tensor of the graph
};

/// Normalizes rows: y = gamma (x - mean) / sqrt(variance + epsilon) + beta of each row.
class row_norm_emulation {
public:
    row_norm_emulation(std::size_t width, float epsilon, norm_parameters of, emulated_parameters& parameters)
        : m_width(width), m_epsilon(epsilon), m_gamma(of.gamma), m_beta(of.beta), m_parameters(parameters)
    {}

    emulated_values forward(const emulated_values& x);
    /// Sets the gradients of gamma and beta; returns dX.
    emulated_values backward(emulated_values dy);

private:
    emulated_values sum_of_rows(emulated_values all) const;

    std::size_t m_width;
    float m_epsilon;
    std::size_t m_gamma, m_beta;
    emulated_parameters& m_parameters;
    emulated_values m_normal, m_roots;
};

/// z = f(y), and dy of dz.
class activation_emulation {
public:
    explicit activation_emulation(activation_kind kind) : m_kind(kind) {}

    emulated_values forward(emulated_values y);
    emulated_values backward(emulated_values dz) const;

private:
    activation_kind m_kind;
    emulated_values m_y, m_z;
};

} // namespace tensorloom::workloads
