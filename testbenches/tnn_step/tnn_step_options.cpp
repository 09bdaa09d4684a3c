#include "tnn_step/tnn_step.h"
#include <limits>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include "platform/fetta/layer_options.h"
#include "platform/run/step_costs.h"

namespace tensorloom::testbench {
namespace {

constexpr const char* phase_lists[] = {"fp", "fp,bp,wg", "fp,bp,wg,update"};
constexpr std::uint64_t most_samples = 65536;
constexpr std::uint64_t most_data = 1u << 24; // samples

std::vector<std::string> sequence_names()
{
    std::vector<std::string> names;
    for (const auto& s : workloads::fixed_sequences()) { names.emplace_back(s.name); }
    return names;
}

option_table tnn_step_table()
{
    option_table table("tnn_step", "Runs a training step of a tensorized layer on a FETTA as one program whose "
                                   "intermediates stay on chip: plans sequence, layouts, buffers and transfers, and "
                                   "reports cycles by cause and phase, traffic and energy.");
    table.begin_group("Layer (--layer or --format; default: --layer ucf-ttm)");
    add_layer_options(table);
    table.begin_group("Step");
    table.add_value("phases", form_of({std::begin(phase_lists), std::end(phase_lists)}), "Phases of the step to run.",
                    phase_lists[2]);
    add_dx_option(table);
    table.add_value("rate", "RATE", "Learning rate of the update, a float32.", "0.01");
    table.add_value(
        "samples", "COUNT",
        "Samples of the data set in memory; the batch is a subset of them, chosen by --seed (default: as many as "
        "the batch has).");
    add_tensor_options(table);
    table.begin_group("Plan");
    table.add_value("sequence", "estimate|macs|" + form_of(sequence_names()),
                    "Order of the forward contractions: that of the best step by estimate, of fewest MACs, or fixed.",
                    "estimate");
    table.add_value("objective", form_of(names_of(workloads::mapping_objective_values)),
                    "Cost that the plan minimises, by estimate.", "latency");
    table.add_value("block-samples", "SAMPLES", "Samples that are processed at the same time (default: searched).");
    table.add_value("residency", form_of(names_of(workloads::step_residency_values)),
                    "Where intermediates are held; this decides the order in which blocks go through the passes.",
                    "auto");
    table.add_value("between-passes", form_of(names_of(workloads::between_passes_values)),
                    "With --residency batch-blocked: store or recompute the intermediates of the forward pass.",
                    "auto");
    table.add_value("layout", "linear|banked", "How operands get from the banks to the engines.", "linear");
    table.add_value("mode-orders", "searched|natural",
                    "Orders of modes in memory: chosen for all uses, or C order for every tensor.", "searched");
    table.add_value("transpose-layer", "on|off",
                    "Use the transpose layer of the distribution networks, with --layout banked.", "on");
    table.begin_group("Device");
    add_fetta_options(table);
    add_common_options(table);
    return table;
}

void read_layer_of(const option_values& values, tnn_step_options& o)
{
    layer_choice chosen;
    if (!values.has("layer") && !values.has("format")) {
        chosen.named = &workloads::find_named_layer("ucf-ttm");
        chosen.layer = chosen.named->layer;
        check_absent(values, {"rows", "cols", "ranks", "blocks", "order"}, "no --format", "with --format");
        if (values.has("batch")) { chosen.layer.batch = values.get_unsigned("batch", 1, most_samples); }
    } else {
        chosen = read_layer(values);
    }
    if (const auto samples = given_samples(values); samples && !values.has("batch")) { chosen.layer.batch = *samples; }
    o.layer = chosen.named != nullptr ? chosen.named->name : values.get_string("format");
    o.shape = chosen.layer;
    if (o.shape.batch > most_samples) {
        throw base::input_error("--batch is " + std::to_string(o.shape.batch) + ", expected at most " +
                                std::to_string(most_samples));
    }
    o.dx = read_dx(values, chosen);
}

void read_sequence(const option_values& values, tnn_step_options& o)
{
    auto names = sequence_names();
    names.insert(names.begin(), {"estimate", "macs"});
    o.sequence = values.get_choice("sequence", names);
    o.network = workloads::forward_network(o.shape);
    if (o.sequence == "estimate") { return; }
    if (o.sequence == "macs") {
        o.tree = workloads::named_sequence(o.network, "csse-macs");
        return;
    }
    o.tree = workloads::fixed_tree(o.network, o.sequence);
    if (!o.tree) { throw values.error("sequence", "one that this network has"); }
}

void read_step(const option_values& values, tnn_step_options& o)
{
    read_layer_of(values, o);
    read_sequence(values, o);
    o.phases = values.get_choice("phases", {std::begin(phase_lists), std::end(phase_lists)});
    o.settings.samples =
        values.has("samples") ? values.get_unsigned("samples", o.shape.batch, most_data) : o.shape.batch;
    o.settings.training = o.phases != phase_lists[0];
    if (!o.settings.training) { check_absent(values, {"gradient"}, "--phases fp", "with a backward pass"); }
    o.given = read_given_tensors(values, o.shape, o.files);
    if (o.given.has_samples()) {
        check_absent(values, {"samples"}, "--input or --gradient, which are those of the batch", "without them");
    }
    o.read_output(values);
    o.settings.update = o.phases == phase_lists[2];
    constexpr double largest = std::numeric_limits<float>::max();
    o.rate = -static_cast<float>(values.get_number("rate", -largest, largest));
}

void read_plan(const option_values& values, tnn_step_options& o)
{
    o.settings.objective =
        get_named<workloads::mapping_objective>(values, "objective", workloads::mapping_objective_values);
    if (values.has("block-samples")) {
        o.settings.block = values.get_unsigned("block-samples", 1, o.shape.batch);
        if (o.shape.batch % *o.settings.block != 0) {
            throw values.error("block-samples", "a divisor of the batch, " + std::to_string(o.shape.batch));
        }
    }
    o.settings.residency = get_named<workloads::step_residency>(values, "residency", workloads::step_residency_values);
    if (o.settings.residency != workloads::step_residency::batch_blocked) {
        check_absent(values, {"between-passes"}, "--residency " + values.get_string("residency"),
                     "with --residency batch-blocked");
    }
    if (o.settings.residency == workloads::step_residency::micro_batch && !o.settings.training) {
        throw values.error("residency", "another one with --phases fp, which has no backward pass");
    }
    o.settings.between =
        get_named<workloads::between_passes>(values, "between-passes", workloads::between_passes_values);
    o.settings.paths = values.get_choice("layout", {"linear", "banked"}) == "linear"
                           ? workloads::operand_paths::gathered
                           : workloads::operand_paths::networks;
    o.settings.natural_orders = values.get_choice("mode-orders", {"searched", "natural"}) == "natural";
    o.settings.transpose_layer = values.get_switch("transpose-layer");
}

} // namespace

std::optional<tnn_step_options> read_tnn_step_options(int argc, char** argv, std::ostream& out)
{
    const auto values = tnn_step_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    tnn_step_options o;
    o.common = read_common_options(*values);
    o.device = read_fetta_options(*values, o.common);
    read_step(*values, o);
    read_plan(*values, o);
    require_training_formats(*values, o.device.config.limits);
    o.finish(*values, {output_directory::banks, step_costs::file_name});
    return o;
}

} // namespace tensorloom::testbench
