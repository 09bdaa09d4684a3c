#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <ostream>
#include <string>
#include <vector>
#include <fftw3.h>
#include <gtest/gtest.h>
#include <tensorloom/models/mmv/isa/meters.h>
#include <tensorloom/workloads/tensor_unit/algorithms.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/polynomials.h>
#include "workloads/tensor_unit/checked_machine.h"
#include "workloads/tensor_unit/golden_row.h"

namespace tensorloom::test {
namespace {

using nlohmann::json;
using namespace workloads;

// Rows that differ in the latency alone, which is no part of a program.
struct golden_case {
    std::string name;
    std::vector<json> rows;

    friend std::ostream& operator<<(std::ostream& out, const golden_case& c) { return out << c.name; }
};

std::vector<golden_case> golden_cases()
{
    std::map<std::string, std::vector<json>> by_name;
    const json golden = tensor_unit_golden();
    for (const auto& row : golden["rows"]) {
        const auto p = problem_of(row);
        std::string name = row["algorithm"].get<std::string>() + "_q" + std::to_string(row["q"].get<int>()) + "_" +
                           std::to_string(p.size);
        if (p.sweeps != 0) { name += "_k" + std::to_string(p.sweeps); }
        if (p.shape == call_shape::square) { name += "_weak"; }
        by_name[name].push_back(row);
    }
    std::vector<golden_case> cases;
    for (auto& [name, rows] : by_name) { cases.push_back({name, std::move(rows)}); }
    return cases;
}

std::vector<std::complex<double>> transformed(std::vector<std::complex<double>> x)
{
    auto* data = reinterpret_cast<fftw_complex*>(x.data());
    fftw_plan plan = fftw_plan_dft_1d(static_cast<int>(x.size()), data, data, FFTW_FORWARD, FFTW_ESTIMATE);
    fftw_execute(plan);
    fftw_destroy_plan(plan);
    return x;
}

void expect_near_dft(const tensor_unit_result& result, const tensor_unit_input& input)
{
    const auto& found = std::get<std::vector<std::complex<double>>>(result.values);
    const auto expected = transformed(std::get<std::vector<std::complex<double>>>(input.values));
    ASSERT_EQ(found.size(), expected.size());
    double largest = 0, error = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        largest = std::max(largest, std::abs(expected[i]));
        error = std::max(error, std::abs(found[i] - expected[i]));
    }
    EXPECT_LT(error, 1e-9 * largest);
}

void expect_near_elimination(const tensor_unit_result& result, const tensor_unit_input& input, std::size_t n)
{
    auto x = std::get<std::vector<double>>(input.values);
    const auto& found = std::get<std::vector<double>>(result.values);
    for (std::size_t t = 0; t + 1 < n; ++t) {
        for (std::size_t i = t + 1; i < n; ++i) {
            for (std::size_t j = n; j-- > t;) { x[i * n + j] -= x[i * n + t] / x[t * n + t] * x[t * n + j]; }
        }
    }
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const double expected = j >= i ? x[i * n + j] : 0;
            ASSERT_NEAR(found[i * n + j], expected, 1e-9 * std::max(1.0, std::abs(expected))) << i << ", " << j;
        }
    }
}

class golden_counts : public testing::TestWithParam<golden_case> {};

TEST_P(golden_counts, rows_are_met)
{
    const json& first = GetParam().rows.front();
    const auto& algorithm = find_tensor_unit_algorithm(first["algorithm"]);
    const std::uint32_t q = first["q"];
    const auto problem = completed_problem(algorithm, problem_of(first), q);
    const auto inputs = algorithm.inputs(problem);
    checked_machine machine(q, algorithm.formats.front());
    const auto result = algorithm.run(machine, problem, inputs);

    ASSERT_EQ(GetParam().rows.size(), 2u); // two latencies
    for (const json& row : GetParam().rows) {
        const auto meter = mmv::tcu_meter_of(result.counts, q, row["l"]);
        EXPECT_EQ(meter.calls, row["calls"]);
        EXPECT_EQ(meter.rows, row["rows"]);
        EXPECT_EQ(meter.tensor_time, row["tensor_time"]);
        EXPECT_EQ(meter.cpu_ops, row["cpu_ops"]);
        EXPECT_EQ(meter.time, row["time"]);
    }

    const auto meter = mmv::tcu_meter_of(result.counts, q, 0);
    const tensor_unit_cost counted{meter.calls, meter.rows, meter.cpu_ops};
    if (algorithm.name == "sparse") {
        EXPECT_EQ(result.rounds, first["rounds"]);
        EXPECT_EQ(sketch_side(problem.nonzeros, q), first["K"]);
        const auto unknown =
            sparse_cost(problem.size, q, problem.shape, problem.nonzeros, 2 * problem.size, result.rounds, 0);
        ASSERT_GE(counted.cpu_ops, unknown.cpu_ops);
        const std::uint64_t known = (counted.cpu_ops - unknown.cpu_ops) / 8;
        EXPECT_LE(known, (result.rounds - 1) * problem.size); // results found before a round
        EXPECT_EQ(counted, sparse_cost(problem.size, q, problem.shape, problem.nonzeros, 2 * problem.size,
                                       result.rounds, known));
    } else {
        EXPECT_EQ(counted, algorithm.cost(problem, q).value());
    }

    if (algorithm.name == "dft") {
        EXPECT_EQ(fourier_levels(problem.size, q), first["levels"]);
        expect_near_dft(result, inputs[0]);
    } else if (algorithm.name == "ge_forward") {
        expect_near_elimination(result, inputs[0], problem.size);
        auto scaled = std::get<std::vector<double>>(result.values);
        for (double& x : scaled) { x = std::round(1e4 * x); }
        EXPECT_EQ(checksum_of(scaled), first["checksum"]);
    } else if (first.contains("result_mod")) {
        EXPECT_EQ(residue_of_limbs(std::get<std::vector<std::int64_t>>(result.values)), first["result_mod"]);
    } else {
        EXPECT_EQ(checksum_of(result.values), first["checksum"]);
    }
}

INSTANTIATE_TEST_SUITE_P(all, golden_counts, testing::ValuesIn(golden_cases()),
                         [](const auto& one) { return one.param.name; });

TEST(golden_counts_file, has_226_rows) { EXPECT_EQ(tensor_unit_golden()["rows"].size(), 226u); }

} // namespace
} // namespace tensorloom::test
