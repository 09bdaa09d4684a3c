#include <tensorloom/models/shell/transfer_unit.h>

namespace tensorloom::shell {

using arch::opcode;

namespace {

std::optional<arch::refusal> refusal_of(const arch::transfer_command& written, const arch::loop_indices& iteration,
                                        const local_memory& memory)
{
    return arch::check_transfer(written, iteration, memory.bytes(), memory.window_bytes());
}

bool loads(const arch::command_header& header) { return static_cast<opcode>(header.opcode) == opcode::load; }

} // namespace

bool transfer_unit::executes(std::uint8_t code) const
{
    return static_cast<opcode>(code) == opcode::load || static_cast<opcode>(code) == opcode::store;
}

std::optional<arch::refusal> transfer_unit::check(const arch::command_header& header, const std::uint8_t* payload) const
{
    if (header.flags != 0) { return arch::refusal{arch::error_code::bad_command, "unknown flags"}; }
    return refusal_of(arch::transfer_command::decode(payload), {}, m_memory);
}

access_set transfer_unit::accesses(const issued_command& command, const local_memory& memory)
{
    const auto written = arch::transfer_command::decode(command.payload);
    access_set set;
    if (refusal_of(written, command.iteration, memory)) { return set; }
    const auto transfer = written.at(command.iteration);
    (loads(command.header) ? set.writes : set.reads).push_back(memory.place({transfer.local, transfer.bytes()}));
    return set;
}

command_outcome transfer_unit::execute(running_command& running)
{
    const issued_command& command = running.command;
    const auto written = arch::transfer_command::decode(command.payload);
    if (const auto refused = refusal_of(written, command.iteration, m_memory)) { return {refused->code}; }
    const auto transfer = written.at(command.iteration);
    const bool load = loads(command.header);
    const std::uint64_t start = running.clock.now();
    byte_range moved{transfer.local, 0};
    m_turn.take();
    running.clock.align();
    auto outcome = move(load, transfer, running.stop, moved.bytes);
    if (outcome.ok()) {
        const std::uint64_t end = start + m_memory.port_cycles(transfer.local, moved.bytes);
        running.clock.wait_until(end, running.stop);
        if (running.clock.now() < end) { outcome = {arch::error_code::aborted}; }
    }
    running.clock.align();
    m_turn.give_back();
    const std::uint64_t cycles = running.clock.now() - start;
    if (cycles > 0 || moved.bytes > 0) {
        const char* cause = load ? "load" : "store";
        auto& count = m_counts[load ? m_events.loaded : m_events.stored];
        count = m_memory.accesses(moved);
        running.report(cause, cause, cycles, m_counts.data());
        count = 0;
    }
    return outcome;
}

command_outcome transfer_unit::move(bool load, const arch::transfer_command& transfer, const bus::stop_request& stop,
                                    std::uint64_t& moved_bytes)
{
    const auto take = [&](std::uint64_t first, const unsigned char* from, std::uint64_t bytes) {
        m_memory.write(transfer.local + first, from, bytes);
        moved_bytes += bytes;
    };
    const auto give = [&](std::uint64_t first, unsigned char* to, std::uint64_t bytes) {
        m_memory.read(transfer.local + first, to, bytes);
    };
    const auto written = [&](std::uint64_t, std::uint64_t bytes) { moved_bytes += bytes; };
    return load ? m_tensors.load(transfer.tensor, stop, take) : m_tensors.store(transfer.tensor, stop, give, written);
}

} // namespace tensorloom::shell
