// The memory port of an array of nodes, of either fidelity: what is written is read back, whatever moves meanwhile.
#include <gtest/gtest.h>
#include "models/torus/array_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using arithmetic::bfloat16;

class array_memory : public sim_test_with_param<array_fidelity> {
protected:
    std::mt19937 m_random{5};
};

array_layout uneven_layout()
{
    array_layout layout;
    layout.sizes = {{2, 1, 3}, {1, 3, 2}};
    layout.vector = {{1, -1, -1}};
    layout.mode = {1, 2, 0};
    return layout;
}
constexpr std::uint32_t array_side = 3;

/// The most that a slot of this layout holds, by mode of tensors.
shape3 most_of(slot which, const array_layout& layout)
{
    const auto block = shape_of(which, layout.sizes).size;
    shape3 sizes{};
    for (unsigned l = 0; l < 3; ++l) { sizes[layout.mode[l]] = array_side * block[l]; }
    return sizes;
}

TEST_P(array_memory, tensors_come_and_go_in_pieces_of_any_length)
{
    using element = std::complex<float>;
    const auto array = make_array<element>(GetParam(), array_side);
    elaborate();
    const auto layout = uneven_layout();
    array->memory->lay_out(layout);
    for (const auto which : tensor_slots) {
        const auto most = most_of(which, layout);
        const shape3 sizes{most[0], most[1] - 1, most[2] - 1};
        const auto data = random_elements<element>(m_random, std::size_t{sizes[0]} * sizes[1] * sizes[2]);
        for (std::size_t first = 0; first < data.size();) {
            const std::size_t count = std::min<std::size_t>(1 + m_random() % 17, data.size() - first);
            array->memory->write(which, sizes, first, bytes_of(data) + first * sizeof(element), count);
            first += count;
        }
        std::vector<element> back(data.size());
        for (std::size_t first = 0; first < data.size();) {
            const std::size_t count = std::min<std::size_t>(1 + m_random() % 23, data.size() - first);
            array->memory->read(which, sizes, first, bytes_of(back) + first * sizeof(element), count);
            first += count;
        }
        EXPECT_TRUE(same_bits(back, data));
        // What no element was written to is zero: the same data at the corner of the largest tensor.
        const auto all = read_tensor<element>(*array, which, most);
        for (std::uint32_t i = 0; i < all.size(); ++i) {
            const shape3 at{i / most[2] / most[1], i / most[2] % most[1], i % most[2]};
            const bool inside = at[1] < sizes[1] && at[2] < sizes[2];
            EXPECT_EQ(all[i], inside ? data[(at[0] * sizes[1] + at[1]) * sizes[2] + at[2]] : element{}) << i;
        }
    }
    array->memory->clear(slot::x2);
    for (const auto& x : read_tensor<element>(*array, slot::x2, most_of(slot::x2, layout))) { EXPECT_EQ(x, element{}); }
}

TEST_P(array_memory, sums_keep_their_bits_and_leave_as_elements_too)
{
    const auto array = make_array<bfloat16>(GetParam(), array_side);
    elaborate();
    const auto layout = uneven_layout();
    array->memory->lay_out(layout);
    const auto sizes = most_of(slot::x1, layout);
    const auto sums = random_elements<float>(m_random, std::size_t{sizes[0]} * sizes[1] * sizes[2]);
    array->memory->write_sums(slot::x1, sizes, 0, bytes_of(sums), sums.size());
    std::vector<float> back(sums.size());
    array->memory->read_sums(slot::x1, sizes, 0, bytes_of(back), back.size());
    EXPECT_TRUE(same_bits(back, sums));
    const auto rounded = read_tensor<bfloat16>(*array, slot::x1, sizes);
    for (std::size_t i = 0; i < sums.size(); ++i) { EXPECT_EQ(rounded[i].bits, bfloat16(sums[i]).bits); }
}

// Blocks of one slot in the memory of another, whose own blocks have another shape and other homes.
TEST_P(array_memory, a_tensor_lies_in_the_memory_of_another_slot)
{
    const auto array = make_array<double>(GetParam(), array_side);
    elaborate();
    const auto layout = uneven_layout();
    array->memory->lay_out(layout);
    const torus::tensor_place place(slot::x, slot::x3);
    const auto sizes = most_of(slot::x, layout);
    const auto data = random_elements<double>(m_random, std::size_t{sizes[0]} * sizes[1] * sizes[2]);
    array->memory->clear(place);
    EXPECT_EQ(array->memory->placed(slot::x3).as, slot::x);
    array->memory->write(place, sizes, 0, bytes_of(data), data.size());
    std::vector<double> back(data.size());
    array->memory->read(array->memory->placed(slot::x3), sizes, 0, bytes_of(back), back.size());
    EXPECT_TRUE(same_bits(back, data));
    for (const auto& x : read_tensor<double>(*array, slot::x, sizes)) { EXPECT_EQ(x, 0); }
    array->memory->lay_out(layout);
    for (const auto memory : tensor_slots) { EXPECT_EQ(array->memory->placed(memory).as, memory); }
}

TEST_P(array_memory, matrices_of_any_size_come_and_go)
{
    const auto array = make_array<double>(GetParam(), array_side);
    elaborate();
    const auto layout = uneven_layout();
    array->memory->lay_out(layout);
    for (const auto which : matrix_slots) {
        const auto block = shape_of(which, layout.sizes).size;
        const std::uint32_t rows = 2 * array_side * block[0] + 1,
                            columns = 3 * array_side * block[1] - 1; // 3 x 3 windows
        const auto matrix = random_elements<double>(m_random, std::size_t{rows} * columns);
        array->memory->resize_matrix(which, rows, columns);
        std::vector<double> back(matrix.size(), 1);
        array->memory->read_matrix(which, 0, bytes_of(back), back.size());
        EXPECT_EQ(back, std::vector<double>(matrix.size()));
        const std::size_t half = matrix.size() / 2;
        array->memory->write_matrix(which, half, bytes_of(matrix) + half * sizeof(double), matrix.size() - half);
        array->memory->write_matrix(which, 0, bytes_of(matrix), half);
        array->memory->read_matrix(which, 0, bytes_of(back), back.size());
        EXPECT_EQ(back, matrix);
    }
}

// While stage II runs, which does not use it, the next X comes; in the next I the last X3 goes.
TEST_P(array_memory, slots_that_a_stage_does_not_use_are_loaded_and_unloaded_meanwhile)
{
    const auto array = make_array<double>(GetParam(), array_side);
    elaborate();
    orbital_case<double> first(array_side, {6, 3, 9}, {3, 9, 6}, direction::forward);
    orbital_case<double> second(array_side, first.n, first.k, direction::forward);
    first.fill(m_random);
    second.fill(m_random);
    second.matrices = first.matrices;
    const auto& p = first.problem;
    array->memory->lay_out(layout_of(first));
    write_matrices(*array, first);
    write_tensor(*array, slot::x, first.input.data, first.n);
    const auto stages = stages_of(p.way, p.vector, array_side);
    torus::counts counts;
    const auto run = [&](std::size_t stage, const auto& meanwhile) {
        array->control->begin({stages[stage], {0, 0}, true});
        for (std::uint32_t t = 0; t < array_side; ++t) {
            array->control->compute(counts);
            if (t == 1) { meanwhile(); }
            array->control->roll(counts);
        }
        array->control->end();
    };
    const auto nothing = [] {};
    std::vector<double> result;
    run(0, nothing);
    run(1, [&] { write_tensor(*array, slot::x, second.input.data, second.n); });
    run(2, nothing);
    run(0, [&] { result = read_tensor<double>(*array, slot::x3, first.k); });
    run(1, nothing);
    run(2, nothing);
    EXPECT_TRUE(same_bits(result, ordered_transform(p).data));
    EXPECT_TRUE(same_bits(read_tensor<double>(*array, slot::x3, first.k), ordered_transform(second.problem).data));
}

// Stopped behind a step of a stage, an array forgets everything but how tensors lie.
TEST_P(array_memory, an_abandoned_stage_leaves_zeros)
{
    const auto array = make_array<double>(GetParam(), array_side);
    elaborate();
    orbital_case<double> c(array_side, {4, 5, 6}, {7, 8, 9}, direction::forward);
    c.fill(m_random);
    const auto& p = c.problem;
    for (std::size_t stage = 0; stage < 3; ++stage) {
        array->memory->lay_out(layout_of(c));
        write_matrices(*array, c);
        write_tensor(*array, slot::x, c.input.data, c.n);
        const auto stages = stages_of(p.way, p.vector, array_side);
        for (std::size_t before = 0; before < stage; ++before) { run_pass(*array, {stages[before], {0, 0}, true}); }
        torus::counts counts;
        array->control->begin({stages[stage], {0, 0}, true});
        array->control->compute(counts);
        array->control->roll(counts);
        array->control->abandon();
        for (const auto which : tensor_slots) {
            const auto all = read_tensor<double>(*array, which, most_of(which, layout_of(c)));
            EXPECT_EQ(all, std::vector<double>(all.size()));
        }
        write_matrices(*array, c);
        write_tensor(*array, slot::x, c.input.data, c.n);
        run_stages(*array, p.way, p.vector, array_side);
        EXPECT_TRUE(same_bits(read_tensor<double>(*array, slot::x3, p.sizes), ordered_transform(p).data));
    }
}

INSTANTIATE_TEST_SUITE_P(fidelities, array_memory, array_fidelities, fidelity_name);

} // namespace
} // namespace tensorloom::test
