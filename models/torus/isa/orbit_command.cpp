#include <tensorloom/models/torus/isa/orbit_command.h>
#include <algorithm>
#include <tensorloom/models/isa/program/tensor_checks.h>
#include <tensorloom/models/torus/isa/orbit_tiles.h>

namespace tensorloom::torus {
namespace {

using optional_error = std::optional<isa::check_error>;

constexpr const char* matrix_names[] = {"C1", "C2", "C3"};

using block_bytes = std::array<std::uint16_t, 3>;

// A value too large for the field becomes the field's largest number, which every device refuses.
block_bytes narrowed(const std::array<std::uint32_t, 3>& sizes)
{
    block_bytes bytes{};
    for (unsigned m = 0; m < 3; ++m) { bytes[m] = static_cast<std::uint16_t>(std::min(sizes[m], 0xffffu)); }
    return bytes;
}

// A vector with other values than +1 and -1 is encoded as 0xff.
std::uint8_t bits_of(const scheduling_vector& vector)
{
    unsigned bits = 0;
    for (unsigned a = 0; a < axes; ++a) {
        if (vector.sign[a] != 1 && vector.sign[a] != -1) { return 0xff; }
        bits |= vector.sign[a] < 0 ? 1u << a : 0;
    }
    return static_cast<std::uint8_t>(bits);
}
scheduling_vector vector_of(std::uint8_t bits)
{
    scheduling_vector vector;
    for (unsigned a = 0; a < axes; ++a) { vector.sign[a] = bits > 7 ? 0 : (bits >> a & 1u) != 0 ? -1 : 1; }
    return vector;
}

std::string text_of(const isa::mode_sizes& sizes)
{
    return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " + std::to_string(sizes[2]);
}

optional_error check_blocks(const char* along, const std::array<std::uint32_t, 3>& sizes, const orbit_limits& device)
{
    for (unsigned m = 0; m < 3; ++m) {
        if (sizes[m] >= 1 && sizes[m] <= device.block[m]) { continue; }
        const auto code = sizes[m] == 0 ? isa::error_code::bad_field : isa::error_code::too_large;
        return isa::check_error{code, "block of " + std::to_string(sizes[m]) + " elements along " + along +
                                          " of mode " + std::to_string(m + 1) + " instead of 1 to " +
                                          std::to_string(device.block[m])};
    }
    return std::nullopt;
}

optional_error check_fields(const orbit_command& c, const orbit_limits& device)
{
    if ((c.flags & ~orbit_command::known_flags) != 0) {
        return isa::check_error{isa::error_code::bad_command, "unknown flags"};
    }
    if (auto r = isa::check_order_of_modes(c.order)) { return r; }
    if (c.way != direction::forward && c.way != direction::inverse) {
        return isa::bad_field("way " + std::to_string(static_cast<unsigned>(c.way)) + " is not 0 or 1");
    }
    if (bits_of(c.vector) > 7) { return isa::bad_field("scheduling vector is not 0 to 7"); }
    if (c.left_out > 2) {
        return isa::bad_field("left_out " + std::to_string(unsigned{c.left_out}) + " is not 0, 1 or 2");
    }
    if (c.reserved != decltype(c.reserved){} || c.reserved_1 != 0) { return isa::bad_field("reserved byte is not 0"); }
    if (auto r = check_blocks("n", c.blocks.in_block, device)) { return r; }
    if (auto r = check_blocks("k", c.blocks.out_block, device)) { return r; }
    for (unsigned stage = 0; stage < 3; ++stage) {
        const unsigned shift = c.shifts[stage];
        const std::string which = "shift " + std::to_string(shift) + " of stage " + stage_names[stage];
        if (shift > 31) { return isa::bad_field(which + " is not 0 to 31"); }
        if (shift != 0 && !base::is_integer(device.format)) {
            return isa::bad_field(which + " of a device of format " +
                                  std::string(base::element_type_name(device.format)));
        }
        if (shift != 0 && stage - c.first_stage() >= c.stages()) {
            return isa::bad_field(which + ", which does not run");
        }
    }
    for (unsigned m = 0; m < 3; ++m) {
        if (c.sums(m) || c.blocks.in_block[m] == c.blocks.out_block[m]) { continue; }
        return isa::bad_field("blocks of " + std::to_string(c.blocks.in_block[m]) + " and " +
                              std::to_string(c.blocks.out_block[m]) + " elements along mode " + std::to_string(m + 1) +
                              ", which is not summed");
    }
    return std::nullopt;
}

// One of three modes, or several one after the other.
optional_error check_transforms(const char* name, const isa::tensor_descriptor& d)
{
    return isa::check_present(name, d, d.order == 4 ? 4 : 3);
}

optional_error check_operand(const orbit_command& c, base::element_type format)
{
    if (c.keep_tensor() || c.take_next()) { return isa::check_absent("X", c.x); }
    if (auto r = check_transforms("X", c.x)) { return r; }
    return isa::check_type("X", c.x, format);
}

// With accumulate sums: it contains the initial ones.
optional_error check_result(const orbit_command& c, base::element_type format)
{
    if (c.hold_result() && !c.accumulate() && !c.store_previous()) { return isa::check_absent("Y", c.y); }
    if (auto r = check_transforms("Y", c.y)) { return r; }
    return c.accumulate() ? isa::check_type("Y", c.y, base::accumulator_type(format))
                          : isa::check_result_type("Y", c.y, format);
}

// One transform that fits, whose other tensors have no part in it.
optional_error check_overlap(const orbit_command& c, const orbit_limits& device)
{
    if (!c.overlaps()) { return std::nullopt; }
    if (c.x.order == 4 || c.y.order == 4) { return isa::bad_field("several transforms with a next X or a previous Y"); }
    if (c.accumulate()) { return isa::bad_field("accumulate with a next X or a previous Y"); }
    if (c.take_next() && c.keep_tensor()) { return isa::bad_field("keep_tensor with take_next"); }
    if (c.take_next() && c.way != direction::forward) {
        return isa::bad_field("take_next of an inverse transform: the next tensor lies as X");
    }
    if (c.store_previous() && (!c.hold_result() || c.keep_tensor())) {
        return isa::bad_field("store_previous without hold_result, or with keep_tensor");
    }
    if (!c.load_next()) { return std::nullopt; }
    if (auto r = isa::check_present("next X", c.next_x(), 3)) { return r; }
    if (auto r = isa::check_type("next X", c.next_x(), device.format)) { return r; }
    return isa::check_fits("next X", c.next_x(), filled(c.blocks, device.side).in_size);
}

// As many of each: a tensor that lies on the torus is one.
optional_error check_count(const orbit_command& c)
{
    const bool stays = c.keep_tensor() || c.take_next() || c.hold_result();
    if (c.left_out != 0 && !c.x.present() && c.hold_result()) {
        return isa::bad_field("a transform that leaves out modes has neither X nor Y");
    }
    for (unsigned m = 0; c.x.present() && c.y.present() && !c.store_previous() && m < 3; ++m) {
        if (c.sums(m) || transform_sizes(c.x)[m] == transform_sizes(c.y)[m]) { continue; }
        return isa::bad_field("Y: size " + std::to_string(transform_sizes(c.y)[m]) + " of mode " +
                              std::to_string(m + 1) + ", which is not summed, instead of " +
                              std::to_string(transform_sizes(c.x)[m]));
    }
    if (stays && (c.x.order == 4 || c.y.order == 4)) {
        return isa::bad_field("several transforms are neither kept nor held");
    }
    if (stays) { return std::nullopt; }
    if (c.x.order != c.y.order) {
        return isa::bad_field("Y: order " + std::to_string(c.y.order) + " instead of " + std::to_string(c.x.order));
    }
    if (transforms_of(c.x) != transforms_of(c.y)) {
        return isa::bad_field("Y: " + std::to_string(transforms_of(c.y)) + " transforms instead of " +
                              std::to_string(transforms_of(c.x)));
    }
    return std::nullopt;
}

optional_error check_matrices(const orbit_command& c, base::element_type format)
{
    for (unsigned m = 0; m < 3; ++m) {
        const bool given = c.sums(m) && !c.keep_matrices();
        if (auto r = given ? isa::check_present(matrix_names[m], c.matrix[m], 2)
                           : isa::check_absent(matrix_names[m], c.matrix[m])) {
            return r;
        }
    }
    if (c.keep_matrices()) { return std::nullopt; }
    const auto known = sizes_of(c);
    for (unsigned m = 0; m < 3; ++m) {
        if (!c.sums(m)) { continue; }
        if (auto r =
                isa::check_tensor(matrix_names[m], c.matrix[m], {(*known.in_size)[m], (*known.out_size)[m]}, format)) {
            return r;
        }
    }
    return std::nullopt;
}

// Sizes that a command does not give are those of a tensor that fits.
optional_error check_sizes(const orbit_command& c, const orbit_limits& device)
{
    const auto known = sizes_of(c);
    const auto torus = filled(c.blocks, device.side);
    const orbit_sizes sizes{known.in_size.value_or(torus.in_size), known.out_size.value_or(torus.out_size)};
    const auto plan = plan_orbit(c, sizes, device.side);
    if (!plan.fits && (c.keep_tensor() || c.hold_result() || c.overlaps())) {
        return isa::bad_field("a transform of " + text_of(sizes.in_size) + " to " + text_of(sizes.out_size) +
                              ", larger than the torus of " + text_of(torus.in_size) + " to " +
                              text_of(torus.out_size) + ", is neither kept nor held");
    }
    const auto coefficients = coefficients_of_node(c.blocks, sizes, device.side, c.summed_modes());
    if (known.in_size && known.out_size && coefficients > device.coefficient_elements) {
        return isa::check_error{isa::error_code::too_large, std::to_string(coefficients) +
                                                                " coefficients exceed a node's " +
                                                                std::to_string(device.coefficient_elements)};
    }
    // logs count the steps of a command with 32 bits
    const std::uint64_t most = UINT32_MAX / device.side / transforms_of(c.x.present() ? c.x : c.y);
    if (plan.passes() > most) {
        return isa::check_error{isa::error_code::too_large, "more than " + std::to_string(UINT32_MAX) + " steps"};
    }
    if (c.load_next()) { return std::nullopt; } // next X is in its place
    return isa::check_workspace(c.workspace, plan.workspace_elements(), device.format);
}

} // namespace

void orbit_command::run_stages(const std::array<std::uint8_t, 3>& modes, unsigned stage_mask)
{
    left_out = 0;
    auto* next = order.begin();
    for (const bool summed : {true, false}) {
        for (unsigned i = 0; i < 3; ++i) {
            if (((stage_mask >> i & 1u) != 0) != summed) { continue; }
            *next++ = modes[i];
            left_out += summed ? 0 : 1;
        }
    }
}

std::vector<unsigned> orbit_command::summed_modes() const
{
    std::vector<unsigned> modes;
    for (unsigned s = 0; s < stages(); ++s) { modes.push_back(order[s] - 1u); }
    if (way == direction::inverse) { std::reverse(modes.begin(), modes.end()); }
    return modes;
}

bool orbit_command::sums(unsigned mode) const
{
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(stages());
    return std::find(order.begin(), end, mode + 1) != end;
}

std::vector<std::uint8_t> orbit_command::encode() const
{
    std::vector<std::uint8_t> to(payload_bytes);
    base::field_writer fields(to.data());
    fields(order, static_cast<std::uint8_t>(way), bits_of(vector), left_out, reserved);
    fields(narrowed(blocks.in_block), narrowed(blocks.out_block), shifts, reserved_1, completion_address);
    fields(x, y, matrix, workspace);
    return to;
}

orbit_command orbit_command::decode(std::uint16_t flags, const std::uint8_t* payload)
{
    orbit_command c;
    std::uint8_t way = 0, bits = 0;
    block_bytes in_block{}, out_block{};
    base::field_reader fields(payload);
    fields(c.order, way, bits, c.left_out, c.reserved, in_block, out_block, c.shifts, c.reserved_1,
           c.completion_address);
    fields(c.x, c.y, c.matrix, c.workspace);
    c.flags = flags;
    c.way = static_cast<direction>(way);
    c.vector = vector_of(bits);
    std::copy(in_block.begin(), in_block.end(), c.blocks.in_block.begin());
    std::copy(out_block.begin(), out_block.end(), c.blocks.out_block.begin());
    return c;
}

optional_error check(const orbit_command& c, const orbit_limits& device)
{
    if (auto r = check_fields(c, device)) { return r; }
    if (auto r = check_operand(c, device.format)) { return r; }
    if (auto r = check_result(c, device.format)) { return r; }
    if (auto r = check_overlap(c, device)) { return r; }
    if (auto r = check_count(c)) { return r; }
    if (auto r = check_matrices(c, device.format)) { return r; }
    if (auto r = check_sizes(c, device)) { return r; }
    return c.completion() ? isa::check_completion(c.completion_address) : std::nullopt;
}

} // namespace tensorloom::torus
