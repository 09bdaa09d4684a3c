#pragma once
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>
#include <nlohmann/json.hpp>
#include <tensorloom/models/mmv/isa/meters.h>
#include <tensorloom/workloads/segmented/inputs.h>
#include <tensorloom/workloads/segmented/variants.h>

namespace tensorloom::test {

/// A row of tests/data/mmv_ram_counts.json.
struct golden_row {
    std::string algorithm;
    std::uint64_t n = 0;
    std::uint32_t side = 0;
    unsigned word_bits = 0;
    std::optional<unsigned> bits;
    mmv::mmv_ram_meter meter;
    std::int64_t checksum = 0;
    std::uint64_t results = 0;
};

inline std::vector<golden_row> golden_rows()
{
    std::ifstream file(std::string(TENSORLOOM_TEST_DATA) + "/mmv_ram_counts.json");
    std::vector<golden_row> rows;
    const auto golden = nlohmann::json::parse(file);
    for (const auto& from : golden.at("rows")) {
        golden_row row;
        row.algorithm = from.at("algorithm");
        row.n = from.at("n");
        row.side = from.at("s");
        row.word_bits = from.at("B");
        if (from.contains("op_bits") && !from["op_bits"].is_null()) { row.bits = from["op_bits"].get<unsigned>(); }
        row.meter.mmu_steps = from.at("mmu_steps");
        row.meter.vcu_steps = from.at("vcu_steps");
        row.meter.scalar_steps = from.at("scalar_steps");
        row.meter.mmu_rows = from.at("mmu_rows");
        row.meter.mmu_macs = from.at("mmu_macs");
        row.meter.weight_loads = from.at("weight_loads");
        row.meter.mmu_cycles = from.at("mmu_cycles");
        row.meter.vcu_elems = from.at("vcu_elems");
        row.meter.vcu_circuit = from.at("vcu_circuit");
        row.checksum = from.at("checksum");
        row.results = from.at("out_len");
        rows.push_back(row);
    }
    return rows;
}

/// What the row was computed from.
inline workloads::segmented_problem<std::int64_t> golden_problem(const golden_row& row)
{
    using workloads::segmented_operation;
    workloads::segmented_problem<std::int64_t> p;
    p.bits = row.bits;
    switch (workloads::find_segmented_variant(row.algorithm).operation) {
    case segmented_operation::product:
        p.x = workloads::formula_operand(row.n, 1, *row.bits);
        p.y = workloads::formula_operand(row.n, 2, *row.bits);
        break;
    case segmented_operation::matrix_product:
        p.shape = {row.n, row.n, row.n};
        if (row.bits) {
            p.x = workloads::formula_operand(row.n * row.n, 1, *row.bits);
            p.y = workloads::formula_operand(row.n * row.n, 2, *row.bits);
        } else {
            p.x = workloads::formula_values(row.n * row.n);
            p.y = workloads::formula_values(row.n * row.n, 5);
        }
        break;
    case segmented_operation::spmv:
        p.matrix = workloads::formula_matrix(row.n);
        p.x = workloads::formula_operand(p.matrix.columns, 3, 4);
        break;
    default: p.x = workloads::formula_values(row.n); p.flags = workloads::formula_flags(row.n);
    }
    return p;
}

} // namespace tensorloom::test
