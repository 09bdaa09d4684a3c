#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <systemc>
#include <tensorloom/models/torus/node_array.h>
#include <tensorloom/workloads/orbital/ordered_transform.h>

namespace tensorloom::test {

using arch::torus::direction;
using arch::torus::scheduling_vector;
using arch::torus::slot;
using torus::array_layout;
using torus::node_array;
using torus::shape3;
using workloads::orbital_problem;
using workloads::tensor;

/// A fidelity: what makes an array of nodes. The same cases run over each.
using array_factory = std::unique_ptr<node_array> (*)(sc_core::sc_module_name, const torus::config&);

inline const auto fidelities = ::testing::Values(&torus::make_fast_node_array, &torus::make_detailed_node_array);
inline std::string fidelity_name(const ::testing::TestParamInfo<array_factory>& tested)
{
    return tested.param == &torus::make_detailed_node_array ? "detailed" : "fast";
}

/// Arrays take no time: their ports may be called as soon as their links are bound, that is behind elaboration.
inline void elaborate() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }

template <class Element>
std::unique_ptr<node_array> make_array(array_factory make, std::uint32_t side, bool folded = true)
{
    torus::config config;
    config.side = side;
    config.format = arch::element_type_of<Element>;
    config.folded = folded;
    const std::string name = "array_" + std::to_string(side) + (folded ? "_folded" : "");
    return make(sc_core::sc_gen_unique_name(name.c_str()), config);
}

template <class T> const unsigned char* bytes_of(const std::vector<T>& numbers)
{
    return reinterpret_cast<const unsigned char*>(numbers.data());
}
template <class T> unsigned char* bytes_of(std::vector<T>& numbers)
{
    return reinterpret_cast<unsigned char*>(numbers.data());
}
template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

inline std::vector<scheduling_vector> all_vectors()
{
    std::vector<scheduling_vector> all;
    for (int q : {1, -1}) {
        for (int r : {1, -1}) {
            for (int s : {1, -1}) { all.push_back({{q, r, s}}); }
        }
    }
    return all;
}

/// A number whose products and sums are rounded.
template <class T> T random_number(std::mt19937& random)
{
    std::uniform_real_distribution<double> between(-1, 1);
    if constexpr (arithmetic::number_format<T>::parts == 2) {
        using part = typename T::value_type;
        const auto re = static_cast<part>(between(random));
        return {re, static_cast<part>(between(random))};
    } else if constexpr (std::is_same_v<T, arithmetic::bfloat16>) {
        return T(static_cast<float>(between(random)));
    } else {
        return static_cast<T>(between(random));
    }
}
template <class T> std::vector<T> random_numbers(std::mt19937& random, std::size_t count)
{
    std::vector<T> numbers(count);
    for (auto& x : numbers) { x = random_number<T>(random); }
    return numbers;
}

/// A transform with what it works on.
template <class T> struct orbital_case {
    std::array<std::uint32_t, 3> n{}, k{}; ///< by mode
    tensor<T> input;
    std::array<std::vector<T>, 3> matrices;
    orbital_problem<T> problem;

    orbital_case(std::uint32_t side, const shape3& n_sizes, const shape3& k_sizes, direction way, std::mt19937& random)
        : n(n_sizes), k(k_sizes)
    {
        const auto& from = way == direction::forward ? n : k;
        input = tensor<T>({from[0], from[1], from[2]});
        input.data = random_numbers<T>(random, input.data.size());
        for (unsigned m = 0; m < 3; ++m) {
            matrices[m] = random_numbers<T>(random, std::size_t{n[m]} * k[m]);
            problem.matrices[m] = &matrices[m];
        }
        problem.side = side;
        problem.way = way;
        problem.input = &input;
        problem.sizes = way == direction::forward ? k : n;
    }
    orbital_case(const orbital_case&) = delete;
    orbital_case& operator=(const orbital_case&) = delete;
};

/// How a problem lies on an array: blocks of ceil(size / P).
template <class T> array_layout layout_of(const orbital_case<T>& c)
{
    const auto& p = c.problem;
    array_layout layout;
    layout.vector = p.vector;
    layout.mode = {p.order[1] - 1, p.order[2] - 1, p.order[0] - 1};
    for (unsigned l = 0; l < 3; ++l) {
        const unsigned m = layout.mode[l];
        layout.sizes.given[l] = (c.n[m] + p.side - 1) / p.side;
        layout.sizes.made[l] = (c.k[m] + p.side - 1) / p.side;
    }
    return layout;
}

inline slot first_slot(direction way) { return way == direction::forward ? slot::x : slot::x3; }
inline slot last_slot(direction way) { return way == direction::forward ? slot::x3 : slot::x; }

template <class T> void write_matrices(node_array& array, const orbital_case<T>& c)
{
    const auto layout = layout_of(c);
    const std::array<std::pair<slot, unsigned>, 3> of_label{{{slot::c_i, 2}, {slot::c_ii, 0}, {slot::c_iii, 1}}};
    for (const auto& [which, label] : of_label) {
        const unsigned m = layout.mode[label];
        array.memory->resize_matrix(which, c.n[m], c.k[m]);
        array.memory->write_matrix(which, 0, bytes_of(c.matrices[m]), c.matrices[m].size());
    }
}
template <class T> void write_tensor(node_array& array, slot to, const std::vector<T>& data, const shape3& sizes)
{
    array.memory->clear(to);
    array.memory->write(to, sizes, 0, bytes_of(data), data.size());
}
template <class T> std::vector<T> read_tensor(node_array& array, slot from, const shape3& sizes)
{
    std::vector<T> data(std::size_t{sizes[0]} * sizes[1] * sizes[2]);
    array.memory->read(from, sizes, 0, bytes_of(data), data.size());
    return data;
}

/// Counts of every step: first what computing counts, then what rolling does.
using step_counts = std::array<arch::torus::counts, 2>;

inline std::vector<step_counts> run_pass(node_array& array, const torus::stage_pass& pass)
{
    std::vector<step_counts> steps(pass.stage.steps);
    array.control->begin(pass);
    for (auto& counts : steps) {
        array.control->compute(counts[0]);
        array.control->roll(counts[1]);
    }
    array.control->end();
    return steps;
}

/// The three stages on what the array holds; by stage their steps.
inline std::vector<std::vector<step_counts>> run_stages(node_array& array, direction way,
                                                        const scheduling_vector& vector, std::uint32_t side)
{
    std::vector<std::vector<step_counts>> stages;
    for (const auto& stage : stages_of(way, vector, side)) { stages.push_back(run_pass(array, {stage, {0, 0}, true})); }
    return stages;
}

/// A whole transform: lays out, loads, runs, reads.
template <class T> std::vector<T> transform(node_array& array, const orbital_case<T>& c)
{
    const auto& p = c.problem;
    array.memory->lay_out(layout_of(c));
    write_matrices(array, c);
    const auto& from = p.way == direction::forward ? c.n : c.k;
    write_tensor(array, first_slot(p.way), c.input.data, from);
    run_stages(array, p.way, p.vector, p.side);
    return read_tensor<T>(array, last_slot(p.way), p.sizes);
}

} // namespace tensorloom::test
