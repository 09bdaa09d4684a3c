#include <tensorloom/workloads/training/layers/convolution/convolution_layer.h>
#include <tuple>
#include <utility>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/training/layers/layer_reader.h>

namespace tensorloom::workloads {
namespace {

void check_range(const char* what, std::uint64_t value, std::uint64_t least)
{
    constexpr std::uint64_t most = 65536;
    if (value >= least && value <= most) { return; }
    throw base::input_error(std::string(what) + " is " + std::to_string(value) + ", expected a whole number from " +
                            std::to_string(least) + " to " + std::to_string(most));
}

std::string product(std::uint64_t a, std::uint64_t b) { return std::to_string(a) + "x" + std::to_string(b); }

std::pair<std::uint64_t, std::uint64_t> kernel(const layer_reader& from, const base::yaml_value& value)
{
    const auto sizes = from.numbers(value, 'x', "3x3");
    if (sizes.size() != 2) { from.refuse(value, "height and width, like 3x3"); }
    return {sizes[0], sizes[1]};
}

} // namespace

convolution_layer convolution_layer::read(layer_reader& from)
{
    convolution_layer layer;
    read_matrix matrix;
    auto keys = from.matrix_keys(matrix);
    keys.insert({
        {"height", [&](const auto& v) { layer.height = from.whole(v); }},
        {"width", [&](const auto& v) { layer.width = from.whole(v); }},
        {"channels", [&](const auto& v) { layer.channels = from.whole(v); }},
        {"kernel", [&](const auto& v) { std::tie(layer.kernel_height, layer.kernel_width) = kernel(from, v); }},
        {"stride", [&](const auto& v) { layer.stride = from.whole(v); }},
        {"padding", [&](const auto& v) { layer.padding = from.whole(v); }},
        {"patches", [&](const auto& v) { layer.patches_from = from.named<patch_source>(v, patch_source_values); }},
        {"activation", [&](const auto& v) { layer.activation = from.named<activation_kind>(v, activation_values); }},
    });
    from.read_keys(keys);
    layer.map = from.completed(matrix);
    return layer;
}

void convolution_layer::check() const
{
    constexpr std::uint64_t most = std::uint64_t{1} << 24; // numbers of pixels are exact in float32
    check_range("height", height, 1);
    check_range("width", width, 1);
    check_range("channels", channels, 1);
    check_range("stride", stride, 1);
    check_range("padding", padding, 0);
    if (kernel_height > padded_height() || kernel_width > padded_width()) {
        throw base::input_error("kernel is " + product(kernel_height, kernel_width) + ", expected at most the " +
                                product(padded_height(), padded_width()) + " of a picture and its padding");
    }
    const auto check_elements = [](const char* what, std::uint64_t elements) {
        if (elements <= most) { return; }
        throw base::input_error("a sample has " + std::to_string(elements) + what + ", expected at most " +
                                std::to_string(most));
    };
    check_elements(" numbers with its padding", padded_height() * padded_width() * channels);
    check_elements(" numbers of patches", patches() * patch_pixels() * channels);
    check_layer(map.shape);
    if (map.inputs() != patch_pixels() * channels) {
        throw base::input_error("cols is " + std::to_string(map.inputs()) + " in all, expected kernel x channels, " +
                                std::to_string(patch_pixels() * channels));
    }
}

std::string convolution_layer::text() const
{
    return "convolution of " + product(height, width) + "x" + std::to_string(channels) + ", kernel " +
           product(kernel_height, kernel_width) + ", stride " + std::to_string(stride) + ", padding " +
           std::to_string(padding) + ", " + map.text() + ", activation " +
           activation_values[static_cast<unsigned>(activation)].name;
}

std::string convolution_layer::element_work() const
{
    const auto function = activation_work(activation);
    return "patches and sums of their gradients" + (function.empty() ? "" : ", " + function);
}

std::vector<layer_field> convolution_layer::fields() const
{
    return {{"height", height},
            {"width", width},
            {"channels", channels},
            {"kernel", std::vector{kernel_height, kernel_width}},
            {"stride", stride},
            {"padding", padding},
            {"patches", std::string(patch_source_values[static_cast<unsigned>(patches_from)].name)},
            {"weights", map},
            {"activation", std::string(activation_values[static_cast<unsigned>(activation)].name)}};
}

parameter_values convolution_layer::initial_values(std::uint64_t seed) const
{
    return map.initial_values(activation == activation_kind::relu ? 2 : 1, seed);
}

} // namespace tensorloom::workloads
