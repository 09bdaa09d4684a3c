#include <tensorloom/workloads/training/layers/pool/pool_layer.h>
#include <algorithm>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/training/layers/layer_reader.h>

namespace tensorloom::workloads {
namespace {

constexpr std::uint64_t most = 65536;

std::string product(std::uint64_t a, std::uint64_t b) { return std::to_string(a) + "x" + std::to_string(b); }

} // namespace

pool_layer pool_layer::read(layer_reader& from)
{
    pool_layer layer;
    bool is_global = false, has_stride = false;
    from.read_keys({
        {"function", [&](const auto& v) { layer.function = from.named<pool_function>(v, pool_function_values); }},
        {"height", [&](const auto& v) { layer.height = from.whole(v); }},
        {"width", [&](const auto& v) { layer.width = from.whole(v); }},
        {"channels", [&](const auto& v) { layer.channels = from.whole(v); }},
        {"kernel",
         [&](const auto& v) {
             is_global = from.text_of(v) == "global";
             if (is_global) { return; }
             const auto sizes = from.numbers(v, 'x', "2x2");
             if (sizes.size() != 2) { from.refuse(v, "height and width, like 2x2, or global"); }
             layer.kernel_height = sizes[0];
             layer.kernel_width = sizes[1];
         }},
        {"stride",
         [&](const auto& v) {
             const auto sizes = from.numbers(v, 'x', "2x2");
             if (sizes.size() > 2) { from.refuse(v, "one number, or rows and columns, like 2x1"); }
             layer.stride_height = sizes.front();
             layer.stride_width = sizes.back();
             has_stride = true;
         }},
        {"padding", [&](const auto& v) { layer.padding = from.whole(v); }},
    });
    if (is_global) {
        layer.kernel_height = layer.height;
        layer.kernel_width = layer.width;
    }
    if (!has_stride) {
        layer.stride_height = layer.kernel_height;
        layer.stride_width = layer.kernel_width;
    }
    return layer;
}

void pool_layer::check() const
{
    base::check_range("height", height, std::uint64_t{1}, most);
    base::check_range("width", width, std::uint64_t{1}, most);
    base::check_range("channels", channels, std::uint64_t{1}, most);
    base::check_range("stride", std::min(stride_height, stride_width), std::uint64_t{1}, most);
    base::check_range("stride", std::max(stride_height, stride_width), std::uint64_t{1}, most);
    base::check_range("padding", padding, std::uint64_t{0}, most);
    if (kernel_height < 1 || kernel_width < 1 || kernel_height > padded_height() || kernel_width > padded_width()) {
        throw base::input_error("kernel is " + product(kernel_height, kernel_width) + ", expected at most the " +
                                product(padded_height(), padded_width()) + " of a picture and its padding");
    }
    if (2 * padding > std::min(kernel_height, kernel_width)) {
        throw base::input_error("padding is " + std::to_string(padding) + ", expected at most half of the kernel, " +
                                product(kernel_height, kernel_width));
    }
    constexpr std::uint64_t most_taps = 4096, most_elements = std::uint64_t{1} << 24; // exact in float32
    if (taps() > most_taps) {
        throw base::input_error("kernel is " + product(kernel_height, kernel_width) + ", expected at most " +
                                std::to_string(most_taps) + " pixels");
    }
    // no overflow: height and width with padding are below 2^18, channels below 2^17
    if (padded_inputs() > most_elements) {
        throw base::input_error("a sample has " + std::to_string(padded_inputs()) +
                                " numbers with its padding, expected at most " + std::to_string(most_elements));
    }
}

std::string pool_layer::text() const
{
    return std::string("pool, ") + pool_function_values[static_cast<unsigned>(function)].name + " of " +
           product(height, width) + "x" + std::to_string(channels) + ", kernel " +
           product(kernel_height, kernel_width) + ", stride " + product(stride_height, stride_width) + ", padding " +
           std::to_string(padding);
}

std::string pool_layer::element_work() const
{
    return std::string(pool_function_values[static_cast<unsigned>(function)].name) + " pooling";
}

std::vector<layer_field> pool_layer::fields() const
{
    return {{"function", std::string(pool_function_values[static_cast<unsigned>(function)].name)},
            {"height", height},
            {"width", width},
            {"channels", channels},
            {"kernel", std::vector{kernel_height, kernel_width}},
            {"stride", std::vector{stride_height, stride_width}},
            {"padding", padding}};
}

} // namespace tensorloom::workloads
