#pragma once
#include <algorithm>
#include <array>
#include <vector>
#include <tensorloom/models/arch/values/byte_layout.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/tlm/dma_socket.h>

namespace tensorloom::test {

inline constexpr arch::event_definition mixer_event_definitions[] = {
    {"mix", "", "A MIX."},
    {"byte_in", "", "A byte that a LOAD wrote."},
    {"byte_out", "", "A byte that a STORE read."},
    {"overlapped", "", "A cycle that nothing waited for."},
};
inline constexpr arch::event_table mixer_events = arch::make_event_table(mixer_event_definitions);

/// What a MIX does: on a unit, for some cycles, makes bytes of local memory out of others. Addresses advance with the
/// two innermost loops.
struct mix_command {
    std::uint32_t unit = 0;
    std::uint32_t cycles = 0;
    std::uint32_t from = 0; ///< first byte read
    std::uint32_t from_bytes = 0;
    std::uint32_t to = 0; ///< first byte written
    std::uint32_t to_bytes = 0;
    std::array<std::int32_t, 2> step{};

    mix_command at(const arch::loop_indices& iteration) const
    {
        mix_command c = *this;
        for (unsigned l = 0; l < 2; ++l) {
            c.from += static_cast<std::uint32_t>(step[l]) * iteration[l];
            c.to += static_cast<std::uint32_t>(step[l]) * iteration[l];
        }
        return c;
    }
    std::vector<std::uint8_t> encode() const
    {
        std::vector<std::uint8_t> p(32);
        const std::uint32_t fields[] = {unit, cycles, from, from_bytes, to, to_bytes};
        for (unsigned f = 0; f < 6; ++f) { arch::store_le(p.data() + 4 * f, fields[f]); }
        for (unsigned l = 0; l < 2; ++l) { arch::store_le(p.data() + 24 + 4 * l, step[l]); }
        return p;
    }
    static mix_command decode(const std::uint8_t* p)
    {
        const auto field = [p](unsigned f) { return arch::load_le<std::uint32_t>(p + 4 * f); };
        return {field(0),
                field(1),
                field(2),
                field(3),
                field(4),
                field(5),
                {arch::load_le<std::int32_t>(p + 24), arch::load_le<std::int32_t>(p + 28)}};
    }
};

/// A digest of bytes in which every place counts.
inline unsigned digest(const std::vector<unsigned char>& memory, std::uint32_t first, std::uint32_t bytes)
{
    unsigned d = 7;
    for (std::uint32_t i = 0; i < bytes; ++i) { d = d * 31 + memory[first + i]; }
    return d;
}

/// What a MIX writes, of digests of its operand taken at its begin and at its end, over the bytes that stand there.
inline void mix_into(std::vector<unsigned char>& memory, const mix_command& c, unsigned begin, unsigned end)
{
    for (std::uint32_t i = 0; i < c.to_bytes; ++i) {
        auto& byte = memory[c.to + i];
        byte = static_cast<unsigned char>(byte * 5 + begin + 3 * end + i);
    }
}

/// A device with 256 bytes of its own and three units. Its one opcode, 0x21, is MIX; with flag 0 it fails when its time
/// has passed, with flag 1 it does not look whether it should stop.
///
/// It reads when it begins and again when it ends, and writes when it ends: whoever overtakes it changes its result. Of
/// its cycles the first quarter is cause "fill", the last quarter "drain", the rest "mix".
class mixer_device : public shell::device_shell, private shell::local_memory {
public:
    static constexpr auto mix = static_cast<arch::opcode>(0x21);
    static constexpr std::uint16_t flag_fails = 1;
    static constexpr std::uint16_t flag_deaf = 2;
    static constexpr unsigned units = 3;
    static constexpr std::size_t overlapped = 3; ///< event
    static constexpr std::size_t memory_bytes = 256;

    bus::dma_socket<32> dma_out;
    std::vector<unsigned char> memory = std::vector<unsigned char>(memory_bytes);
    std::uint64_t port_cycles_per_byte = 0;
    unsigned resets = 0;

    mixer_device(sc_core::sc_module_name name, const shell::shell_config& config, bus::activity_sink* activity)
        : device_shell(name, with_units(config), mixer_events, activity), dma_out("dma_out")
    {
        bind_dma(dma_out);
    }

private:
    static shell::shell_config with_units(shell::shell_config c)
    {
        c.units = units;
        c.overlapped_cycle = overlapped;
        return c;
    }

    std::optional<arch::refusal> check_command(const arch::command_header& header, const std::uint8_t*,
                                               std::size_t payload_bytes) const override
    {
        if (header.opcode != 0x21) { return arch::refusal{arch::error_code::unknown_opcode, "unknown"}; }
        if (payload_bytes != 32) { return arch::refusal{arch::error_code::bad_command, "length"}; }
        return std::nullopt;
    }

    shell::command_outcome execute(const shell::issued_command& command) override
    {
        const auto c = mix_command::decode(command.payload).at(command.iteration);
        const std::uint64_t counts[] = {1, 0, 0, 0};
        report(command, "fill", "fill", c.cycles / 4);
        report(command, "mix", "mix", c.cycles - 2 * (c.cycles / 4), counts);
        report(command, "drain", "drain", c.cycles / 4);
        const unsigned begin = digest(memory, c.from, c.from_bytes);
        const bus::stop_request never;
        const bool deaf = (command.header.flags & flag_deaf) != 0;
        if (!clock().wait_until(clock().now() + c.cycles, deaf ? never : stop())) {
            return {arch::error_code::aborted};
        }
        mix_into(memory, c, begin, digest(memory, c.from, c.from_bytes));
        if ((command.header.flags & flag_fails) != 0) { return {arch::error_code::arithmetic_overflow}; }
        return {};
    }

    shell::access_set footprint(const shell::issued_command& command) const override
    {
        const auto c = mix_command::decode(command.payload).at(command.iteration);
        return {c.unit, {{c.from, c.from_bytes}}, {{c.to, c.to_bytes}}};
    }

    shell::local_memory* transfer_memory() override { return this; }
    void count_transfer(arch::opcode code, const shell::byte_range& moved, std::uint64_t* counts) const override
    {
        counts[code == arch::opcode::load ? 1 : 2] += moved.bytes;
    }
    void sync_counters() override {}
    void reset_device() override { ++resets; }

    // shell::local_memory
    std::uint64_t bytes() const override { return memory.size(); }
    void read(std::uint64_t address, unsigned char* to, std::uint64_t bytes) const override
    {
        std::copy_n(memory.data() + address, bytes, to);
    }
    void write(std::uint64_t address, const unsigned char* from, std::uint64_t bytes) override
    {
        std::copy_n(from, bytes, memory.data() + address);
    }
    std::uint64_t port_cycles(std::uint64_t, std::uint64_t bytes) const override
    {
        return bytes * port_cycles_per_byte;
    }
};

} // namespace tensorloom::test
