#include <tensorloom/models/arch/fetta/geometry.h>

namespace tensorloom::arch::fetta {
namespace {

constexpr std::uint32_t most_bank_bytes = 1u << 26; // 64 banks of it are 4 GiB: local addresses have 32 bits

std::optional<std::string> check_bytes(const char* name, std::uint32_t bytes, std::uint32_t least)
{
    if ((bytes & (bytes - 1)) == 0 && bytes >= least && bytes <= most_bank_bytes) { return std::nullopt; }
    return std::string(name) + " is " + std::to_string(bytes) + ", expected a power of two from " +
           std::to_string(least) + " to " + std::to_string(most_bank_bytes);
}

} // namespace

std::optional<std::string> complaint(const geometry& g)
{
    if (g.engines != 4 && g.engines != 16 && g.engines != 64) {
        return "engines is " + std::to_string(g.engines) + ", expected 4, 16 or 64";
    }
    if (g.side != 2 && g.side != 4 && g.side != 8 && g.side != 16) {
        return "side is " + std::to_string(g.side) + ", expected 2, 4, 8 or 16";
    }
    if (auto wrong = check_bytes("bank_bytes", g.bank_bytes, 4096)) { return wrong; }
    if (auto wrong = check_bytes("accumulator_bank_bytes", g.accumulator_bank_bytes, 1024)) { return wrong; }
    if (!element_types(formats).contains(static_cast<std::uint8_t>(g.operand))) {
        return "operand is " + std::string(element_type_name(g.operand)) + ", expected bf16 or f32";
    }
    if (g.psum != element_type::f32 && !(g.psum == element_type::bf16 && g.operand == element_type::bf16)) {
        return "psum is " + std::string(element_type_name(g.psum)) + ", expected f32, or bf16 with operands of bf16";
    }
    return std::nullopt;
}

} // namespace tensorloom::arch::fetta
