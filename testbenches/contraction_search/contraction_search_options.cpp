#include "contraction_search/contraction_search.h"
#include <limits>
#include "contraction_search/network_file.h"
#include "platform/fetta/layer_options.h"

namespace tensorloom::testbench {
namespace {

std::vector<std::string> objective_names()
{
    auto names = names_of(workloads::search_objective_values);
    for (const auto& name : names_of(workloads::mapping_objective_values)) { names.push_back(name); }
    return names;
}

option_table contraction_search_table()
{
    option_table table("contraction_search",
                       "Finds the best sequence in which to contract a tensorized layer or any tensor network (exact "
                       "search), and compares it with the fixed sequences of other accelerators.");
    table.begin_group("Network (--layer, --format or --network)");
    add_layer_options(table);
    table.add_value("phase", "fp|bp|wg:CORE", "Network of a layer: forward, backward, or the gradient of a core.",
                    "fp");
    table.add_value("network", "FILE.json", "A network from a file: nodes, out and sizes.");
    add_dx_option(table);
    table.begin_group("Search");
    table.add_value("objective", form_of(objective_names()),
                    "Cost that the sequence minimises: of the network, or of the whole step on a FETTA.", "macs");
    table.add_value("top", "K", "Sequences to find.", "8");
    table.add_value("near-copies", "FRACTION",
                    "Count sequences that differ only in steps of less than this share of the MACs once.", "0.01");
    table.add_value("search", form_of(names_of(search_method_values)), "Search method.", "auto");
    table.add_value("on-chip", "COUNT", "Elements that fit on chip, for the objective traffic.", "131072");
    table.add_value("time-limit", "SECONDS", "Stop the search after this time and report the best found; 0: no limit.",
                    "0");
    table.add_value("json", "FILE", "Write the summary into this file, without --out.");
    table.one_run_alone();
    table.begin_group("Device (with --objective latency, energy and edp)");
    add_fetta_options(table);
    add_common_options(table);
    return table;
}

void read_network(const option_values& values, contraction_search_options& o)
{
    if (values.has("network")) {
        check_absent(values, {"layer", "format", "rows", "cols", "ranks", "batch", "blocks", "order", "phase", "dx"},
                     "--network", "without");
        o.network_file = values.get_string("network");
        o.files.add_input("--network", *o.network_file);
        o.network = base::complaining_of("--network", [&] { return read_network_file(*o.network_file); });
        return;
    }
    if (!values.has("layer") && !values.has("format")) {
        throw base::input_error("none of --layer, --format and --network is given, expected one of them");
    }
    const auto chosen = read_layer(values);
    o.named = chosen.named;
    o.dx = read_dx(values, chosen);
    o.layer = chosen.layer;
    o.phase = values.get_string("phase");
    o.network = base::complaining_of("--phase is " + base::in_quotes(o.phase),
                                     [&] { return workloads::phase_network(*o.layer, o.phase); });
}

void read_request(const option_values& values, contraction_search_options& o)
{
    auto& r = o.request;
    o.objective = values.get_choice("objective", objective_names());
    for (const auto& known : workloads::search_objective_values) {
        if (o.objective == known.name) { r.objective = static_cast<workloads::search_objective>(known.value); }
    }
    for (const auto& known : workloads::mapping_objective_values) {
        if (o.objective == known.name) { o.device_objective = static_cast<workloads::mapping_objective>(known.value); }
    }
    r.top = values.get_unsigned("top", 1, 1000);
    r.near_copy_share = values.get_number("near-copies", 0, 1);
    r.traffic.on_chip_elements = values.get_unsigned("on-chip", 0, std::numeric_limits<std::uint32_t>::max());
    r.traffic.kept = o.phase == "fp"; // for the weight gradients
    r.seconds = values.get_number("time-limit", 0, 1e6);
    o.method = get_named<search_method>(values, "search", search_method_values);
    constexpr std::size_t most_depth_first = 8; // nodes: 1.6 million sequences; of 9 nodes 57 million
    const auto nodes = o.network.nodes.size();
    if (o.method == search_method::depth_first && nodes > most_depth_first && r.seconds == 0) {
        throw base::input_error("--search depth-first is given with a network of " + std::to_string(nodes) +
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
    check_absent(*values, {"vcd", "address-trace"}, "a search", "with a testbench that simulates");
    o.device = read_fetta_options(*values, o.common);
    require_training_formats(*values, o.device.config.limits);
    read_network(*values, o);
    read_request(*values, o);
    base::complaining_of("network", [&] { workloads::node_sets(o.network, o.request.objective, o.request.traffic); });
    if (values->has("json")) {
        o.json_file = values->get_string("json");
        o.files.add_output("--json", *o.json_file);
    }
    o.finish(*values);
    return o;
}

} // namespace tensorloom::testbench
