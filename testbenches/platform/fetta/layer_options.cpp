#include "platform/fetta/layer_options.h"
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::testbench {
namespace {

using workloads::tensorized_layer;

constexpr std::uint64_t largest_factor = (std::uint64_t{1} << 31) - 1;

// "16x4x4", or "256=16x4x4" whose product is checked.
std::vector<std::uint64_t> read_factors(const option_values& values, const char* option)
{
    const auto text = values.get_string(option);
    const auto equals = text.find('=');
    std::vector<std::uint64_t> factors;
    std::uint64_t product = 1;
    const auto expected = "factors from 1 to 2147483647 separated by x, like 16x4x4, with a product below 2^63";
    for (const auto part :
         base::split(std::string_view(text).substr(equals == std::string::npos ? 0 : equals + 1), 'x')) {
        const auto factor = base::parse_number<std::uint64_t>(part);
        if (!factor || *factor < 1 || *factor > largest_factor || product > (std::uint64_t{1} << 63) / *factor) {
            throw values.error(option, expected);
        }
        factors.push_back(*factor);
        product *= *factor;
    }
    if (equals == std::string::npos) { return factors; }
    const auto wanted = base::parse_number<std::uint64_t>(std::string_view(text).substr(0, equals));
    if (!wanted) { throw values.error(option, "a size before =, like 256=16x4x4"); }
    if (*wanted != product) {
        throw values.error(option, "factors that multiply to " + std::to_string(*wanted) + ", not to " +
                                       std::to_string(product));
    }
    return factors;
}

std::vector<std::uint64_t> read_ranks(const option_values& values)
{
    std::vector<std::uint64_t> ranks;
    for (const auto& word : values.get_words("ranks")) {
        const auto rank = base::parse_number<std::uint64_t>(word);
        if (!rank || *rank < 1 || *rank > largest_factor) {
            throw values.error("ranks", "ranks from 1 to 2147483647 separated by commas");
        }
        ranks.push_back(*rank);
    }
    return ranks;
}

tensorized_layer layer_by_sizes(const option_values& values)
{
    for (const char* option : {"rows", "cols"}) { require_both(values, "format", option); }
    tensorized_layer layer;
    layer.format = get_named<workloads::layer_format>(values, "format", workloads::layer_format_values);
    layer.rows = read_factors(values, "rows");
    layer.columns = read_factors(values, "cols");
    layer.blocks = values.get_unsigned("blocks", 1, 1000000);
    const bool ordered = layer.format == workloads::layer_format::tt || layer.format == workloads::layer_format::tr;
    if (!ordered) { check_absent(values, {"order"}, "--format " + values.get_string("format"), "with tt or tr"); }
    if (layer.format != workloads::layer_format::bt) {
        check_absent(values, {"blocks"}, "--format " + values.get_string("format"), "with bt");
    }
    layer.order = get_named<workloads::core_order>(values, "order", workloads::core_order_values);
    const bool none = workloads::rank_count(layer.format, layer.rows.size(), layer.columns.size()) == 0;
    if (!none) { require_both(values, "format", "ranks"); }
    if (!none) {
        const auto given = read_ranks(values);
        layer.ranks = base::complaining_of("--ranks is " + base::in_quotes(values.get_string("ranks")),
                                           [&] { return workloads::completed_ranks(given, layer); });
    }
    base::complaining_of("--format, --rows, --cols, --ranks", [&] { workloads::check_layer(layer); });
    if (none) { check_absent(values, {"ranks"}, "a single core", "with several"); }
    return layer;
}

} // namespace

void add_layer_options(option_table& table)
{
    table.add_value("layer", "NAME", "A layer from published measurements, see the docs.");
    table.add_value("format", form_of(names_of(workloads::layer_format_values)),
                    "A layer of this format, given by its sizes.");
    table.add_value("rows", "[M=]M1xM2x..", "Factors of the layer's outputs; with M= their product is checked.");
    table.add_value("cols", "[N=]N1xN2x..", "Factors of the layer's inputs; with N= their product is checked.");
    table.add_value("ranks", "R1,R2,..", "Ranks of the layer in the order of the docs, or one for all.");
    table.add_value("batch", "COUNT", "Samples (default: those of --layer, else 1).");
    table.add_value("blocks", "COUNT", "Terms of a layer of --format bt.", "1");
    table.add_value("order", form_of(names_of(workloads::core_order_values)),
                    "Cores that come first in --format tt and tr: those of the outputs (mn) or of the inputs (nm).",
                    "mn");
}

void add_dx_option(option_table& table)
{
    table.add_value("dx", "auto|on|off", "Compute the gradient of X; auto: for all layers except first layers.",
                    "auto");
}

bool read_dx(const option_values& values, const layer_choice& chosen)
{
    const auto dx = values.get_choice("dx", {"auto", "on", "off"});
    return dx == "on" || (dx == "auto" && (chosen.named == nullptr || !chosen.named->first));
}

void require_training_formats(const option_values& values, const fetta::device_limits& g)
{
    if (g.operand != base::element_type::bf16) { throw values.error("operand", "bf16 in a training step"); }
    if (g.psum != base::element_type::f32) { throw values.error("psum", "f32 in a training step"); }
}

layer_choice read_layer(const option_values& values)
{
    require_one_of(values, "layer", "format");
    layer_choice chosen;
    if (values.has("layer")) {
        check_absent(values, {"rows", "cols", "ranks", "blocks", "order"}, "--layer", "with --format");
        chosen.named =
            base::complaining_of("--layer", [&] { return &workloads::find_named_layer(values.get_string("layer")); });
        chosen.layer = chosen.named->layer;
    } else {
        chosen.layer = layer_by_sizes(values);
    }
    if (values.has("batch")) { chosen.layer.batch = values.get_unsigned("batch", 1, largest_factor); }
    base::complaining_of("--batch", [&] { workloads::check_layer(chosen.layer); });
    return chosen;
}

} // namespace tensorloom::testbench
