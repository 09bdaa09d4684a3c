#pragma once
#include <algorithm>
#include <array>
#include <vector>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/tlm/dma_socket.h>

namespace tensorloom::test {

inline constexpr base::event_definition mixer_event_definitions[] = {
    {"mix", "", "A MIX."},
    {"byte_in", "", "A byte that a LOAD wrote."},
    {"byte_out", "", "A byte that a STORE read."},
    {"overlapped", "", "A cycle that nothing waited for."},
};
inline constexpr base::event_table mixer_events = base::make_event_table(mixer_event_definitions);

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

    mix_command at(const isa::loop_indices& iteration) const
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
        for (unsigned f = 0; f < 6; ++f) { base::store_le(p.data() + 4 * f, fields[f]); }
        for (unsigned l = 0; l < 2; ++l) { base::store_le(p.data() + 24 + 4 * l, step[l]); }
        return p;
    }
    static mix_command decode(const std::uint8_t* p)
    {
        const auto field = [p](unsigned f) { return base::load_le<std::uint32_t>(p + 4 * f); };
        return {field(0),
                field(1),
                field(2),
                field(3),
                field(4),
                field(5),
                {base::load_le<std::int32_t>(p + 24), base::load_le<std::int32_t>(p + 28)}};
    }
};

inline constexpr unsigned mixer_units = 3;
inline constexpr base::layout_field mix_fields[] = {{"mix", 0, 4, 8, "a mix_command"}};
inline constexpr base::byte_layout mix_layout{"mix", mix_fields};
/// A MIX of each unit.
inline constexpr isa::command_description mixer_commands[mixer_units] = {
    {{0x21, "mix_0", "MIX on unit 0"}, {}, &mix_layout},
    {{0x22, "mix_1", "MIX on unit 1"}, {}, &mix_layout},
    {{0x23, "mix_2", "MIX on unit 2"}, {}, &mix_layout}};
inline constexpr isa::device_description mixer_description{
    "mixer", "Mixer", "TOIL", 0x4c494f54, {mixer_commands, mixer_units}, mixer_events, 101};

/// What the cycles of a unit are spent on.
inline base::resource mixer_resource(unsigned unit)
{
    constexpr base::resource of_units[mixer_units] = {base::resource::compute, base::resource::vector,
                                                      base::resource::scalar};
    return of_units[unit];
}

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

/// A device with 256 bytes of its own and three units. Each has one opcode, from 0x21 on, for MIX; with flag 0 it fails
/// when its time has passed, with flag 1 it does not look whether it should stop.
///
/// It reads when it begins and again when it ends, and writes when it ends: whoever overtakes it changes its result. Of
/// its cycles the first quarter is cause "fill", the last quarter "drain", the rest "mix".
class mixer_device : public shell::device_shell, private shell::local_memory {
public:
    static constexpr auto mix = static_cast<isa::opcode>(0x21);
    static isa::opcode mix_on(unsigned unit) { return static_cast<isa::opcode>(0x21 + unit); }
    static constexpr std::uint16_t flag_fails = 1;
    static constexpr std::uint16_t flag_deaf = 2;
    static constexpr unsigned units = mixer_units;
    static constexpr std::size_t overlapped = 3; ///< event
    static constexpr std::size_t memory_bytes = 256;

    bus::dma_socket<32> dma_out;
    std::vector<unsigned char> memory = std::vector<unsigned char>(memory_bytes);
    std::uint64_t port_cycles_per_byte = 0;
    unsigned resets = 0;

    mixer_device(sc_core::sc_module_name name, const shell::shell_config& config, bus::activity_sink* activity)
        : device_shell(name, mixer_description, counting(config), activity),
          dma_out("dma_out"), m_mixers{{{*this, 0}, {*this, 1}, {*this, 2}}}
    {
        bind_dma(dma_out);
        use_units({&m_mixers[0], &m_mixers[1], &m_mixers[2]}, *this, {1, 2});
    }

private:
    class mixer : public shell::command_unit {
    public:
        mixer(mixer_device& device, unsigned number) : m_device(device), m_number(number) {}

        bool executes(std::uint8_t opcode) const override { return opcode == 0x21 + m_number; }
        std::optional<isa::check_error> check(const isa::command_header&, const std::uint8_t*) const override
        {
            return std::nullopt;
        }
        shell::access_set accesses(const shell::issued_command& command) const override
        {
            const auto c = mix_command::decode(command.payload).at(command.iteration);
            return {0, {{c.from, c.from_bytes}}, {{c.to, c.to_bytes}}};
        }
        shell::command_outcome execute(shell::running_command& running) override
        {
            const auto c = mix_command::decode(running.command.payload).at(running.command.iteration);
            const std::uint64_t counts[] = {1, 0, 0, 0};
            const auto report = [&](const char* phase, std::uint64_t cycles, const std::uint64_t* counted) {
                const auto freed = base::freed_cycles::of(mixer_resource(m_number), cycles);
                running.report(phase, phase, cycles, counted, &freed);
            };
            report("fill", c.cycles / 4, nullptr);
            report("mix", c.cycles - 2 * (c.cycles / 4), counts);
            report("drain", c.cycles / 4, nullptr);
            const unsigned begin = digest(m_device.memory, c.from, c.from_bytes);
            const bus::stop_request never;
            const bool deaf = (running.command.header.flags & flag_deaf) != 0;
            if (!running.clock.wait_until(running.clock.now() + c.cycles, deaf ? never : running.stop)) {
                return {isa::error_code::aborted};
            }
            mix_into(m_device.memory, c, begin, digest(m_device.memory, c.from, c.from_bytes));
            if ((running.command.header.flags & flag_fails) != 0) { return {isa::error_code::arithmetic_overflow}; }
            return {};
        }

        void reset() override { m_device.resets += m_number == 0 ? 1 : 0; }

    private:
        mixer_device& m_device;
        unsigned m_number;
    };

    static shell::shell_config counting(shell::shell_config c)
    {
        c.overlapped_cycle = overlapped;
        return c;
    }

    // shell::local_memory
    void clear() override {} // tests look at what a reset leaves
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

    std::array<mixer, mixer_units> m_mixers;
};

} // namespace tensorloom::test
