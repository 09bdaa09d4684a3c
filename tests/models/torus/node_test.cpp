// The torus in detail: nodes, what they hold ahead of every step, and links.
#include <cmath>
#include <gtest/gtest.h>
#include <tensorloom/models/torus/node.h>
#include "models/torus/isa/golden_torus.h"
#include "models/torus/array_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using torus::axis;
using torus::event;
using torus::place;
using node = torus::node<double>;
using link = torus::link<double>;
using torus::block;

// ---- where blocks are ----

constexpr std::uint32_t side = 3;
constexpr slot all_slots[] = {slot::x, slot::x1, slot::x2, slot::x3, slot::c_i, slot::c_ii, slot::c_iii};

std::vector<place> places()
{
    std::vector<place> all;
    for (std::uint32_t i = 0; i < side * side * side; ++i) {
        all.push_back({i / side / side, i / side % side, i % side});
    }
    return all;
}

// What a block of one element holds where elements are their labels.
double number_of(const torus::block_label& label) { return 1000 + 100 * label[0] + 10 * label[1] + label[2]; }

class labelled_nodes : public sim_test {
protected:
    labelled_nodes() : m_array(make_array<double>(detailed_arrays, side)) {}

    static const node& at(const place& p)
    {
        const std::string name = "detailed_3_folded.nodes.plane_" + std::to_string(p[0]) + ".row_" +
                                 std::to_string(p[1]) + ".node_" + std::to_string(p[2]);
        return dynamic_cast<const node&>(*sc_core::sc_find_object(name.c_str()));
    }
    static double number_at(const place& p, slot which) { return at(p).held(which).values.at(0); }

    // Elements are their labels, but those of one slot are zero.
    void load(const scheduling_vector& vector, slot zero)
    {
        array_layout layout;
        layout.vector = vector;
        m_array->memory->lay_out(layout);
        for (const auto which : all_slots) {
            std::vector<double> labels;
            for (const auto& label : places()) { labels.push_back(number_of(label)); }
            if (!is_coefficient(which)) {
                if (which != zero) { write_tensor(*m_array, which, labels, {side, side, side}); }
                continue;
            }
            std::vector<double> matrix;
            for (std::uint32_t i = 0; i < side * side; ++i) { matrix.push_back(number_of({i / side, i % side, 0})); }
            m_array->memory->resize_matrix(which, side, side);
            m_array->memory->write_matrix(which, 0, bytes_of(matrix), matrix.size());
        }
    }

    // The nodes with this block.
    static std::string nodes_with(slot which, const torus::block_label& label)
    {
        std::string found;
        for (const auto& p : places()) {
            if (number_at(p, which) != number_of(label)) { continue; }
            found += found.empty() ? "" : ",";
            for (const auto index : p) { found += std::to_string(index); }
        }
        return found;
    }

    std::unique_ptr<node_array> m_array;
};

// Sums keep their labels while operands are zero. So every stage is done twice, with accumulators to be seen and with
// operands.
TEST_F(labelled_nodes, meet_as_the_golden_file_says_and_are_home_behind_every_stage)
{
    elaborate();
    const auto table = golden_torus("placement");
    ASSERT_EQ(table.size(), 4u);
    for (const auto& row : table) {
        const auto vector = *torus::scheduling_vector_of(row["schedule"]);
        for (const auto way : {direction::forward, direction::inverse}) {
            const auto& golden = row[way == direction::forward ? "forward" : "inverse"];
            const auto stages = stages_of(way, vector, side);
            for (std::size_t s = 0; s < stages.size(); ++s) {
                const auto& stage = stages[s];
                for (const auto shown : {stage.accumulator, stage.operand}) {
                    load(vector, shown == stage.operand ? stage.accumulator : stage.operand);
                    std::string found, coefficients;
                    torus::counts counts;
                    m_array->control->begin({stage, {0, 0}, false});
                    for (std::uint32_t t = 0; t < side; ++t) {
                        found += (t == 0 ? "" : " ") + nodes_with(shown, {0, 1, 2});
                        coefficients += (t == 0 ? "" : " ") + nodes_with(stage.coefficient, {0, 1, 0});
                        m_array->control->compute(counts);
                        m_array->control->roll(counts);
                    }
                    m_array->control->end();
                    const std::string name = torus::stage_names[s];
                    EXPECT_EQ(found, golden[name + (shown == stage.accumulator ? " acc" : " x")]) << row << name;
                    EXPECT_EQ(coefficients, golden[name + " C"]) << row << name;
                    for (const auto& p : places()) {
                        for (const auto which : {shown, stage.coefficient}) {
                            EXPECT_EQ(number_at(p, which), number_of(home_label(which, p, vector, side)));
                        }
                    }
                }
            }
        }
    }
}

// ---- a node by itself ----

class node_test : public sim_test {
protected:
    node::multiplier m_unit;
    torus::counts m_counts;
    node m_node{"node", m_unit, m_counts};
    std::mt19937 m_random{11};

    std::vector<double> fill(slot which)
    {
        auto& values = m_node.held(which).values;
        values = random_elements<double>(m_random, values.size());
        return values;
    }
    void run(const torus::stage_descriptor& stage)
    {
        m_node.load({stage, 0, false});
        m_node.compute();
        m_node.send();
        m_node.receive();
        m_node.unload();
    }
};

// A matrix product, its transposed forms, and a block that passes on a line: A (i, k) in X, B (k, j) in C_I, C (i, j)
// in X1.
TEST_F(node_test, slots_have_the_roles_that_the_program_gives_them)
{
    elaborate();
    constexpr std::uint32_t is = 3, js = 5, ks = 4;
    m_node.lay_out({{is, 1, ks}, {1, 1, js}});
    m_node.resize_matrix(slot::c_i, 1);
    auto a = fill(slot::x), b = fill(slot::c_i), c = fill(slot::x1);
    const auto expect = [&](slot which, std::vector<double>& sums, std::uint32_t rows, std::uint32_t columns,
                            std::uint32_t terms, const auto& x, const auto& by) {
        for (std::uint32_t i = 0; i < rows; ++i) {
            for (std::uint32_t j = 0; j < columns; ++j) {
                for (std::uint32_t t = 0; t < terms; ++t) {
                    sums[i * columns + j] = std::fma(x(i, t), by(t, j), sums[i * columns + j]);
                }
            }
        }
        EXPECT_EQ(m_node.held(which).values, sums);
    };
    run({slot::x1, slot::x, slot::c_i, 2, false, 1, {}}); // C += A B
    expect(
        slot::x1, c, is, js, ks, [&](auto i, auto t) { return a[i * ks + t]; },
        [&](auto t, auto j) { return b[t * js + j]; });
    run({slot::x, slot::x1, slot::c_i, 2, true, 1, {}}); // A += C B^T
    expect(
        slot::x, a, is, ks, js, [&](auto i, auto t) { return c[i * js + t]; },
        [&](auto t, auto k) { return b[k * js + t]; });
    run({slot::c_i, slot::x1, slot::x, 0, false, 1, {}}); // B += A^T C
    expect(
        slot::c_i, b, ks, js, is, [&](auto k, auto t) { return a[t * ks + k]; },
        [&](auto t, auto j) { return c[t * js + j]; });
    EXPECT_EQ(m_counts[event::mac], 3u * is * js * ks);
    EXPECT_EQ(m_counts[event::roll_block], 0u);

    const block<double> passing{random_elements<double>(m_random, a.size()), false};
    m_node.load({{slot::x1, slot::x, slot::c_i, 2, false, 2, {}}, 0, false});
    m_node.take_from_line(slot::x, passing);
    m_node.compute();
    m_node.send(); // the line is silent again
    expect(
        slot::x1, c, is, js, ks, [&](auto i, auto t) { return passing.values[i * ks + t]; },
        [&](auto t, auto j) { return b[t * js + j]; });
    m_node.compute();
    expect(
        slot::x1, c, is, js, ks, [&](auto i, auto t) { return a[i * ks + t]; },
        [&](auto t, auto j) { return b[t * js + j]; });
}

TEST_F(node_test, does_no_more_steps_than_its_program_has)
{
    elaborate();
    m_node.lay_out({});
    m_node.resize_matrix(slot::c_i, 1);
    m_node.load({{slot::x1, slot::x, slot::c_i, 2, false, 1, {}}, 0, true});
    m_node.compute();
    const expected_report report("/tensorloom/torus/node/no_step_left");
    EXPECT_THROW(m_node.compute(), sc_core::sc_report);
}

// ---- links ----

class link_test : public sim_test {
protected:
    static block<double> block_of(std::size_t elements) { return {std::vector<double>(elements, 1.5), false}; }

    torus::counts m_counts;
    link m_link{"link", {axis::r, 7, true}, m_counts};
};

TEST_F(link_test, brings_a_block_each_way_without_copying_it)
{
    auto there = block_of(6), back = block_of(4);
    const double *const first = there.values.data(), *const second = back.values.data();
    m_link.first().send(std::move(there));
    m_link.second().send(std::move(back)); // waits for nobody
    EXPECT_EQ(m_link.second().take().values.data(), first);
    EXPECT_EQ(m_link.first().take().values.data(), second);
    torus::counts expected;
    expected[event::roll_block] = 2;
    expected[event::roll_word_r] = 10;
    expected[event::wrap_word] = 10;
    expected[event::link_word_pitch_r] = 70;
    EXPECT_EQ(m_counts, expected);
}

TEST_F(link_test, shared_block_is_words_on_the_wires_and_no_block_that_rolls)
{
    auto sums = block_of(6);
    const double* const first = sums.values.data();
    m_link.second().share(std::move(sums));
    EXPECT_EQ(m_link.first().take().values.data(), first);
    torus::counts expected;
    expected[event::share_word_r] = 6;
    expected[event::wrap_word] = 6;
    expected[event::link_word_pitch_r] = 42;
    EXPECT_EQ(m_counts, expected);
}

TEST_F(link_test, has_room_for_one_block_each_way)
{
    m_link.first().send(block_of(1));
    const expected_report report("/tensorloom/torus/link/second_block");
    EXPECT_THROW(m_link.first().send(block_of(1)), sc_core::sc_report);
}

TEST_F(link_test, gives_nothing_that_was_not_sent)
{
    m_link.first().send(block_of(1));
    const expected_report report("/tensorloom/torus/link/no_block");
    EXPECT_THROW(m_link.first().take(), sc_core::sc_report);
}

// Folded or not, the links of a ring are as long in all; folded ones are of 2 pitches but for two of 1.
TEST(link_route, lengths_of_a_ring)
{
    for (std::uint32_t p = 2; p <= 9; ++p) {
        std::uint32_t unfolded = 0, folded = 0, ones = 0, closing = 0;
        for (std::uint32_t from = 0; from < p; ++from) {
            const auto straight = torus::route_of(axis::s, from, p, false),
                       bent = torus::route_of(axis::s, from, p, true);
            EXPECT_EQ(straight.closes_ring, from == p - 1);
            EXPECT_EQ(bent.closes_ring, from == p - 1);
            EXPECT_EQ(straight.pitches, straight.closes_ring ? p - 1 : 1);
            EXPECT_LE(bent.pitches, 2u);
            unfolded += straight.pitches;
            folded += bent.pitches;
            ones += bent.pitches == 1;
            closing += bent.closes_ring;
        }
        EXPECT_EQ(unfolded, 2 * (p - 1));
        EXPECT_EQ(folded, 2 * (p - 1));
        EXPECT_EQ(ones, 2u);
        EXPECT_EQ(closing, 1u);
    }
}

} // namespace
} // namespace tensorloom::test
