#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/training/network_operations.h>

namespace tensorloom::workloads {

/// Values passed from layer to layer, for the samples of a block one after the other: as float32 words, rounded to
/// bf16 as an operand of contractions, or both; neither: the features of the samples, which are gathered when they are
/// needed.
struct passed_values {
    bool are_features() const { return !words && !operand; }

    std::uint64_t length = 0; ///< values of the whole batch
    std::optional<std::size_t> words, operand;
    std::string name; ///< used in names of operations
};

/// Records the operations of a step in order. The kinds of layers are written with it.
class step_builder {
public:
    step_builder(const model_description& model, const model_contractions& contractions, const step_request& request,
                 literal_list& literals);

    std::uint64_t batch() const { return m_contractions.samples; } ///< samples of a block
    const model_contractions& contractions() const { return m_contractions; }
    network_step& step() { return m_step; }
    bool is_training() const { return m_is_training; }
    /// The following operations belong to this phase; contractions have their own.
    void enter(step_phase phase) { m_phase = phase; }
    /// The following operations belong to this layer; none: to the loss and the update.
    void enter_layer(std::optional<std::size_t> layer) { m_layer = layer; }
    network_step finished();

    std::size_t tensor(std::string called, std::uint64_t elements, base::element_type type);
    std::size_t words(std::string called, std::uint64_t elements)
    {
        return tensor(std::move(called), elements, base::element_type::f32);
    }

    tensor_part metric(step_metric m) const { return {m_step.metrics, static_cast<std::uint64_t>(m)}; }
    tensor_part constant(step_constant c) const { return {m_step.constants, static_cast<std::uint64_t>(c)}; }
    tensor_part rate_factor() const { return {m_step.list, m_list.rate_factor}; } ///< of a schedule
    tensor_part mask_words_of(std::uint32_t stream) const;                        ///< for the block
    tensor_part literal(float value);                                             ///< a word of this value
    tensor_part literals(const std::vector<float>& values);
    tensor_part master(std::size_t parameter) const; ///< float32
    tensor_part copy(std::size_t parameter) const;   ///< bf16
    /// The part that receives the gradient of a parameter: among the gradients or, if these are sums over blocks or
    /// pieces, in a tensor that add_gradient() adds to them.
    tensor_part gradient(std::size_t parameter);
    void add_gradient(std::size_t parameter);
    tensor_part whole_gradient(std::size_t parameter) const; ///< of all blocks, among the gradients
    /// Number of samples of the batch without fillers.
    tensor_part counted_samples() const;

    template <class Work> void add(std::string what, Work work)
    {
        m_step.operations.push_back({m_phase, std::move(what), std::move(work)});
    }

    /// GATHER of an array of samples: values of some samples of the block, whose numbers are in the list.
    struct sample_values {
        std::uint64_t first = 0, count = 0;          ///< values of each sample
        std::uint64_t first_sample = 0, samples = 0; ///< of the block
    };
    void gather(bus_array of, tensor_part result, const sample_values& values, const std::string& what);
    /// The first `count` values of all samples of the block.
    void gather(bus_array of, tensor_part result, std::uint64_t count, const std::string& what)
    {
        gather(of, result, {0, count, 0, batch()}, what);
    }

    struct operands {
        std::optional<tensor_part> a, b, c;
    };
    void vector(isa::vector::opcode code, tensor_part result, const operands& of, std::uint64_t length,
                std::string what, std::uint64_t block = 0, bool broadcast_b = false);
    /// Applies `code` to each element of `a` and one word.
    void by_word(isa::vector::opcode code, tensor_part result, tensor_part a, tensor_part word, std::uint64_t length,
                 std::string what)
    {
        vector(code, result, {a, word, {}}, length, std::move(what), 0, true);
    }
    /// Element-wise result in a new tensor.
    std::size_t made_of(isa::vector::opcode code, const std::string& called, const operands& of, std::uint64_t length);
    /// One result word per block.
    std::size_t by_block(isa::vector::opcode code, const std::string& called, std::size_t a, std::uint64_t blocks,
                         std::uint64_t block);
    std::size_t rounded(std::size_t values, std::uint64_t length, const std::string& what);
    std::size_t rounded(tensor_part values, std::uint64_t length, const std::string& called, const std::string& what);
    /// Sets `elements` words to this word.
    void fill(tensor_part result, tensor_part word, std::uint64_t elements, std::string what);
    /// Repeats a row of `elements` words `rows` times.
    std::size_t repeated(tensor_part a, std::uint64_t rows, std::uint64_t elements, const std::string& called);
    /// Adds each row of `elements` words to the row of the result that its index (float32) names. The result has
    /// `result_rows` rows.
    void add_rows(tensor_part result, std::uint64_t result_rows, tensor_part a, tensor_part indices, std::uint64_t rows,
                  std::uint64_t elements, const std::string& what);
    void clear(tensor_part result, std::uint64_t length, const std::string& what);
    void zero(std::size_t tensor, const std::string& what); ///< without a literal: all of a tensor of words
    /// Repeats each of `rows` words `elements` times.
    std::size_t spread(tensor_part a, std::uint64_t rows, std::uint64_t elements, const std::string& called);

    std::size_t operand_of(passed_values& values);
    std::size_t words_of(passed_values& values);

    /// Sets the place of a graph's tensor, if it has no own tensor: X and dY of a map, parts of others.
    void place(graph_tensor_number tensor, tensor_part part);
    /// Place of a graph's tensor: cores are in the copies of parameters, their gradients are where gradient() has them,
    /// all others in separate tensors: float32 if the vector unit uses them (`wide`), else bf16.
    tensor_part place_of(graph_tensor_number tensor, bool wide);
    /// The current places of a graph's tensors. forget_rows() clears those of tensors with rows, for another piece.
    using graph_places = std::vector<std::optional<tensor_part>>;
    graph_places& places_of(std::size_t graph) { return m_places[graph]; }
    void forget_rows(std::size_t graph);
    /// Adds gradients of parameters to those of earlier blocks.
    void contract(std::size_t graph, std::size_t contraction, bool wide, const std::string& of);

private:
    void add_group(std::uint64_t offset, std::uint64_t elements, bool training, std::size_t moments);
    const parameter_group& group_of(std::size_t parameter) const;

    const model_description& m_model;
    const model_contractions& m_contractions;
    list_layout m_list;
    bool m_is_training;
    std::uint64_t m_batches;
    literal_list& m_literals;
    network_step m_step;
    step_phase m_phase = step_phase::fp;
    std::optional<std::size_t> m_layer;
    std::vector<graph_places> m_places;                 // by graph and tensor
    std::vector<std::optional<std::size_t>> m_of_block; // by parameter: the tensor of a block's gradient
};

} // namespace tensorloom::workloads
