#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/workloads/contraction/placement.h>
#include <tensorloom/workloads/contraction/plan.h>

namespace tensorloom::workloads {

/// Purpose of a program.
enum class program_phase : std::uint8_t {
    order_operands, ///< offchip: permutes operands through memory
    contract,       ///< LOAD, CONTRACT, STORE
    order_result    ///< offchip: permutes the result and drops its padding
};
inline constexpr base::named_value program_phase_values[] = {
    {0, "order_operands", "operands are permuted through memory"},
    {1, "contract", "blocks are loaded, contracted and stored"},
    {2, "order_result", "the result is permuted through memory"},
};

/// A program with a description of each command.
struct contraction_program {
    program_phase phase = program_phase::contract;
    std::vector<std::uint8_t> bytes;
    std::vector<std::string> descriptions; ///< by command: "load A, batch 0 contracted 1 a_free 0"
};

/// Programs of a plan, to run in order, and the addresses of all tensors.
struct contraction_programs {
    contraction_addresses addresses;
    std::vector<contraction_program> programs;
};

/// Places a plan's tensors from data_base on (place_tensors) and writes its programs. A program longer than half of
/// `most_bytes` ends at the next block of the result. The STORE of a block follows the CONTRACT of the next one, so
/// that it does not delay the LOADs of this CONTRACT. Throws base::input_error if the tensors do not fit, or if one
/// block of the result needs a longer program.
contraction_programs write_programs(const contraction_plan& plan, std::uint64_t data_base, std::uint64_t data_bytes,
                                    std::size_t most_bytes = isa::program_header::max_bytes);

} // namespace tensorloom::workloads
