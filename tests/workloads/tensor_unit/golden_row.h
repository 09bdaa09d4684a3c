#pragma once
#include <cstdint>
#include <fstream>
#include <string>
#include <nlohmann/json.hpp>
#include <tensorloom/workloads/tensor_unit/algorithms.h>

namespace tensorloom::test {

/// tests/data/tcu_counts.json: counts and checksums of the algorithms, and ratios of times over bounds.
inline nlohmann::json tensor_unit_golden()
{
    std::ifstream file(TENSORLOOM_TEST_DATA "/tcu_counts.json");
    return nlohmann::json::parse(file);
}

/// The problem of a row or ratio of it. Sizes have a name of their own in some rows; recursive products go down to one
/// call there.
inline workloads::tensor_unit_problem problem_of(const nlohmann::json& row)
{
    workloads::tensor_unit_problem p;
    for (const char* size : {"N", "n", "nl"}) {
        if (row.contains(size)) { p.size = row[size]; }
    }
    p.inner = row.value("r", 0);
    p.sweeps = row.value("k", 0);
    p.nonzeros = row.value("Z", 0);
    p.points = row.value("p", 0);
    p.cutoff = row.value("thr", 0);
    const std::string algorithm = row.value("algorithm", ""), theorem = row.value("theorem", "");
    if (algorithm == "strassen" || algorithm == "recursive8" || theorem.rfind("Thm1(", 0) == 0) { p.cutoff = row["q"]; }
    p.shape = row.value("weak", false) ? workloads::call_shape::square : workloads::call_shape::tall;
    return p;
}

} // namespace tensorloom::test
