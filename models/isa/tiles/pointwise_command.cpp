#include <tensorloom/models/isa/tiles/pointwise_command.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tensorloom/models/isa/program/tensor_checks.h>

namespace tensorloom::isa {
namespace {

// In the order of pointwise_fields.
constexpr auto each_pointwise_member = [](auto& c, auto fields) {
    fields(c.operation, c.shift, c.reserved, c.value, c.completion_address, c.x, c.y, c.operand);
};

// Numbers of this magnitude and more round to an infinite element.
double infinite_from(base::element_type format)
{
    switch (format) {
    case base::element_type::f32:
    case base::element_type::c64: return 0x1.ffffffp127;
    case base::element_type::bf16: return 0x1.ffp127;
    default: return std::numeric_limits<double>::infinity();
    }
}

std::optional<check_error> check_value(const pointwise_command& c, base::element_type format)
{
    const auto text = [&] {
        return "value " + std::to_string(c.value[0]) + (c.value[1] == 0 ? "" : ", " + std::to_string(c.value[1]));
    };
    if (!c.has_value()) {
        if (c.value == std::array<double, 2>{}) { return std::nullopt; }
        return bad_field(text() + " of an operation without one");
    }
    const double limit = infinite_from(format);
    if (!(std::fabs(c.value[0]) < limit && std::fabs(c.value[1]) < limit)) {
        return bad_field(text() + " is not finite as " + std::string(base::element_type_name(format)));
    }
    const bool is_threshold = c.operation == pointwise_operation::threshold;
    if (c.value[1] != 0 && (is_threshold || !base::is_complex(format))) {
        return bad_field(text() + ": imaginary part of a real number");
    }
    if (is_threshold && c.value[0] < 0) { return bad_field(text() + " of a threshold is negative"); }
    if (base::is_integer(format) &&
        !(c.value[0] >= -128 && c.value[0] <= 127 && c.value[0] == std::floor(c.value[0]))) {
        return bad_field(text() + " is not an integer from -128 to 127");
    }
    return std::nullopt;
}

std::optional<check_error> check_pointwise_fields(const pointwise_command& c, base::element_type format)
{
    if ((c.flags & ~pointwise_command::known_flags) != 0) {
        return check_error{error_code::bad_command, "unknown flags"};
    }
    const auto operation = static_cast<unsigned>(c.operation);
    if (operation < 1 || operation > 5) {
        return bad_field("operation " + std::to_string(operation) + " is not 1 to 5");
    }
    if (c.operation == pointwise_operation::relu && base::is_complex(format)) {
        return bad_field("relu of complex numbers");
    }
    const unsigned shift = c.shift;
    if (shift > 31) { return bad_field("shift " + std::to_string(shift) + " is not 0 to 31"); }
    if (shift != 0 && !base::is_integer(format)) {
        return bad_field("shift " + std::to_string(shift) + " of a device of format " +
                         std::string(base::element_type_name(format)));
    }
    if (c.reserved != decltype(c.reserved){}) { return bad_field("reserved byte is not 0"); }
    if ((c.keep_operand() || c.hold_operand()) && !c.has_operand()) {
        return bad_field("an operand is kept or held by an operation without one");
    }
    return check_value(c, format);
}

std::optional<check_error> check_pointwise_tensors(const pointwise_command& c, const mode_sizes& largest,
                                                   base::element_type format)
{
    if (auto r = check_present("X", c.x, 3)) { return r; }
    if (auto r = check_type("X", c.x, format)) { return r; }
    if (auto r = check_fits("X", c.x, largest)) { return r; }
    if (auto r = c.keep_tensor() ? check_in_device("X", c.x) : std::nullopt) { return r; }
    const std::vector<std::uint32_t> sizes(c.x.size.begin(), c.x.size.begin() + 3);
    if (auto r = check_tensor("Y", c.y, sizes, static_cast<base::element_type>(c.y.type))) { return r; }
    if (auto r = check_result_type("Y", c.y, format)) { return r; }
    if (auto r = c.hold_result() ? check_in_device("Y", c.y) : std::nullopt) { return r; }
    if (!c.has_operand()) { return check_absent("operand", c.operand); }
    if (auto r = check_tensor("operand", c.operand, sizes, format)) { return r; }
    return c.keep_operand() ? check_in_device("operand", c.operand) : std::nullopt;
}

} // namespace

std::vector<std::uint8_t> pointwise_command::encode() const { return base::encoded(*this, each_pointwise_member); }

pointwise_command pointwise_command::decode(std::uint16_t flags, const std::uint8_t* payload)
{
    auto c = base::decoded<pointwise_command>(payload, each_pointwise_member);
    c.flags = flags;
    return c;
}

std::optional<check_error> check(const pointwise_command& c, const mode_sizes& largest, base::element_type format)
{
    if (auto r = check_pointwise_fields(c, format)) { return r; }
    if (auto r = check_pointwise_tensors(c, largest, format)) { return r; }
    return c.completion() ? check_completion(c.completion_address) : std::nullopt;
}

} // namespace tensorloom::isa
