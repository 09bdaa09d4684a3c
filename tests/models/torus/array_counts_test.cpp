// An array of nodes, of either fidelity, counts what the golden file says, stage by stage.
#include <gtest/gtest.h>
#include "models/torus/array_bench.h"
#include "support/sim_test.h"
#include "workloads/orbital/golden_transform.h"

namespace tensorloom::test {
namespace {

using torus::axis;
using torus::counts;
using torus::event;

class array_counts : public sim_test_with_param<array_fidelity> {
protected:
    /// Arrays of all sides that the golden file has, elaborated.
    void make_arrays(bool folded)
    {
        for (std::uint32_t side = 1; side <= 8; ++side) {
            m_arrays.push_back(make_array<double>(GetParam(), side, folded));
        }
        elaborate();
    }
    node_array& of_side(std::uint32_t side) { return *m_arrays[side - 1]; }

private:
    std::vector<std::unique_ptr<node_array>> m_arrays;
};

counts sum_of(const std::vector<step_counts>& steps)
{
    counts sum;
    for (const auto& step : steps) {
        sum += step[0];
        sum += step[1];
    }
    return sum;
}

axis axis_named(char name) { return name == 'Q' ? axis::q : name == 'R' ? axis::r : axis::s; }

// Of a stage: the golden file's rolls, one per moved slot, and what computing counts.
counts golden_counts_of(const nlohmann::json& row, std::size_t stage)
{
    const auto blocks = golden_blocks(row["b"]);
    counts expected;
    for (const auto& roll : row["rolls"]) {
        if (roll[0] != torus::stage_names[stage]) { continue; }
        const axis along = axis_named(roll[2].get<std::string>()[1]);
        const std::uint64_t words = roll[4];
        expected[event::roll_block] += roll[3].get<std::uint64_t>();
        expected[event::block_read] += words;
        expected[event::block_write] += words;
        expected[torus::roll_word(along)] += words;
        expected[event::wrap_word] += roll[5].get<std::uint64_t>();
        expected[torus::link_word_pitch(along)] += roll[6].get<std::uint64_t>();
    }
    const std::uint64_t p = row["P"];
    const auto &b = blocks.in_block, &d = blocks.out_block;
    const std::uint64_t macs[] = {p * p * p * p * b[0] * b[1] * b[2] * d[2], p * p * p * p * b[0] * b[1] * d[2] * d[0],
                                  p * p * p * p * b[1] * d[2] * d[0] * d[1]};
    expected[event::step] = p;
    expected[event::mac] = macs[row["dir"] == "forward" ? stage : 2 - stage];
    expected[event::register_read] = 3 * expected[event::mac];
    expected[event::register_write] = expected[event::mac];
    return expected;
}

void expect_golden_case(node_array& array, const nlohmann::json& row)
{
    const golden_transform whole(row, 1, 1);
    array.memory->lay_out(layout_of(whole));
    write_matrices(array, whole);
    const auto way = whole.problem.way;
    write_tensor(array, first_slot(way), whole.input.data, way == direction::forward ? whole.n : whole.k);
    const auto stages = run_stages(array, way, whole.problem.vector, whole.problem.side);
    std::uint64_t steps = 0, macs = 0;
    for (std::size_t s = 0; s < stages.size(); ++s) {
        const counts sum = sum_of(stages[s]);
        EXPECT_EQ(sum, golden_counts_of(row, s)) << row << " stage " << s;
        for (const auto& step : stages[s]) { EXPECT_EQ(step, stages[s].front()) << row; } // all alike
        steps += sum[event::step];
        macs += sum[event::mac];
    }
    EXPECT_EQ(steps, row["steps"]) << row;
    EXPECT_EQ(macs, row["macs"]) << row;
    const auto sums = golden_sums_of(read_tensor<double>(array, last_slot(way), whole.problem.sizes));
    EXPECT_EQ(sums.sum(), row["sum"]) << row;
    EXPECT_EQ(sums.weighted(), row["wsum"]) << row;
    if (row.contains("f64")) {
        const golden_transform parts(row, 7, 3);
        EXPECT_EQ(golden_sums_of(transform(array, parts)).of_bits(), row["f64"]) << row;
    }
}

TEST_P(array_counts, golden_cases)
{
    make_arrays(true);
    const auto table = golden_torus("cases");
    ASSERT_EQ(table.size(), 72u);
    for (const auto& row : table) { expect_golden_case(of_side(row["P"]), row); }
}

// Rings that are not folded have one long link; in all their wires are as long.
TEST_P(array_counts, golden_cases_on_unfolded_rings)
{
    make_arrays(false);
    for (const auto& row : golden_torus("cases")) {
        if (row["b"] == 1) { expect_golden_case(of_side(row["P"]), row); }
    }
}

// The sums of bfloat16s are twice as wide, as long as they are sums: the operand of the next stage is elements.
TEST_P(array_counts, sums_of_bfloat16_roll_as_two_words)
{
    constexpr std::uint32_t side = 3;
    const auto elements = make_array<float>(GetParam(), side, true);
    const auto sums = make_array<arithmetic::bfloat16>(GetParam(), side, false);
    elaborate();
    array_layout layout;
    layout.sizes = {{2, 1, 3}, {1, 2, 2}};
    for (auto* array : {elements.get(), sums.get()}) {
        array->memory->lay_out(layout);
        for (const auto which : {slot::c_i, slot::c_ii, slot::c_iii}) { array->memory->resize_matrix(which, 1, 1); }
    }
    for (const auto way : {direction::forward, direction::inverse}) {
        const auto narrow = run_stages(*elements, way, layout.vector, side);
        const auto wide = run_stages(*sums, way, layout.vector, side);
        const auto stages = stages_of(way, layout.vector, side);
        for (std::size_t s = 0; s < stages.size(); ++s) {
            counts expected = sum_of(narrow[s]);
            for (const auto& roll : stages[s].rolls) {
                if (roll.which != stages[s].accumulator) { continue; }
                const std::uint64_t words = expected[torus::roll_word(roll.along)];
                expected[torus::roll_word(roll.along)] *= 2;
                expected[torus::link_word_pitch(roll.along)] *= 2;
                expected[event::block_read] += words;
                expected[event::block_write] += words;
                expected[event::wrap_word] += words / side;
            }
            EXPECT_EQ(sum_of(wide[s]), expected) << s;
        }
    }
}

// Shared sums: the words on links are the same, and no block of sums is read to be sent.
TEST_P(array_counts, shared_sums_are_not_sent)
{
    constexpr std::uint32_t side = 3;
    const auto rolling = make_array<arithmetic::bfloat16>(GetParam(), side);
    const auto sharing = make_array<arithmetic::bfloat16>(GetParam(), side, true, torus::overlap_kind::shared);
    elaborate();
    array_layout layout;
    layout.sizes = {{2, 1, 3}, {1, 2, 2}};
    for (auto* array : {rolling.get(), sharing.get()}) {
        array->memory->lay_out(layout);
        for (const auto which : {slot::c_i, slot::c_ii, slot::c_iii}) { array->memory->resize_matrix(which, 1, 1); }
    }
    for (const auto way : {direction::forward, direction::inverse}) {
        const auto sent = run_stages(*rolling, way, layout.vector, side);
        const auto shared = run_stages(*sharing, way, layout.vector, side);
        const auto stages = stages_of(way, layout.vector, side);
        for (std::size_t s = 0; s < stages.size(); ++s) {
            counts expected = sum_of(sent[s]);
            for (const auto& roll : stages[s].rolls) {
                if (roll.which != stages[s].accumulator) { continue; }
                const std::uint64_t words = 2 * shape_of(roll.which, layout.sizes).words() * side * side * side * side;
                EXPECT_EQ(words, expected[torus::roll_word(roll.along)]); // nothing else rolls along this axis
                expected[event::roll_block] -= std::uint64_t{side} * side * side * side;
                expected[torus::roll_word(roll.along)] = 0;
                expected[torus::share_word(roll.along)] = words;
                expected[event::block_read] -= words;
                expected[event::block_write] -= words;
            }
            EXPECT_EQ(sum_of(shared[s]), expected) << s;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(fidelities, array_counts, array_fidelities, fidelity_name);

} // namespace
} // namespace tensorloom::test
