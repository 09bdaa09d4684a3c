#include "workloads/tensor_unit/checked_machine.h"
#include <optional>
#include <tensorloom/models/arch/mmv/limits.h>
#include <tensorloom/models/arch/program/program.h>

namespace tensorloom::test {
namespace {

arch::mmv::limits limits_of(std::uint32_t side, arch::element_type format, std::uint64_t scratchpad_bytes)
{
    arch::mmv::limits limits;
    limits.side = side;
    limits.format = format;
    limits.scratchpad_bytes = scratchpad_bytes;
    return limits;
}

} // namespace

checked_machine::checked_machine(std::uint32_t side, arch::element_type format, std::uint64_t scratchpad_bytes)
    : mmv_reference(limits_of(side, format, scratchpad_bytes))
{}

workloads::program_outcome<arch::mmv::counts> checked_machine::run(const std::vector<std::uint8_t>& program)
{
    using namespace arch::mmv;
    using namespace tensorloom::arch::vector;
    std::uint32_t index = 0;
    for (std::size_t at = arch::program_header::encoded_bytes; at < program.size(); ++index) {
        const auto header = arch::command_header::decode(program.data() + at);
        const std::uint8_t* payload = program.data() + at + arch::command_header::encoded_bytes;
        at += header.length;
        const auto* found = arch::mmv::find_instruction(header.opcode); // the vector unit's are not used
        if (found == nullptr) { continue; }
        const auto refused = is_scalar(found->code)
                                 ? check(found->code, strided_command::decode(payload), header.flags, limits())
                                 : check(matmul_command::decode(payload), header.flags, limits());
        if (refused) { throw workloads::program_error(refused->code, index, found->name + (": " + refused->text)); }
    }
    return mmv_reference::run(program);
}

} // namespace tensorloom::test
