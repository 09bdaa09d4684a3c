#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/joint_layouts.h>
#include <tensorloom/workloads/training/model.h>

namespace tensorloom::workloads {

/// Contractions that share tensors, with a layout for each tensor. What the vector unit uses, too, lies in C order.
struct planned_graph {
    contraction_graph graph;
    joint_layouts layouts;
};

/// A tensor of a graph.
struct graph_tensor_number {
    std::size_t graph = 0, tensor = 0;
};

/// An array of numbers that training changes: a core, a bias.
struct model_parameter {
    std::string name;
    std::size_t layer = 0;
    std::uint64_t values = 0;
    /// As it lies; nothing: its values one behind the other. Of a bias the tensor that its gradient is.
    std::optional<graph_tensor_number> lies_as;
    bool is_core = false;       ///< an operand of contractions, in bf16, whose gradient they make
    std::uint64_t offset = 0;   ///< elements behind the first parameter: whole blocks of rows
    std::uint64_t elements = 0; ///< gaps of its layout included
};

/// A linear_map in reverse mode: tensors of its graph. X, Y, their gradients, ones and the gradient of the bias lie in
/// C order.
struct linear_contractions {
    std::size_t graph = 0;
    std::uint64_t rows = 0; ///< of X: samples times frames
    std::size_t x = 0, y = 0, dy = 0;
    std::optional<std::size_t> dx, ones;
    std::optional<std::size_t> bias; ///< among the parameters of the model
};

/// Elements in memory on the bus that a step itself stores and loads: a table whose rows are gathered, a picture whose
/// patches are loaded. They are 0 ahead of the first step.
struct bus_region {
    std::string name;
    std::uint64_t elements = 0;
    base::element_type type = base::element_type::bf16;
};

/// What a layer has, each in an order that its kind decides.
struct layer_contractions {
    std::vector<linear_contractions> maps;
    std::vector<std::size_t> graphs;     ///< those of no linear map
    std::vector<std::size_t> parameters; ///< of all of it, cores of maps included
    std::vector<std::size_t> regions;
};

/// What all steps of a model have in common.
struct model_contractions {
    std::vector<planned_graph> graphs;
    std::vector<model_parameter> parameters;
    std::uint64_t parameter_elements = 0; ///< of all, gaps included
    std::uint64_t most_rows = 1;          ///< ones that gradients of biases need
    std::uint64_t block = 1;              ///< elements of bf16 in a block: what is packed begins with one
    std::vector<bus_region> regions;
    std::vector<layer_contractions> layers;

    /// By value of a parameter in C order: elements behind the first parameter.
    std::vector<std::uint64_t> places_of(const model_parameter& parameter) const;
    /// The parameter that a tensor of a graph is, or whose gradient it is.
    const model_parameter* parameter_of(graph_tensor_number tensor) const;
    const model_parameter* parameter_of_gradient(graph_tensor_number tensor) const;
};

/// Throws step_too_large() where a tensor or a flat index is more than a device can count.
model_contractions contractions_of(const model_description& model, const fetta::device_limits& g);

/// The complaint about a step whose tensors do not fit on chip.
base::input_error step_too_large(const fetta::device_limits& g);

/// How far the rows of a tensor in C order may lie apart.
enum class row_pitch : std::uint8_t {
    none,    ///< none: one follows the other
    searched ///< as contractions want it where conflicts of banks cost more than a copy
};

/// For the kinds of layers: what one of them has is declared once, in the order of its parameters.
class layer_declaration {
public:
    layer_declaration(model_contractions& all, std::size_t layer, std::string name, const fetta::device_limits& g);

    /// A product with W for so many rows of X in all; its cores and bias become parameters, named with `role` if any.
    void add_map(const linear_map& map, std::uint64_t rows, bool with_dx, const std::string& role = {},
                 row_pitch of_dy = row_pitch::none);
    /// Tensors of such a graph all lie in C order, and none of them is a parameter.
    void add_graph(contraction_graph graph);
    /// Numbers that no contraction uses as they are.
    void add_parameter(const std::string& name, std::uint64_t values);
    void add_region(const std::string& name, std::uint64_t elements, base::element_type type);

private:
    void add(model_parameter parameter);
    std::size_t plan(contraction_graph graph, const std::vector<layout_request::tensor>& wanted);

    model_contractions& m_all;
    std::size_t m_layer;
    std::string m_name;
    fetta::device_limits m_limits;
};

} // namespace tensorloom::workloads
