#include "workloads/tensor_unit/checked_machine.h"
#include <optional>
#include <tensorloom/models/mmv/isa/limits.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>

namespace tensorloom::test {
namespace {

mmv::limits limits_of(std::uint32_t side, base::element_type format, std::uint64_t scratchpad_bytes)
{
    mmv::limits limits;
    limits.side = side;
    limits.format = format;
    limits.scratchpad_bytes = scratchpad_bytes;
    return limits;
}

} // namespace

checked_machine::checked_machine(std::uint32_t side, base::element_type format, std::uint64_t scratchpad_bytes)
    : mmv_reference(limits_of(side, format, scratchpad_bytes))
{}

workloads::program_outcome<mmv::counts> checked_machine::run(const std::vector<std::uint8_t>& program)
{
    using namespace mmv;
    using namespace tensorloom::isa::vector;
    std::uint32_t index = 0;
    std::vector<std::uint64_t> times{1}; // that the loops around a command run it
    for (std::size_t at = isa::program_header::encoded_bytes; at < program.size(); ++index) {
        const auto header = isa::command_header::decode(program.data() + at);
        const std::uint8_t* payload = program.data() + at + isa::command_header::encoded_bytes;
        at += header.length;
        if (header.opcode == static_cast<std::uint8_t>(isa::opcode::loop)) {
            times.push_back(times.back() * isa::loop_command::decode(payload).count);
        }
        if (header.opcode == static_cast<std::uint8_t>(isa::opcode::end) && times.size() > 1) { times.pop_back(); }
        const auto* found = mmv::find_instruction(header.opcode); // the vector unit's are not used
        if (found == nullptr) { continue; }
        if (found->code == mmv::opcode::move) { m_moved += times.back() * strided_command::decode(payload).elements(); }
        const auto refused = is_scalar(found->code)
                                 ? check(found->code, strided_command::decode(payload), header.flags, limits())
                                 : check(matmul_command::decode(payload), header.flags, limits());
        if (refused) { throw workloads::program_error(refused->code, index, found->name + (": " + refused->text)); }
    }
    return mmv_reference::run(program);
}

} // namespace tensorloom::test
