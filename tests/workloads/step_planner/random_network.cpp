#include "workloads/step_planner/random_network.h"
#include <algorithm>
#include <cmath>
#include "support/fetta_reference_sums.h"

namespace tensorloom::test {
namespace {

using workloads::index_list;

std::size_t number(std::mt19937& random, std::size_t least, std::size_t most)
{
    return least + random() % (most - least + 1);
}

constexpr std::uint64_t most_products = 20000;

class network_maker {
public:
    explicit network_maker(std::mt19937& random) : m_random(random)
    {
        const std::size_t nodes = number(random, 3, 7);
        for (std::size_t n = 0; n < nodes; ++n) {
            m_network.nodes.push_back({n == 0 ? "X" : "G" + std::to_string(n), {}});
            m_open.push_back(number(random, 2, 4));
        }
        add_index("b", {0}, true, number(random, 1, 9));
    }

    workloads::tensor_network make()
    {
        static constexpr std::size_t sizes[] = {1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 9, 11};
        for (unsigned i = 1;; ++i) {
            std::vector<std::size_t> open;
            for (std::size_t n = 0; n < m_open.size(); ++n) {
                if (m_open[n] != 0) { open.push_back(n); }
            }
            if (open.empty()) { break; }
            std::shuffle(open.begin(), open.end(), m_random);
            const auto kind = number(m_random, 0, 19); // mostly in two nodes
            open.resize(std::min<std::size_t>(open.size(), kind < 3 ? 1 : kind < 5 ? 3 : 2));
            const bool in_result = open.size() == 1 || (open.size() == 2 && kind < 8);
            add_index("i" + std::to_string(i), open, in_result, sizes[number(m_random, 0, std::size(sizes) - 1)]);
        }
        std::shuffle(m_network.out.begin(), m_network.out.end(), m_random);
        for (auto node = m_network.nodes.begin() + 1; node != m_network.nodes.end(); ++node) {
            std::shuffle(node->indices.begin(), node->indices.end(), m_random);
        }
        workloads::check_network(m_network);
        return m_network;
    }

private:
    void add_index(const std::string& name, const std::vector<std::size_t>& nodes, bool in_result, std::size_t size)
    {
        for (const std::size_t n : nodes) {
            m_network.nodes[n].indices.push_back(name);
            --m_open[n];
        }
        if (in_result) { m_network.out.push_back(name); }
        size = m_products * size > most_products ? 1 : size;
        m_products *= size;
        m_network.sizes[name] = size;
    }

    std::mt19937& m_random;
    workloads::tensor_network m_network;
    std::vector<std::size_t> m_open; // modes that a node lacks
    std::uint64_t m_products = 1;
};

std::vector<std::string> given_tensors(const step_definition& step)
{
    std::vector<std::string> all;
    for (const auto& node : step.network.nodes) { all.push_back(node.name); }
    if (step.training) { all.push_back("dY"); }
    return all;
}

bool is_rounded_nowhere(const step_definition& step, const values_by_name<float>& given)
{
    for (const auto& [name, values] : values_along(step, in_double(given))) {
        for (const double value : values) {
            if (std::fabs(value) > 256) { return false; } // whole numbers of bf16, and sums far below 2^24
        }
    }
    return true;
}

} // namespace

workloads::tensor_network random_layer_network(std::mt19937& random) { return network_maker(random).make(); }

workloads::contraction_tree random_tree(std::mt19937& random, std::size_t nodes)
{
    std::vector<std::uint32_t> left;
    for (std::size_t n = 0; n < nodes; ++n) { left.push_back(static_cast<std::uint32_t>(n)); }
    workloads::contraction_tree tree;
    while (left.size() > 1) {
        std::shuffle(left.begin(), left.end(), random);
        tree.steps.push_back({left[left.size() - 1], left[left.size() - 2]});
        left.resize(left.size() - 1);
        left.back() = static_cast<std::uint32_t>(nodes + tree.steps.size() - 1);
    }
    return tree;
}

values_by_name<float> whole_numbers(std::mt19937& random, const step_definition& step)
{
    values_by_name<float> given;
    for (double share = 1;; share *= 0.8) {
        for (const auto& name : given_tensors(step)) {
            auto& values = given[name];
            values.assign(step.elements(name), 0.0f);
            for (float& value : values) {
                const double drawn = std::uniform_real_distribution<double>(-1, 1)(random);
                if (std::fabs(drawn) <= share) { value = drawn < 0 ? -1.0f : drawn < share / 4 ? 2.0f : 1.0f; }
            }
        }
        if (is_rounded_nowhere(step, given)) { break; }
    }
    for (const auto& core : step.cores) { given["master of " + core] = given[core]; }
    return given;
}

values_by_name<float> real_numbers(std::mt19937& random, const step_definition& step)
{
    values_by_name<float> given;
    for (const auto& name : given_tensors(step)) {
        auto& values = given[name];
        for (std::size_t i = step.elements(name); i-- > 0;) {
            values.push_back(std::uniform_real_distribution<float>(-1, 1)(random));
        }
    }
    for (const auto& core : step.cores) { given["master of " + core] = given[core]; }
    for (const auto& name : given_tensors(step)) {
        for (float& value : given[name]) { value = rounded_to_bf16(value); }
    }
    return given;
}

values_by_name<double> in_double(const values_by_name<float>& values)
{
    values_by_name<double> result;
    for (const auto& [name, of] : values) { result[name].assign(of.begin(), of.end()); }
    return result;
}

} // namespace tensorloom::test
