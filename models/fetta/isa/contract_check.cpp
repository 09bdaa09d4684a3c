#include <tensorloom/models/fetta/isa/contract_check.h>
#include <algorithm>
#include <cstdio>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/fetta/isa/operand_layout.h>

namespace tensorloom::fetta {
namespace {

using optional_error = std::optional<isa::check_error>;

constexpr std::uint64_t most_cycles = std::uint64_t{1} << 32;

// ---- texts: field, what was found, what was expected ----

std::string text(std::uint64_t number) { return std::to_string(number); }
std::string hex(std::uint32_t bits)
{
    char digits[16];
    std::snprintf(digits, sizeof digits, "0x%x", static_cast<unsigned>(bits));
    return digits;
}

isa::check_error found(const std::string& field, const std::string& value, const std::string& expected)
{
    return {isa::error_code::bad_field, field + ": found " + value + ", expected " + expected};
}

std::string field_of(operand_role role, const char* field) { return std::string(role_name(role)) + " " + field; }

isa::check_error not_used(const std::string& field, const char* why)
{
    return {isa::error_code::bad_field, field + ": found another value than 0, expected 0 " + why};
}

// ---- sizes ----

optional_error check_sizes(const contract_command& c, const device_limits& g)
{
    if ((c.flags & ~contract_command::known_flags) != 0) {
        return isa::check_error{isa::error_code::bad_command, "flags: found " + hex(c.flags) +
                                                                  ", expected none outside of " +
                                                                  hex(contract_command::known_flags)};
    }
    if (c.mapping >= mapping_count) { return found("mapping", text(c.mapping), "0 to " + text(mapping_count - 1)); }
    const struct {
        const char* name;
        std::uint32_t extent;
    } extents[] = {{"batch", c.batch}, {"contracted", c.contracted}, {"ia_free", c.ia_free}, {"ib_free", c.ib_free}};
    for (const auto& e : extents) {
        if (e.extent == 0) { return found(e.name, "0", "1 or more"); }
    }
    // Disjoint masks add up to their union.
    const std::uint32_t all = g.engines - 1;
    const std::uint64_t sum = std::uint64_t{c.mask_batch} + c.mask_contracted + c.mask_ia + c.mask_ib;
    const std::uint32_t together = c.mask_batch | c.mask_contracted | c.mask_ia | c.mask_ib;
    if (together != all || sum != all) {
        return found("masks",
                     hex(c.mask_batch) + ", " + hex(c.mask_contracted) + ", " + hex(c.mask_ia) + ", " + hex(c.mask_ib),
                     "disjoint ones, together " + hex(all));
    }
    if (c.reserved != 0) { return not_used("reserved", "there"); }
    return std::nullopt;
}

// Without an overflow: every tile takes a cycle or more.
bool takes_too_long(const contract_command& c, const device_limits& g)
{
    const contract_loops l = loops_of(c, g);
    std::uint64_t tiles = 1;
    for (const std::uint64_t turns : {l.batch_tiles, l.contracted_tiles, l.ia_tiles, l.ib_tiles, l.pieces.size()}) {
        tiles *= turns; // both at most 2^32
        if (tiles > most_cycles) { return true; }
    }
    const contract_cycles cycles = ideal_cycles(c, g);
    return cycles.compute > most_cycles || cycles.total() > most_cycles; // the total of more steps may overflow
}

optional_error check_accumulators(const contract_command& c, const device_limits& g)
{
    if (!c.has(contract_command::flag_accumulate) && !c.has(contract_command::flag_keep)) {
        if (c.accumulator_row != 0) { return not_used("accumulator_row", "without accumulate and keep"); }
        return std::nullopt;
    }
    const std::uint64_t sums = rows_of_sums(c, g);
    if (c.accumulator_row + sums <= g.accumulator_rows()) { return std::nullopt; }
    return found("accumulator_row", text(c.accumulator_row) + " with " + text(sums) + " rows of sums",
                 "an end within the " + text(g.accumulator_rows()) + " rows of the accumulators");
}

// ---- operands ----

// The last counter of an operand whose rows follow each other within a tile.
bool counts_rows(operand_role role, mapping m)
{
    return role == operand_role::ib ? !is_output_stationary(m)
                                    : role == operand_role::result && is_output_stationary(m);
}

optional_error check_banked(const contract_command& c, operand_role role, const device_limits& g)
{
    const contract_operand& o = operand_of(c, role);
    if (o.bank >= g.engines) { return found(field_of(role, "bank"), text(o.bank), "0 to " + text(g.engines - 1)); }
    if (!counts_rows(role, c.mapped()) && o.stride[3] != 0) {
        return not_used(field_of(role, "stride[3]"), "without rows in a tile");
    }
    if (o.modes != decltype(o.modes){}) { return not_used(field_of(role, "modes"), "of a banked operand"); }
    return std::nullopt;
}

optional_error check_linear(const contract_command& c, operand_role role)
{
    const contract_operand& o = operand_of(c, role);
    if (o.bank != 0) { return not_used(field_of(role, "bank"), "of a linear operand"); }
    if (o.stride != decltype(o.stride){}) { return not_used(field_of(role, "stride"), "of a linear operand"); }
    if (is_transposed(c, role)) { return not_used(field_of(role, "transposition"), "of a linear operand"); }
    static constexpr const char* names[] = {"batch", "contracted", "ia_free", "ib_free"};
    const std::uint32_t extents[] = {c.batch, c.contracted, c.ia_free, c.ib_free};
    const unsigned middle = role == operand_role::result ? 2 : 1;
    const unsigned groups[] = {0, middle, role == operand_role::ia ? 2u : 3u};
    std::uint64_t used = 0;
    for (const std::uint32_t modes : o.modes) { used += modes; }
    if (used > max_operand_modes) {
        return found(field_of(role, "modes"), text(used), "at most " + text(max_operand_modes) + " together");
    }
    unsigned next = 0;
    for (unsigned i = 0; i < 3; ++i) {
        std::uint64_t elements = 1;
        for (const unsigned end = next + o.modes[i]; next < end; ++next) {
            if (o.mode[next].size == 0) {
                return found(field_of(role, "mode") + "[" + text(next) + "] size", "0", "1 or more");
            }
            elements = std::min(elements * o.mode[next].size, std::uint64_t{1} << 32); // more than any extent
        }
        const std::uint32_t extent = extents[groups[i]];
        if (elements != extent) {
            const std::string product = elements >> 32 != 0 ? "2^32 or more" : text(elements);
            return found(field_of(role, "modes of ") + names[groups[i]], product + " indices",
                         text(extent) + " as the extent");
        }
    }
    return std::nullopt;
}

optional_error check_operand(const contract_command& c, operand_role role, const device_limits& g)
{
    const contract_operand& o = operand_of(c, role);
    if (o.reserved != 0) { return not_used(field_of(role, "modes[3]"), "there"); }
    if (auto r = is_linear(c, role) ? check_linear(c, role) : check_banked(c, role, g)) { return r; }
    for (unsigned m = o.modes[0] + o.modes[1] + o.modes[2]; m < max_operand_modes; ++m) {
        if (o.mode[m].size != 0 || o.mode[m].stride != 0) {
            return not_used(field_of(role, "mode") + "[" + text(m) + "]", "after the last mode");
        }
    }
    return std::nullopt;
}

// An absent result has no place.
optional_error check_no_result(const contract_command& c)
{
    constexpr const char* why = "with keep";
    if (c.has(contract_command::flag_store_bf16)) { return not_used("flag store_bf16", why); }
    if (c.has(contract_command::flag_linear_result)) { return not_used("flag linear_result", why); }
    if (c.result.base != 0) { return not_used("result base", why); }
    if (!isa::stays(c.result.step)) { return not_used("result step", why); }
    return std::nullopt;
}

// ---- places ----

bool inside(const operand_reach& r, base::element_type type, const device_limits& g)
{
    return r.first_element >= 0 && r.last_row < std::int64_t{g.bank_rows(type)};
}

isa::check_error outside(const contract_command& c, operand_role role, const operand_reach& r, const device_limits& g)
{
    const base::element_type type = type_of(c, role, g);
    return {isa::error_code::too_large, std::string(role_name(role)) + ": found rows " + std::to_string(r.first_row) +
                                            " to " + std::to_string(r.last_row) + " of " +
                                            std::string(base::element_type_name(type)) + ", expected rows 0 to " +
                                            text(g.bank_rows(type) - 1) + " of the unified memory"};
}

// Also when strides of 0 repeat elements: the fast fidelity stores whole operands.
bool has_too_many_elements(const contract_command& c, operand_role role, const device_limits& g)
{
    const std::uint64_t middle = role == operand_role::result ? c.ia_free : c.contracted;
    const std::uint64_t free = role == operand_role::ia ? c.ia_free : c.ib_free;
    const std::uint64_t most = g.elements(type_of(c, role, g)); // at most 2^31
    return middle * free > most || middle * free * c.batch > most;
}

optional_error check_place(const contract_command& c, operand_role role, const device_limits& g)
{
    if (has_too_many_elements(c, role, g)) {
        return isa::check_error{isa::error_code::too_large,
                                std::string(role_name(role)) + ": found more elements, expected at most " +
                                    text(g.elements(type_of(c, role, g))) + " as the unified memory has"};
    }
    const auto reached = reach_of(c, role, g);
    const base::element_type type = type_of(c, role, g);
    if (!reached || reached->last_row - reached->first_row >= std::int64_t{g.bank_rows(type)}) {
        return isa::check_error{isa::error_code::too_large,
                                std::string(role_name(role)) +
                                    ": found more rows from the first to the last, expected at most " +
                                    text(g.bank_rows(type)) + " of " + std::string(base::element_type_name(type)) +
                                    " in the unified memory"};
    }
    if (isa::stays(operand_of(c, role).step) && !inside(*reached, type, g)) { return outside(c, role, *reached, g); }
    return std::nullopt;
}

// Rows of 16-bit elements; a row of float32 is two.
memory_range short_rows(const operand_reach& r, base::element_type type)
{
    const std::uint64_t of_a_row = short_rows_of(type);
    return {static_cast<std::uint64_t>(r.first_row) * of_a_row, static_cast<std::uint64_t>(r.last_row + 1) * of_a_row};
}

bool meet(const contract_command& c, operand_role a, operand_role b, const device_limits& g)
{
    const operand_reach of_a = *reach_of(c, a, g);
    const operand_reach of_b = *reach_of(c, b, g);
    const memory_range rows_a = short_rows(of_a, type_of(c, a, g));
    const memory_range rows_b = short_rows(of_b, type_of(c, b, g));
    if (rows_a.first >= rows_b.end || rows_b.first >= rows_a.end) { return false; }
    const bool same_order = type_of(c, a, g) == type_of(c, b, g) && is_linear(c, a) && is_linear(c, b);
    return !same_order || (of_a.first_element <= of_b.last_element && of_b.first_element <= of_a.last_element);
}

optional_error check_result(const contract_command& c, const device_limits& g)
{
    if (may_repeat(counts_of(c, operand_role::result, g))) {
        return isa::check_error{
            isa::error_code::bad_field,
            is_linear(c, operand_role::result)
                ? "result: found modes that overlap, expected strides beyond what the smaller ones span"
                : "result: found positions that repeat, expected strides beyond what the smaller ones span"};
    }
    if (!isa::stays(c.result.step)) { return std::nullopt; }
    for (const operand_role role : {operand_role::ia, operand_role::ib}) {
        if (isa::stays(operand_of(c, role).step) && meet(c, operand_role::result, role, g)) {
            return isa::check_error{isa::error_code::bad_field, std::string("result: found rows of ") +
                                                                    role_name(role) + ", expected rows of its own"};
        }
    }
    return std::nullopt;
}

memory_range range_of(const contract_command& c, operand_role role, const device_limits& g)
{
    const memory_range rows = short_rows(*reach_of(c, role, g), type_of(c, role, g));
    const std::uint64_t row = std::uint64_t{g.engines} * g.row_bytes(base::element_type::bf16);
    return {rows.first / 2 * 2 * row, (rows.end + 1) / 2 * 2 * row};
}

} // namespace

memory_range ia_range(const contract_command& c, const device_limits& g) { return range_of(c, operand_role::ia, g); }
memory_range ib_range(const contract_command& c, const device_limits& g) { return range_of(c, operand_role::ib, g); }
memory_range result_range(const contract_command& c, const device_limits& g)
{
    return c.has(contract_command::flag_keep) ? memory_range{0, 0} : range_of(c, operand_role::result, g);
}

std::optional<isa::check_error> check(const contract_command& c, const device_limits& g)
{
    if (auto r = check_sizes(c, g)) { return r; }
    if (takes_too_long(c, g)) {
        return isa::check_error{isa::error_code::too_large,
                                "extents: found more than 2^32 cycles of work, expected at most that"};
    }
    if (auto r = check_accumulators(c, g)) { return r; }
    const bool keep = c.has(contract_command::flag_keep);
    if (keep) {
        if (auto r = check_no_result(c)) { return r; }
    }
    for (const operand_role role : operand_roles) {
        if (auto r = check_operand(c, role, g)) { return r; }
        if (keep && role == operand_role::result) { return std::nullopt; }
        if (auto r = check_place(c, role, g)) { return r; }
    }
    return check_result(c, g);
}

} // namespace tensorloom::fetta
