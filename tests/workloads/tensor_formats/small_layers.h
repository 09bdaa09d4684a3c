#pragma once
#include <ostream>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/workloads/tensor_network/layer.h>

namespace tensorloom::test {

/// A layer with a name for messages.
struct small_layer {
    const char* name;
    workloads::tensorized_layer layer;

    friend std::ostream& operator<<(std::ostream& out, const small_layer& l) { return out << l.name; }
};

/// One or more of every format, both orders, with sizes that differ.
inline const std::vector<small_layer>& small_layers()
{
    using workloads::core_order;
    using workloads::layer_format;
    static const std::vector<small_layer> layers{
        {"tt_mn", {layer_format::tt, {3, 2}, {4, 2, 3}, {2, 3, 4, 2}, 5, 1, core_order::mn}},
        {"tt_nm", {layer_format::tt, {3, 2}, {4, 2}, {3, 4, 2}, 5, 1, core_order::nm}},
        {"ttm", {layer_format::ttm, {3, 2, 2}, {2, 4, 3}, {3, 4}, 5}},
        {"ttm_of_one_core", {layer_format::ttm, {3}, {4}, {}, 5}},
        {"tr_mn", {layer_format::tr, {3, 2}, {4, 3}, {2, 3, 2, 3}, 5, 1, core_order::mn}},
        {"tr_nm", {layer_format::tr, {3}, {4, 2}, {2, 2, 3}, 5, 1, core_order::nm}},
        {"ht_of_two", {layer_format::ht, {3, 2}, {2, 4}, {3, 3}, 5}},
        {"ht_of_four", {layer_format::ht, {2, 3, 2, 2}, {3, 2, 2, 2}, {2, 3, 2, 3, 2, 4}, 5}},
        {"ht_of_five", {layer_format::ht, {2, 2, 2, 2, 2}, {2, 1, 2, 2, 1}, {2, 2, 3, 2, 2, 2, 3, 2}, 3}},
        {"bt", {layer_format::bt, {3, 2}, {2, 4}, {2, 3}, 5, 1}},
        {"bt_of_three_blocks", {layer_format::bt, {3, 2, 2}, {2, 3, 2}, {2, 2, 2}, 4, 3}},
    };
    return layers;
}

/// Of a test of one.
inline std::string name_of_layer(const testing::TestParamInfo<small_layer>& test) { return test.param.name; }

} // namespace tensorloom::test
