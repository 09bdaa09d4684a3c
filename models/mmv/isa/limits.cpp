#include <tensorloom/models/mmv/isa/limits.h>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tensorloom/models/isa/vector/operand_checks.h>

namespace tensorloom::mmv {
namespace {

// The rows of x or z; the last one may be partial.
isa::vector::address_ranges streamed(const matrix_operand& o, std::uint32_t columns, const matmul_command& c,
                                     std::uint32_t side, std::uint64_t element)
{
    const std::uint64_t rows = c.rows(side);
    const std::uint64_t in_last = std::min<std::uint64_t>(columns, c.words - (rows - 1) * side);
    const std::int64_t pitch = o.row_stride * static_cast<std::int64_t>(element);
    const std::uint64_t full = in_last == columns ? rows : rows - 1;
    isa::vector::address_ranges ranges;
    ranges.add(isa::vector::rows_of_bytes(o.address, pitch, full, columns * element));
    if (full < rows) {
        const std::uint64_t last = o.address + static_cast<std::uint64_t>(pitch) * (rows - 1);
        ranges.add(isa::vector::rows_of_bytes(last, 0, 1, in_last * element));
    }
    return ranges;
}

isa::vector::optional_error check_matrix(const char* name, const matrix_operand& o, std::uint64_t rows,
                                         std::uint32_t element, const limits& device)
{
    if (auto r = isa::vector::check_alignment(name, o, element)) { return r; }
    if (isa::stays(o.step) && isa::vector::spans_too_far(o.row_stride, rows)) {
        return isa::vector::outside(name, device);
    }
    return std::nullopt;
}

bool rows_overlap(const matrix_operand& o, std::uint32_t columns, std::uint64_t rows)
{
    return rows > 1 && std::abs(std::int64_t{o.row_stride}) < columns;
}

// Row r of x enters before row r of z leaves, so both may have the same place.
bool in_place(const matmul_command& c, std::uint64_t rows, const limits& device)
{
    return c.result.address == c.left.address && (rows == 1 || c.result.row_stride == c.left.row_stride) &&
           device.word() == device.format && !rows_overlap(c.left, c.left_columns, rows);
}

isa::vector::optional_error check_places(const matmul_command& c, std::uint64_t rows, const limits& device)
{
    const bool x = isa::stays(c.left.step);
    const bool z = isa::stays(c.result.step);
    const bool weights = isa::stays(c.weights.step);
    if (x && !isa::vector::inside(left_ranges(c, device), device)) { return isa::vector::outside("left", device); }
    if (weights && !isa::vector::inside(weight_range(c, device), device)) {
        return isa::vector::outside("weights", device);
    }
    if (!z) { return std::nullopt; }
    const isa::vector::address_ranges written = result_ranges(c, device);
    if (!isa::vector::inside(written, device)) { return isa::vector::outside("result", device); }
    if (weights && overlap(written, weight_range(c, device))) { return isa::vector::overlapping("the weights"); }
    if (x && !in_place(c, rows, device) && overlap(written, left_ranges(c, device))) {
        return isa::vector::overlapping("the left operand");
    }
    return std::nullopt;
}

// ---- PRODUCT ----

isa::vector::address_range matrix_range(const matrix_operand& o, std::uint32_t rows, std::uint32_t columns,
                                        std::uint64_t element)
{
    return isa::vector::rows_of_bytes(o.address, o.row_stride * static_cast<std::int64_t>(element), rows,
                                      columns * element);
}

isa::vector::address_range left_range(const product_command& c, const limits& device)
{
    return matrix_range(c.left, c.rows, c.depth, base::element_bytes(device.format));
}

isa::vector::address_range weight_range(const product_command& c, const limits& device)
{
    return matrix_range(c.weights, c.depth, c.columns, base::element_bytes(device.format));
}

isa::vector::address_range result_range(const product_command& c, const limits& device)
{
    return matrix_range(c.result, c.rows, c.columns, device.word_bytes());
}

isa::vector::optional_error check_places(const product_command& c, const limits& device)
{
    struct place {
        const char* name;
        const char* described; // in an overlap
        const matrix_operand& operand;
        isa::vector::address_range range;
    };
    const place written{"result", "", c.result, result_range(c, device)};
    const place operands[] = {{"left", "the left operand", c.left, left_range(c, device)},
                              {"weights", "the weights", c.weights, weight_range(c, device)}};
    const auto is_inside = [&](const place& p) {
        isa::vector::address_ranges all;
        all.add(p.range);
        return !isa::stays(p.operand.step) || isa::vector::inside(all, device);
    };
    for (const auto& p : operands) {
        if (!is_inside(p)) { return isa::vector::outside(p.name, device); }
    }
    if (!is_inside(written)) { return isa::vector::outside(written.name, device); }
    for (const auto& p : operands) {
        const bool stay = isa::stays(p.operand.step) && isa::stays(written.operand.step);
        if (stay && overlap(p.range, written.range)) { return isa::vector::overlapping(p.described); }
    }
    return std::nullopt;
}

} // namespace

isa::vector::address_ranges left_ranges(const matmul_command& c, const limits& device)
{
    return streamed(c.left, c.left_columns, c, device.side, base::element_bytes(device.format));
}

isa::vector::address_ranges result_ranges(const matmul_command& c, const limits& device)
{
    return streamed(c.result, c.result_columns, c, device.side, device.word_bytes());
}

isa::vector::address_range weight_range(const matmul_command& c, const limits& device)
{
    const auto element = static_cast<std::int64_t>(base::element_bytes(device.format));
    return isa::vector::rows_of_bytes(c.weights.address, c.weights.row_stride * element, c.left_columns,
                                      c.result_columns * static_cast<std::uint64_t>(element));
}

isa::vector::address_ranges reads(const matmul_command& c, const limits& device)
{
    isa::vector::address_ranges ranges = left_ranges(c, device);
    ranges.add(weight_range(c, device));
    return ranges;
}

isa::vector::address_ranges writes(const matmul_command& c, const limits& device) { return result_ranges(c, device); }

std::optional<isa::check_error> check(const matmul_command& c, std::uint16_t flags, const limits& device)
{
    if (auto r = isa::vector::check_flags(flags, 0)) { return r; }
    if (c.reserved != 0) { return isa::vector::bad_field("reserved bytes are not 0"); }
    if (auto r = isa::vector::check_number("words", c.words, 1, std::numeric_limits<std::uint32_t>::max())) {
        return r;
    }
    if (auto r = isa::vector::check_number("left_columns", c.left_columns, 1, device.side)) { return r; }
    if (auto r = isa::vector::check_number("result_columns", c.result_columns, 1, device.side)) { return r; }
    const std::uint64_t rows = c.rows(device.side);
    const auto element = static_cast<std::uint32_t>(base::element_bytes(device.format));
    if (auto r = check_matrix("result", c.result, rows, device.word_bytes(), device)) { return r; }
    if (auto r = check_matrix("left", c.left, rows, element, device)) { return r; }
    if (auto r = check_matrix("weights", c.weights, c.left_columns, element, device)) { return r; }
    if (rows_overlap(c.result, c.result_columns, rows)) { return isa::vector::bad_field("rows of the result overlap"); }
    return check_places(c, rows, device);
}

isa::vector::address_ranges reads(const product_command& c, std::uint16_t flags, const limits& device)
{
    isa::vector::address_ranges ranges;
    ranges.add(left_range(c, device));
    ranges.add(weight_range(c, device));
    if ((flags & product_command::flag_accumulate) != 0) { ranges.add(result_range(c, device)); }
    return ranges;
}

isa::vector::address_ranges writes(const product_command& c, const limits& device)
{
    isa::vector::address_ranges ranges;
    ranges.add(result_range(c, device));
    return ranges;
}

std::optional<isa::check_error> check(const product_command& c, std::uint16_t flags, const limits& device)
{
    if (auto r = isa::vector::check_flags(flags, product_command::flag_accumulate)) { return r; }
    constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
    if (auto r = isa::vector::check_number("rows", c.rows, 1, most)) { return r; }
    if (auto r = isa::vector::check_number("depth", c.depth, 1, most)) { return r; }
    if (auto r = isa::vector::check_number("columns", c.columns, 1, most)) { return r; }
    if (auto r = isa::vector::check_number("tile_columns", c.tile_columns, 0, device.side)) { return r; }
    const auto element = static_cast<std::uint32_t>(base::element_bytes(device.format));
    const std::uint64_t elements = device.scratchpad_bytes / element;
    const std::uint64_t sizes[] = {std::uint64_t{c.rows} * c.depth, std::uint64_t{c.depth} * c.columns};
    for (const std::uint64_t size : sizes) {
        if (auto r = isa::vector::check_at_most(size, elements, "elements")) { return r; }
    }
    if (auto r = isa::vector::check_at_most(std::uint64_t{c.rows} * c.columns, device.scratchpad_words(), "words")) {
        return r;
    }
    if (auto r = check_matrix("result", c.result, c.rows, device.word_bytes(), device)) { return r; }
    if (auto r = check_matrix("left", c.left, c.rows, element, device)) { return r; }
    if (auto r = check_matrix("weights", c.weights, c.depth, element, device)) { return r; }
    if (rows_overlap(c.result, c.columns, c.rows)) { return isa::vector::bad_field("rows of the result overlap"); }
    return check_places(c, device);
}

std::optional<isa::check_error> check(opcode code, const isa::vector::strided_command& c, std::uint16_t flags,
                                      const isa::vector::limits& device)
{
    if (!exists_in_format(code, device.word)) {
        return isa::vector::missing_in_format(find_instruction(static_cast<std::uint8_t>(code))->name, device.word);
    }
    if (auto r = isa::vector::check_flags(flags, 0)) { return r; }
    if (auto r = isa::vector::check_strided_operands(signature_of(code), sizes_of(code, c), c, device)) { return r; }
    if (code == opcode::charge) { return std::nullopt; }
    return isa::vector::check_at_most(scalar_operations(code, c), max_scalar_operations, "operations");
}

isa::vector::address_ranges reads(opcode code, const isa::vector::strided_command& c, const isa::vector::limits& device)
{
    return isa::vector::reads(signature_of(code), sizes_of(code, c), c, device);
}

isa::vector::address_ranges writes(opcode code, const isa::vector::strided_command& c,
                                   const isa::vector::limits& device)
{
    return isa::vector::writes(signature_of(code), sizes_of(code, c), c, device);
}

} // namespace tensorloom::mmv
