// Both fidelities of an array of nodes hold the same bits behind every pass and count the same in every step.
#include <gtest/gtest.h>
#include "models/torus/array_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

/// The same array twice.
template <class T> struct both_fidelities {
    std::unique_ptr<node_array> fast, detailed;
    array_layout layout;
    std::uint32_t side;

    explicit both_fidelities(std::uint32_t p)
        : fast(make_array<T>(fast_arrays, p)), detailed(make_array<T>(detailed_arrays, p)), side(p)
    {}
    template <class Use> void each(const Use& use)
    {
        use(*fast);
        use(*detailed);
    }
    void lay_out(const array_layout& l)
    {
        layout = l;
        each([&](node_array& array) { array.memory->lay_out(l); });
    }
    shape3 padded(slot which) const
    {
        const auto shape = shape_of(which, layout.sizes).size;
        shape3 sizes{};
        for (unsigned label = 0; label < 3; ++label) { sizes[layout.mode[label]] = side * shape[label]; }
        return sizes;
    }

    void expect_same_counts(const torus::stage_pass& pass)
    {
        const auto counted = run_pass(*fast, pass), expected = run_pass(*detailed, pass);
        for (std::size_t t = 0; t < expected.size(); ++t) {
            for (unsigned phase = 0; phase < 2; ++phase) {
                EXPECT_TRUE(counted[t][phase] == expected[t][phase]) << "step " << t << ", phase " << phase;
            }
        }
    }
    void expect_same_sums()
    {
        using sum = arithmetic::accumulator_of<T>;
        for (const slot which : tensor_slots) {
            const auto sizes = padded(which);
            const std::size_t volume = std::size_t{sizes[0]} * sizes[1] * sizes[2];
            std::vector<sum> a(volume), b(volume);
            fast->memory->read_sums(which, sizes, 0, bytes_of(a), volume);
            detailed->memory->read_sums(which, sizes, 0, bytes_of(b), volume);
            EXPECT_TRUE(same_bits(a, b)) << "slot " << torus::slot_values[static_cast<unsigned>(which)].name;
        }
    }
};

class equal_fidelities : public sim_test {};

/// Forward and back on what is left on the torus, without unloading.
template <class T> void expect_same_chains(std::uint32_t side, std::uint32_t largest)
{
    both_fidelities<T> arrays(side);
    elaborate();
    std::mt19937 random(side);
    for (const auto& vector : {scheduling_vector{{1, 1, 1}}, scheduling_vector{{-1, 1, -1}}}) {
        const auto sizes = [&] {
            shape3 s{};
            for (auto& size : s) { size = 1 + random() % (largest * side); }
            return s;
        };
        const auto n = sizes();
        orbital_case<T> c(side, n, sizes(), direction::forward);
        c.fill(random);
        c.problem.vector = vector;
        c.problem.order = {2, 3, 1};
        arrays.lay_out(layout_of(c));
        arrays.each([&](node_array& array) {
            write_matrices(array, c);
            write_tensor(array, slot::x, c.input.data, c.n);
        });
        for (const auto way : {direction::forward, direction::inverse}) {
            for (const auto& stage : stages_of(way, vector, side)) {
                arrays.expect_same_counts({stage, {0, 0}, true});
                arrays.expect_same_sums();
            }
        }
    }
}

TEST_F(equal_fidelities, f64_chain) { expect_same_chains<double>(8, 8); }
TEST_F(equal_fidelities, f32_chain) { expect_same_chains<float>(3, 6); }
TEST_F(equal_fidelities, c128_chain) { expect_same_chains<std::complex<double>>(4, 5); }
TEST_F(equal_fidelities, c64_chain) { expect_same_chains<std::complex<float>>(5, 3); }
TEST_F(equal_fidelities, bf16_chain) { expect_same_chains<arithmetic::bfloat16>(8, 4); }

/// A stage of a tensor larger than the torus: windows of a matrix that does not fill its last ones, sums that go on,
/// an operand that has been a result, and sums that have been an operand.
template <class T> void expect_same_passes()
{
    constexpr std::uint32_t side = 3;
    both_fidelities<T> arrays(side);
    elaborate();
    array_layout layout;
    layout.sizes = {{2, 3, 1}, {3, 1, 2}};
    layout.vector = {{1, -1, 1}};
    layout.mode = {1, 2, 0};
    arrays.lay_out(layout);
    std::mt19937 random(7);
    for (const slot which : matrix_slots) {
        const std::uint32_t rows = 13, columns = 17;
        const auto coefficients = random_elements<T>(random, std::size_t{rows} * columns);
        arrays.each([&](node_array& array) {
            array.memory->resize_matrix(which, rows, columns);
            array.memory->write_matrix(which, 0, bytes_of(coefficients), coefficients.size());
        });
    }
    for (const auto way : {direction::forward, direction::inverse}) {
        for (const auto& stage : stages_of(way, layout.vector, side)) {
            for (std::uint32_t pass = 0; pass < 4; ++pass) {
                const auto sizes = arrays.padded(stage.operand);
                const auto tile = random_elements<T>(random, std::size_t{sizes[0]} * sizes[1] * sizes[2]);
                if (pass != 1) {
                    arrays.each([&](node_array& array) { write_tensor(array, stage.operand, tile, sizes); });
                }
                arrays.expect_same_counts({stage, {pass % 2, pass / 2}, pass == 0});
                arrays.expect_same_sums();
            }
        }
    }
    // What was an operand goes on as sums.
    const auto forward = stages_of(direction::forward, layout.vector, side);
    const auto back = stages_of(direction::inverse, layout.vector, side);
    for (const auto& stage : {forward[0], back[2], forward[0], back[2]}) {
        arrays.expect_same_counts({stage, {0, 1}, false});
        arrays.expect_same_sums();
    }
}

TEST_F(equal_fidelities, f64_passes) { expect_same_passes<double>(); }
TEST_F(equal_fidelities, c64_passes) { expect_same_passes<std::complex<float>>(); }
TEST_F(equal_fidelities, bf16_passes) { expect_same_passes<arithmetic::bfloat16>(); }

/// Parts of tensors, sums and elements, from anywhere on, into what was there.
template <class T> void expect_same_memory()
{
    using sum = arithmetic::accumulator_of<T>;
    constexpr std::uint32_t side = 3;
    both_fidelities<T> arrays(side);
    elaborate();
    array_layout layout;
    layout.sizes = {{2, 3, 1}, {3, 1, 2}};
    layout.mode = {2, 0, 1};
    arrays.lay_out(layout);
    arrays.expect_same_sums();
    std::mt19937 random(3);
    for (const slot which : tensor_slots) {
        auto sizes = arrays.padded(which);
        for (auto& size : sizes) { size -= size > 3 ? 1 : 0; }
        const std::uint64_t volume = std::uint64_t{sizes[0]} * sizes[1] * sizes[2];
        const auto elements = random_elements<T>(random, volume);
        const auto sums = random_elements<sum>(random, volume);
        const std::uint64_t first = volume / 5, count = volume / 2;
        arrays.each([&](node_array& array) {
            array.memory->write_sums(which, sizes, first, bytes_of(sums), count);
            array.memory->write(which, sizes, count, bytes_of(elements), count / 2);
        });
        arrays.expect_same_sums();
        std::vector<T> a(count), b(count);
        arrays.fast->memory->read(which, sizes, first, bytes_of(a), count);
        arrays.detailed->memory->read(which, sizes, first, bytes_of(b), count);
        EXPECT_TRUE(same_bits(a, b));
    }
    arrays.each([&](node_array& array) { array.memory->clear(slot::x1); });
    arrays.expect_same_sums();
}

TEST_F(equal_fidelities, f64_memory) { expect_same_memory<double>(); }
TEST_F(equal_fidelities, c128_memory) { expect_same_memory<std::complex<double>>(); }
TEST_F(equal_fidelities, bf16_memory) { expect_same_memory<arithmetic::bfloat16>(); }

} // namespace
} // namespace tensorloom::test
