#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/mmv/events.h>
#include <tensorloom/workloads/tensor_unit/values.h>

namespace tensorloom::workloads {

/// What an algorithm computed on an MMU/VCU pair, and what that took. arch::mmv::tcu_meter_of(counts, q, l) is the
/// (m,l)-TCU's view of it.
struct tensor_unit_result {
    tensor_unit_values values; ///< whole of an integer device, real of f64, complex of c128
    std::vector<std::uint64_t> shape;
    arch::mmv::counts counts;
    std::uint64_t cycles = 0;           ///< of all programs, START to DONE; 0 from a machine without time
    std::uint64_t programs = 0;         ///< that were run one after the other
    std::uint64_t scratchpad_bytes = 0; ///< that the largest program needed
    std::uint64_t rounds = 0;           ///< of the sparse product; else 0
};

} // namespace tensorloom::workloads
