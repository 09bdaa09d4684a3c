#include "contraction_search/contraction_search.h"
#include <limits>
#include <tensorloom/models/arch/values/number_text.h>
#include "contraction_search/network_file.h"

namespace tensorloom::testbench {
namespace {

using workloads::tensorized_layer;

constexpr std::uint64_t largest_factor = (std::uint64_t{1} << 31) - 1;

option_table contraction_search_table()
{
    option_table table("contraction_search",
                       "Finds the sequence in which a tensorized layer, or any network of tensors, is contracted best: "
                       "exact, beside the fixed sequences of other accelerators.");
    table.begin_group("Network (--layer, --format or --network)");
    table.add_value("layer", "NAME", "A layer that papers measure, see the docs.");
    table.add_value("format", form_of(names_of(workloads::layer_format_values)),
                    "A layer of this format, by its sizes.");
    table.add_value("rows", "[M=]M1xM2x..", "Factors of its outputs, and their product.");
    table.add_value("cols", "[N=]N1xN2x..", "Factors of its inputs, and their product.");
    table.add_value("ranks", "R1,R2,..", "Its ranks in the order of the docs, or one for all.");
    table.add_value("batch", "COUNT", "Samples (default: those of --layer, else 1).");
    table.add_value("blocks", "COUNT", "Terms of a layer of --format bt.", "1");
    table.add_value("order", form_of(names_of(workloads::core_order_values)),
                    "Which cores come first in --format tt and tr: those of the outputs (m) or of the inputs (n).",
                    "mn");
    table.add_value("phase", "fp|bp|wg:CORE", "Which network of a layer: forward, backward, or the gradient of a core.",
                    "fp");
    table.add_value("network", "FILE.json", "A network of its own: nodes, out and sizes.");
    table.begin_group("Search");
    table.add_value("objective", form_of(names_of(workloads::search_objective_values)),
                    "What the sequence makes small.", "macs");
    table.add_value("top", "K", "Sequences to find.", "8");
    table.add_value("near-copies", "FRACTION",
                    "Sequences that differ in steps of less than this share of the MACs count once.", "0.01");
    table.add_value("search", form_of(names_of(search_method_values)), "How it is searched.", "auto");
    table.add_value("on-chip", "COUNT", "Elements that fit on chip, of the traffic.", "131072");
    table.add_value("time-limit", "SECONDS", "End the search after this time with what it has found; 0: never.", "0");
    table.add_value("json", "FILE", "Write what was found into this file: the summary, without --out.");
    table.one_run_alone();
    add_common_options(table);
    return table;
}

// "16x4x4", or "256=16x4x4" whose product is checked.
std::vector<std::uint64_t> read_factors(const option_values& values, const char* option)
{
    const auto text = values.get_string(option);
    const auto equals = text.find('=');
    std::vector<std::uint64_t> factors;
    std::uint64_t product = 1;
    const auto expected = "factors from 1 to 2147483647 with x between them, like 16x4x4, below 2^63 in all";
    for (const auto part :
         arch::split(std::string_view(text).substr(equals == std::string::npos ? 0 : equals + 1), 'x')) {
        const auto factor = arch::parse_number<std::uint64_t>(part);
        if (!factor || *factor < 1 || *factor > largest_factor || product > (std::uint64_t{1} << 63) / *factor) {
            throw values.complaint(option, expected);
        }
        factors.push_back(*factor);
        product *= *factor;
    }
    if (equals == std::string::npos) { return factors; }
    const auto wanted = arch::parse_number<std::uint64_t>(std::string_view(text).substr(0, equals));
    if (!wanted) { throw values.complaint(option, "a size before =, like 256=16x4x4"); }
    if (*wanted != product) {
        throw values.complaint(option, "factors that multiply to " + std::to_string(*wanted) + ", not to " +
                                           std::to_string(product));
    }
    return factors;
}

std::vector<std::uint64_t> read_ranks(const option_values& values)
{
    std::vector<std::uint64_t> ranks;
    for (const auto& word : values.get_words("ranks")) {
        const auto rank = arch::parse_number<std::uint64_t>(word);
        if (!rank || *rank < 1 || *rank > largest_factor) {
            throw values.complaint("ranks", "ranks from 1 to 2147483647 with a comma between them");
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
    if (!ordered) { refuse_any(values, {"order"}, "--format " + values.get_string("format"), "with tt or tr"); }
    if (layer.format != workloads::layer_format::bt) {
        refuse_any(values, {"blocks"}, "--format " + values.get_string("format"), "with bt");
    }
    layer.order = get_named<workloads::core_order>(values, "order", workloads::core_order_values);
    const bool none = workloads::rank_count(layer.format, layer.rows.size(), layer.columns.size()) == 0;
    if (!none) { require_both(values, "format", "ranks"); }
    if (!none) {
        const auto given = read_ranks(values);
        layer.ranks = arch::complaining_of("--ranks is " + arch::in_quotes(values.get_string("ranks")),
                                           [&] { return workloads::completed_ranks(given, layer); });
    }
    arch::complaining_of("--format, --rows, --cols, --ranks", [&] { workloads::check_layer(layer); });
    if (none) { refuse_any(values, {"ranks"}, "a single core", "with several"); }
    return layer;
}

void read_network(const option_values& values, contraction_search_options& o)
{
    const std::vector<std::string> of_sizes{"rows", "cols", "ranks", "blocks", "order"};
    if (values.has("network")) {
        refuse_any(values, {"layer", "format", "rows", "cols", "ranks", "batch", "blocks", "order", "phase"},
                   "--network", "with a layer");
        o.network_file = values.get_string("network");
        o.files.add_input("--network", *o.network_file);
        o.network = arch::complaining_of("--network", [&] { return read_network_file(*o.network_file); });
        return;
    }
    if (!values.has("layer") && !values.has("format")) {
        throw arch::input_error("none of --layer, --format and --network is given, expected one of them");
    }
    require_one_of(values, "layer", "format");
    if (values.has("layer")) {
        refuse_any(values, of_sizes, "--layer", "with --format");
        o.named =
            arch::complaining_of("--layer", [&] { return &workloads::find_named_layer(values.get_string("layer")); });
        o.layer = o.named->layer;
    } else {
        o.layer = layer_by_sizes(values);
    }
    if (values.has("batch")) { o.layer->batch = values.get_unsigned("batch", 1, largest_factor); }
    o.phase = values.get_string("phase");
    arch::complaining_of("--batch", [&] { workloads::check_layer(*o.layer); });
    o.network = arch::complaining_of("--phase is " + arch::in_quotes(o.phase),
                                     [&] { return workloads::phase_network(*o.layer, o.phase); });
}

void read_request(const option_values& values, contraction_search_options& o)
{
    auto& r = o.request;
    r.objective = get_named<workloads::search_objective>(values, "objective", workloads::search_objective_values);
    r.top = values.get_unsigned("top", 1, 1000);
    r.near_copy_share = values.get_number("near-copies", 0, 1);
    r.traffic.on_chip_elements = values.get_unsigned("on-chip", 0, std::numeric_limits<std::uint32_t>::max());
    r.traffic.kept = o.phase == "fp"; // for the weight gradients
    r.seconds = values.get_number("time-limit", 0, 1e6);
    o.method = get_named<search_method>(values, "search", search_method_values);
    constexpr std::size_t most_depth_first = 8; // nodes: 1.6 million sequences; of 9 nodes 57 million
    const auto nodes = o.network.nodes.size();
    if (o.method == search_method::depth_first && nodes > most_depth_first && r.seconds == 0) {
        throw arch::input_error("--search depth-first is given with a network of " + std::to_string(nodes) +
                                " nodes, expected at most " + std::to_string(most_depth_first) + ", or --time-limit");
    }
}

} // namespace

std::optional<contraction_search_options> read_contraction_search_options(int argc, char** argv, std::ostream& out)
{
    const auto values = contraction_search_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    contraction_search_options o;
    o.common = read_common_options(*values);
    refuse_any(*values, {"vcd"}, "a search", "with a testbench that simulates");
    read_network(*values, o);
    read_request(*values, o);
    arch::complaining_of("network", [&] { workloads::node_sets(o.network, o.request.objective, o.request.traffic); });
    if (values->has("json")) {
        o.json_file = values->get_string("json");
        o.files.add_output("--json", *o.json_file);
    }
    o.finish(*values);
    return o;
}

} // namespace tensorloom::testbench
