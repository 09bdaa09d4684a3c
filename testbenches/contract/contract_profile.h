#pragma once
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>
#include "contract/contract_run.h"

namespace tensorloom::testbench {

/// What one command of a program took, over all its turns in a loop.
struct profiled_command {
    std::string text;              ///< as the assembler takes it
    std::string description;       ///< of a planned one
    std::uint64_t cycles = 0;      ///< by which it made the program longer
    std::uint64_t busy_cycles = 0; ///< that its unit worked, beside others or not
    double pj = 0;
};

/// A program's commands, and what its fetching and its ends took.
struct profiled_program {
    std::vector<profiled_command> commands;
    std::uint64_t other_cycles = 0;
    double other_pj = 0;
};

/// All programs of a run whose log keeps commands apart. Cycles and energy of all of it sum to those of the run.
std::vector<profiled_program> profile_of(const contract_findings& findings);

void print_profile(std::ostream& out, const std::vector<profiled_program>& programs);

} // namespace tensorloom::testbench
