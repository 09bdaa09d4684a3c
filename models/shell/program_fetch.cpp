#include <tensorloom/models/shell/program_fetch.h>
#include <tensorloom/models/arch/program/program.h>
#include <tensorloom/models/arch/program/register_map.h>

namespace tensorloom::shell {

std::optional<program_failure> fetch_program(std::uint64_t address, std::uint32_t max_bytes, bus::dma_engine& dma,
                                             const bus::stop_request& stop, std::vector<std::uint8_t>& program)
{
    const program_failure bad_program{arch::error_code::bad_program, 0};
    if (address % 16 != 0) { return bad_program; }
    const auto read = [&](std::size_t from, std::size_t bytes) -> std::optional<program_failure> {
        program.resize(from + bytes);
        const auto outcome = outcome_of(dma.read(address + from, program.data() + from, bytes, stop));
        if (outcome.ok()) { return std::nullopt; }
        return failure_of(outcome, 0);
    };
    constexpr std::size_t head = arch::program_header::encoded_bytes;
    if (auto failed = read(0, head)) { return failed; }
    const auto header = arch::program_header::decode(program.data());
    const bool known =
        header.magic == arch::program_header::magic_value && header.version >> 16 == arch::register_map_version >> 16;
    if (!known || header.bytes < head || header.bytes > max_bytes || header.bytes % 16 != 0 ||
        header.bytes - 1 > UINT64_MAX - address) {
        return bad_program;
    }
    return read(head, header.bytes - head);
}

} // namespace tensorloom::shell
