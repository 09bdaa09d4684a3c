#include <tensorloom/models/isa/program/tensor_checks.h>

namespace tensorloom::isa {

check_error bad_field(std::string text) { return check_error{error_code::bad_field, std::move(text)}; }

check_error bad_descriptor(const char* name, const std::string& text)
{
    return check_error{error_code::bad_descriptor, std::string(name) + text};
}

std::optional<check_error> check_present(const char* name, const tensor_descriptor& d, unsigned order)
{
    if (!d.present()) { return bad_descriptor(name, " is missing"); }
    if (const auto wrong = validate(d)) { return bad_descriptor(name, ": " + *wrong); }
    if (d.order != order) {
        return bad_descriptor(name, ": order " + std::to_string(d.order) + " instead of " + std::to_string(order));
    }
    return std::nullopt;
}

std::optional<check_error> check_type(const char* name, const tensor_descriptor& d, base::element_type type)
{
    if (d.type == static_cast<std::uint8_t>(type)) { return std::nullopt; }
    return check_error{error_code::unsupported_format,
                       std::string(name) + " is not " + std::string(base::element_type_name(type))};
}

std::optional<check_error> check_result_type(const char* name, const tensor_descriptor& d, base::element_type format)
{
    if (d.type == static_cast<std::uint8_t>(base::accumulator_type(format))) { return std::nullopt; }
    return check_type(name, d, format);
}

std::optional<check_error> check_tensor(const char* name, const tensor_descriptor& d,
                                        const std::vector<std::uint32_t>& size, base::element_type type)
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

std::optional<check_error> check_in_device(const char* name, const tensor_descriptor& d)
{
    if (d.base != 0) { return bad_field(std::string(name) + " lies in the device: its base is not 0"); }
    std::int64_t stride = 1;
    for (unsigned m = d.order; m-- > 0;) {
        if (d.size[m] > 1 && d.stride[m] != stride) {
            return bad_field(std::string(name) + " lies in the device: stride " + std::to_string(d.stride[m]) +
                             " of mode " + std::to_string(m + 1) + " instead of " + std::to_string(stride));
        }
        stride *= d.size[m];
    }
    return std::nullopt;
}

std::optional<check_error> check_fits(const char* name, const tensor_descriptor& d,
                                      const std::array<std::uint32_t, 3>& device)
{
    for (unsigned m = 0; m < device.size(); ++m) {
        if (d.size[m] > device[m]) {
            return bad_field(std::string(name) + ": size " + std::to_string(d.size[m]) + " of mode " +
                             std::to_string(m + 1) + ", at most " + std::to_string(device[m]) + " fit the device");
        }
    }
    return std::nullopt;
}

std::optional<check_error> check_absent(const char* name, const tensor_descriptor& d)
{
    if (d.present()) { return bad_field(std::string(name) + " is given but not used by this command"); }
    return std::nullopt;
}

std::optional<check_error> check_workspace(const tensor_descriptor& d, std::uint64_t needed, base::element_type type)
{
    const std::string expected = std::to_string(needed) + " elements expected";
    if (!d.present()) {
        if (needed == 0) { return std::nullopt; }
        return bad_descriptor("workspace", " is missing, " + expected);
    }
    if (auto r = check_present("workspace", d, 1)) { return r; }
    if (auto r = check_type("workspace", d, type)) { return r; }
    if (d.size[0] > 1 && d.stride[0] != 1) {
        return bad_field("workspace: stride " + std::to_string(d.stride[0]) + " instead of 1");
    }
    if (d.size[0] < needed) {
        return bad_field("workspace: size " + std::to_string(d.size[0]) + ", at least " + expected);
    }
    return std::nullopt;
}

std::optional<check_error> check_order_of_modes(const std::array<std::uint8_t, 3>& order)
{
    unsigned seen = 0;
    for (const auto mode : order) { seen |= mode < 8 ? 1u << mode : 0; }
    if (seen == 0xe) { return std::nullopt; }
    return bad_field("order is not a permutation of 1, 2, 3");
}

std::optional<check_error> check_completion(std::uint64_t address)
{
    if (address <= UINT64_MAX - (sizeof(std::uint32_t) - 1)) { return std::nullopt; }
    return bad_field("completion address lies outside of 64 bits");
}

} // namespace tensorloom::isa
