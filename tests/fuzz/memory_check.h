#pragma once
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>
#include <tensorloom/models/isa/program/program.h>
#include "fuzz/fuzzed_device.h"
#include "fuzz/program_twin.h"

namespace tensorloom::test {

/// How the check of a device judges commands, and how it predicts results.
struct memory_check_rules {
    std::function<std::uint64_t(const isa::program_command&)> runs; ///< pieces of memory that one execution moves
    std::function<bool(const isa::program_command&)> works_long;    ///< too long for the host
    std::function<bool(const isa::program_command&)> is_refused;    ///< by the checks of the device's commands
    /// Computes what memory holds after a program that ran to its end. `found`: the memory after the device's run.
    /// `memory`: at first the memory before the run. False when the device does not promise the result.
    std::function<bool(const program_bytes& program, const program_bytes& found, program_bytes& memory)> reference;
};

/// A device whose programs work on tensors in memory on the bus. Both fidelities must agree. After a program that runs
/// to its end, memory is that of the reference. No program is accepted that the checks refuse.
template <class Bench> class memory_check : public program_check, twin<Bench> {
    using base = twin<Bench>;

public:
    static constexpr std::uint64_t memory_bytes = 1u << 16;

    template <class Config>
    memory_check(const std::string& name, const Config& config, memory_check_rules rules)
        : base(name, with(config, blocks::fidelity::fast), with(config, blocks::fidelity::detailed)),
          m_rules(std::move(rules)), m_data(memory_bytes)
    {
        std::mt19937_64 random(1);
        for (std::size_t at = 0; at < m_data.size(); ++at) { // small numbers in every format, zeros among them
            m_data[at] = static_cast<std::uint8_t>(random() % 3 == 0 ? 0 : random() % 64);
        }
        for (std::uint32_t i = 0; i < 64; ++i) { m_data[4 * i] = static_cast<std::uint8_t>(i); } // row orders
        for (std::uint32_t i = 0; i < 256; ++i) { m_data[i] = i % 4 == 0 ? m_data[i] : 0; }
    }

    void run(const program_bytes& program) override
    {
        // a program with a command that the checks refuse does not start
        const bool refused = has(program, m_rules.is_refused);
        if (!asked(program, m_rules.runs).is_small() || (!refused && has(program, m_rules.works_long))) { return; }
        const auto found = base::run([&](Bench& b, auto& r) {
            b.cpu().preload(Bench::data_at, m_data.data(), m_data.size());
            b.driver().reset();
            run_patiently(b, program, r);
            if (!r.timed_out) { r.memory = b.read(Bench::data_at, memory_bytes); }
        });
        if (!found || !found->outcome.result.done) { return; }
        expect(!refused, "a program was accepted that the checks refuse");
        auto expected = m_data;
        if (m_rules.reference(program, found->memory, expected)) {
            const auto memory = difference(found->memory, expected);
            expect(memory.empty(), "other results than the reference: " + memory);
        }
    }

private:
    template <class Config> static Config with(Config config, blocks::fidelity model)
    {
        config.fidelity = model;
        return config;
    }
    // Whole commands alone: nothing after the first that is cut off.
    template <class Predicate> static bool has(const program_bytes& program, const Predicate& predicate)
    {
        if (program.size() < isa::program_header::encoded_bytes) { return false; }
        for (const auto& c : isa::program_commands(program)) {
            if (!c.is_whole()) { return false; }
            if (predicate(c)) { return true; }
        }
        return false;
    }

    memory_check_rules m_rules;
    program_bytes m_data;
};

/// True for a whole command with this opcode and a payload of at least so many bytes.
template <class Opcode> bool is_command(const isa::program_command& c, Opcode opcode, std::size_t payload_bytes)
{
    return c.is_whole() && c.header.opcode == static_cast<std::uint8_t>(opcode) && c.payload_bytes() >= payload_bytes;
}

} // namespace tensorloom::test
