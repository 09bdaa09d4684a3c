#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/step_operations.h>
#include <tensorloom/workloads/step_planner/step_places.h>
#include <tensorloom/workloads/training/model.h>

namespace tensorloom::workloads {

/// A tensor of a graph.
struct graph_tensor_number {
    std::size_t graph = 0, tensor = 0;
};

/// An array of numbers that training changes: a core, a bias.
struct model_parameter {
    std::string name;
    std::size_t layer = 0;
    std::uint64_t values = 0;
    /// Tensor whose layout it has; none: contiguous values. For a bias, the tensor of its gradient.
    std::optional<graph_tensor_number> lies_as;
    bool is_core = false;       ///< a bf16 operand of contractions, which also compute its gradient
    std::uint64_t offset = 0;   ///< elements from the first parameter: whole blocks of rows; cores come first
    std::uint64_t elements = 0; ///< including gaps of its layout

    std::uint64_t pieces = 1; ///< number of terms of its gradient in each block
    /// A large matrix is several parameters, each with the same number of its rows: which of how many it is.
    std::uint64_t part = 0, parts = 1;

    std::uint64_t end() const { return offset + elements; }
};

/// A linear_map in reverse mode: the tensors of its graph. X, Y, their gradients, the ones and the gradient of the bias
/// are in C order. The graph has the rows of a piece: pieces are multiplied one after the other if the intermediates of
/// all rows do not fit on chip. A large dense W has several parts, each with a graph for some of the outputs: Y and dY
/// of a part are columns of Y and dY, dX is the sum over the parts, and the bias has a separate graph.
struct linear_contractions {
    std::vector<std::size_t> graphs; ///< by part, with the same tensors
    std::uint64_t rows = 0;          ///< of X: samples times frames
    std::uint64_t outputs = 0;
    std::uint64_t pieces = 1;
    std::size_t x = 0, y = 0, dy = 0;
    std::optional<std::size_t> dx, ones;
    std::optional<std::size_t> bias;          ///< among the parameters of the model
    std::optional<std::size_t> graph_of_bias; ///< with several parts
    /// Tensors of the graph of the bias.
    struct bias_tensors {
        static constexpr std::size_t ones = 0, dy = 1, dbias = 2;
    };

    /// X and dY of all frames, for a dense W that multiplies X frame by frame: dW is their product. The pitch of X from
    /// frame to frame is a whole number of blocks of the memory.
    struct tensors_of_frames {
        std::size_t x = 0, dy = 0;
    };
    std::optional<tensors_of_frames> of_frames;

    std::size_t graph() const { return graphs.front(); }
    std::size_t parts() const { return graphs.size(); }
    std::uint64_t outputs_of_part() const { return outputs / parts(); }
};

/// The parts of a layer, each in an order defined by its kind.
struct layer_contractions {
    std::vector<linear_contractions> maps;
    std::vector<std::size_t> graphs;     ///< graphs without a linear map
    std::vector<std::size_t> parameters; ///< all parameters, including cores of maps
    std::vector<std::size_t> regions;
    std::vector<layer_contractions> inner; ///< of layers inside of it
    bool with_dx = false;                  ///< a layer before has parameters
    /// Its random numbers (arithmetic::random_fraction).
    std::optional<std::uint32_t> random_stream;
};

/// Data common to all steps of a model.
struct model_contractions {
    std::vector<planned_graph> graphs;
    std::vector<model_parameter> parameters;
    std::uint64_t parameter_elements = 0; ///< of all parameters, including gaps
    std::uint64_t most_rows = 1;          ///< ones that gradients of biases need
    std::uint64_t samples = 1;            ///< of a block
    std::uint64_t blocks = 1;             ///< of a batch
    std::uint64_t block = 1;              ///< bf16 elements of a block: packed tensors begin at a block
    std::vector<bus_region> regions;
    std::vector<std::uint64_t> random_streams; ///< numbers of a sample that each one has
    bool has_schedule = false;                 ///< the rate differs from step to step
    std::vector<layer_contractions> layers;

    /// For each value of a parameter in C order: its offset in elements from the first parameter.
    std::vector<std::uint64_t> places_of(const model_parameter& parameter) const;
    /// Values of the parameters from those of the layers, in which a large matrix is whole, and the reverse.
    parameter_values in_parts(const parameter_values& whole) const;
    parameter_values in_whole(const parameter_values& parts) const;
    /// Whether its gradient is a sum, over blocks or pieces, that begins with 0.
    bool is_summed(std::size_t parameter) const { return blocks > 1 || parameters[parameter].pieces > 1; }
    /// The parameter that a tensor of a graph holds, or whose gradient it holds.
    const model_parameter* parameter_of(graph_tensor_number tensor) const;
    const model_parameter* parameter_of_gradient(graph_tensor_number tensor) const;
};

/// For a batch in blocks of so many samples, the last of which may have fewer; 0: one block. Throws step_too_large() if
/// a tensor or a flat index exceeds the device's counters.
model_contractions contractions_of(const model_description& model, const fetta::device_limits& g,
                                   operand_paths paths = operand_paths::gathered, std::uint64_t samples = 0);

/// Pitch of the rows of a tensor in C order.
enum class row_pitch : std::uint8_t {
    none,    ///< contiguous rows
    searched ///< chosen for the contractions if bank conflicts cost more than a copy
};

/// Used by the kinds of layers to declare the parts of a layer once, in the order of its parameters.
class layer_declaration {
public:
    layer_declaration(model_contractions& all, std::size_t layer, std::string name, const fetta::device_limits& g,
                      operand_paths paths)
        : layer_declaration(all, all.layers[layer], layer, std::move(name), g, paths)
    {}

    /// Layers before have parameters.
    bool needs_dx() const { return m_to.with_dx; }
    /// Declares the next layer inside of this one; it must be complete before the one after it.
    layer_declaration inner(const std::string& name);

    /// A product with W for `rows` rows of X in total; cores and bias become parameters, named with `role` if given.
    /// `piece_unit`: pieces of the rows are multiples of it, or shares; 0: one piece.
    void add_map(const linear_map& map, std::uint64_t rows, bool with_dx, const std::string& role = {},
                 row_pitch of_dy = row_pitch::none, std::uint64_t piece_unit = 0);
    /// A product with W for `rows` rows in each of the frames, with dX. dY may have a pitch.
    void add_recurrent_map(const linear_map& map, std::uint64_t rows, std::uint64_t frames, const std::string& role);
    /// All tensors of such a graph are in C order, and none is a parameter.
    void add_graph(contraction_graph graph);
    /// A parameter that no contraction uses directly.
    void add_parameter(const std::string& name, std::uint64_t values);
    void add_region(const std::string& name, std::uint64_t elements, base::element_type type);
    void add_random_stream(std::uint64_t numbers); ///< of a sample

private:
    layer_declaration(model_contractions& all, layer_contractions& to, std::size_t layer, std::string name,
                      const fetta::device_limits& g, operand_paths paths);
    void add(model_parameter parameter, std::uint64_t pieces = 1);
    struct map_request {
        std::uint64_t rows = 0, piece_unit = 0;
        std::uint64_t frames = 0; ///< of a recurrent map
        bool with_dx = false;
        std::string role;
        row_pitch of_dy = row_pitch::none;
    };
    void add(const linear_map& map, const map_request& request);
    void add_bias(linear_contractions& made, std::uint64_t piece, const std::string& of);
    std::uint64_t parts_of(const linear_map& map) const;
    std::uint64_t pieces_of(const contraction_graph& graph, std::uint64_t rows, std::uint64_t unit) const;
    std::size_t plan(contraction_graph graph, const std::vector<layout_request::tensor>& wanted);

    model_contractions& m_all;
    layer_contractions& m_to;
    std::size_t m_layer; // of the model
    std::string m_name;
    fetta::device_limits m_limits;
    operand_paths m_paths;
};

} // namespace tensorloom::workloads
