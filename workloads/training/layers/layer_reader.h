#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/files/yaml_fields.h>
#include <tensorloom/workloads/training/layers/linear_map.h>

namespace tensorloom::workloads {

/// Keys of a matrix, dense or a tensor network; layer_reader::completed() converts them after all keys are read.
struct read_matrix {
    linear_map map;
    std::vector<std::uint64_t> ranks;
    bool has_order = false; ///< the key `order`
};

/// A layer in a file, for the readers of its kind (layer_kind.h).
class layer_reader : public base::yaml_fields {
public:
    /// `inputs`: outputs of the layer before; 0: there is none.
    layer_reader(const base::yaml_fields& file, const base::yaml_value& item, std::string default_name,
                 std::uint64_t inputs)
        : yaml_fields(file), m_item(item), m_name(std::move(default_name)), m_inputs(inputs)
    {}

    /// Reads all keys: those of every kind, and `of_kind`.
    void read_keys(base::key_readers of_kind);
    const std::string& name() const { return m_name; } ///< valid after read_keys()
    std::uint64_t inputs() const { return m_inputs; }
    std::string called() const; ///< "origin:line: layer name"

    base::key_readers matrix_keys(read_matrix& of) const;
    /// Sets missing rows and columns of a dense matrix to those of the layer.
    static read_matrix with_sizes(read_matrix matrix, std::uint64_t rows, std::uint64_t columns);
    /// `part`: the matrix in the layer, ", up"; empty for the only one.
    linear_map completed(read_matrix of, const std::string& part = {}) const;

private:
    void read_format(const base::yaml_value& value, linear_map& map) const;

    const base::yaml_value& m_item;
    std::string m_name;
    std::uint64_t m_inputs;
};

struct model_layer; // model.h

/// Reads a list of layers, of any kind; `inputs` as of layer_reader.
std::vector<model_layer> read_layers(const base::yaml_fields& file, const base::yaml_value& list, std::uint64_t inputs);

} // namespace tensorloom::workloads
