#pragma once
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>
#include "models/shell/mixer_device.h"

namespace tensorloom::test {

/// A command of a program as a test writes it: a loop has its commands inside.
struct program_step {
    isa::opcode code = isa::opcode::nop;
    mix_command mix;                ///< MIX
    isa::transfer_command transfer; ///< LOAD, STORE
    std::uint32_t signal = 0;       ///< SIGNAL, WAIT
    std::uint32_t count = 0;        ///< LOOP
    std::vector<program_step> body; ///< LOOP; its END follows it
};

using program_steps = std::vector<program_step>;

/// A command without a payload; of SIGNAL and WAIT, the signal's number.
inline program_step plain(isa::opcode code, std::uint32_t signal = 0) { return {code, {}, {}, signal, 0, {}}; }
inline program_step loop(std::uint32_t count, program_steps body)
{
    return {isa::opcode::loop, {}, {}, 0, count, std::move(body)};
}

/// The program; token of command i is 100 + i.
std::vector<std::uint8_t> program_bytes(const program_steps& steps);

/// One execution of a command, loops unrolled: the definition, written out. Of a loop its LOOP comes once, its END in
/// every iteration.
struct executed_step {
    std::uint32_t index;
    isa::opcode code;
    const program_step* step;
    isa::loop_indices iteration;
    std::uint64_t execution;
};
std::vector<executed_step> unrolled(const program_steps& steps);

/// What a program makes of the two memories, one command after the other. Elements of transfers have 4 bytes.
struct two_memories {
    std::vector<unsigned char> local;
    std::vector<unsigned char> bus;
    std::uint64_t bus_base;
};
void execute_plainly(const executed_step& e, two_memories& memories);

/// Cycles of a command once it has begun; a bus moves 4 bytes per cycle, the port of local memory takes so many cycles
/// per byte.
std::uint64_t duration(const executed_step& e, std::uint64_t port_cycles_per_byte = 0);

/// When commands end, in cycles from the first, where they overlap as command_issue.h says. Every pair of commands
/// is looked at.
struct naive_schedule {
    std::vector<std::uint64_t> begin; ///< by executed step
    std::vector<std::uint64_t> end;
    std::uint64_t total = 0;
};
/// `cycles_of`: of a command once it has begun.
naive_schedule schedule(
    const std::vector<executed_step>& steps,
    const std::function<std::uint64_t(const executed_step&)>& cycles_of = [](const auto& e) { return duration(e); });
/// What the cycles of a command are spent on, on a bus whose memory answers at once.
base::resource resource_of(const executed_step& e);

} // namespace tensorloom::test
