#include "segmented/ranking.h"
#include <algorithm>
#include <numeric>

namespace tensorloom::testbench {

const char* name_of(cost_metric metric)
{
    switch (metric) {
    case cost_metric::steps: return "steps";
    case cost_metric::cycles: return "cycles";
    case cost_metric::energy: break;
    }
    return "energy";
}

double cost_point::by(cost_metric metric) const
{
    switch (metric) {
    case cost_metric::steps: return static_cast<double>(steps);
    case cost_metric::cycles: return static_cast<double>(cycles);
    case cost_metric::energy: break;
    }
    return pj;
}

std::optional<std::uint64_t> crossover(const cost_curve& a, const cost_curve& b, cost_metric metric)
{
    std::optional<std::uint64_t> from;
    for (std::size_t i = a.points.size(); i-- > 0 && a.points[i].by(metric) < b.points[i].by(metric);) {
        from = a.points[i].length;
    }
    return from;
}

std::vector<std::size_t> ranking(const std::vector<cost_curve>& curves, std::size_t at, cost_metric metric)
{
    std::vector<std::size_t> order(curves.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return curves[a].points[at].by(metric) < curves[b].points[at].by(metric);
    });
    return order;
}

std::vector<std::uint64_t> changed_rankings(const std::vector<cost_curve>& a, const std::vector<cost_curve>& b,
                                            cost_metric metric)
{
    std::vector<std::uint64_t> lengths;
    for (std::size_t i = 0; !a.empty() && i < a.front().points.size(); ++i) {
        if (ranking(a, i, metric) != ranking(b, i, metric)) { lengths.push_back(a.front().points[i].length); }
    }
    return lengths;
}

} // namespace tensorloom::testbench
