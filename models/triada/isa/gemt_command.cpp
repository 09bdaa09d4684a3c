#include <tensorloom/models/triada/isa/gemt_command.h>
#include <cmath>
#include <tensorloom/models/isa/program/tensor_checks.h>
#include <tensorloom/models/triada/isa/gemt_tiles.h>

namespace tensorloom::triada {
namespace {

// In the order of gemt_fields.
constexpr auto each_member = [](auto& c, auto fields) {
    fields(c.order, c.stage_mask, c.shifts, c.partials, c.zero_threshold, c.completion_address, c.row_order_address);
    fields(c.x, c.y, c.initial_y, c.matrix, c.workspace);
};

std::optional<isa::check_error> check_fields(const gemt_command& c, const gemt_limits& device)
{
    const base::element_type format = device.format;
    if ((c.flags & ~gemt_command::known_flags) != 0) {
        return isa::check_error{isa::error_code::bad_command, "unknown flags"};
    }
    if (auto r = isa::check_order_of_modes(c.order)) { return r; }
    if (c.stage_mask < 1 || c.stage_mask > 7) {
        return isa::bad_field("stage mask " + std::to_string(c.stage_mask) + " is not 1 to 7");
    }
    for (unsigned stage = 0; stage < 3; ++stage) {
        const unsigned shift = c.shifts[stage];
        const std::string which = "shift " + std::to_string(shift) + " of stage " + std::to_string(stage + 1);
        if (shift > 31) { return isa::bad_field(which + " is not 0 to 31"); }
        if (shift != 0 && !base::is_integer(format)) {
            return isa::bad_field(which + " of a device of format " + std::string(base::element_type_name(format)));
        }
        if (shift != 0 && !c.runs(stage)) { return isa::bad_field(which + ", which does not run"); }
    }
    if (c.partials > device.partials) {
        return isa::check_error{isa::error_code::too_large,
                                std::to_string(c.partials) + " results share an operand, at most " +
                                    std::to_string(device.partials) + ", the partial sums of a cell"};
    }
    if (!(c.zero_threshold >= 0) || std::isinf(c.zero_threshold)) {
        return isa::bad_field("zero threshold must be finite and >= 0");
    }
    return std::nullopt;
}

// Tensors that stay in the cells, or pass between memory and cells beside the work.
std::optional<isa::check_error> check_stays(const gemt_command& c, const gemt_limits& device)
{
    if (c.keep_tensor() && c.take_next()) { return isa::bad_field("X is both the held tensor and the next one"); }
    if (c.store_previous() && c.accumulate()) { return isa::bad_field("a tensor is both stored and added to"); }
    if (c.store_previous() && c.keep_tensor()) { return isa::bad_field("the held tensor is both X and stored"); }
    if (!c.loads_x()) {
        if (auto r = isa::check_in_device("X", c.x)) { return r; }
    }
    if (c.hold_result()) {
        if (auto r = isa::check_in_device("Y", c.y)) { return r; }
    }
    if (c.load_next()) {
        if (auto r = isa::check_present("next X", c.next_x(), 3)) { return r; }
        if (auto r = isa::check_type("next X", c.next_x(), device.format)) { return r; }
        if (auto r = isa::check_fits("next X", c.next_x(), device.mesh)) { return r; }
    }
    if (!c.store_previous()) { return std::nullopt; }
    if (auto r = isa::check_present("previous Y", c.previous_y(), 3)) { return r; }
    return isa::check_result_type("previous Y", c.previous_y(), device.format);
}

// Tensors that are stored tile by tile are contiguous, and are not converted as well.
std::optional<isa::check_error> check_layouts(const gemt_command& c)
{
    const auto tiles = [](const char* name, const isa::tensor_descriptor& d,
                          bool converted) -> std::optional<isa::check_error> {
        const std::string which = name;
        if (converted) { return isa::bad_field(which + " is in tiles already, and is to be converted"); }
        const auto contiguous =
            isa::dense_descriptor(d.base, base::element_type{d.type}, {d.size[0], d.size[1], d.size[2]});
        if (d.stride == contiguous.stride) { return std::nullopt; }
        return isa::bad_field(which + ": in tiles, but its strides are not those of a contiguous tensor");
    };
    if (c.x_tiles()) {
        if (auto r = tiles("X", c.x, c.convert_x())) { return r; }
    }
    if (!c.y_tiles()) { return std::nullopt; }
    if (auto r = tiles("Y", c.y, c.convert_y())) { return r; }
    return c.accumulate() ? tiles("initial Y", c.initial_y, false) : std::nullopt;
}

// X has the device's format, Y that or that of its sums, which the initial Y has.
std::optional<isa::check_error> check_tensors(const gemt_command& c, base::element_type format)
{
    const base::element_type sums = base::accumulator_type(format);
    if (auto r = isa::check_present("X", c.x, 3)) { return r; }
    if (auto r = isa::check_type("X", c.x, format)) { return r; }
    if (auto r = isa::check_present("Y", c.y, 3)) { return r; }
    for (unsigned m = 0; m < 3; ++m) {
        if (!c.sums(m) && c.y.size[m] != c.x.size[m]) {
            return isa::bad_field("Y: size " + std::to_string(c.y.size[m]) + " of mode " + std::to_string(m + 1) +
                                  ", which is not summed, instead of " + std::to_string(c.x.size[m]));
        }
    }
    if (auto r = isa::check_result_type("Y", c.y, format)) { return r; }
    if (!c.accumulate()) { return c.store_previous() ? std::nullopt : isa::check_absent("initial Y", c.initial_y); }
    return isa::check_tensor("initial Y", c.initial_y, {c.y.size.begin(), c.y.size.begin() + 3}, sums);
}

std::optional<isa::check_error> check_matrices(const gemt_command& c, const gemt_limits& device)
{
    static constexpr const char* names[] = {"C1", "C2", "C3"};
    for (unsigned m = 0; m < 3; ++m) {
        const std::uint64_t rows = c.x.size[m];
        const std::uint64_t columns = c.y.size[m];
        const bool given = c.sums(m) && !c.keep_matrices();
        if (auto r = given ? isa::check_tensor(names[m], c.matrix[m], {c.x.size[m], c.y.size[m]}, device.format)
                           : isa::check_absent(names[m], c.matrix[m])) {
            return r;
        }
        if (c.sums(m) && rows * columns > device.matrix_elements) {
            return isa::check_error{isa::error_code::too_large, std::string(names[m]) + ": " + std::to_string(rows) +
                                                                    " x " + std::to_string(columns) +
                                                                    " elements exceed the actuator's " +
                                                                    std::to_string(device.matrix_elements)};
        }
        if (!given && c.row_order_address[m] != 0) {
            return isa::bad_field("a row order of mode " + std::to_string(m + 1) + " is given for " +
                                  (c.sums(m) ? "kept matrices" : "a mode that is not summed"));
        }
        if (c.row_order_address[m] > UINT64_MAX - (rows * sizeof(std::uint32_t) - 1)) {
            return isa::bad_field("row order of mode " + std::to_string(m + 1) + " lies outside of 64 bits");
        }
    }
    return std::nullopt;
}

// Logs count the time-steps of a command with 32 bits.
std::optional<isa::check_error> check_steps(const gemt_command& c, const gemt_limits& device)
{
    const std::uint64_t steps = plan_gemt(c, device.mesh).steps();
    if (steps <= UINT32_MAX) { return std::nullopt; }
    return isa::check_error{isa::error_code::too_large,
                            std::to_string(steps) + " time-steps, at most " + std::to_string(UINT32_MAX)};
}

} // namespace

std::vector<std::uint8_t> gemt_command::encode() const { return base::encoded(*this, each_member); }

gemt_command gemt_command::decode(std::uint16_t flags, const std::uint8_t* payload)
{
    gemt_command c = base::decoded<gemt_command>(payload, each_member);
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

std::optional<isa::check_error> check(const gemt_command& c, const gemt_limits& device)
{
    if (auto r = check_fields(c, device)) { return r; }
    if (auto r = check_tensors(c, device.format)) { return r; }
    if (auto r = check_stays(c, device)) { return r; }
    if (auto r = check_layouts(c)) { return r; }
    if (auto r = check_matrices(c, device)) { return r; }
    if (auto r = check_steps(c, device)) { return r; }
    constexpr std::uint16_t staying = gemt_command::flag_keep_tensor | gemt_command::flag_hold_result |
                                      gemt_command::flag_take_next | gemt_command::flag_load_next |
                                      gemt_command::flag_store_previous;
    if ((c.flags & staying) != 0 && !plan_gemt(c, device.mesh).fits) {
        return isa::bad_field("a product larger than the mesh neither keeps tensors in the cells nor moves others");
    }
    if (!c.load_next()) {
        const auto needed = gemt_workspace_elements(c, device.mesh);
        if (auto r = isa::check_workspace(c.workspace, needed, device.format)) { return r; }
    }
    return c.completion() ? isa::check_completion(c.completion_address) : std::nullopt;
}

} // namespace tensorloom::triada
