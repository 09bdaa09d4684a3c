#include <tensorloom/models/shell/transfer_unit.h>
#include <tensorloom/models/shell/transfer_watch.h>

namespace tensorloom::shell {

using isa::opcode;

namespace {

opcode code_of(const isa::command_header& header) { return static_cast<opcode>(header.opcode); }

std::optional<isa::check_error> check_error_of(opcode code, const std::uint8_t* payload,
                                               const isa::loop_indices& iteration, const local_memory& memory)
{
    return code == opcode::gather ? isa::check_gather(isa::gather_command::decode(payload), iteration, memory.bytes(),
                                                      memory.window_bytes())
                                  : isa::check_transfer(isa::transfer_command::decode(payload), iteration,
                                                        memory.bytes(), memory.window_bytes());
}

} // namespace

bool transfer_unit::executes(std::uint8_t code) const
{
    const auto c = static_cast<opcode>(code);
    return c == opcode::load || c == opcode::store || c == opcode::gather;
}

std::optional<isa::check_error> transfer_unit::check(const isa::command_header& header,
                                                     const std::uint8_t* payload) const
{
    if (header.flags != 0) { return isa::check_error{isa::error_code::bad_command, "unknown flags"}; }
    return check_error_of(code_of(header), payload, {}, m_memory);
}

access_set transfer_unit::accesses(const issued_command& command, const local_memory& memory)
{
    const opcode code = code_of(command.header);
    access_set set;
    if (check_error_of(code, command.payload, command.iteration, memory)) { return set; }
    if (code == opcode::gather) {
        const auto c = isa::gather_command::decode(command.payload).at(command.iteration);
        set.reads.push_back(memory.place({c.list, c.list_bytes()}));
        set.writes.push_back(memory.place({c.local, c.bytes()}));
        return set;
    }
    const auto c = isa::transfer_command::decode(command.payload).at(command.iteration);
    (code == opcode::load ? set.writes : set.reads).push_back(memory.place({c.local, c.bytes()}));
    return set;
}

std::optional<transfer_unit::movement> transfer_unit::movement_of(const issued_command& command) const
{
    const opcode code = code_of(command.header);
    if (code != opcode::gather) {
        const auto c = isa::transfer_command::decode(command.payload).at(command.iteration);
        const bool loads = code == opcode::load;
        const char* name = loads ? "load" : "store";
        return movement{name, name, loads, c.tensor, {}, {c.local, c.bytes()}, {}};
    }
    const auto c = isa::gather_command::decode(command.payload).at(command.iteration);
    movement m{"load", "gather", true, c.tensor, {}, {c.local, c.bytes()}, {c.list, c.list_bytes()}};
    std::vector<unsigned char> list(m.list.bytes);
    m_memory.read(m.list.first, list.data(), list.size());
    for (std::size_t at = 0; at < list.size(); at += isa::gather_command::entry_bytes) {
        const auto slice = c.slice(base::load_le<std::uint32_t>(list.data() + at));
        if (!slice) { return std::nullopt; }
        m.bases.push_back(slice->base);
        m.tensor = *slice;
    }
    return m;
}

command_outcome transfer_unit::execute(running_command& running)
{
    const issued_command& command = running.command;
    if (const auto refused = check_error_of(code_of(command.header), command.payload, command.iteration, m_memory)) {
        return {refused->code};
    }
    const auto m = movement_of(command);
    if (!m) { return {isa::error_code::bad_descriptor}; }
    const std::uint64_t start = running.clock.now();
    byte_range moved{m->local.first, 0};
    m_turn.take();
    running.clock.align();
    transfer_watch watch(m_tensors.dma(), running.clock);
    auto outcome = move(*m, running.stop, moved.bytes);
    const std::uint64_t dma_end = running.clock.now();
    std::uint64_t port = 0; // cycles
    if (outcome.ok()) {
        const std::uint64_t listed = m->list.bytes == 0 ? 0 : m_memory.port_cycles(m->list.first, m->list.bytes);
        port = listed + m_memory.port_cycles(m->local.first, moved.bytes);
        const std::uint64_t end = start + port;
        running.clock.wait_until(end, running.stop);
        if (running.clock.now() < end) { outcome = {isa::error_code::aborted}; }
    }
    running.clock.align();
    m_turn.give_back();
    const std::uint64_t cycles = running.clock.now() - start;
    if (cycles > 0 || moved.bytes > 0) {
        auto& loaded = m_counts[m_events.loaded];
        auto& stored = m_counts[m_events.stored];
        loaded = stored = 0;
        (m->loads ? loaded : stored) += m_memory.accesses(moved);
        stored += m_memory.accesses(m->list);
        const auto freed = watch.freed(cycles, dma_end - start, port);
        running.report(m->cause, m->phase, cycles, m_counts.data(), &freed);
        loaded = stored = 0;
    }
    return outcome;
}

command_outcome transfer_unit::move(const movement& m, const bus::stop_request& stop, std::uint64_t& moved_bytes)
{
    const auto take = [&](std::uint64_t first, const unsigned char* from, std::uint64_t bytes) {
        m_memory.write(m.local.first + first, from, bytes);
        moved_bytes += bytes;
    };
    const auto give = [&](std::uint64_t first, unsigned char* to, std::uint64_t bytes) {
        m_memory.read(m.local.first + first, to, bytes);
    };
    const auto written = [&](std::uint64_t, std::uint64_t bytes) { moved_bytes += bytes; };
    if (!m.bases.empty()) { return m_tensors.gather(m.tensor, m.bases, stop, take); }
    return m.loads ? m_tensors.load(m.tensor, stop, take) : m_tensors.store(m.tensor, stop, give, written);
}

} // namespace tensorloom::shell
