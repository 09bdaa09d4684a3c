#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <utility>
#include <tensorloom/models/isa/vector/accesses.h>
#include <tensorloom/models/isa/vector/signature.h>
#include <tensorloom/models/isa/vector/strided_command.h>
#include <tensorloom/models/isa/vector/limits.h>
#include <tensorloom/models/isa/program/shell_commands.h>

namespace tensorloom::isa::vector {

// Helpers of the instruction checks on words of a scratchpad: fields, and locations of operands.

using optional_error = std::optional<isa::check_error>;

inline isa::check_error bad_field(std::string text) { return {isa::error_code::bad_field, std::move(text)}; }

inline optional_error check_number(const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most)
{
    if (value >= least && value <= most) { return std::nullopt; }
    return bad_field(std::string(name) + " " + std::to_string(value) + " is not " + std::to_string(least) +
                     (most == least ? "" : " to " + std::to_string(most)));
}

inline optional_error check_unused(const char* name, bool zero)
{
    if (zero) { return std::nullopt; }
    return bad_field(std::string(name) + " is not used and not 0");
}

inline optional_error check_flags(std::uint16_t flags, std::uint16_t known)
{
    if ((flags & ~known) == 0) { return std::nullopt; }
    return isa::check_error{isa::error_code::bad_command, "unknown flags"};
}

inline isa::check_error missing_in_format(const char* name, base::element_type word)
{
    return {isa::error_code::unsupported_format,
            std::string(name) + " does not exist in " + std::string(base::element_type_name(word))};
}

inline optional_error check_instruction(opcode code, std::uint16_t flags, std::uint16_t known_flags,
                                        const limits& device)
{
    const char* name = find_instruction(static_cast<std::uint8_t>(code))->name;
    const auto block = needed_block(code);
    if (block && !device.has(*block)) {
        return isa::check_error{isa::error_code::unsupported_opcode,
                                std::string(name) + ": this vector unit lacks the block"};
    }
    if (!exists_in_format(code, device.word)) { return missing_in_format(name, device.word); }
    return check_flags(flags, known_flags);
}

// ---- operands ----

inline bool absent(const vector_operand& o) { return o.address == 0 && o.shift == 0 && isa::stays(o.step); }
inline bool absent(const strided_operand& o)
{
    return o.address == 0 && isa::stays(o.step) &&
           std::all_of(o.stride.begin(), o.stride.end(), [](std::int32_t s) { return s == 0; });
}

template <class Operand> optional_error check_alignment(const char* name, const Operand& o, std::uint32_t element)
{
    const auto misaligned = [&](const char* what, std::int64_t bytes) {
        return bad_field(std::string(name) + ": " + what + " " + std::to_string(bytes) + " is not a multiple of " +
                         std::to_string(element) + " bytes");
    };
    if (o.address % element != 0) { return misaligned("address", o.address); }
    for (const std::int32_t step : o.step) {
        if (step % static_cast<std::int32_t>(element) != 0) { return misaligned("step", step); }
    }
    return std::nullopt;
}

inline isa::check_error outside(const char* name, const limits& device)
{
    return {isa::error_code::too_large,
            std::string(name) + " leaves the scratchpad of " + std::to_string(device.scratchpad_bytes) + " bytes"};
}

inline optional_error check_at_most(std::uint64_t count, std::uint64_t most, const char* of_what)
{
    if (count <= most) { return std::nullopt; }
    return isa::check_error{isa::error_code::too_large, "more than " + std::to_string(most) + " " + of_what};
}

// Span from the first element to the last: a larger one fits no scratchpad and is excluded from range arithmetic.
inline bool spans_too_far(std::int32_t stride, std::uint64_t size)
{
    return size > 1 && std::abs(std::int64_t{stride}) * static_cast<std::int64_t>(size - 1) > (std::int64_t{1} << 32);
}

inline bool inside(const address_range& r, const limits& device)
{
    return r.empty() || (r.first < device.scratchpad_bytes && r.end() <= device.scratchpad_bytes);
}

inline bool inside(const address_ranges& ranges, const limits& device)
{
    return std::all_of(ranges.begin(), ranges.end(), [&](const address_range& r) { return inside(r, device); });
}

/// Checks an instruction with strides, except its opcode, flags and overlaps: cpu_ops, sizes that fit no memory,
/// operands outside of the scratchpad.
optional_error check_strided_operands(const strided_signature& has, const strided_sizes& sizes,
                                      const strided_command& command, const limits& device);

inline isa::check_error overlapping(const char* name) { return bad_field(std::string("the result overlaps ") + name); }

} // namespace tensorloom::isa::vector
