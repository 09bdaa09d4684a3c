#include <tensorloom/models/isa/export/assembler.h>
#include <algorithm>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::isa {
namespace {

// Nothing when the descriptor has bytes without a text form.
bool has_plain_modes(const tensor_descriptor& d)
{
    if (!base::is_element_type(d.type) || d.order < 1 || d.order > tensor_descriptor::max_order || d.reserved != 0) {
        return false;
    }
    for (unsigned m = 0; m < d.order; ++m) {
        if (d.size[m] == 0) { return false; }
    }
    for (unsigned m = d.order; m < tensor_descriptor::max_order; ++m) {
        if (d.size[m] != 0 || d.stride[m] != 0) { return false; }
    }
    return true;
}

tensor_descriptor dense(const tensor_descriptor& d)
{
    return dense_descriptor(d.base, static_cast<base::element_type>(d.type),
                            {d.size.begin(), d.size.begin() + d.order});
}

template <class Numbers> std::string joined(const Numbers& numbers, unsigned order)
{
    std::string text;
    for (unsigned m = 0; m < order; ++m) { text += (m == 0 ? "" : "x") + std::to_string(numbers[m]); }
    return text;
}

// Numbers of this many bits, one per mode.
std::optional<std::vector<std::uint64_t>> parse_modes(std::string_view text, unsigned bits,
                                                      decltype(base::parse_integer)& parse)
{
    std::vector<std::uint64_t> numbers;
    for (const auto part : base::split(text, 'x')) {
        const auto number = parse(part, bits);
        if (!number) { return std::nullopt; }
        numbers.push_back(*number);
    }
    if (numbers.size() > tensor_descriptor::max_order) { return std::nullopt; }
    return numbers;
}

} // namespace

std::optional<std::string> tensor_text(const tensor_descriptor& d)
{
    if (!d.present()) { return "none"; }
    if (!has_plain_modes(d)) { return std::nullopt; }
    const auto type = base::element_type_name(static_cast<base::element_type>(d.type));
    std::string text = base::hexadecimal(d.base) + ":" + std::string(type) + ":" + joined(d.size, d.order);
    if (d.stride != dense(d).stride) { text += ":" + joined(d.stride, d.order); }
    return text;
}

std::optional<tensor_descriptor> parse_tensor(std::string_view text)
{
    if (text == "none") { return tensor_descriptor{}; }
    const auto parts = base::split(text, ':');
    if (parts.size() < 3 || parts.size() > 4) { return std::nullopt; }
    const auto base = base::parse_unsigned(parts[0], 64);
    const auto type = base::parse_element_type(parts[1]);
    const auto sizes = parse_modes(parts[2], 32, base::parse_unsigned);
    if (!base || !type || !sizes || std::count(sizes->begin(), sizes->end(), 0u) > 0) { return std::nullopt; }
    auto d = dense_descriptor(*base, *type, {sizes->begin(), sizes->end()});
    if (parts.size() == 4) {
        const auto strides = parse_modes(parts[3], 64, base::parse_integer);
        if (!strides || strides->size() != sizes->size()) { return std::nullopt; }
        for (std::size_t m = 0; m < strides->size(); ++m) { d.stride[m] = static_cast<std::int64_t>((*strides)[m]); }
    }
    return d;
}

} // namespace tensorloom::isa
