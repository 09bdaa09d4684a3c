#include <tensorloom/workloads/contraction/named_contraction.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

constexpr char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

// The modes of a tensor as letters, new ones for merged indices that have none yet. `given`: its indices before they
// were merged; the name of a merged one is theirs, one behind the other.
std::string modes_of(const index_list& merged, const index_list& given, std::map<std::string, char>& letter_of,
                     named_contraction& step)
{
    std::string modes;
    auto next = given.begin();
    for (const auto& index : merged) {
        index_list together;
        for (std::size_t read = 0; read < index.size(); read += next++->size()) { together.push_back(*next); }
        const auto known = letter_of.find(index);
        if (known != letter_of.end()) {
            modes += known->second;
            continue;
        }
        if (letter_of.size() + 1 == sizeof letters) {
            throw base::input_error("found more than 52 modes in a contraction, expected at most that many");
        }
        const char letter = letters[letter_of.size()];
        letter_of[index] = letter;
        step.indices[letter] = together;
        modes += letter;
    }
    return modes;
}

} // namespace

named_contraction lettered(const index_list& a, const index_list& b, const index_list& c, const index_sizes& sizes)
{
    tensor_network step{{{"A", a}, {"B", b}}, c, {}};
    for (const auto& node : step.nodes) {
        for (const auto& index : node.indices) { step.sizes[index] = sizes.at(index); }
    }
    const auto merged = merged_neighbours(step);
    named_contraction result;
    std::map<std::string, char> letter_of;
    const auto of_a = modes_of(merged.nodes[0].indices, a, letter_of, result);
    const auto of_b = modes_of(merged.nodes[1].indices, b, letter_of, result);
    const auto of_c = modes_of(merged.out, c, letter_of, result);
    std::string texts;
    for (const auto& [index, letter] : letter_of) {
        texts += (texts.empty() ? "" : ",") + std::string(1, letter) + "=" + std::to_string(merged.sizes.at(index));
    }
    result.problem = parse_einsum(of_a + "," + of_b + "->" + of_c, texts);
    return result;
}

} // namespace tensorloom::workloads
