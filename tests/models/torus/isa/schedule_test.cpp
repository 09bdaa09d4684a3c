#include <tensorloom/models/torus/isa/schedule.h>
#include <map>
#include <set>
#include <gtest/gtest.h>
#include "models/torus/isa/golden_torus.h"

namespace tensorloom::test {
namespace {

using namespace torus;

// Labels of the blocks at all nodes, moved as the descriptors say and in no other way.
class labelled_torus {
public:
    labelled_torus(std::uint32_t side, const scheduling_vector& vector) : m_side(side)
    {
        for (std::uint32_t q = 0; q < side; ++q) {
            for (std::uint32_t r = 0; r < side; ++r) {
                for (std::uint32_t s = 0; s < side; ++s) { m_nodes.push_back({q, r, s}); }
            }
        }
        for (unsigned slot = 0; slot < slots; ++slot) {
            for (const auto& node : m_nodes) {
                m_labels[slot][node] = home_label(static_cast<torus::slot>(slot), node, vector, side);
            }
        }
        m_home = m_labels;
    }

    const std::vector<place>& nodes() const { return m_nodes; }
    const block_label& at(slot which, const place& node) const
    {
        return m_labels.at(static_cast<unsigned>(which)).at(node);
    }
    bool is_home() const { return m_labels == m_home; }

    void roll(const torus::roll& roll)
    {
        auto& labels = m_labels[static_cast<unsigned>(roll.which)];
        std::map<place, block_label> moved;
        for (const auto& node : m_nodes) {
            auto to = node;
            auto& index = to[static_cast<unsigned>(roll.along)];
            index = (index + (roll.sign > 0 ? 1 : m_side - 1)) % m_side;
            moved[to] = labels[node];
        }
        labels = moved;
    }

private:
    std::uint32_t m_side;
    std::vector<place> m_nodes;
    std::map<unsigned, std::map<place, block_label>> m_labels, m_home;
};

std::vector<scheduling_vector> all_vectors()
{
    std::vector<scheduling_vector> all;
    for (const char* text : {"+++", "++-", "+-+", "+--", "-++", "-+-", "--+", "---"}) {
        all.push_back(*scheduling_vector_of(text));
    }
    return all;
}

TEST(torus_schedule, vectors_as_text)
{
    for (const auto& vector : all_vectors()) { EXPECT_EQ(scheduling_vector_of(text_of(vector)), vector); }
    for (const char* text : {"", "++", "++++", "+ +", "012"}) { EXPECT_FALSE(scheduling_vector_of(text)) << text; }
}

// Every accumulator gets, of the summed mode, every block once; operand and coefficient fit in every step; all is home
// behind every stage.
TEST(torus_schedule, what_meets_at_a_node)
{
    for (std::uint32_t side = 1; side <= 5; ++side) {
        for (const auto& vector : all_vectors()) {
            for (const auto way : {direction::forward, direction::inverse}) {
                labelled_torus torus(side, vector);
                for (const auto& stage : stages_of(way, vector, side)) {
                    std::map<block_label, std::set<std::uint32_t>> summed; // by accumulator
                    ASSERT_EQ(stage.steps, side);
                    for (std::uint32_t t = 0; t < stage.steps; ++t) {
                        for (const auto& node : torus.nodes()) {
                            const auto to = torus.at(stage.accumulator, node), from = torus.at(stage.operand, node),
                                       by = torus.at(stage.coefficient, node);
                            for (unsigned m = 0; m < 3; ++m) {
                                if (m != stage.mode) { ASSERT_EQ(to[m], from[m]); }
                            }
                            ASSERT_EQ(by[stage.transposed ? 1 : 0], from[stage.mode]);
                            ASSERT_EQ(by[stage.transposed ? 0 : 1], to[stage.mode]);
                            ASSERT_TRUE(summed[to].insert(from[stage.mode]).second);
                        }
                        for (const auto& roll : stage.rolls) { torus.roll(roll); }
                    }
                    EXPECT_EQ(summed.size(), std::size_t{side} * side * side);
                    for (const auto& [label, blocks] : summed) { ASSERT_EQ(blocks.size(), side); }
                    EXPECT_TRUE(torus.is_home());
                }
            }
        }
    }
}

TEST(torus_schedule, two_links_a_step)
{
    for (const auto way : {direction::forward, direction::inverse}) {
        for (const auto& stage : stages_of(way, {}, 3)) {
            ASSERT_EQ(stage.rolls.size(), 2u);
            EXPECT_NE(stage.rolls[0].along, stage.rolls[1].along);
        }
        for (const auto& stage : stages_of(way, {}, 1)) { EXPECT_TRUE(stage.rolls.empty()); }
    }
}

// Where block 0, 1, 2 of each role is ahead of steps 0, 1, 2.
TEST(torus_schedule, golden_placement)
{
    const auto table = golden_torus("placement");
    ASSERT_EQ(table.size(), 4u);
    for (const auto& row : table) {
        const std::uint32_t side = row["P"];
        const auto vector = *scheduling_vector_of(row["schedule"]);
        labelled_torus torus(side, vector);
        const auto text = [](const auto& numbers, std::size_t count) {
            std::string digits;
            for (std::size_t i = 0; i < count; ++i) { digits += std::to_string(numbers[i]); }
            return digits;
        };
        std::string labels;
        for (const auto& node : torus.nodes()) {
            labels += (labels.empty() ? "" : " ") + text(torus.at(slot::x3, node), 3);
        }
        EXPECT_EQ(labels, row["x3_at_node"]);
        for (const auto way : {direction::forward, direction::inverse}) {
            const auto stages = stages_of(way, vector, side);
            for (std::size_t s = 0; s < stages.size(); ++s) {
                std::map<std::string, std::string> found;
                for (std::uint32_t t = 0; t < side; ++t) {
                    const auto places_of = [&](slot which, const std::string& label, std::size_t modes) {
                        std::string places;
                        for (const auto& node : torus.nodes()) {
                            if (text(torus.at(which, node), modes) != label) { continue; }
                            places += (places.empty() ? "" : ",") + text(node, 3);
                        }
                        return places;
                    };
                    const auto add = [&](const char* role, const std::string& places) {
                        auto& all = found[std::string(stage_names[s]) + " " + role];
                        all += (all.empty() ? "" : " ") + places;
                    };
                    add("acc", places_of(stages[s].accumulator, "012", 3));
                    add("x", places_of(stages[s].operand, "012", 3));
                    add("C", places_of(stages[s].coefficient, "01", 2));
                    for (const auto& roll : stages[s].rolls) { torus.roll(roll); }
                }
                for (const auto& [role, places] : found) {
                    EXPECT_EQ(places, row[way == direction::forward ? "forward" : "inverse"][role]) << row << role;
                }
            }
        }
    }
}

TEST(torus_schedule, golden_counts)
{
    const auto table = golden_torus("cases");
    ASSERT_EQ(table.size(), 72u);
    for (const auto& row : table) {
        const std::uint32_t side = row["P"];
        const auto sizes = golden_blocks(row["b"]);
        std::uint64_t macs = 0, macs_of_node = 0, steps = 0;
        auto rolls = nlohmann::json::array();
        std::size_t s = 0;
        for (const auto& stage :
             stages_of(golden_direction(row["dir"]), *scheduling_vector_of(row["schedule"]), side)) {
            macs_of_node += macs_of(stage, sizes) * stage.steps;
            macs += macs_of(stage, sizes) * stage.steps * side * side * side;
            steps += stage.steps;
            for (const auto& roll : stage.rolls) {
                const auto moved = counts_of(roll, sizes, side);
                rolls.push_back(
                    {stage_names[s], slot_values[static_cast<unsigned>(roll.which)].name,
                     (roll.sign > 0 ? "+" : "-") + std::string(axis_values[static_cast<unsigned>(roll.along)].name),
                     moved.blocks, moved.words, moved.wrap_words, moved.word_pitches});
            }
            ++s;
        }
        EXPECT_EQ(rolls, row["rolls"]) << row;
        EXPECT_EQ(macs, row["macs"]) << row;
        EXPECT_EQ(macs_of_node, row["macs_node"]) << row;
        EXPECT_EQ(steps, row["steps"]) << row;
    }
}

} // namespace
} // namespace tensorloom::test
