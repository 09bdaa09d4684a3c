#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/workloads/segmented/closed_forms.h>
#include <tensorloom/workloads/segmented/inputs.h>
#include <tensorloom/workloads/segmented/variants.h>
#include "support/mmv_reference.h"

namespace tensorloom::test {

using workloads::segmented_operation;
using workloads::segmented_problem;
using workloads::segmented_variant;

inline mmv::limits limits_of(std::uint32_t side, base::element_type format = base::element_type::int64,
                             std::uint8_t blocks = isa::vector::all_functional_blocks)
{
    mmv::limits limits;
    limits.side = side;
    limits.format = format;
    limits.scratchpad_bytes = 8u << 20;
    limits.blocks = blocks;
    return limits;
}

inline std::uint8_t without(std::initializer_list<isa::vector::functional_block> blocks)
{
    std::uint8_t left = isa::vector::all_functional_blocks;
    for (const auto b : blocks) { left = static_cast<std::uint8_t>(left & ~isa::vector::block_bit(b)); }
    return left;
}

/// What an operation means, element by element.
template <class T> std::vector<T> naive(segmented_operation operation, const segmented_problem<T>& p)
{
    std::vector<T> z;
    switch (operation) {
    case segmented_operation::scan:
        for (std::size_t i = 0; i < p.x.size(); ++i) {
            T sum = 0;
            for (std::size_t j = 0; j <= i; ++j) { sum += p.x[j]; }
            z.push_back(sum);
        }
        break;
    case segmented_operation::compress:
        for (std::size_t i = 0; i < p.x.size(); ++i) {
            if (p.flags[i]) { z.push_back(p.x[i]); }
        }
        break;
    case segmented_operation::difference:
        for (std::size_t i = 0; i < p.x.size(); ++i) { z.push_back(i == 0 ? p.x[0] : p.x[i] - p.x[i - 1]); }
        break;
    case segmented_operation::segmented_sum:
        for (std::size_t i = 0; i < p.x.size(); ++i) {
            if (i == 0 || p.flags[i]) { z.push_back(0); }
            z.back() += p.x[i];
        }
        break;
    case segmented_operation::segmented_scan:
        for (std::size_t i = 0; i < p.x.size(); ++i) { z.push_back(i == 0 || p.flags[i] ? p.x[i] : z.back() + p.x[i]); }
        break;
    case segmented_operation::product:
        for (std::size_t i = 0; i < p.x.size(); ++i) { z.push_back(p.x[i] * p.y[i]); }
        break;
    case segmented_operation::matrix_product:
        for (std::size_t i = 0; i < p.shape.rows; ++i) {
            for (std::size_t j = 0; j < p.shape.columns; ++j) {
                T sum = 0;
                for (std::size_t k = 0; k < p.shape.inner; ++k) {
                    sum += p.x[i * p.shape.inner + k] * p.y[k * p.shape.columns + j];
                }
                z.push_back(sum);
            }
        }
        break;
    case segmented_operation::copy: z = p.x; break;
    case segmented_operation::spmv:
        z.assign(p.matrix.rows, 0);
        for (std::size_t r = 0; r < p.matrix.rows; ++r) {
            for (std::size_t e = p.matrix.row_starts[r]; e < p.matrix.row_starts[r + 1]; ++e) {
                z[r] += p.matrix.value[e] * p.x[p.matrix.column[e]];
            }
        }
        break;
    }
    return z;
}

/// Every number of a meter, to compare and to print.
inline std::vector<std::uint64_t> numbers_of(const mmv::mmv_ram_meter& m)
{
    return {m.mmu_steps,    m.vcu_steps,  m.scalar_steps, m.mmu_rows,   m.mmu_macs,
            m.weight_loads, m.mmu_cycles, m.vcu_elems,    m.vcu_circuit};
}

/// Runs a variant: its values must be those of naive(), its counts those of its closed form. What the scratchpad holds
/// from other runs does not matter.
inline void expect_exact(const segmented_variant& variant, mmv_reference& machine,
                         const segmented_problem<std::int64_t>& problem)
{
    const auto& limits = machine.limits();
    SCOPED_TRACE(std::string(variant.name) + ", " + std::to_string(problem.x.size()) + " elements, s " +
                 std::to_string(limits.side) + ", " + std::string(base::element_type_name(limits.format)) +
                 ", blocks " + std::to_string(limits.blocks));
    const auto result = run_segmented(variant, machine, problem);
    EXPECT_EQ(result.values, naive(variant.operation, problem));
    const auto bits = static_cast<unsigned>(base::element_bits(limits.word()));
    EXPECT_EQ(numbers_of(mmv_ram_meter_of(result.counts, limits.side)),
              numbers_of(expected_meter(variant, sizes_of(variant, problem), limits, bits)));
}

} // namespace tensorloom::test
