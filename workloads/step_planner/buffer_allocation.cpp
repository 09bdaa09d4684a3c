#include <tensorloom/workloads/step_planner/buffer_allocation.h>
#include <algorithm>
#include <limits>
#include <numeric>

namespace tensorloom::workloads {
namespace {

std::uint64_t whole_granules(std::uint64_t bytes, std::uint64_t granule)
{
    return (bytes + granule - 1) / granule * granule;
}

} // namespace

std::optional<std::vector<std::uint64_t>> places_for(const std::vector<wanted_place>& wanted, std::uint64_t granule,
                                                     std::uint64_t bytes, placing_order first)
{
    std::vector<std::size_t> order(wanted.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // What stays longest first, so that the rest of the memory is one piece; or the largest first, so that the small
    // ones leave no gaps between them.
    std::stable_sort(order.begin(), order.end(), [&](auto x, auto y) {
        const std::uint64_t of_x = wanted[x].last - wanted[x].first, of_y = wanted[y].last - wanted[y].first;
        const bool by_bytes = of_x == of_y || (first == placing_order::largest && wanted[x].bytes != wanted[y].bytes);
        return by_bytes ? wanted[x].bytes > wanted[y].bytes : of_x > of_y;
    });
    std::vector<std::uint64_t> place(wanted.size());
    std::vector<std::size_t> placed; // by place
    for (const std::size_t w : order) {
        const std::uint64_t size = whole_granules(wanted[w].bytes, granule);
        if (size > bytes) { return std::nullopt; }
        std::uint64_t at = 0;
        for (const std::size_t p : placed) {
            if (place[p] >= at + size && size != 0) { break; }
            const bool meets = wanted[p].first <= wanted[w].last && wanted[w].first <= wanted[p].last;
            const std::uint64_t end = place[p] + whole_granules(wanted[p].bytes, granule);
            if (meets && at < end) { at = end; }
        }
        if (at + size > bytes) { return std::nullopt; }
        place[w] = at;
        const auto by_place = [&](std::size_t x, std::size_t y) { return place[x] < place[y]; };
        placed.insert(std::upper_bound(placed.begin(), placed.end(), w, by_place), w);
    }
    return place;
}

std::uint64_t bytes_for(const std::vector<wanted_place>& wanted, std::uint64_t granule)
{
    std::uint64_t most = 0;
    constexpr auto any = std::numeric_limits<std::uint64_t>::max();
    for (const auto& at : wanted) { // the maximum is at the first use of one of them
        std::uint64_t bytes = 0;
        for (const auto& w : wanted) {
            const std::uint64_t size = whole_granules(w.bytes, granule);
            const bool is_there = w.first <= at.first && at.first <= w.last;
            if (!is_there) { continue; }
            if (size > any - bytes) { return any; }
            bytes += size;
        }
        most = std::max(most, bytes);
    }
    return most;
}

} // namespace tensorloom::workloads
