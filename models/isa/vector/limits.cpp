#include <tensorloom/models/isa/vector/limits.h>
#include <algorithm>
#include <limits>
#include <tensorloom/models/isa/vector/operand_checks.h>
#include <tensorloom/models/isa/vector/accesses.h>
#include <tensorloom/models/isa/vector/signature.h>

namespace tensorloom::isa::vector {
namespace {

// ---- instructions over vectors ----

optional_error check_packed_rows(const vector_command& c, const limits& device)
{
    if (c.block % 2 != 0) { return bad_field("block " + std::to_string(c.block) + " is odd"); }
    if (auto r = check_number("table", c.table, 1, std::numeric_limits<std::uint32_t>::max())) { return r; }
    return check_at_most(std::uint64_t{c.block} * c.table, device.scratchpad_words(), "words of rows side by side");
}

optional_error check_fields(const vector_signature& has, const vector_command& c, const limits& device)
{
    const unsigned word_bits = 8 * device.word_bytes();
    if (c.zero_a() && has.a == operand_use::table) { return bad_field("a is a table and cannot be all 0"); }
    if (c.broadcast_b() && !has.broadcast_b) { return bad_field("b cannot be broadcast"); }
    if (auto r = check_number("length", c.length, 1, std::numeric_limits<std::uint32_t>::max())) { return r; }
    if (has.block) {
        if (auto r = check_number("block", c.block, 1, std::numeric_limits<std::uint32_t>::max())) { return r; }
    } else if (auto r = check_unused("block", c.block == 0)) {
        return r;
    }
    if (has.packed_rows) {
        if (auto r = check_packed_rows(c, device)) { return r; }
    } else if (!has.table) {
        if (auto r = check_unused("table", c.table == 0)) { return r; }
    }
    switch (has.bits) {
    case bits_use::none: return check_unused("bits", c.bits == 0);
    case bits_use::stream: break;
    case bits_use::right_shift:
    case bits_use::which_bit: return check_number("bits", c.bits, 0, word_bits - 1);
    case bits_use::operand_bits: return check_number("bits", c.bits, 1, std::min(c.block, word_bits));
    }
    return std::nullopt;
}

optional_error check_vector(const char* name, operand_use use, const vector_operand& o, bool given,
                            std::uint64_t length, const limits& device)
{
    if (!given) { return check_unused(name, absent(o)); }
    if (auto r = check_alignment(name, o, device.word_bytes())) { return r; }
    if (use != operand_use::in_order && o.shift != 0) { return bad_field(std::string(name) + " cannot be shifted"); }
    // length first: the number of bytes may exceed 2^64
    if (length > device.scratchpad_bytes + o.shift ||
        (isa::stays(o.step) && !inside(ordered_range(o, length, device.word_bytes()), device))) {
        return outside(name, device);
    }
    return std::nullopt;
}

optional_error check_vector_overlap(const char* name, const vector_operand& o, std::uint64_t length,
                                    const vector_command& c, std::uint64_t result_length, bool may_be_result,
                                    const limits& device)
{
    if (!isa::stays(o.step) || !isa::stays(c.result.step)) { return std::nullopt; }
    const bool is_result = o.address == c.result.address && o.shift == 0 && length == result_length;
    if (is_result && may_be_result) { return std::nullopt; }
    const auto word = device.word_bytes();
    if (!overlap(ordered_range(o, length, word), ordered_range(c.result, result_length, word))) { return std::nullopt; }
    return overlapping(name);
}

// ---- instructions over strides ----

optional_error check_sizes(strided_shape shape, const std::array<std::uint32_t, 3>& size)
{
    static constexpr const char* names[] = {"size[0]", "size[1]", "size[2]"};
    for (unsigned m = 0; m < 3; ++m) {
        const bool one = (shape == strided_shape::vector && m < 2) ||
                         ((shape == strided_shape::matrix || shape == strided_shape::diagonal) && m == 0);
        const std::uint64_t most = one ? 1 : std::numeric_limits<std::uint32_t>::max();
        if (shape == strided_shape::none) {
            if (auto r = check_unused(names[m], size[m] == 0)) { return r; }
        } else if (auto r = check_number(names[m], size[m], 1, most)) {
            return r;
        }
    }
    if (shape == strided_shape::diagonal && size[1] != size[2]) { return bad_field("size[1] and size[2] differ"); }
    // Three times 32 bits: the first two factors do not overflow.
    if (shape != strided_shape::none && std::uint64_t{size[0]} * size[1] > strided_command::max_elements / size[2]) {
        return isa::check_error{isa::error_code::too_large,
                                "more than " + std::to_string(strided_command::max_elements) + " elements"};
    }
    return std::nullopt;
}

optional_error check_immediate(immediate_use use, const std::array<std::uint64_t, 2>& bits, const limits& device)
{
    const std::uint32_t bytes = device.word_bytes();
    const std::uint64_t most =
        bytes < 8 ? (std::uint64_t{1} << (8 * bytes)) - 1 : std::numeric_limits<std::uint64_t>::max();
    if (bytes < 16 || use != immediate_use::word) {
        if (auto r = check_unused("immediate[1]", bits[1] == 0)) { return r; }
    }
    switch (use) {
    case immediate_use::none: return check_unused("immediate[0]", bits[0] == 0);
    case immediate_use::word: return check_number("immediate[0]", bits[0], 0, most);
    case immediate_use::modulus: return check_number("modulus", bits[0], 1, most / 2);
    case immediate_use::digit_bits: return check_number("bits of a digit", bits[0], 1, 62);
    }
    return std::nullopt;
}

optional_error check_fields(const strided_signature& has, const strided_command& c, const limits& device)
{
    if (c.reserved != 0) { return bad_field("reserved bytes are not 0"); }
    if (auto r = check_number("cpu_ops", c.cpu_ops, 0, max_cpu_ops)) { return r; }
    if (auto r = check_sizes(has.shape, c.size)) { return r; }
    for (unsigned m = 0; m < 3; ++m) {
        if (auto r = check_number("valid", c.valid[m], 0, has.valid ? c.size[m] : 0)) { return r; }
    }
    return check_immediate(has.immediate, c.immediate, device);
}

optional_error check_strided(const char* name, const strided_operand& o, bool given,
                             const std::array<std::uint32_t, 3>& size, const limits& device)
{
    if (!given) { return check_unused(name, absent(o)); }
    if (auto r = check_alignment(name, o, device.word_bytes())) { return r; }
    if (!isa::stays(o.step)) { return std::nullopt; }
    for (unsigned m = 0; m < 3; ++m) {
        if (spans_too_far(o.stride[m], size[m])) { return outside(name, device); }
    }
    if (!inside(strided_range(o, size, device.word_bytes()), device)) { return outside(name, device); }
    return std::nullopt;
}

bool same_places(const strided_operand& a, const strided_operand& b, const std::array<std::uint32_t, 3>& size)
{
    bool same = a.address == b.address;
    for (unsigned m = 0; m < 3; ++m) { same = same && (size[m] <= 1 || a.stride[m] == b.stride[m]); }
    return same;
}

optional_error check_repl_overlap(const strided_command& c, const limits& device)
{
    if (!isa::stays(c.a.step) || !isa::stays(c.result.step) || same_places(c.a, c.result, c.valid)) {
        return std::nullopt;
    }
    const auto word = device.word_bytes();
    if (!overlap(strided_range(c.a, c.valid, word), strided_range(c.result, c.size, word))) { return std::nullopt; }
    return overlapping("a");
}

} // namespace

std::optional<isa::check_error> check(opcode code, const vector_command& c, const limits& device)
{
    if (auto r = check_instruction(code, c.flags, vector_command::known_flags, device)) { return r; }
    const vector_signature has = vector_signature_of(code);
    if (auto r = check_fields(has, c, device)) { return r; }
    const vector_lengths lengths = lengths_of(code, c);
    const bool has_a = !c.zero_a();
    const bool has_b = has.b != operand_use::none;
    const bool has_c = has.c != operand_use::none;
    const operand_use b = c.broadcast_b() ? operand_use::one_word : has.b;
    if (auto r = check_vector("result", operand_use::table, c.result, true, lengths.result, device)) { return r; }
    if (auto r = check_vector("a", has.a, c.a, has_a, lengths.a, device)) { return r; }
    if (auto r = check_vector("b", b, c.b, has_b, lengths.b, device)) { return r; }
    if (auto r = check_vector("c", has.c, c.c, has_c, lengths.c, device)) { return r; }
    const std::uint64_t words = std::max({lengths.result, lengths.a, lengths.b, lengths.c});
    if (auto r = check_at_most(words, device.scratchpad_words(), "words of an operand or of the result")) { return r; }
    const auto overlapping_z = [&](const char* name, const vector_operand& o, std::uint64_t length) {
        return check_vector_overlap(name, o, length, c, lengths.result, !has.reads_result, device);
    };
    if (auto r = overlapping_z("a", c.a, lengths.a)) { return r; }
    if (auto r = overlapping_z("b", c.b, lengths.b)) { return r; }
    return overlapping_z("c", c.c, lengths.c);
}

optional_error check_strided_operands(const strided_signature& has, const strided_sizes& sizes,
                                      const strided_command& c, const limits& device)
{
    if (auto r = check_fields(has, c, device)) { return r; }
    if (auto r = check_strided("result", c.result, has.result, sizes.result, device)) { return r; }
    if (auto r = check_strided("a", c.a, has.a, sizes.a, device)) { return r; }
    return check_strided("b", c.b, has.b, sizes.b, device);
}

std::optional<isa::check_error> check(opcode repl, const strided_command& c, std::uint16_t flags, const limits& device)
{
    if (auto r = check_instruction(repl, flags, 0, device)) { return r; }
    if (auto r = check_strided_operands(repl_signature, sizes_of(repl_signature, c), c, device)) { return r; }
    if (auto r = check_at_most(c.elements(), device.scratchpad_words(), "elements")) { return r; }
    return check_repl_overlap(c, device);
}

} // namespace tensorloom::isa::vector
