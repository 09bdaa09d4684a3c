#include "contraction_search/contraction_search.h"
#include <iomanip>
#include <sstream>

namespace tensorloom::testbench {
namespace {

using workloads::contraction_tree;
using workloads::tensor_network;

template <std::size_t N, class T> const char* name_in(const base::named_value (&values)[N], T value)
{
    return values[static_cast<std::uint32_t>(value)].name;
}

// Energy by time, in pJ s.
double edp_of(const contraction_search_options& o, const workloads::step_cost& cost)
{
    return cost.pj * static_cast<double>(cost.cycles) * static_cast<double>(clock_period_ps(o.common)) * 1e-12;
}

// "b n1 n2" in brackets.
std::string indices_text(const workloads::index_list& indices)
{
    return "[" +
           listed(
               indices, [](const auto& index) { return index; }, " ") +
           "]";
}

std::string problem_text(const contraction_search_options& o)
{
    if (o.network_file) { return *o.network_file; }
    const std::string layer =
        o.named != nullptr ? o.named->name : name_in(workloads::layer_format_values, o.layer->format);
    return layer + ", " + o.phase + ", batch " + grouped_text(o.layer->batch) +
           (o.layer->blocks > 1 ? ", each of " + std::to_string(o.layer->blocks) + " blocks" : "");
}

std::string layer_text(const contraction_search_options& o)
{
    const auto& layer = *o.layer;
    return std::string(name_in(workloads::layer_format_values, layer.format)) + ", " + grouped_text(row_count(layer)) +
           " (" + shape_text(layer.rows) + ") x " + grouped_text(column_count(layer)) + " (" +
           shape_text(layer.columns) + "), " + grouped_text(parameters(layer)) + " parameters, 1 / " +
           number_text(static_cast<double>(row_count(layer)) * static_cast<double>(column_count(layer)) /
                       static_cast<double>(parameters(layer))) +
           " of dense";
}

json network_json(const tensor_network& network)
{
    json nodes = json::array();
    for (const auto& node : network.nodes) { nodes.push_back({node.name, node.indices}); }
    return {{"nodes", nodes}, {"out", network.out}, {"sizes", network.sizes}};
}

std::string residency_text(const workloads::known_cost& known)
{
    const bool apart = known.basis == workloads::cost_basis::apart;
    return apart ? "-" : name_in(workloads::step_residency_values, known.cost.residency);
}

// What a sequence takes on the device.
json device_cost_json(const contraction_search_options& o, const told_tree& t)
{
    if (!t.device) { return nullptr; }
    const auto& cost = t.device->cost;
    return {{"basis", name_in(workloads::cost_basis_values, t.device->basis)},
            {"residency", or_null(t.device->basis != workloads::cost_basis::apart,
                                  name_in(workloads::step_residency_values, cost.residency))},
            {"cycles", cost.cycles},
            {"energy_pJ", cost.pj},
            {"edp_pJ_s", edp_of(o, cost)}};
}

json costs_json(const contraction_search_options& o, const told_tree& t)
{
    return {{"tree", workloads::tree_text(o.network, t.tree)},
            {"macs", t.costs.macs},
            {"memory", t.costs.memory},
            {"traffic", t.traffic},
            {"intermediate", t.costs.intermediate},
            {"peak", t.costs.peak},
            {"device", device_cost_json(o, t)}};
}

json steps_json(const tensor_network& network, const contraction_tree& tree)
{
    json steps = json::array();
    for (std::size_t s = 0; s < tree.steps.size(); ++s) {
        steps.push_back({workloads::tensor_name(network, tree.steps[s].a),
                         workloads::tensor_name(network, tree.steps[s].b),
                         workloads::tensor_name(network, static_cast<std::uint32_t>(network.nodes.size() + s))});
    }
    return steps;
}

json layer_json(const contraction_search_options& o)
{
    if (!o.layer) { return nullptr; }
    const auto& layer = *o.layer;
    const bool ordered = layer.format == workloads::layer_format::tt || layer.format == workloads::layer_format::tr;
    const bool named = o.named != nullptr;
    return {
        {"name", or_null(named, named ? o.named->name : "")},
        {"provenance", or_null(named, named ? name_in(workloads::layer_provenance_values, o.named->provenance) : "")},
        {"source", or_null(named, named ? o.named->source : "")},
        {"format", name_in(workloads::layer_format_values, layer.format)},
        {"order", or_null(ordered, name_in(workloads::core_order_values, layer.order))},
        {"rows", layer.rows},
        {"columns", layer.columns},
        {"ranks", layer.ranks},
        {"batch", layer.batch},
        {"blocks", layer.blocks},
        {"parameters", parameters(layer)},
        {"dense_macs", dense_macs(layer)}};
}

json configuration_json(const contraction_search_options& o)
{
    return {{"source", o.network_file       ? "file"
                       : o.named != nullptr ? "layer"
                                            : "sizes"},
            {"phase", or_null(!o.phase.empty(), o.phase)},
            {"objective", o.objective},
            {"top", o.request.top},
            {"near_copies", o.request.near_copy_share},
            {"search", name_in(search_method_values, o.method)},
            {"on_chip_elements", o.request.traffic.on_chip_elements},
            {"kept", o.request.traffic.kept},
            {"time_limit_s", o.request.seconds},
            {"dx", or_null(o.device_objective && o.phase == "fp", o.dx)},
            {"device", o.device_objective ? device_json(o.device, o.common) : json(nullptr)}};
}

// A tree of results above their operands, the root first.
class tree_printer {
public:
    tree_printer(std::ostream& out, const tensor_network& network, const contraction_tree& tree)
        : m_out(out), m_network(network), m_tree(tree), m_indices(workloads::indices_of(network, tree))
    {}

    void print() const { print(static_cast<std::uint32_t>(m_indices.size() - 1), 4); }

private:
    void print(std::uint32_t tensor, std::size_t column) const
    {
        const std::size_t nodes = m_network.nodes.size();
        m_out << std::string(column, ' ') << workloads::tensor_name(m_network, tensor) << " "
              << indices_text(m_indices[tensor]);
        if (tensor < nodes) {
            m_out << "\n";
            return;
        }
        const auto& step = m_tree.steps[tensor - nodes];
        const auto extents =
            workloads::extents_of(m_indices[step.a], m_indices[step.b], m_indices[tensor], m_network.sizes);
        m_out << ": " << (extents.batch > 1 ? grouped_text(extents.batch) + " of " : "") << grouped_text(extents.a_free)
              << " x " << grouped_text(extents.b_free) << " over " << grouped_text(extents.contracted) << ", "
              << grouped_text(extents.macs()) << " MACs\n";
        print(step.a, column + 2);
        print(step.b, column + 2);
    }

    std::ostream& m_out;
    const tensor_network& m_network;
    const contraction_tree& m_tree;
    std::vector<workloads::index_list> m_indices;
};

void print_row(std::ostream& out, const std::string& name, const std::vector<std::string>& cells, bool by_device)
{
    out << "    " << std::left << std::setw(18) << name << std::right;
    const std::vector<int> widths =
        by_device ? std::vector{20, 10, 18, 14, 14, 8, 15} : std::vector{20, 10, 18, 18, 18};
    for (std::size_t c = 0; c < cells.size(); ++c) {
        if (c < widths.size()) {
            out << std::setw(widths[c]);
        } else {
            out << "  ";
        }
        out << cells[c];
    }
    out << "\n";
}

void print_costs(std::ostream& out, const std::string& name, const contraction_search_options& o, const told_tree& t,
                 std::uint64_t fewest_macs)
{
    const double by = static_cast<double>(t.costs.macs) / static_cast<double>(fewest_macs);
    std::vector<std::string> cells{grouped_text(t.costs.macs), number_text(by)};
    if (t.device) {
        const auto& cost = t.device->cost;
        for (const auto& cell :
             {grouped_text(cost.cycles), quantity_text(cost.pj, "J"), quantity_text(edp_of(o, cost), "J s"),
              std::string(name_in(workloads::cost_basis_values, t.device->basis)), residency_text(*t.device)}) {
            cells.push_back(cell);
        }
    } else if (o.device_objective) { // time was up
        cells.insert(cells.end(), {"-", "-", "-", "-", "not compared"});
    } else {
        for (const auto number : {t.costs.memory, t.traffic, t.costs.peak}) { cells.push_back(grouped_text(number)); }
    }
    cells.push_back(workloads::tree_text(o.network, t.tree));
    print_row(out, name, cells, o.device_objective.has_value());
}

// Of what, and how it is known.
std::string cost_text(const contraction_search_options& o, const workloads::known_cost& cost)
{
    const std::string of = o.phase == "fp" ? std::string("a training step ") + (o.dx ? "with dX" : "without dX")
                                           : std::string("this network by itself");
    return of + ", by " +
           (cost.basis == workloads::cost_basis::apart
                ? "its contractions apart: no block fits"
                : (cost.basis == workloads::cost_basis::plan ? "its plan, " : "its sketch, ") + residency_text(cost));
}

void print_tables(std::ostream& out, const contraction_search_options& o, const contraction_search_findings& f)
{
    const bool by_device = o.device_objective.has_value();
    out << "  sequences by " << o.objective << "\n";
    print_row(out, "",
              by_device
                  ? std::vector<std::string>{"MACs", "/ best", "cycles", "energy", "EDP", "by", "residency", "tree"}
                  : std::vector<std::string>{"MACs", "/ best", "memory", "traffic", "largest between", "tree"},
              by_device);
    for (std::size_t i = 0; i < f.best.size(); ++i) {
        print_costs(out, std::to_string(i + 1), o, f.best[i], f.fewest_macs);
    }
    out << "  strategies\n";
    for (const auto& s : f.strategies) {
        if (s.found) {
            print_costs(out, s.name, o, *s.found, f.fewest_macs);
        } else {
            print_row(out, s.name, {"not of this network"}, by_device);
        }
    }
}

void write_training(run_report& report, const contraction_search_findings& f)
{
    report["training"] = nullptr;
    if (!f.training) { return; }
    report["training"] = {{"reverse_mode_macs", f.training->macs}, {"without_dx_macs", f.training->without_dx}};
    report.line("training step", grouped_text(f.training->macs) + " MACs along this tree in reverse mode, " +
                                     grouped_text(f.training->without_dx) + " without dX");
}

} // namespace

void write_search(run_report& report, const contraction_search_options& o, const contraction_search_findings& f)
{
    report.begin(problem_text(o), "tensorloom-contraction-search-summary-1", configuration_json(o));
    const auto& best = f.best.front();
    if (o.layer) { report.line("layer", layer_text(o)); }
    report.line("network", counted(o.network.nodes.size(), "node", "nodes") + ", " +
                               counted(o.network.sizes.size(), "index", "indices"));
    report.line("sequence", workloads::tree_text(o.network, best.tree));
    report.line("MACs", grouped_text(best.costs.macs) + (f.fewest_is_optimal ? ", optimum " : ", best found ") +
                            grouped_text(f.fewest_macs));
    if (best.device) {
        report.line("on the device", grouped_text(best.device->cost.cycles) + " cycles, " +
                                         quantity_text(best.device->cost.pj, "J") + ", " + cost_text(o, *best.device));
        if (o.common.overclocked) { report.line("warning", o.common.overclocked_because); }
    }
    report.line("search", std::string(f.complete ? "complete" : "NOT COMPLETE, best found") + ", visited " +
                              grouped_text(f.visited));
    report.text() << "  tree\n";
    tree_printer(report.text(), o.network, best.tree).print();
    print_tables(report.text(), o, f);

    report["layer"] = layer_json(o);
    report["network"] = network_json(o.network);
    report["complete"] = f.complete;
    report["visited"] = f.visited;
    report["optimal"] = f.optimal;
    report["optimal_macs"] = or_null(f.fewest_is_optimal, f.fewest_macs);
    report["fewest_macs"] = f.fewest_macs;
    report["sequence"] = costs_json(o, best);
    report["sequence"]["steps"] = steps_json(o.network, best.tree);
    json top = json::array();
    for (const auto& sequence : f.best) { top.push_back(costs_json(o, sequence)); }
    report["top"] = top;
    json strategies = json::object();
    for (const auto& s : f.strategies) { strategies[s.name] = s.found ? costs_json(o, *s.found) : json(nullptr); }
    report["strategies"] = strategies;
    write_training(report, f);
    report["check"] = {{"passed", or_null(f.passed)},
                       {"max_abs_error", nullptr},
                       {"max_rel_error", nullptr},
                       {"reference", or_null(f.passed.has_value(), "costs of every tree from its index lists")}};
    report.check(f.passed, f.failure.empty() ? "" : ": " + f.failure);
    report.simulation(f.usage, 0);
}

} // namespace tensorloom::testbench
