#include "tnn_training/step_excerpt.h"
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>

namespace tensorloom::testbench {

std::function<bool(const bus::log_record&)> records_of_turn(const std::vector<std::uint8_t>& program,
                                                            std::uint64_t turn)
{
    std::vector<std::uint64_t> runs_in_turn; // by command; 0: it is in no loop
    std::vector<std::uint64_t> counts;       // of the loops around
    for (const auto& command : isa::program_commands(program)) {
        const auto is = [&](isa::opcode code) { return isa::command_code(code).value == command.header.opcode; };
        std::uint64_t runs = counts.empty() ? 0 : 1;
        for (std::size_t l = 1; l < counts.size(); ++l) { runs *= counts[l]; }
        runs_in_turn.push_back(runs);
        if (is(isa::opcode::loop)) { counts.push_back(isa::loop_command::decode(command.payload).count); }
        if (is(isa::opcode::end)) { counts.pop_back(); }
    }
    return [runs_in_turn, turn](const bus::log_record& record) {
        const std::uint64_t runs = record.command < runs_in_turn.size() ? runs_in_turn[record.command] : 0;
        return runs != 0 && record.id / runs == turn;
    };
}

} // namespace tensorloom::testbench
