#include <tensorloom/workloads/step_planner/accumulator_shares.h>
#include <algorithm>
#include <limits>
#include <utility>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/workloads/contraction/mapping_search.h>
#include <tensorloom/workloads/step_planner/contract_choice.h>

namespace tensorloom::workloads {
namespace {

constexpr double slowest = 1.05;              // of the fewest cycles, of mappings that are looked at
constexpr std::uint64_t slack = 2;            // for more ways to do it
constexpr std::uint32_t rows_of_others = 128; // that what is not kept finds free

std::uint64_t fewest_rows(const contraction_graph& block, std::size_t contraction, const fetta::device_limits& g)
{
    const auto extents = extents_of(block, groups_of(block, contraction));
    auto all = mapping_candidates(extents, g, {}, {});
    std::stable_sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.cycles < y.cycles; });
    std::uint64_t fewest = std::numeric_limits<std::uint64_t>::max();
    for (const auto& m : all) {
        if (static_cast<double>(m.cycles) > slowest * static_cast<double>(all.front().cycles)) { break; }
        auto command = contract_of(extents, m.mapping, m.split, false);
        command.flags |= fetta::contract_command::flag_keep;
        fewest = std::min(fewest, fetta::rows_of_sums(command, g));
    }
    return fewest;
}

} // namespace

accumulator_shares accumulator_shares_of(const contraction_graph& block, const fetta::device_limits& g,
                                         std::uint64_t blocks, bool apart)
{
    std::vector<std::pair<std::uint64_t, std::size_t>> wanted;
    for (std::size_t c = 0; c < block.contractions.size(); ++c) {
        const auto& of = block.contractions[c];
        const bool batched = block.is_batched(of.a) || block.is_batched(of.b);
        if (blocks > 1 && batched && !block.is_batched(of.result)) { wanted.emplace_back(fewest_rows(block, c, g), c); }
    }
    std::sort(wanted.begin(), wanted.end());
    accumulator_shares shares{std::vector<std::uint64_t>(block.contractions.size()),
                              std::vector<bool>(block.contractions.size())};
    const std::uint64_t free = g.accumulator_rows() - std::min(g.accumulator_rows() / 2, rows_of_others);
    std::uint64_t left = apart ? g.accumulator_rows() : free;
    const std::uint64_t sharing = apart ? 1 : wanted.size();
    for (const auto& [want, c] : wanted) {
        if (want > left) {
            shares.added[c] = true;
            continue;
        }
        shares.rows[c] = slack * want * sharing <= left ? slack * want : want;
        if (!apart) { left -= shares.rows[c]; }
    }
    return shares;
}

} // namespace tensorloom::workloads
