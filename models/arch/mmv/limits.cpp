#include <tensorloom/models/arch/mmv/limits.h>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string>
#include <tensorloom/models/arch/mmv/instruction_work.h>
#include <tensorloom/models/arch/mmv/operand_ranges.h>
#include <tensorloom/models/arch/mmv/strided_signature.h>
#include <tensorloom/models/arch/mmv/vector_signature.h>

namespace tensorloom::arch::mmv {
namespace {

using complaint = std::optional<refusal>;

refusal bad_field(std::string text) { return {error_code::bad_field, std::move(text)}; }

complaint check_number(const char* name, std::uint64_t value, std::uint64_t least, std::uint64_t most)
{
    if (value >= least && value <= most) { return std::nullopt; }
    return bad_field(std::string(name) + " " + std::to_string(value) + " is not " + std::to_string(least) +
                     (most == least ? "" : " to " + std::to_string(most)));
}

complaint check_unused(const char* name, bool zero)
{
    if (zero) { return std::nullopt; }
    return bad_field(std::string(name) + " is not used and not 0");
}

complaint check_instruction(opcode code, std::uint16_t flags, std::uint16_t known_flags, const mmv_limits& device)
{
    const auto name = [&] { return std::string(find_instruction(static_cast<std::uint8_t>(code))->name); };
    const auto block = needed_block(code);
    if (block && !device.has(*block)) {
        return refusal{error_code::unsupported_opcode, name() + ": this vector unit lacks the block"};
    }
    if (!exists_in_format(code, device.format)) {
        return refusal{error_code::unsupported_format,
                       name() + " does not exist in " + std::string(element_type_name(device.format))};
    }
    if ((flags & ~known_flags) != 0) { return refusal{error_code::bad_command, "unknown flags"}; }
    return std::nullopt;
}

// ---- operands ----

template <class Operand> bool stays(const Operand& o)
{
    return std::all_of(o.step.begin(), o.step.end(), [](std::int32_t s) { return s == 0; });
}

bool absent(const vector_operand& o) { return o.address == 0 && o.shift == 0 && stays(o); }
bool absent(const strided_operand& o)
{
    return o.address == 0 && stays(o) &&
           std::all_of(o.stride.begin(), o.stride.end(), [](std::int32_t s) { return s == 0; });
}

template <class Operand> complaint check_alignment(const char* name, const Operand& o, std::uint32_t element)
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

refusal outside(const char* name, const mmv_limits& device)
{
    return {error_code::too_large,
            std::string(name) + " leaves the scratchpad of " + std::to_string(device.scratchpad_bytes) + " bytes"};
}

complaint check_at_most(std::uint64_t count, std::uint64_t most, const char* of_what)
{
    if (count <= most) { return std::nullopt; }
    return refusal{error_code::too_large, "more than " + std::to_string(most) + " " + of_what};
}

// From the first element to the last: what is farther fits nowhere, and is kept out of the arithmetic of ranges.
bool spans_too_far(std::int32_t stride, std::uint64_t size)
{
    return size > 1 && std::abs(std::int64_t{stride}) * static_cast<std::int64_t>(size - 1) > (std::int64_t{1} << 32);
}

bool inside(const address_range& r, const mmv_limits& device)
{
    return r.empty() || (r.first < device.scratchpad_bytes && r.end() <= device.scratchpad_bytes);
}

bool inside(const address_ranges& ranges, const mmv_limits& device)
{
    return std::all_of(ranges.begin(), ranges.end(), [&](const address_range& r) { return inside(r, device); });
}

refusal overlapping(const char* name) { return bad_field(std::string("the result overlaps ") + name); }

// ---- MATMUL ----

complaint check_matrix(const char* name, const matrix_operand& o, std::uint64_t rows, std::uint32_t element,
                       const mmv_limits& device)
{
    if (auto r = check_alignment(name, o, element)) { return r; }
    if (stays(o) && spans_too_far(o.row_stride, rows)) { return outside(name, device); }
    return std::nullopt;
}

bool rows_overlap(const matrix_operand& o, std::uint32_t columns, std::uint64_t rows)
{
    return rows > 1 && std::abs(std::int64_t{o.row_stride}) < columns;
}

// Row r of x enters before row r of z leaves: where both have the same place, nothing is lost.
bool in_place(const matmul_command& c, std::uint64_t rows, const mmv_limits& device)
{
    return c.result.address == c.left.address && (rows == 1 || c.result.row_stride == c.left.row_stride) &&
           device.word() == device.format && !rows_overlap(c.left, c.left_columns, rows);
}

complaint check_places(const matmul_command& c, std::uint64_t rows, const mmv_limits& device)
{
    const bool x = stays(c.left);
    const bool z = stays(c.result);
    const bool weights = stays(c.weights);
    if (x && !inside(left_ranges(c, device), device)) { return outside("left", device); }
    if (weights && !inside(weight_range(c, device), device)) { return outside("weights", device); }
    if (!z) { return std::nullopt; }
    const address_ranges written = result_ranges(c, device);
    if (!inside(written, device)) { return outside("result", device); }
    if (weights && overlap(written, weight_range(c, device))) { return overlapping("the weights"); }
    if (x && !in_place(c, rows, device) && overlap(written, left_ranges(c, device))) {
        return overlapping("the left operand");
    }
    return std::nullopt;
}

// ---- instructions over vectors ----

complaint check_fields(const vector_signature& has, const vector_command& c, const mmv_limits& device)
{
    const unsigned word_bits = 8 * device.word_bytes();
    if (c.zero_a() && has.a == operand_use::table) { return bad_field("a is a table and cannot be all 0"); }
    if (c.broadcast_b() && !has.broadcast_b) { return bad_field("b cannot be one word for all elements"); }
    if (auto r = check_number("length", c.length, 1, std::numeric_limits<std::uint32_t>::max())) { return r; }
    if (has.block) {
        if (auto r = check_number("block", c.block, 1, std::numeric_limits<std::uint32_t>::max())) { return r; }
    } else if (auto r = check_unused("block", c.block == 0)) {
        return r;
    }
    if (!has.table) {
        if (auto r = check_unused("table", c.table == 0)) { return r; }
    }
    switch (has.bits) {
    case bits_use::none: return check_unused("bits", c.bits == 0);
    case bits_use::which_bit: return check_number("bits", c.bits, 0, word_bits - 1);
    case bits_use::operand_bits: return check_number("bits", c.bits, 1, std::min(c.block, word_bits));
    }
    return std::nullopt;
}

complaint check_vector(const char* name, operand_use use, const vector_operand& o, bool given, std::uint64_t length,
                       const mmv_limits& device)
{
    if (!given) { return check_unused(name, absent(o)); }
    if (auto r = check_alignment(name, o, device.word_bytes())) { return r; }
    if (use == operand_use::table && o.shift != 0) { return bad_field(std::string(name) + " cannot be shifted"); }
    // length first: of bytes there may be more than 2^64
    if (length > device.scratchpad_bytes + o.shift ||
        (stays(o) && !inside(ordered_range(o, length, device.word_bytes()), device))) {
        return outside(name, device);
    }
    return std::nullopt;
}

complaint check_vector_overlap(const char* name, const vector_operand& o, std::uint64_t length, const vector_command& c,
                               std::uint64_t result_length, const mmv_limits& device)
{
    if (!stays(o) || !stays(c.result)) { return std::nullopt; }
    if (o.address == c.result.address && o.shift == 0 && length == result_length) { return std::nullopt; }
    const auto word = device.word_bytes();
    if (!overlap(ordered_range(o, length, word), ordered_range(c.result, result_length, word))) { return std::nullopt; }
    return overlapping(name);
}

// ---- instructions over strides ----

complaint check_sizes(strided_shape shape, const std::array<std::uint32_t, 3>& size)
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
        return refusal{error_code::too_large,
                       "more than " + std::to_string(strided_command::max_elements) + " elements"};
    }
    return std::nullopt;
}

complaint check_immediate(immediate_use use, const std::array<std::uint64_t, 2>& bits, const mmv_limits& device)
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

complaint check_fields(const strided_signature& has, const strided_command& c, const mmv_limits& device)
{
    if (c.reserved != 0) { return bad_field("reserved bytes are not 0"); }
    if (auto r = check_number("cpu_ops", c.cpu_ops, 0, max_cpu_ops)) { return r; }
    if (auto r = check_sizes(has.shape, c.size)) { return r; }
    for (unsigned m = 0; m < 3; ++m) {
        if (auto r = check_number("valid", c.valid[m], 0, has.valid ? c.size[m] : 0)) { return r; }
    }
    return check_immediate(has.immediate, c.immediate, device);
}

complaint check_strided(const char* name, const strided_operand& o, bool given,
                        const std::array<std::uint32_t, 3>& size, const mmv_limits& device)
{
    if (!given) { return check_unused(name, absent(o)); }
    if (auto r = check_alignment(name, o, device.word_bytes())) { return r; }
    if (!stays(o)) { return std::nullopt; }
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

// Instructions of the scalar unit go element by element, each read before the next is written: whatever overlaps is defined.
complaint check_repl_overlap(const strided_command& c, const mmv_limits& device)
{
    if (!stays(c.a) || !stays(c.result) || same_places(c.a, c.result, c.valid)) { return std::nullopt; }
    const auto word = device.word_bytes();
    if (!overlap(strided_range(c.a, c.valid, word), strided_range(c.result, c.size, word))) { return std::nullopt; }
    return overlapping("a");
}

} // namespace

std::optional<functional_block> needed_block(opcode code)
{
    switch (code) {
    case opcode::revspec: return functional_block::revspec;
    case opcode::compact: return functional_block::compact;
    case opcode::revert: return functional_block::revert;
    case opcode::mul: return functional_block::multiplier;
    default: return std::nullopt;
    }
}

bool exists_in_format(opcode code, element_type format)
{
    switch (code) {
    case opcode::matmul:
    case opcode::add:
    case opcode::sub:
    case opcode::mul:
    case opcode::mask:
    case opcode::is_zero:
    case opcode::gather_last:
    case opcode::scatter_last:
    case opcode::fill_first:
    case opcode::repl:
    case opcode::charge:
    case opcode::set:
    case opcode::move:
    case opcode::s_add:
    case opcode::s_sub:
    case opcode::s_mul:
    case opcode::s_mac: return true;
    case opcode::bit:
    case opcode::expand:
    case opcode::s_mul_mod:
    case opcode::s_mac_mod: return is_integer(format);
    case opcode::s_carry: return format == element_type::int64;
    case opcode::eliminate_diagonal:
    case opcode::eliminate_row:
    case opcode::eliminate_column: return format == element_type::f64;
    default: return !is_complex(format);
    }
}

std::optional<refusal> check(const matmul_command& c, std::uint16_t flags, const mmv_limits& device)
{
    if (auto r = check_instruction(opcode::matmul, flags, 0, device)) { return r; }
    if (c.reserved != 0) { return bad_field("reserved bytes are not 0"); }
    if (auto r = check_number("words", c.words, 1, std::numeric_limits<std::uint32_t>::max())) { return r; }
    if (auto r = check_number("left_columns", c.left_columns, 1, device.side)) { return r; }
    if (auto r = check_number("result_columns", c.result_columns, 1, device.side)) { return r; }
    const std::uint64_t rows = c.rows(device.side);
    const auto element = static_cast<std::uint32_t>(element_bytes(device.format));
    if (auto r = check_matrix("result", c.result, rows, device.word_bytes(), device)) { return r; }
    if (auto r = check_matrix("left", c.left, rows, element, device)) { return r; }
    if (auto r = check_matrix("weights", c.weights, c.left_columns, element, device)) { return r; }
    if (rows_overlap(c.result, c.result_columns, rows)) { return bad_field("rows of the result overlap"); }
    return check_places(c, rows, device);
}

std::optional<refusal> check(opcode code, const vector_command& c, const mmv_limits& device)
{
    if (auto r = check_instruction(code, c.flags, vector_command::known_flags, device)) { return r; }
    const vector_signature has = vector_signature_of(code);
    if (auto r = check_fields(has, c, device)) { return r; }
    const vector_lengths lengths = lengths_of(code, c);
    const bool has_a = !c.zero_a();
    const bool has_b = has.b != operand_use::none;
    const bool has_c = has.c != operand_use::none;
    const operand_use b = c.broadcast_b() ? operand_use::table : has.b;
    if (auto r = check_vector("result", operand_use::table, c.result, true, lengths.result, device)) { return r; }
    if (auto r = check_vector("a", has.a, c.a, has_a, lengths.a, device)) { return r; }
    if (auto r = check_vector("b", b, c.b, has_b, lengths.b, device)) { return r; }
    if (auto r = check_vector("c", has.c, c.c, has_c, lengths.c, device)) { return r; }
    const std::uint64_t words = std::max({lengths.result, lengths.a, lengths.b, lengths.c});
    if (auto r = check_at_most(words, device.scratchpad_words(), "words of an operand or of the result")) { return r; }
    if (auto r = check_vector_overlap("a", c.a, lengths.a, c, lengths.result, device)) { return r; }
    if (auto r = check_vector_overlap("b", c.b, lengths.b, c, lengths.result, device)) { return r; }
    return check_vector_overlap("c", c.c, lengths.c, c, lengths.result, device);
}

std::optional<refusal> check(opcode code, const strided_command& c, std::uint16_t flags, const mmv_limits& device)
{
    if (auto r = check_instruction(code, flags, 0, device)) { return r; }
    const strided_signature has = strided_signature_of(code);
    if (auto r = check_fields(has, c, device)) { return r; }
    const strided_sizes sizes = sizes_of(code, c);
    if (auto r = check_strided("result", c.result, has.result, sizes.result, device)) { return r; }
    if (auto r = check_strided("a", c.a, has.a, sizes.a, device)) { return r; }
    if (auto r = check_strided("b", c.b, has.b, sizes.b, device)) { return r; }
    if (code == opcode::repl) {
        if (auto r = check_at_most(c.elements(), device.scratchpad_words(), "elements")) { return r; }
        return check_repl_overlap(c, device);
    }
    if (code == opcode::charge) { return std::nullopt; }
    return check_at_most(scalar_operations(code, c), max_scalar_operations, "operations");
}

} // namespace tensorloom::arch::mmv
