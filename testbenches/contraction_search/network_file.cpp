#include "contraction_search/network_file.h"
#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <vector>
#include <nlohmann/json.hpp>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::testbench {
namespace {

using json = nlohmann::json;

constexpr std::size_t largest_file = std::size_t{1} << 20;
constexpr std::array keys{"nodes", "out", "sizes"};

[[noreturn]] void refuse(const std::string& found, const std::string& expected)
{
    throw base::input_error("found " + found + ", expected " + expected);
}

std::string shown(const json& value)
{
    return base::in_quotes(value.dump(-1, ' ', true, json::error_handler_t::replace));
}

// The library takes the last of two values of one key, any depth, and a byte 0 for the end of the text.
json parsed(const std::string& text)
{
    constexpr int deepest = 8;
    std::vector<std::set<std::string>> seen; // keys of the objects around
    std::string twice;
    bool deep = false;
    const auto look = [&](int depth, json::parse_event_t event, json& value) {
        deep = deep || depth > deepest;
        if (event == json::parse_event_t::object_start) { seen.emplace_back(); }
        if (event == json::parse_event_t::object_end) { seen.pop_back(); }
        if (event == json::parse_event_t::key && !seen.back().insert(value.get<std::string>()).second) {
            twice = value.get<std::string>();
        }
        return depth <= deepest;
    };
    const auto check_text = [](std::size_t byte) {
        refuse("text that is not JSON at byte " + std::to_string(byte), "a JSON object with nodes, out and sizes");
    };
    if (const auto zero = text.find('\0'); zero != std::string::npos) { check_text(zero + 1); }
    json found;
    try {
        found = json::parse(text, look);
    } catch (const json::parse_error& error) {
        check_text(error.byte);
    } catch (const json::out_of_range&) {
        refuse("a number beyond double precision", "whole numbers from 1 to 2147483647");
    }
    if (deep) { refuse("values nested more than 8 deep", "an object with nodes, out and sizes"); }
    if (!twice.empty()) { refuse("key " + base::in_quotes(twice) + " twice", "every key once"); }
    return found;
}

std::string name_of(const json& value, const char* what)
{
    if (!value.is_string()) { refuse(shown(value) + " in place of " + what, "a text"); }
    return value.get<std::string>();
}

workloads::index_list indices_of(const json& value, const std::string& where)
{
    if (!value.is_array()) { refuse(shown(value) + " " + where, "a list of indices"); }
    workloads::index_list indices;
    for (const auto& index : value) { indices.push_back(name_of(index, "an index")); }
    return indices;
}

workloads::named_tensor node_of(const json& value)
{
    if (!value.is_array() || value.size() != 2) { refuse(shown(value) + " in nodes", "[name, [indices]]"); }
    workloads::named_tensor node{name_of(value[0], "the name of a node"), {}};
    node.indices = indices_of(value[1], "in node " + base::in_quotes(node.name));
    return node;
}

std::uint64_t size_of(const std::string& index, const json& value)
{
    if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<std::int64_t>() < 0)) {
        refuse("size " + shown(value) + " of index " + base::in_quotes(index), "a whole number from 1 to 2147483647");
    }
    return value.get<std::uint64_t>();
}

workloads::tensor_network network_of(const json& root)
{
    if (!root.is_object()) { refuse("no object", "a JSON object with nodes, out and sizes"); }
    for (const auto& [key, value] : root.items()) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
            refuse("key " + base::in_quotes(key), "nodes, out and sizes alone");
        }
    }
    for (const char* key : keys) {
        if (!root.contains(key)) { refuse(std::string("no key '") + key + "'", "nodes, out and sizes"); }
    }
    workloads::tensor_network network;
    if (!root["nodes"].is_array()) { refuse(shown(root["nodes"]) + " as nodes", "a list of nodes"); }
    for (const auto& node : root["nodes"]) { network.nodes.push_back(node_of(node)); }
    network.out = indices_of(root["out"], "as out");
    if (!root["sizes"].is_object()) {
        refuse(shown(root["sizes"]) + " as sizes", "an object with a size for each index");
    }
    for (const auto& [index, value] : root["sizes"].items()) { network.sizes[index] = size_of(index, value); }
    return network;
}

} // namespace

workloads::tensor_network read_network_file(const std::string& path)
{
    const auto text = base::read_whole_file(path, largest_file);
    return base::complaining_of(path, [&] {
        auto network = network_of(parsed(text));
        workloads::check_network(network);
        return network;
    });
}

} // namespace tensorloom::testbench
