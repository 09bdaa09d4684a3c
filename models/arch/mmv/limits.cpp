#include <tensorloom/models/arch/mmv/limits.h>
#include <algorithm>
#include <cstdlib>
#include <limits>
#include <tensorloom/models/arch/mmv/operand_checks.h>
#include <tensorloom/models/arch/mmv/operand_ranges.h>
#include <tensorloom/models/arch/stepped_address.h>

namespace tensorloom::arch::mmv {
namespace {

possible_refusal check_matrix(const char* name, const matrix_operand& o, std::uint64_t rows, std::uint32_t element,
                              const mmv_limits& device)
{
    if (auto r = check_alignment(name, o, element)) { return r; }
    if (stays(o.step) && spans_too_far(o.row_stride, rows)) { return outside(name, device); }
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

possible_refusal check_places(const matmul_command& c, std::uint64_t rows, const mmv_limits& device)
{
    const bool x = stays(c.left.step);
    const bool z = stays(c.result.step);
    const bool weights = stays(c.weights.step);
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

} // namespace

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

} // namespace tensorloom::arch::mmv
