#include <tensorloom/models/arch/gemt_command.h>
#include <cmath>
#include <cstring>
#include <tensorloom/models/arch/bytes.h>

namespace tensorloom::arch {
namespace {

using descriptor_list = std::array<tensor_descriptor*, 7>;
descriptor_list descriptors(gemt_command& c)
{
    return {&c.x, &c.y, &c.initial_y, &c.matrix[0], &c.matrix[1], &c.matrix[2], &c.workspace};
}

refusal bad_field(std::string text) { return refusal{error_code::bad_field, std::move(text)}; }

// A descriptor that must be there, with this order and these sizes, in the device's format.
std::optional<refusal> check_tensor(const char* name, const tensor_descriptor& d,
                                    const std::vector<std::uint32_t>& size, element_type format)
{
    if (!d.present()) { return refusal{error_code::bad_descriptor, std::string(name) + " is missing"}; }
    if (const auto wrong = complaint(d)) {
        return refusal{error_code::bad_descriptor, std::string(name) + ": " + *wrong};
    }
    if (d.order != size.size()) {
        return refusal{error_code::bad_descriptor, std::string(name) + ": order " + std::to_string(d.order) +
                                                       " instead of " + std::to_string(size.size())};
    }
    for (std::size_t m = 0; m < size.size(); ++m) {
        if (d.size[m] != size[m]) {
            return bad_field(std::string(name) + ": size " + std::to_string(d.size[m]) + " of mode " +
                             std::to_string(m + 1) + " instead of " + std::to_string(size[m]));
        }
    }
    if (d.type != static_cast<std::uint8_t>(format)) {
        return refusal{error_code::unsupported_format,
                       std::string(name) + " is not " + std::string(element_type_name(format))};
    }
    return std::nullopt;
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

} // namespace

std::vector<std::uint8_t> gemt_command::encode() const
{
    std::vector<std::uint8_t> bytes(payload_bytes, 0);
    for (std::size_t m = 0; m < 3; ++m) {
        bytes[gemt_fields::order.offset + m] = order[m];
        bytes[gemt_fields::shifts.offset + m] = shifts[m];
        store_le(bytes.data() + gemt_fields::row_order_address.offset + 8 * m, row_order_address[m]);
    }
    bytes[gemt_fields::stage_mask.offset] = stage_mask;
    bytes[gemt_fields::reserved.offset] = reserved;
    std::uint64_t threshold_bits = 0;
    std::memcpy(&threshold_bits, &zero_threshold, sizeof threshold_bits);
    store_le(bytes.data() + gemt_fields::zero_threshold.offset, threshold_bits);
    store_le(bytes.data() + gemt_fields::completion_address.offset, completion_address);
    gemt_command copy = *this;
    std::size_t at = gemt_fields::x.offset;
    for (auto* d : descriptors(copy)) {
        d->encode(bytes.data() + at);
        at += tensor_descriptor::encoded_bytes;
    }
    return bytes;
}

gemt_command gemt_command::decode(std::uint16_t flags, const std::uint8_t* payload)
{
    gemt_command c;
    c.flags = flags;
    for (std::size_t m = 0; m < 3; ++m) {
        c.order[m] = payload[gemt_fields::order.offset + m];
        c.shifts[m] = payload[gemt_fields::shifts.offset + m];
        c.row_order_address[m] = load_le<std::uint64_t>(payload + gemt_fields::row_order_address.offset + 8 * m);
    }
    c.stage_mask = payload[gemt_fields::stage_mask.offset];
    c.reserved = payload[gemt_fields::reserved.offset];
    const auto threshold_bits = load_le<std::uint64_t>(payload + gemt_fields::zero_threshold.offset);
    std::memcpy(&c.zero_threshold, &threshold_bits, sizeof threshold_bits);
    c.completion_address = load_le<std::uint64_t>(payload + gemt_fields::completion_address.offset);
    std::size_t at = gemt_fields::x.offset;
    for (auto* d : descriptors(c)) {
        *d = tensor_descriptor::decode(payload + at);
        at += tensor_descriptor::encoded_bytes;
    }
    return c;
}

std::optional<refusal> check(const gemt_command& c, const std::array<std::uint32_t, 3>& mesh, element_type format)
{
    if ((c.flags & ~gemt_command::known_flags) != 0) { return refusal{error_code::bad_command, "unknown flags"}; }
    if ((c.flags & gemt_command::flag_double_buffer) != 0) { return bad_field("double buffering is not supported"); }
    if (!is_permutation_of_modes(c.order)) { return bad_field("order is not a permutation of 1, 2, 3"); }
    if (c.stage_mask != 7) { return bad_field("stage mask must be 7"); }
    if (c.shifts != std::array<std::uint8_t, 3>{}) { return bad_field("shifts must be 0"); }
    if (c.reserved != 0) { return bad_field("reserved byte is not 0"); }
    if (!(c.zero_threshold >= 0) || std::isinf(c.zero_threshold)) {
        return bad_field("zero threshold must be finite and >= 0");
    }

    if (!c.x.present()) { return refusal{error_code::bad_descriptor, "X is missing"}; }
    if (const auto wrong = complaint(c.x)) { return refusal{error_code::bad_descriptor, "X: " + *wrong}; }
    if (c.x.order != 3) { return refusal{error_code::bad_descriptor, "X: order is not 3"}; }
    const std::vector<std::uint32_t> shape(c.x.size.begin(), c.x.size.begin() + 3);
    if (auto r = check_tensor("X", c.x, shape, format)) { return r; }
    if (auto r = check_tensor("Y", c.y, shape, format)) { return r; }
    if (auto r = c.accumulate() ? check_tensor("initial Y", c.initial_y, shape, format)
                                : check_absent("initial Y", c.initial_y)) {
        return r;
    }
    static constexpr const char* names[] = {"C1", "C2", "C3"};
    for (std::size_t m = 0; m < 3; ++m) {
        if (auto r = c.keep_matrices() ? check_absent(names[m], c.matrix[m])
                                       : check_tensor(names[m], c.matrix[m], {shape[m], shape[m]}, format)) {
            return r;
        }
        if (c.keep_matrices() && c.row_order_address[m] != 0) {
            return bad_field("a row order is given for kept matrices");
        }
    }
    if (auto r = check_absent("workspace", c.workspace)) { return r; }
    for (std::size_t m = 0; m < 3; ++m) {
        const std::uint64_t last = std::uint64_t{shape[m]} * sizeof(std::uint32_t) - 1;
        if (c.row_order_address[m] > UINT64_MAX - last) {
            return bad_field("row order of mode " + std::to_string(m + 1) + " lies outside of 64 bits");
        }
    }
    if (c.completion() && c.completion_address > UINT64_MAX - (sizeof(std::uint32_t) - 1)) {
        return bad_field("completion address lies outside of 64 bits");
    }
    for (std::size_t m = 0; m < 3; ++m) {
        if (shape[m] > mesh[m]) {
            return refusal{error_code::too_large, "X: size " + std::to_string(shape[m]) + " of mode " +
                                                      std::to_string(m + 1) + " exceeds the mesh's " +
                                                      std::to_string(mesh[m])};
        }
    }
    return std::nullopt;
}

} // namespace tensorloom::arch
