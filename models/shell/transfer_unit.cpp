#include <tensorloom/models/shell/transfer_unit.h>
#include <optional>
#include <tensorloom/models/arch/program/shell_commands.h>
#include <tensorloom/models/shell/dma_chunks.h>

namespace tensorloom::shell {

namespace {

bool loads(const issued_command& command)
{
    return static_cast<arch::opcode>(command.header.opcode) == arch::opcode::load;
}

std::optional<arch::refusal> refusal_of(const arch::transfer_command& written, const issued_command& command,
                                        const local_memory& memory)
{
    return arch::check_transfer(written, command.iteration, memory.bytes(), memory.window_bytes());
}

} // namespace

transfer_result transfer_unit::run(const issued_command& command, local_memory& memory)
{
    const auto written = arch::transfer_command::decode(command.payload);
    if (const auto refused = refusal_of(written, command, memory)) { return {{refused->code}, 0, {}}; }
    const auto transfer = written.at(command.iteration);
    const std::uint64_t start = m_clock.now();
    transfer_result result;
    result.moved.first = transfer.local;
    result.outcome = move(loads(command), transfer, memory, result.moved.bytes);
    if (result.outcome.ok()) {
        const std::uint64_t end = start + memory.port_cycles(transfer.local, result.moved.bytes);
        m_clock.wait_until(end, m_stop);
        if (m_clock.now() < end) { result.outcome = {arch::error_code::aborted}; }
    }
    m_clock.align();
    result.cycles = m_clock.now() - start;
    return result;
}

command_outcome transfer_unit::move(bool load, const arch::transfer_command& transfer, local_memory& memory,
                                    std::uint64_t& moved_bytes)
{
    return for_each_piece(transfer.tensor, [&](std::uint64_t address, std::uint64_t first, std::uint64_t bytes) {
        if (m_buffer.size() < bytes) { m_buffer.resize(bytes); }
        if (!load) { memory.read(transfer.local + first, m_buffer.data(), bytes); }
        const auto outcome = outcome_of(load ? m_dma.read(address, m_buffer.data(), bytes, m_stop)
                                             : m_dma.write(address, m_buffer.data(), bytes, m_stop));
        if (!outcome.ok()) { return outcome; }
        if (load) { memory.write(transfer.local + first, m_buffer.data(), bytes); }
        moved_bytes += bytes;
        return outcome;
    });
}

access_set transfer_unit::footprint(const issued_command& command, const local_memory& memory)
{
    const auto written = arch::transfer_command::decode(command.payload);
    access_set f;
    if (refusal_of(written, command, memory)) { return f; }
    const auto transfer = written.at(command.iteration);
    (loads(command) ? f.writes : f.reads).push_back(memory.place({transfer.local, transfer.bytes()}));
    return f;
}

} // namespace tensorloom::shell
