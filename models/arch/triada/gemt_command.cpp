#include <tensorloom/models/arch/triada/gemt_command.h>
#include <cmath>
#include <tensorloom/models/arch/triada/gemt_tiles.h>

namespace tensorloom::arch::triada {
namespace {

// In the order of gemt_fields.
constexpr auto each_member = [](auto& c, auto fields) {
    fields(c.order, c.stage_mask, c.shifts, c.reserved, c.zero_threshold, c.completion_address, c.row_order_address);
    fields(c.x, c.y, c.initial_y, c.matrix, c.workspace);
};

refusal bad_field(std::string text) { return refusal{error_code::bad_field, std::move(text)}; }

refusal bad_descriptor(const char* name, const std::string& text)
{
    return refusal{error_code::bad_descriptor, std::string(name) + text};
}

// A descriptor that must be there, with this order and a type that is known.
std::optional<refusal> check_present(const char* name, const tensor_descriptor& d, unsigned order)
{
    if (!d.present()) { return bad_descriptor(name, " is missing"); }
    if (const auto wrong = complaint(d)) { return bad_descriptor(name, ": " + *wrong); }
    if (d.order != order) {
        return bad_descriptor(name, ": order " + std::to_string(d.order) + " instead of " + std::to_string(order));
    }
    return std::nullopt;
}

std::optional<refusal> check_type(const char* name, const tensor_descriptor& d, element_type type)
{
    if (d.type == static_cast<std::uint8_t>(type)) { return std::nullopt; }
    return refusal{error_code::unsupported_format,
                   std::string(name) + " is not " + std::string(element_type_name(type))};
}

// A descriptor that must be there, with these sizes and this type.
std::optional<refusal> check_tensor(const char* name, const tensor_descriptor& d,
                                    const std::vector<std::uint32_t>& size, element_type type)
{
    if (auto r = check_present(name, d, static_cast<unsigned>(size.size()))) { return r; }
    for (std::size_t m = 0; m < size.size(); ++m) {
        if (d.size[m] != size[m]) {
            return bad_field(std::string(name) + ": size " + std::to_string(d.size[m]) + " of mode " +
                             std::to_string(m + 1) + " instead of " + std::to_string(size[m]));
        }
    }
    return check_type(name, d, type);
}

std::optional<refusal> check_absent(const char* name, const tensor_descriptor& d)
{
    if (d.present()) { return bad_field(std::string(name) + " is given but not used by this command"); }
    return std::nullopt;
}

bool is_permutation_of_modes(const std::array<std::uint8_t, 3>& order)
{
    unsigned seen = 0;
    for (auto mode : order) {
        if (mode < 1 || mode > 3) { return false; }
        seen |= 1u << mode;
    }
    return seen == 0xe;
}

std::optional<refusal> check_fields(const gemt_command& c, element_type format)
{
    if ((c.flags & ~gemt_command::known_flags) != 0) { return refusal{error_code::bad_command, "unknown flags"}; }
    if (!is_permutation_of_modes(c.order)) { return bad_field("order is not a permutation of 1, 2, 3"); }
    if (c.stage_mask < 1 || c.stage_mask > 7) {
        return bad_field("stage mask " + std::to_string(c.stage_mask) + " is not 1 to 7");
    }
    for (unsigned stage = 0; stage < 3; ++stage) {
        const unsigned shift = c.shifts[stage];
        const std::string which = "shift " + std::to_string(shift) + " of stage " + std::to_string(stage + 1);
        if (shift > 31) { return bad_field(which + " is not 0 to 31"); }
        if (shift != 0 && !is_integer(format)) {
            return bad_field(which + " of a device of format " + std::string(element_type_name(format)));
        }
        if (shift != 0 && !c.runs(stage)) { return bad_field(which + ", which does not run"); }
    }
    if (c.reserved != 0) { return bad_field("reserved byte is not 0"); }
    if (!(c.zero_threshold >= 0) || std::isinf(c.zero_threshold)) {
        return bad_field("zero threshold must be finite and >= 0");
    }
    return std::nullopt;
}

// X has the device's format, Y that or that of its sums, which the initial Y has.
std::optional<refusal> check_tensors(const gemt_command& c, element_type format)
{
    const element_type sums = accumulator_type(format);
    if (auto r = check_present("X", c.x, 3)) { return r; }
    if (auto r = check_type("X", c.x, format)) { return r; }
    if (auto r = check_present("Y", c.y, 3)) { return r; }
    for (unsigned m = 0; m < 3; ++m) {
        if (!c.sums(m) && c.y.size[m] != c.x.size[m]) {
            return bad_field("Y: size " + std::to_string(c.y.size[m]) + " of mode " + std::to_string(m + 1) +
                             ", which is not summed, instead of " + std::to_string(c.x.size[m]));
        }
    }
    if (c.y.type != static_cast<std::uint8_t>(sums)) {
        if (auto r = check_type("Y", c.y, format)) { return r; }
    }
    if (!c.accumulate()) { return check_absent("initial Y", c.initial_y); }
    return check_tensor("initial Y", c.initial_y, {c.y.size.begin(), c.y.size.begin() + 3}, sums);
}

std::optional<refusal> check_matrices(const gemt_command& c, const gemt_limits& device)
{
    static constexpr const char* names[] = {"C1", "C2", "C3"};
    for (unsigned m = 0; m < 3; ++m) {
        const std::uint64_t rows = c.x.size[m];
        const std::uint64_t columns = c.y.size[m];
        const bool given = c.sums(m) && !c.keep_matrices();
        if (auto r = given ? check_tensor(names[m], c.matrix[m], {c.x.size[m], c.y.size[m]}, device.format)
                           : check_absent(names[m], c.matrix[m])) {
            return r;
        }
        if (c.sums(m) && rows * columns > device.matrix_elements) {
            return refusal{error_code::too_large, std::string(names[m]) + ": " + std::to_string(rows) + " x " +
                                                      std::to_string(columns) + " elements exceed the actuator's " +
                                                      std::to_string(device.matrix_elements)};
        }
        if (!given && c.row_order_address[m] != 0) {
            return bad_field("a row order of mode " + std::to_string(m + 1) + " is given for " +
                             (c.sums(m) ? "kept matrices" : "a mode that is not summed"));
        }
        if (c.row_order_address[m] > UINT64_MAX - (rows * sizeof(std::uint32_t) - 1)) {
            return bad_field("row order of mode " + std::to_string(m + 1) + " lies outside of 64 bits");
        }
    }
    return std::nullopt;
}

// Logs count the time-steps of a command with 32 bits.
std::optional<refusal> check_steps(const gemt_command& c, const gemt_limits& device)
{
    const std::uint64_t steps = plan_gemt(c, device.mesh).steps();
    if (steps <= UINT32_MAX) { return std::nullopt; }
    return refusal{error_code::too_large, std::to_string(steps) + " time-steps, at most " + std::to_string(UINT32_MAX)};
}

std::optional<refusal> check_workspace(const gemt_command& c, const gemt_limits& device)
{
    const std::uint64_t needed = gemt_workspace_elements(c, device.mesh);
    const std::string expected = std::to_string(needed) + " elements expected";
    if (!c.workspace.present()) {
        if (needed == 0) { return std::nullopt; }
        return bad_descriptor("workspace", " is missing, " + expected);
    }
    if (auto r = check_present("workspace", c.workspace, 1)) { return r; }
    if (auto r = check_type("workspace", c.workspace, device.format)) { return r; }
    if (c.workspace.size[0] > 1 && c.workspace.stride[0] != 1) {
        return bad_field("workspace: stride " + std::to_string(c.workspace.stride[0]) + " instead of 1");
    }
    if (c.workspace.size[0] < needed) {
        return bad_field("workspace: size " + std::to_string(c.workspace.size[0]) + ", at least " + expected);
    }
    return std::nullopt;
}

} // namespace

std::vector<std::uint8_t> gemt_command::encode() const { return encoded(*this, each_member); }

gemt_command gemt_command::decode(std::uint16_t flags, const std::uint8_t* payload)
{
    gemt_command c = decoded<gemt_command>(payload, each_member);
    c.flags = flags;
    return c;
}

bool gemt_command::sums(unsigned mode) const
{
    for (unsigned stage = 0; stage < 3; ++stage) {
        if (mode_of(stage) == mode) { return runs(stage); }
    }
    return false;
}

std::optional<refusal> check(const gemt_command& c, const gemt_limits& device)
{
    if (auto r = check_fields(c, device.format)) { return r; }
    if (auto r = check_tensors(c, device.format)) { return r; }
    if (auto r = check_matrices(c, device)) { return r; }
    if (auto r = check_steps(c, device)) { return r; }
    if (auto r = check_workspace(c, device)) { return r; }
    if (c.completion() && c.completion_address > UINT64_MAX - (sizeof(std::uint32_t) - 1)) {
        return bad_field("completion address lies outside of 64 bits");
    }
    return std::nullopt;
}

} // namespace tensorloom::arch::triada
