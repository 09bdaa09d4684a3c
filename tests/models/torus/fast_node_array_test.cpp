#include <complex>
#include <cstring>
#include <random>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/torus/node_array.h>
#include <tensorloom/workloads/orbital/ordered_transform.h>

namespace tensorloom::test {
namespace {

using arch::torus::direction;
using torus::shape3;
using torus::slot;
using workloads::tensor;

template <class T> struct element_traits {
    static T random(std::mt19937& generator)
    {
        std::uniform_real_distribution<float> part(-1, 1);
        return T(part(generator));
    }
};
template <class R> struct element_traits<std::complex<R>> {
    static std::complex<R> random(std::mt19937& generator)
    {
        const R re = element_traits<R>::random(generator);
        return {re, element_traits<R>::random(generator)};
    }
};

/// A transform of random numbers, blocks as small as they may be.
template <class T> struct transform_case {
    std::uint32_t side = 2;
    shape3 n{}, k{};
    std::array<std::vector<T>, 3> matrices;
    tensor<T> input;
    workloads::orbital_problem<T> problem;

    transform_case(std::uint32_t p, const shape3& given, const shape3& made, direction way, unsigned seed)
        : side(p), n(given), k(made)
    {
        std::mt19937 generator(seed);
        for (unsigned m = 0; m < 3; ++m) {
            matrices[m].resize(std::size_t{n[m]} * k[m]);
            for (auto& c : matrices[m]) { c = element_traits<T>::random(generator); }
            problem.matrices[m] = &matrices[m];
        }
        const auto& from = way == direction::forward ? n : k;
        input = tensor<T>({from[0], from[1], from[2]});
        for (auto& x : input.data) { x = element_traits<T>::random(generator); }
        problem.side = p;
        problem.way = way;
        problem.input = &input;
        problem.sizes = way == direction::forward ? k : n;
    }
    std::array<unsigned, 3> mode_of_label() const
    {
        return {problem.order[1] - 1, problem.order[2] - 1, problem.order[0] - 1};
    }
    torus::array_layout layout() const
    {
        torus::array_layout layout;
        layout.vector = problem.vector;
        layout.mode = mode_of_label();
        for (unsigned label = 0; label < 3; ++label) {
            layout.sizes.given[label] = (n[layout.mode[label]] + side - 1) / side;
            layout.sizes.made[label] = (k[layout.mode[label]] + side - 1) / side;
        }
        return layout;
    }
    torus::config config() const
    {
        torus::config c;
        c.side = side;
        c.format = arch::element_type_of<T>;
        return c;
    }
};

constexpr std::array<slot, 3> coefficient_of_label{slot::c_ii, slot::c_iii, slot::c_i};

template <class T> unsigned char* bytes_of(std::vector<T>& values)
{
    return reinterpret_cast<unsigned char*>(values.data());
}
template <class T> const unsigned char* bytes_of(const std::vector<T>& values)
{
    return reinterpret_cast<const unsigned char*>(values.data());
}

template <class T> void load(torus::node_array& array, const transform_case<T>& given)
{
    const auto layout = given.layout();
    array.memory->lay_out(layout);
    for (unsigned label = 0; label < 3; ++label) {
        const unsigned m = layout.mode[label];
        array.memory->resize_matrix(coefficient_of_label[label], given.n[m], given.k[m]);
        array.memory->write_matrix(coefficient_of_label[label], 0, bytes_of(given.matrices[m]),
                                   given.matrices[m].size());
    }
    const bool forward = given.problem.way == direction::forward;
    array.memory->write(forward ? slot::x : slot::x3, forward ? given.n : given.k, 0, bytes_of(given.input.data),
                        given.input.data.size());
}

template <class T> std::vector<T> transformed(torus::node_array& array, const transform_case<T>& given)
{
    load(array, given);
    arch::torus::counts counts;
    for (const auto& stage : stages_of(given.problem.way, given.problem.vector, given.side)) {
        array.control->begin({stage});
        for (std::uint32_t t = 0; t < stage.steps; ++t) {
            array.control->compute(counts);
            array.control->roll(counts);
        }
        array.control->end();
    }
    const bool forward = given.problem.way == direction::forward;
    const auto& to = given.problem.sizes;
    std::vector<T> result(std::size_t{to[0]} * to[1] * to[2]);
    array.memory->read(forward ? slot::x3 : slot::x, to, 0, bytes_of(result), result.size());
    return result;
}

template <class T> class fast_node_array : public testing::Test {};
using formats = testing::Types<double, float, std::complex<double>, std::complex<float>, arithmetic::bfloat16>;
TYPED_TEST_SUITE(fast_node_array, formats);

TYPED_TEST(fast_node_array, has_the_bits_of_the_schedule)
{
    unsigned seed = 1;
    for (const auto way : {direction::forward, direction::inverse}) {
        for (const auto* vector : {"+++", "+-+", "-++", "--+", "+--", "---", "-+-", "++-"}) {
            for (std::uint32_t side = 1; side <= 5; ++side) {
                transform_case<TypeParam> given(side, {4 + seed % 5, 7, 5 + seed % 3}, {6, 3 + seed % 7, 9}, way, seed);
                given.problem.vector = *arch::torus::scheduling_vector_of(vector);
                const std::array<unsigned, 3> orders[] = {{3, 1, 2}, {3, 2, 1}, {1, 2, 3},
                                                          {1, 3, 2}, {2, 1, 3}, {2, 3, 1}};
                given.problem.order = orders[seed % 6];
                const auto array = torus::make_fast_node_array("array", given.config());
                const auto result = transformed(*array, given);
                const auto expected = ordered_transform(given.problem);
                ASSERT_EQ(std::memcmp(result.data(), expected.data.data(), result.size() * sizeof(TypeParam)), 0)
                    << "side " << side << " vector " << vector << " seed " << seed;
                ++seed;
            }
        }
    }
}

} // namespace
} // namespace tensorloom::test
