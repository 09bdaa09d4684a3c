#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>
#include <tensorloom/workloads/training/layers/linear_map.h>

namespace tensorloom::workloads {

// A kind of layer is a struct of its parameters, in a folder of its name, and is listed in layer_kinds.h. For a kind
// `pool` the folder has
//
//     pool_layer.h          the struct, with the members below
//     pool_layer.cpp        checks, text, reader and initial values
//     pool_operations.cpp   declare(), operations(): on a device
//     pool_emulation.cpp    emulation(): the same on the host, bit for bit
//
//     static constexpr const char* kind_name            the key `kind` of a layer in a file
//     static pool_layer read(layer_reader& from)        from a file; throws base::input_error, one line
//     std::uint64_t inputs(), outputs()                 input and output values per sample
//     std::uint64_t parameters()                        number of parameter values
//     pool_layer dense_twin()                           the same layer with dense matrices
//     std::vector<layer_map> maps()                     its matrices, in the order of their parameters
//     void check()                                      throws base::input_error, one line
//     std::string text()                                its description, in one line
//     std::string element_work()                        its work besides products and biases; empty: none
//     std::vector<layer_field> fields()                 its parameters by name, for a report
//     parameter_values initial_values(seed)
//     void declare(batch, with_dx, declaration)         its contractions and parameters, for `batch` samples
//     std::unique_ptr<layer_operations> operations(contractions, name)
//     std::unique_ptr<layer_emulation> emulation(contractions, parameters)

class layer_reader;         // layers/layer_reader.h
class layer_declaration;    // model_contractions.h
struct layer_contractions;  // model_contractions.h
class layer_operations;     // layers/layer_operations.h
class layer_emulation;      // layers/layer_emulation.h
struct emulated_parameters; // layers/layer_emulation.h

/// A matrix of a layer that is multiplied with `rows` rows of each sample at once.
struct layer_map {
    std::string role; ///< its role in the layer; empty if it is the only one
    linear_map map;
    std::uint64_t rows = 1;
    /// Its operand is computed within the layer, whose parameters need that operand's gradient, even in a first layer.
    bool is_inside = false;
    std::uint64_t frames = 1; ///< products one after the other, each of which needs the result of the one before

    bool needs_dx(bool layer_with_dx) const { return is_inside || layer_with_dx; }
};

/// Numbers of the parameters of a normalization of rows, among those of the model.
struct norm_parameters {
    std::size_t gamma = 0, beta = 0;
};

/// Throws base::input_error: the number added to the variance of a normalization is out of range.
void check_epsilon(float epsilon);

struct layer_field;

/// A layer, as a report shows it.
struct described_layer {
    std::string name, kind;
    std::vector<layer_field> fields;
};

/// A parameter of a layer, as a report shows it.
struct layer_field {
    std::string name;
    std::variant<bool, std::uint64_t, float, std::string, std::vector<std::uint64_t>, linear_map,
                 std::vector<described_layer>>
        value;
};

} // namespace tensorloom::workloads
