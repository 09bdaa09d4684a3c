#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>
#include <tensorloom/workloads/tensor_network/layer.h>

namespace tensorloom::test {

/// Before a core's name: its master, in float32.
inline const std::string master_of = "master of ";

/// Values of tensors by name, in C order of their modes.
template <class T> using values_by_name = std::map<std::string, std::vector<T>>;

/// A training step by its definition, in the tests' own words: what it contracts, not how.
///
/// Of a forward network along a tree: every step C = A.B, and behind them, from the last to the first, dA = dC.B and dB
/// = A.dC. What is given has no gradient of its own where nobody asks for it: X without dX.
struct step_definition {
    struct contraction {
        std::string a, b, result;
    };
    workloads::tensor_network network;
    std::string batch;                                  ///< the first mode of X
    std::map<std::string, workloads::index_list> modes; ///< by tensor, in C order
    std::vector<contraction> contractions;              ///< in an order in which they can be done
    std::vector<std::string> cores;
    bool training = true, with_dx = true;

    bool has(const std::string& tensor, const std::string& mode) const;
    std::size_t elements(const std::string& tensor) const;
    std::size_t size(const std::string& mode) const { return static_cast<std::size_t>(network.sizes.at(mode)); }
    /// Elements from one digit of the mode to the next; 0 for a mode that the tensor does not have.
    std::size_t stride(const std::string& tensor, const std::string& mode) const;
};

step_definition define_step(const workloads::tensor_network& network, const workloads::contraction_tree& tree,
                            bool training, bool with_dx);

/// The network of all blocks of a layer of bt; of others the layer's own. Neighbours that stay together are one mode.
workloads::tensor_network whole_network(const workloads::tensorized_layer& layer);

/// Y and every gradient that the step gives, of X, dY and cores: sums of products of all nodes over all digits of all
/// indices at once, along no tree.
values_by_name<double> naive_sums(const step_definition& step, const values_by_name<double>& given);

/// Everything that the step makes along its tree, each contraction a sum over its indices.
values_by_name<double> values_along(const step_definition& step, const values_by_name<double>& given);

} // namespace tensorloom::test
