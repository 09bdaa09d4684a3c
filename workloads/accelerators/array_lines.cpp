#include <tensorloom/workloads/accelerators/array_lines.h>
#include <algorithm>

namespace tensorloom::workloads {
namespace {

constexpr std::uint64_t most_sampled = 64; // neighbours that are looked at, spread over the index

} // namespace

double lines_touched(const contraction_graph& graph, const mode_layout& layout, const std::vector<unsigned>& modes,
                     unsigned line, std::uint64_t wanted)
{
    struct digit {
        std::uint64_t size, stride;
    };
    std::vector<digit> digits; // fastest first
    std::uint64_t extent = 1;
    for (std::size_t m = layout.order.size(); m-- > 0;) {
        if (std::find(modes.begin(), modes.end(), layout.order[m]) == modes.end()) { continue; }
        digits.push_back({graph.modes[layout.order[m]].size, layout.stride[m]});
        extent *= digits.back().size;
    }
    const std::uint64_t groups = (extent + wanted - 1) / wanted, step = (groups + most_sampled - 1) / most_sampled;
    std::uint64_t sum = 0, sampled = 0;
    std::vector<std::uint64_t> places;
    for (std::uint64_t g = 0; g < groups; g += step, ++sampled) {
        places.clear();
        for (std::uint64_t i = g * wanted; i < std::min(extent, (g + 1) * wanted); ++i) {
            std::uint64_t rest = i, at = 0;
            for (const auto& d : digits) {
                at += rest % d.size * d.stride;
                rest /= d.size;
            }
            places.push_back(at);
        }
        std::sort(places.begin(), places.end());
        std::uint64_t lines = 1, runs = 1;
        for (std::size_t p = 1; p < places.size(); ++p) {
            lines += places[p] / line != places[p - 1] / line ? 1 : 0;
            runs += places[p] != places[p - 1] + 1 ? 1 : 0;
        }
        sum += std::min(lines, runs);
    }
    return static_cast<double>(sum) / static_cast<double>(sampled);
}

} // namespace tensorloom::workloads
