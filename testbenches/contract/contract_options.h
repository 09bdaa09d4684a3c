#pragma once
#include <optional>
#include <ostream>
#include <string>
#include <vector>
#include <tensorloom/workloads/contraction/einsum.h>
#include <tensorloom/workloads/contraction/plan.h>
#include "platform/options/fetta_options.h"
#include "platform/report/run_files.h"

namespace tensorloom::testbench {

/// What a run of contract is asked to do.
struct contract_options : run_options {
    std::string einsum; ///< as given
    workloads::contraction problem;
    workloads::contraction_settings settings; ///< without costs, which a technology gives
    fetta_options device;

    std::vector<std::string> inputs;         ///< .npy files of A and B; none: random ones
    std::optional<std::string> program;      ///< a user's own
    std::optional<std::string> save_program; ///< where to write the plan's
    std::uint64_t max_cycles = 0;            ///< that a user's own program may take
    bool profile = false;

    bool store_bf16() const { return settings.request.store_bf16; }
};

std::string sizes_text(const workloads::contraction& problem); ///< "b=8,i=64": of all letters, by first appearance

/// Reads the command line; nothing when it asked for help or version. Throws arch::input_error.
std::optional<contract_options> read_contract_options(int argc, char** argv, std::ostream& out);

} // namespace tensorloom::testbench
