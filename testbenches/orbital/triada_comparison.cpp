#include "orbital/triada_comparison.h"

namespace tensorloom::testbench {
namespace {

constexpr torus::axis links[] = {torus::axis::q, torus::axis::r, torus::axis::s};

std::uint64_t hops_along(const triada::counts& counts, unsigned mode)
{
    return counts[triada::coefficient_hop(mode)] + counts[triada::operand_hop(mode)];
}

template <class Count> by_direction along_each(const Count& count)
{
    by_direction words{};
    for (unsigned direction = 0; direction < words.size(); ++direction) { words[direction] = count(direction); }
    return words;
}

} // namespace

triada::counts in_pitches(const triada::counts& counts, const std::array<std::uint32_t, 3>& mesh)
{
    auto pitches = counts;
    for (unsigned mode = 0; mode < mesh.size(); ++mode) {
        for (const auto hop : {triada::coefficient_hop(mode), triada::operand_hop(mode)}) {
            pitches[hop] = counts[hop] / mesh[mode] * (mesh[mode] - 1);
        }
    }
    return pitches;
}

by_direction line_words(const triada::counts& counts, const std::array<std::uint32_t, 3>& mesh)
{
    return along_each([&](unsigned mode) { return hops_along(counts, mode) / mesh[mode]; });
}

by_direction line_word_pitches(const triada::counts& counts, const std::array<std::uint32_t, 3>& mesh)
{
    const auto pitches = in_pitches(counts, mesh);
    return along_each([&](unsigned mode) { return hops_along(pitches, mode); });
}

by_direction link_words(const torus::counts& counts)
{
    return along_each([&](unsigned axis) { return torus::link_words(counts, links[axis]); });
}

by_direction link_word_pitches(const torus::counts& counts)
{
    return along_each([&](unsigned axis) { return counts[torus::link_word_pitch(links[axis])]; });
}

} // namespace tensorloom::testbench
