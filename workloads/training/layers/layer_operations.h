#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tensorloom/workloads/training/network_step_builder.h>

namespace tensorloom::workloads {

/// A layer of any kind as operations of a step. Its kind declares the contractions and parameters, then adds the
/// operations: forward once and, in a training step, backward once.
class layer_operations {
public:
    layer_operations() = default;
    virtual ~layer_operations() = default;
    layer_operations(const layer_operations&) = delete;
    layer_operations& operator=(const layer_operations&) = delete;

    /// Adds the operations from inputs to outputs; outputs are words.
    virtual passed_values forward(step_builder& to, passed_values x) = 0;
    /// Adds the gradients of its parameters; returns dX in words if the previous layer needs it.
    virtual std::optional<std::size_t> backward(step_builder& to, std::size_t dz) = 0;
};

/// Y = X W^T + bias in words from X as an operand, and backward. `of`: suffix of the names of operations: " of first".
class linear_operations {
public:
    linear_operations(const linear_contractions& contractions, std::string of)
        : m_contractions(contractions), m_of(std::move(of))
    {}

    std::size_t forward(step_builder& to, tensor_part x);
    /// Forward, without the bias. `x`: the operand of a piece of the rows.
    using pieces_of_x = std::function<tensor_part(std::uint64_t piece)>;
    std::size_t products(step_builder& to, const pieces_of_x& x);
    pieces_of_x pieces(const step_builder& to, tensor_part x) const; ///< of all rows
    /// Converts dY, words in C order, to an operand: copies it if its rows have a pitch, then rounds it.
    tensor_part operand_of_dy(step_builder& to, tensor_part words) const;
    /// Gradients of its cores and bias; returns dX in words, if the map has it. dY is an operand.
    std::optional<std::size_t> backward(step_builder& to, tensor_part dy);
    /// Columns of a part in a piece of the rows of Y, or of dY.
    tensor_part columns(tensor_part y, std::uint64_t piece, std::size_t part) const;

private:
    linear_contractions m_contractions;
    std::string m_of;
    std::vector<std::vector<step_builder::graph_places>> m_pieces; // of the forward pass, by part, if there are several
};

/// Normalizes rows of words: y = gamma (x - mean) / root + beta of each row, root = sqrt(variance + epsilon).
class row_norm_operations {
public:
    row_norm_operations(std::uint64_t rows, std::uint64_t width, float epsilon, norm_parameters parameters,
                        std::string of)
        : m_rows(rows), m_width(width), m_epsilon(epsilon), m_gamma(parameters.gamma), m_beta(parameters.beta),
          m_of(std::move(of))
    {}

    std::size_t forward(step_builder& to, std::size_t x);
    void make_gradients(step_builder& to, std::size_t dy); ///< of gamma and beta
    std::size_t backward(step_builder& to, std::size_t dy);

private:
    std::uint64_t all() const { return m_rows * m_width; }
    std::size_t mean(step_builder& to, std::size_t of, const std::string& called) const;
    std::size_t times_normal(step_builder& to, std::size_t of, const std::string& called) const;
    void divide_by_root(step_builder& to, std::size_t x, const std::string& what) const;
    void sum_rows(step_builder& to, std::size_t of, std::size_t parameter, const std::string& called) const;

    std::uint64_t m_rows, m_width;
    float m_epsilon;
    std::size_t m_gamma, m_beta; // parameters
    std::string m_of;
    std::size_t m_normal = 0, m_root = 0;
};

/// z = f(y) over `length` words, and dy from dz.
class activation_operations {
public:
    activation_operations(activation_kind kind, std::string of) : m_kind(kind), m_of(std::move(of)) {}

    std::size_t forward(step_builder& to, std::size_t y, std::uint64_t length);
    std::size_t backward(step_builder& to, std::size_t dz) const;

private:
    std::size_t gelu(step_builder& to);
    std::size_t gradient_of_gelu(step_builder& to, std::size_t dz) const;

    activation_kind m_kind;
    std::string m_of;
    std::uint64_t m_length = 0;
    std::size_t m_y = 0, m_z = 0, m_bend = 0; // m_bend: tanh of gelu
};

} // namespace tensorloom::workloads
