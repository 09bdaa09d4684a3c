#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/mmv/isa/meters.h>
#include <tensorloom/workloads/tensor_unit/algorithms.h>
#include "workloads/tensor_unit/checked_machine.h"
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using namespace workloads;

std::vector<std::complex<double>> complex_values(const tensor_unit_values& values)
{
    return std::visit(
        [](const auto& numbers) {
            std::vector<std::complex<double>> all;
            for (const auto& x : numbers) {
                if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::int64_t>) {
                    all.emplace_back(static_cast<double>(x), 0);
                } else {
                    all.emplace_back(x);
                }
            }
            return all;
        },
        values);
}

double largest_difference(const tensor_unit_values& a, const tensor_unit_values& b)
{
    const auto x = complex_values(a), y = complex_values(b);
    EXPECT_EQ(x.size(), y.size());
    double largest = 0, scale = 1;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        largest = std::max(largest, std::abs(x[i] - y[i]));
        scale = std::max(scale, std::abs(y[i]));
    }
    return largest / scale;
}

tensor_unit_problem of_size_16(const tensor_unit_algorithm& algorithm)
{
    tensor_unit_problem p;
    p.size = algorithm.name == "laderman" ? 12 : 16;
    if (algorithm.uses(tensor_unit_option::cutoff)) { p.cutoff = 4; } // so that it divides
    return completed_problem(algorithm, p, 4);
}

TEST(tensor_unit_algorithms, give_their_reference_in_every_format)
{
    for (const auto& a : tensor_unit_algorithms()) {
        const auto problem = of_size_16(a);
        const auto inputs = a.inputs(problem);
        for (const auto format : a.formats) {
            checked_machine machine(4, format, 1u << 20);
            const auto r = a.run(machine, problem, inputs);
            const double allowed = base::accumulator_type(format) == element_type::f32 ? 1e-6 : 1e-12;
            EXPECT_LT(largest_difference(r.values, a.reference(problem, inputs)), allowed)
                << a.name << " " << base::element_type_name(format);
        }
    }
}

TEST(tensor_unit_algorithms, know_their_numbers_and_a_bound_on_the_scratchpad)
{
    for (const auto& a : tensor_unit_algorithms()) {
        auto problem = of_size_16(a);
        problem.size = a.name == "laderman" ? 36 : 64;
        const auto inputs = a.inputs(problem);
        for (const auto format : a.formats) {
            checked_machine machine(4, format, 1u << 24);
            const auto r = a.run(machine, problem, inputs);
            std::uint64_t numbers = count_of(r.values);
            for (const auto& i : inputs) { numbers += count_of(i.values); }
            EXPECT_EQ(a.numbers(problem), numbers) << a.name;
            EXPECT_LE(least_scratchpad_bytes(a, problem, 4, format), r.scratchpad_bytes)
                << a.name << " " << base::element_type_name(format);
        }
    }
}

TEST(tensor_unit_algorithms, check_every_other_format_in_one_line)
{
    for (const auto& a : tensor_unit_algorithms()) {
        const auto problem = of_size_16(a);
        for (const auto format : base::systolic_formats) {
            if (std::find(a.formats.begin(), a.formats.end(), format) != a.formats.end()) { continue; }
            checked_machine machine(4, format, 1u << 20);
            const auto line = message_of([&] { a.run(machine, problem, a.inputs(problem)); });
            EXPECT_NE(line.find("found " + std::string(base::element_type_name(format))), std::string::npos)
                << a.name << ": " << line;
        }
    }
}

TEST(tensor_unit_algorithms, have_baselines_that_give_the_same_without_a_call)
{
    for (const auto& a : tensor_unit_algorithms()) {
        for (const auto name : a.baselines) {
            const auto& baseline = find_tensor_unit_algorithm(std::string(name));
            EXPECT_TRUE(baseline.baselines.empty()) << a.name;
            EXPECT_TRUE(baseline.theorem.empty()) << a.name;
            auto problem = of_size_16(a);
            problem.cutoff = 4;
            const auto inputs = a.inputs(problem);
            checked_machine machine(4, a.formats.front(), 1u << 20), other(4, baseline.formats.front(), 1u << 20);
            const auto r = a.run(machine, problem, inputs), b = baseline.run(other, problem, inputs);
            EXPECT_LT(largest_difference(r.values, b.values), 1e-12) << name;
            EXPECT_EQ(r.shape, b.shape) << name;
            const auto meter = mmv::tcu_meter_of(b.counts, 4, 1000);
            EXPECT_EQ(meter.calls, 0u) << name;
            EXPECT_EQ(meter.tensor_time, 0u);
            if (const auto cost = baseline.cost(problem, 4)) { EXPECT_EQ(meter.cpu_ops, cost->cpu_ops) << name; }
        }
    }
}

TEST(tensor_unit_algorithms, give_results_that_have_the_shape_of_their_inputs)
{
    for (const auto* name : {"dft", "dft_inverse", "dft_scalar", "dft_inverse_scalar", "dft_radix2"}) {
        const auto& a = find_tensor_unit_algorithm(name);
        const auto problem = of_size_16(a);
        checked_machine machine(4, a.formats.front(), 1u << 20);
        EXPECT_EQ(a.run(machine, problem, a.inputs(problem)).shape, a.inputs(problem)[0].shape) << name;
    }
}

TEST(tensor_unit_algorithms, meet_their_closed_forms_on_a_weak_unit)
{
    for (const auto& a : tensor_unit_algorithms()) {
        auto problem = of_size_16(a);
        problem.shape = call_shape::square;
        const auto cost = a.cost(problem, 4);
        if (!cost) { continue; }
        checked_machine machine(4, a.formats.front(), 1u << 20);
        const auto inputs = a.inputs(problem);
        const auto r = a.run(machine, problem, inputs);
        const auto meter = mmv::tcu_meter_of(r.counts, 4, 0);
        EXPECT_EQ((tensor_unit_cost{meter.calls, meter.rows, meter.cpu_ops}), *cost) << a.name;
        EXPECT_EQ(meter.rows, 4 * meter.calls) << a.name;
        EXPECT_LT(largest_difference(r.values, a.reference(problem, inputs)), 1e-12) << a.name;
    }
}

constexpr charge_table charge_tables[] = {charge_table::v1, charge_table::moves_free, charge_table::moves_charged};

// Products with twiddle factors, each of which moves its number: in 2-D transforms of b squares of side f, at q = 4,
// 2 b f^2 per level but the last. Of the stencil with 4 sweeps over 16 x 16: the second and the fourth power of the
// weights (two transforms and one back, f = 8 and 16), the kernel, 16 blocks there and back.
std::uint64_t permuting_products(const tensor_unit_algorithm& a)
{
    if (a.name == "dft" || a.name == "dft_inverse") { return 16; }
    if (a.name == "stencil") { return 2 * (3 * 64 + 3 * 256 + 256 + 2 * 16 * 256); }
    return 0;
}

TEST(tensor_unit_algorithms, charge_their_moves_by_the_table)
{
    for (const auto& a : tensor_unit_algorithms()) {
        auto problem = of_size_16(a);
        const auto inputs = a.inputs(problem);
        std::uint64_t cpu_ops[3] = {}, moved[3] = {};
        tensor_unit_values values;
        for (std::size_t table = 0; table < 3; ++table) {
            problem.charges = charge_tables[table];
            checked_machine machine(4, a.formats.front(), 1u << 20);
            const auto r = a.run(machine, problem, inputs);
            cpu_ops[table] = r.counts[mmv::event::cpu_op];
            moved[table] = machine.moved();
            if (table == 0) { values = r.values; }
            EXPECT_EQ(r.values, values) << a.name;
            if (const auto cost = a.cost(problem, 4)) { EXPECT_EQ(cost_of(r), *cost) << a.name << " " << table; }
        }
        EXPECT_EQ(moved[0], moved[1]) << a.name;
        EXPECT_EQ(moved[0], moved[2]) << a.name;
        const auto [v1, moves_free, moves_charged] = cpu_ops;
        const std::uint64_t permuting = permuting_products(a);
        EXPECT_EQ(moves_charged - moves_free, moved[0] + permuting) << a.name;
        // In a level of a transform v1 charges the product's move and the results' order; and transpositions.
        EXPECT_EQ(v1 - moves_free, (a.name == "stencil" ? 3 : 2) * permuting) << a.name;
    }
}

TEST(tensor_unit_algorithms, an_unknown_name_lists_the_known_ones)
{
    const auto line = message_of([] { find_tensor_unit_algorithm("densest"); });
    for (const auto& a : tensor_unit_algorithms()) {
        EXPECT_NE(line.find(std::string(a.name)), std::string::npos) << a.name;
    }
}

TEST(tensor_unit_problem, gets_its_defaults_and_refuses_sizes_beyond_reason)
{
    tensor_unit_problem p;
    p.size = 32;
    EXPECT_EQ(completed_problem(find_tensor_unit_algorithm("rect"), p, 4).inner, 16u);
    EXPECT_EQ(completed_problem(find_tensor_unit_algorithm("stencil"), p, 4).sweeps, 4u);
    EXPECT_EQ(completed_problem(find_tensor_unit_algorithm("sparse"), p, 4).nonzeros, 32u);
    EXPECT_EQ(completed_problem(find_tensor_unit_algorithm("polyeval"), p, 4).points, 64u);
    EXPECT_EQ(completed_problem(find_tensor_unit_algorithm("karatsuba"), p, 4).cutoff, 16u);
    EXPECT_EQ(completed_problem(find_tensor_unit_algorithm("karatsuba_scalar"), p, 4).cutoff, 16u);
    p.size = 128;
    EXPECT_EQ(completed_problem(find_tensor_unit_algorithm("strassen"), p, 4).cutoff, 32u);
    EXPECT_EQ(completed_problem(find_tensor_unit_algorithm("strassen"), p, 4, 1000).cutoff, 128u);
    p.cutoff = 8;
    EXPECT_EQ(completed_problem(find_tensor_unit_algorithm("strassen"), p, 4).cutoff, 8u);
    p.size = 32;
    p.cutoff = 0;
    const auto& dense = find_tensor_unit_algorithm("dense");
    EXPECT_EQ(completed_problem(dense, p, 4).inner, 0u);
    p.size = 0;
    EXPECT_THROW(completed_problem(dense, p, 4), base::input_error);
    p.size = std::uint64_t{1} << 40;
    EXPECT_THROW(completed_problem(dense, p, 4), base::input_error);
}

TEST(tensor_unit_problem, refuses_sizes_that_the_run_refuses_in_the_same_line)
{
    struct refused {
        const char* algorithm;
        unsigned side;
        std::uint64_t size, sweeps;
    };
    const refused all[] = {{"strassen", 4, 12, 0}, {"recursive8", 4, 20, 0},  {"ge_forward", 4, 18, 0},
                           {"dft", 4, 24, 0},      {"dft_inverse", 4, 12, 0}, {"stencil", 4, 10, 4},
                           {"stencil", 6, 6, 2}};
    for (const auto& r : all) {
        const auto& algorithm = find_tensor_unit_algorithm(r.algorithm);
        tensor_unit_problem p;
        p.size = r.size;
        p.sweeps = r.sweeps;
        checked_machine machine(r.side, algorithm.formats.front());
        const auto line = message_of([&] { completed_problem(algorithm, p, r.side); });
        EXPECT_NE(line.find("found"), std::string::npos) << r.algorithm << ": " << line;
        EXPECT_EQ(line, message_of([&] { algorithm.run(machine, p, algorithm.inputs(p)); })) << r.algorithm;
    }
}

TEST(tensor_unit_problem, has_as_many_edges_as_asked_for)
{
    for (const auto* name : {"tclosure", "apsd"}) {
        const auto& algorithm = find_tensor_unit_algorithm(name);
        tensor_unit_problem p;
        p.size = 12;
        const std::uint64_t own = algorithm.edges(algorithm.inputs(p)), most = algorithm.name == "apsd" ? 66 : 144;
        for (p.edges = own; p.edges <= most; ++p.edges) {
            EXPECT_EQ(completed_problem(algorithm, p, 4).edges, p.edges);
            const auto inputs = algorithm.inputs(p);
            EXPECT_EQ(algorithm.edges(inputs), p.edges) << name;
            if (p.edges != own && p.edges != most) {
                auto other = p;
                other.seed = 2;
                EXPECT_NE(algorithm.inputs(other)[0].values, inputs[0].values) << name << " " << p.edges;
            }
        }
        EXPECT_THROW(completed_problem(algorithm, p, 4), base::input_error) << name;
        p.edges = 5;
        if (algorithm.name == "apsd") {
            EXPECT_EQ(message_of([&] { completed_problem(algorithm, p, 4); }),
                      "edges of a connected undirected graph: found 5, expected 11 to 66 between 12 vertices");
        } else {
            EXPECT_EQ(algorithm.edges(algorithm.inputs(p)), 5u);
        }
    }
}

TEST(tensor_unit_problem, refuses_inputs_of_another_shape)
{
    const auto& rect = find_tensor_unit_algorithm("rect");
    tensor_unit_problem p;
    p.size = 8;
    p.inner = 3;
    auto inputs = rect.inputs(p);
    EXPECT_NO_THROW(check_inputs(rect, p, inputs));
    inputs[1].shape = {8, 3};
    EXPECT_EQ(message_of([&] { check_inputs(rect, p, inputs); }), "input B of rect: found 8 x 3, expected 3 x 8");
    inputs.pop_back();
    EXPECT_THROW(check_inputs(rect, p, inputs), base::input_error);
}

} // namespace
} // namespace tensorloom::test
