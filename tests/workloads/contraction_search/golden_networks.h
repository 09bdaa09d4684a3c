#pragma once
#include <fstream>
#include <map>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include <tensorloom/workloads/tensor_network/network.h>

namespace tensorloom::test {

/// A phase of a layer of tests/data/csse_reference.json, made by a prototype in Python and agreed upon by opt_einsum
/// and cotengra.
struct golden_phase {
    std::string layer, phase; ///< "UCF-TTM", "WG:G1"
    workloads::tensor_network network;
    nlohmann::json figures; ///< opt_macs, top8_macs, ...
};

inline const nlohmann::json& golden_layers()
{
    static const nlohmann::json layers = [] {
        std::ifstream file(std::string(TENSORLOOM_TEST_DATA) + "/csse_reference.json");
        return nlohmann::json::parse(file).at("layers");
    }();
    return layers;
}

inline const std::vector<golden_phase>& golden_phases()
{
    static const std::vector<golden_phase> phases = [] {
        std::vector<golden_phase> all;
        for (const auto& layer : golden_layers()) {
            const auto sizes = layer.at("sizes").get<workloads::index_sizes>();
            for (const auto& [name, figures] : layer.at("phases").items()) {
                golden_phase phase{layer.at("name"), name, {}, figures};
                for (const auto& node : figures.at("nodes")) {
                    phase.network.nodes.push_back({node.at(0), node.at(1)});
                    for (const auto& index : phase.network.nodes.back().indices) {
                        phase.network.sizes[index] = sizes.at(index);
                    }
                }
                phase.network.out = figures.at("out").get<workloads::index_list>();
                all.push_back(std::move(phase));
            }
        }
        return all;
    }();
    return phases;
}

/// The forward pass of a shipped layer.
inline workloads::tensor_network forward(const std::string& layer)
{
    return workloads::forward_network(workloads::find_named_layer(layer).layer);
}

inline std::string name_of(const golden_phase& phase) { return phase.layer + " " + phase.phase; }

/// The layers of the file by the names that they have here.
inline const std::map<std::string, std::string>& names_of_golden_layers()
{
    static const std::map<std::string, std::string> names{
        {"UCF-TTM", "ucf-ttm"},
        {"UCF-TTM-1gate", "ucf-ttm-1gate"},
        {"UCF-TT", "ucf-tt"},
        {"UCF-HT", "ucf-ht"},
        {"UCF-BT", "ucf-bt"},
        {"ATIS-TT-768x768-r12", "atis-tt"},
        {"ATIS-TT-768x768-r12-B1024", "atis-tt"},
        {"BERT-TT-attn-r30", "bert-tt-attention"},
        {"BERT-TT-ffn1-r30", "bert-tt-ffn1"},
        {"WMT-TT-attn-512-r16", "wmt-tt-attention"},
        {"FC4096-TTM-r16", "fc4096-ttm"},
        {"TedNet-BT-2048x8192-r5", "tednet-bt"},
    };
    return names;
}

} // namespace tensorloom::test
