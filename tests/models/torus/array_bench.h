#pragma once
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>
#include <systemc>
#include <gtest/gtest.h>
#include <tensorloom/models/torus/node_array.h>
#include "support/same_bits.h"
#include "workloads/orbital/orbital_case.h"

namespace tensorloom::test {

using torus::array_layout;
using torus::direction;
using torus::node_array;
using torus::scheduling_vector;
using torus::shape3;
using torus::slot;

/// A fidelity. The same cases run over each.
struct array_fidelity {
    const char* name;
    std::unique_ptr<node_array> (*make)(sc_core::sc_module_name, const torus::config&);
};
inline std::ostream& operator<<(std::ostream& out, const array_fidelity& fidelity) { return out << fidelity.name; }
inline const array_fidelity fast_arrays{"fast", &torus::make_fast_node_array};
inline const array_fidelity detailed_arrays{"detailed", &torus::make_detailed_node_array};
inline const auto array_fidelities = ::testing::Values(fast_arrays, detailed_arrays);
inline std::string fidelity_name(const ::testing::TestParamInfo<array_fidelity>& tested) { return tested.param.name; }

/// Arrays take no time: their ports may be called as soon as their links are bound, that is behind elaboration.
inline void elaborate() { sc_core::sc_start(sc_core::SC_ZERO_TIME); }

template <class Element>
std::unique_ptr<node_array> make_array(const array_fidelity& fidelity, std::uint32_t side, bool folded = true,
                                       torus::overlap_kind overlap = torus::overlap_kind::operand)
{
    torus::config config;
    config.overlap = overlap;
    config.side = side;
    config.format = base::element_type_of<Element>;
    config.folded = folded;
    const std::string name = std::string(fidelity.name) + "_" + std::to_string(side) +
                             (folded ? "_folded" : "_unfolded") +
                             (overlap == torus::overlap_kind::shared ? "_shared" : "");
    return fidelity.make(name.c_str(), config);
}

template <class T> const unsigned char* bytes_of(const std::vector<T>& numbers)
{
    return reinterpret_cast<const unsigned char*>(numbers.data());
}
template <class T> unsigned char* bytes_of(std::vector<T>& numbers)
{
    return reinterpret_cast<unsigned char*>(numbers.data());
}

constexpr std::array<slot, 4> tensor_slots{slot::x, slot::x1, slot::x2, slot::x3};
constexpr std::array<slot, 3> matrix_slots{slot::c_i, slot::c_ii, slot::c_iii};

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

/// How a problem lies on an array: blocks of ceil(size / P).
template <class T> array_layout layout_of(const orbital_case<T>& c)
{
    const auto& p = c.problem;
    array_layout layout;
    layout.vector = p.vector;
    layout.mode = {p.order[1] - 1, p.order[2] - 1, p.order[0] - 1};
    for (unsigned l = 0; l < 3; ++l) {
        const unsigned m = layout.mode[l];
        layout.sizes.in_block[l] = (c.n[m] + p.side - 1) / p.side;
        layout.sizes.out_block[l] = (c.k[m] + p.side - 1) / p.side;
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
using step_counts = std::array<torus::counts, 2>;

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
