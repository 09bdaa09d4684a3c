#pragma once
#include <vector>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/shell/device_shell.h>
#include <tensorloom/tlm/dma_socket.h>

namespace tensorloom::test {

inline constexpr base::event_definition toil_event_definitions[] = {
    {"cycle", "", "A cycle of toil."},
    {"byte", "", "A byte loaded or stored."},
};
inline constexpr base::event_table toil_events = base::make_event_table(toil_event_definitions);

inline constexpr base::layout_field toil_fields[] = {{"toil", 0, 4, 4, "cycles, bytes, address"}};
inline constexpr base::byte_layout toil_layout{"toil", toil_fields};
inline constexpr isa::command_description toil_commands[] = {{{0x21, "toil", "loads, then toils"}, {}, &toil_layout}};
inline constexpr isa::device_description toil_description{"toil",      "Toil", "TOIL", 0x4c494f54, {toil_commands, 1},
                                                          toil_events, 100};

/// The smallest device: its one opcode, 0x21, loads bytes over the bus and then toils for some cycles.
///
/// Payload, 16 bytes: cycles (4), bytes (4), address (8). Flag 0: every later command toils one cycle longer, until a
/// reset. Flag 1: bytes of 0x5a are stored instead.
class toil_device : public shell::device_shell, private shell::command_unit {
public:
    static constexpr auto toil = static_cast<isa::opcode>(0x21);
    static constexpr std::uint16_t flag_tires = 1;
    static constexpr std::uint16_t flag_stores = 2;
    static constexpr unsigned char stored_byte = 0x5a;
    static constexpr std::uint32_t forbidden_cycles = 0xffffffff;

    bus::dma_socket<32> dma_out;
    unsigned syncs = 0;
    unsigned resets = 0;

    toil_device(sc_core::sc_module_name name, const shell::shell_config& config, bus::activity_sink* activity)
        : device_shell(name, toil_description, config, activity), dma_out("dma_out")
    {
        bind_dma(dma_out);
        use_units({this});
    }

    static std::vector<std::uint8_t> payload(std::uint32_t cycles, std::uint32_t bytes = 0, std::uint64_t address = 0)
    {
        std::vector<std::uint8_t> p(16);
        base::store_le(p.data(), cycles);
        base::store_le(p.data() + 4, bytes);
        base::store_le(p.data() + 8, address);
        return p;
    }

private:
    bool executes(std::uint8_t opcode) const override { return opcode == 0x21; }
    shell::access_set accesses(const shell::issued_command&) const override { return {}; }

    std::optional<isa::check_error> check(const isa::command_header&, const std::uint8_t* payload) const override
    {
        if (base::load_le<std::uint32_t>(payload) == forbidden_cycles) {
            return isa::check_error{isa::error_code::too_large, "cycles"};
        }
        return std::nullopt;
    }

    shell::command_outcome execute(shell::running_command& running) override
    {
        const auto& [index, header, payload, iteration, execution] = running.command;
        const std::uint64_t cycles = base::load_le<std::uint32_t>(payload) + m_tiredness;
        const auto bytes = base::load_le<std::uint32_t>(payload + 4);
        if (bytes > 0) {
            const std::uint64_t start = clock().now();
            const bool stores = (header.flags & flag_stores) != 0;
            const auto address = base::load_le<std::uint64_t>(payload + 8);
            dma().renew(m_bytes);
            m_bytes.assign(bytes, stored_byte);
            const auto result = stores ? dma().write(address, m_bytes.data(), bytes, stop())
                                       : dma().read(address, m_bytes.data(), bytes, stop());
            clock().align();
            const std::uint64_t counts[] = {0, result.ok() ? bytes : 0};
            const char* cause = stores ? "unload" : "load";
            log().add(
                bus::log_record(cause).of_command(index).during(start, clock().now() - start).with_counts(counts));
            if (!result.ok()) { return shell::outcome_of(result); }
        }
        m_command = index;
        m_toil_since = clock().now();
        m_toiling = true;
        const bool done = clock().wait_until(m_toil_since + cycles, stop());
        log_toil_until(clock().now());
        m_toiling = false;
        if (!done) { return {isa::error_code::aborted, 0}; }
        if ((header.flags & flag_tires) != 0) { ++m_tiredness; }
        return {};
    }

    void sync() override
    {
        ++syncs;
        if (m_toiling) { log_toil_until(clock().now()); }
    }

    void reset() override
    {
        ++resets;
        m_tiredness = 0;
    }

    void log_toil_until(std::uint64_t cycle)
    {
        const std::uint64_t counts[] = {cycle - m_toil_since, 0};
        log().add(bus::log_record("compute", "toil")
                      .of_command(m_command)
                      .during(m_toil_since, cycle - m_toil_since)
                      .with_counts(counts));
        m_toil_since = cycle;
    }

    std::uint64_t m_tiredness = 0;
    std::uint64_t m_toil_since = 0;
    std::uint32_t m_command = 0;
    bool m_toiling = false;
    std::vector<unsigned char> m_bytes;
};

} // namespace tensorloom::test
