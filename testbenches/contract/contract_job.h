#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/workloads/contraction/plan.h>
#include <tensorloom/workloads/contraction/program.h>
#include "contract/contract_options.h"

namespace tensorloom::testbench {

/// A contraction's planned programs, or a user's own one.
struct contract_job {
    std::optional<workloads::contraction_plan> plan; ///< of what is planned
    workloads::contraction_addresses addresses;      ///< where the tensors lie
    std::vector<workloads::contraction_program>
        programs; ///< in the order that they run; without descriptions when it is a user's

    std::uint64_t data_bytes() const; ///< that the tensors take in memory
};

/// Plans the contraction, or loads the user's program: binary when the file begins with the bytes TLPM, else the text
/// of the assembler (arch/export/assembler.h). What the program says is for the device to check. Throws
/// arch::input_error.
contract_job make_job(const contract_options& options, const arch::technology& technology);

} // namespace tensorloom::testbench
