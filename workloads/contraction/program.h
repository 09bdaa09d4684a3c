#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/workloads/contraction/placement.h>
#include <tensorloom/workloads/contraction/plan.h>

namespace tensorloom::workloads {

/// What a program is for.
enum class program_phase : std::uint8_t {
    order_operands, ///< offchip: operands are permuted through memory
    contract,       ///< LOAD, CONTRACT, STORE
    order_result    ///< offchip: the result is permuted, its padding left behind
};
inline constexpr base::named_value program_phase_values[] = {
    {0, "order_operands", "operands are permuted through memory"},
    {1, "contract", "blocks are loaded, contracted and stored"},
    {2, "order_result", "the result is permuted through memory"},
};

/// A program with what each of its commands is for.
struct contraction_program {
    program_phase phase = program_phase::contract;
    std::vector<std::uint8_t> bytes;
    std::vector<std::string> descriptions; ///< by command: "load A, batch 0 contracted 1 a_free 0"
};

/// Programs of a plan, to run one after the other, and the places of all tensors.
struct contraction_programs {
    contraction_addresses addresses;
    std::vector<contraction_program> programs;
};

/// Places a plan's tensors from data_base on (place_tensors) and writes its programs: cut between two blocks of the
/// result where one grows beyond half of `most_bytes`. The STORE of a block comes behind the CONTRACT of the next one,
/// so that it does not hold up the LOADs that this one needs. Throws base::input_error when the tensors do not fit, or
/// when the sums of one block of the result need a longer program.
contraction_programs write_programs(const contraction_plan& plan, std::uint64_t data_base, std::uint64_t data_bytes,
                                    std::size_t most_bytes = isa::program_header::max_bytes);

} // namespace tensorloom::workloads
