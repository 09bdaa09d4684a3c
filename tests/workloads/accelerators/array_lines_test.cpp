#include <algorithm>
#include <random>
#include <set>
#include <gtest/gtest.h>
#include <tensorloom/workloads/accelerators/array_lines.h>

using namespace tensorloom;
using namespace tensorloom::workloads;

namespace {

contraction_graph tensor_of(const std::vector<std::uint64_t>& sizes)
{
    contraction_graph graph;
    graph.tensors.push_back({"T", {}, std::nullopt});
    for (unsigned m = 0; m < sizes.size(); ++m) {
        graph.modes.push_back({std::string(1, static_cast<char>('a' + m)), sizes[m]});
        graph.tensors.front().modes.push_back(m);
    }
    return graph;
}

double lines(const std::vector<std::uint64_t>& sizes, const std::vector<unsigned>& wanted, std::uint64_t width)
{
    const auto graph = tensor_of(sizes);
    return lines_touched(graph, natural_layout(graph, 0), wanted, 16, width);
}

TEST(lines_touched, is_one_along_the_fastest_mode_and_the_width_across_it)
{
    EXPECT_EQ(lines({64, 64}, {1}, 16), 1);
    EXPECT_EQ(lines({64, 64}, {0}, 16), 16);
    EXPECT_EQ(lines({64, 64}, {0}, 4), 4);   // of a narrower tile
    EXPECT_EQ(lines({64, 1024}, {}, 16), 1); // an index of one element
}

// min(16, line / run), whatever lies between the runs.
TEST(lines_touched, is_the_line_over_the_run)
{
    for (const std::uint64_t run : {1, 2, 4, 8, 16}) {
        EXPECT_EQ(lines({32, 24, run}, {0, 2}, 16), 16.0 / static_cast<double>(run)) << run;
    }
    EXPECT_EQ(lines({8, 2, 4}, {0, 2}, 16), 2); // two runs in a line
}

// Rows of 18 with gaps behind them: the 17th and 18th of each are accessed by themselves.
TEST(lines_touched, counts_a_run_that_begins_within_a_line_once)
{
    EXPECT_EQ(lines({7, 18}, {1}, 16), 1);
    EXPECT_EQ(lines({7, 24}, {1}, 12), 1);
}

// Every element of the index found by its place in the tensor, group by group.
TEST(lines_touched, are_those_of_an_enumeration)
{
    std::mt19937 random(1);
    for (unsigned trial = 0; trial < 300; ++trial) {
        std::vector<std::uint64_t> sizes(1 + random() % 4);
        for (auto& size : sizes) { size = 2 + random() % 9; }
        const auto graph = tensor_of(sizes);
        auto order = graph.tensors.front().modes;
        std::shuffle(order.begin(), order.end(), random);
        const auto layout = dense_layout(graph, order);
        std::vector<unsigned> wanted;
        for (const unsigned m : order) {
            if (random() % 2 == 0) { wanted.push_back(m); }
        }
        const std::uint64_t width = 1 + random() % 16;
        // Places ascend in the order of the index, since its modes are taken as they lie.
        std::vector<std::uint64_t> places;
        const auto all = element_places(graph, 0, layout);
        for (std::size_t e = 0; e < all.size(); ++e) {
            std::uint64_t rest = e;
            bool is_there = true;
            for (std::size_t m = sizes.size(); m-- > 0; rest /= sizes[m]) {
                const bool in_index = std::find(wanted.begin(), wanted.end(), static_cast<unsigned>(m)) != wanted.end();
                is_there = is_there && (in_index || rest % sizes[m] == 0);
            }
            if (is_there) { places.push_back(all[e]); }
        }
        std::sort(places.begin(), places.end());
        const std::uint64_t groups = (places.size() + width - 1) / width;
        if (groups > 64) { continue; } // a sample
        double sum = 0;
        for (std::size_t first = 0; first < places.size(); first += width) {
            std::set<std::uint64_t> touched, begins;
            for (std::size_t p = first; p < std::min<std::size_t>(places.size(), first + width); ++p) {
                touched.insert(places[p] / 16);
                if (p == first || places[p] != places[p - 1] + 1) { begins.insert(places[p]); }
            }
            sum += static_cast<double>(std::min(touched.size(), begins.size()));
        }
        ASSERT_DOUBLE_EQ(lines_touched(graph, layout, wanted, 16, width), sum / static_cast<double>(groups));
    }
}

} // namespace
