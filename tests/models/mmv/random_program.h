#pragma once
#include <cstdint>
#include <optional>
#include <random>
#include <vector>
#include <tensorloom/models/mmv/isa/limits.h>
#include <tensorloom/models/mmv/isa/instruction_set.h>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>

namespace tensorloom::test {

/// What a program moves, as offsets in a memory: the first scratchpad contents, indices, tensors to load, room for
/// tensors, and at the end room for a dump of the whole scratchpad.
struct random_memory {
    std::uint64_t base = 0;
    std::uint64_t scratchpad_bytes = 0;

    static constexpr std::uint64_t piece = 4096;
    std::uint64_t indices() const { return base + scratchpad_bytes; }
    std::uint64_t loads() const { return indices() + piece; }
    std::uint64_t stores() const { return loads() + piece; }
    std::uint64_t dump() const { return stores() + piece; }
    std::uint64_t bytes() const { return dump() + scratchpad_bytes - base; }
};

/// Makes programs of random instructions that a device takes: every instruction of a format, every kind of operand, in
/// place or not, in loops whose addresses advance, between loads, stores and signals. Their numbers are small, so that
/// few programs end in an error.
class program_maker {
public:
    program_maker(std::uint64_t seed, const mmv::limits& limits, std::uint64_t memory_base);

    const random_memory& memory() const { return m_memory; }

    /// What the memory holds at first.
    std::vector<std::uint8_t> data();
    /// Loads the whole scratchpad, then `instructions` of the device.
    std::vector<std::uint8_t> program(unsigned instructions);
    /// Stores the whole scratchpad.
    std::vector<std::uint8_t> dump() const;

private:
    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(m_engine() % n); }
    bool chance(double p) { return static_cast<double>(below(1000)) < 1000 * p; }
    std::int32_t between(std::int32_t low, std::int32_t high)
    {
        return low + static_cast<std::int32_t>(below(static_cast<std::uint32_t>(high - low + 1)));
    }

    void put_number(std::vector<std::uint8_t>& bytes, std::uint64_t at, bool index);
    std::uint32_t address(std::uint64_t bytes, std::uint32_t alignment);
    std::array<std::int32_t, isa::stepped_loops> steps(std::uint32_t element);
    template <class Command, class Refusal> bool runs(const Command& command, const Refusal& check_error) const;
    void open_or_close_loop();
    void add_instruction();
    bool add_matmul();
    bool add_product();
    bool add_vector(isa::vector::opcode code);
    template <class Refusal>
    bool add_strided(isa::command_code code, const isa::vector::strided_signature& has, const Refusal& check_error);
    void add_transfer();
    void load_indices(std::uint32_t to, std::uint64_t words);
    void clear_words(std::uint32_t at, std::uint32_t words);
    std::uint64_t immediate_number();

    std::mt19937_64 m_engine;
    mmv::limits m_limits;
    random_memory m_memory;
    isa::program_builder m_builder;
    std::vector<std::uint32_t> m_loops; // iterations of those that are open
    std::optional<mmv::matrix_operand> m_weights;
};

} // namespace tensorloom::test
