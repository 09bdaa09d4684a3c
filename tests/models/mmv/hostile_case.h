#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/mmv/isa/driver.h>
#include <tensorloom/models/mmv/isa/instruction_set.h>
#include "models/hostile_programs.h"
#include "models/mmv/program_case.h"

namespace tensorloom::test {

/// An MMU/VCU pair as the suite of hostile programs wants it: what the checks have against an instruction, and which
/// numbers to try.
struct hostile_mmv_case : mmv_case {
    static constexpr std::uint32_t flag_bits = 7;

    static constexpr std::uint64_t most_operations = 1u << 15; ///< that the reference is asked for, in an instruction

    hostile_mmv_case(std::uint64_t seed, unsigned count) : mmv_case(seed, seed + 1000, count, 3) {}

    static const isa::command_description* what(const isa::command_header& header)
    {
        return header.opcode < static_cast<std::uint8_t>(isa::opcode::first_of_device)
                   ? nullptr
                   : isa::find_command(mmv::description, header.opcode);
    }
    static const base::byte_layout* layout_of(const isa::command_header& header)
    {
        return what(header) == nullptr ? nullptr : what(header)->payload;
    }
    std::optional<isa::check_error> check_error_of(const program_bytes& program, const placed_command& c,
                                                   const std::optional<isa::loop_indices>& iteration) const
    {
        const auto* const payload = program.data() + c.payload();
        const auto of = [&](const auto& command, const auto& checked) {
            return checked(iteration ? command.at(*iteration) : command);
        };
        const auto flags = c.header.flags;
        if (layout_of(c.header) == &mmv::matmul_layout) {
            return of(mmv::matmul_command::decode(payload), [&](const auto& m) { return check(m, flags, limits); });
        }
        if (layout_of(c.header) == &mmv::product_layout) {
            return of(mmv::product_command::decode(payload), [&](const auto& p) { return check(p, flags, limits); });
        }
        const auto* const vector = isa::vector::find_instruction(c.header.opcode);
        if (layout_of(c.header) == &isa::vector::vector_layout) {
            return of(isa::vector::vector_command::decode(flags, payload),
                      [&](const auto& v) { return check(vector->code, v, limits); });
        }
        return of(isa::vector::strided_command::decode(payload), [&](const auto& s) {
            return vector != nullptr ? check(vector->code, s, flags, limits)
                                     : check(mmv::find_instruction(c.header.opcode)->code, s, flags, limits);
        });
    }
    bool works_long(const program_bytes& program, const placed_command& c) const
    {
        const auto* const i = mmv::find_instruction(c.header.opcode);
        if (i == nullptr || !is_scalar(i->code) || i->code == mmv::opcode::charge) { return false; }
        const auto s = isa::vector::strided_command::decode(program.data() + c.payload());
        return scalar_operations(i->code, s) > most_operations;
    }
    std::vector<std::uint64_t> extremes() const
    {
        const std::uint64_t bytes = limits.scratchpad_bytes, word = limits.word_bytes(),
                            words = limits.scratchpad_words(), one = 1;
        return {0,
                1,
                2,
                3,
                limits.side,
                limits.side + 1,
                word,
                words - 1,
                words,
                words + 1,
                bytes - word,
                bytes,
                bytes + word,
                bytes - 1,
                bytes + 1,
                0xffff,
                0x10000,
                0x7fffffff,
                0x80000000,
                0xfffffff8,
                0xffffffff,
                0 - word,
                one << 32,
                one << 40,
                (one << 40) + 1,
                one << 61,
                ~std::uint64_t{0}};
    }
};

} // namespace tensorloom::test
