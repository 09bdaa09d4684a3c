#include "compare_accelerators/compare_accelerators.h"
#include <algorithm>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include <tensorloom/workloads/training/model_file.h>
#include "compare_accelerators/model_workloads.h"
#include "platform/fetta/fetta_options.h"
#include "platform/fetta/layer_options.h"
#include "platform/options/field_options.h"

namespace tensorloom::testbench {
namespace {

// FETTA's own, of each format, and two transformers.
constexpr const char* default_workloads =
    "ucf-ttm,ucf-tt,ucf-tr,ucf-ht,ucf-bt,atis-tt,bert-tt-attention,wmt-tt-attention";
constexpr std::uint64_t most_samples = 65536;
constexpr const char* of_training[] = {"tpu", "tpu-offchip", "sigma", "treta", "tpu-dense", "fetta"};
constexpr const char* of_inference[] = {"tie", "ette", "fdht", "tetrix", "fetta"};

std::vector<std::string> sweep_names()
{
    std::vector<std::string> names;
    for (const auto& sweep : rule_sweeps()) { names.emplace_back(sweep.rule); }
    return names;
}

// Latency of FETTA's buffers.
base::config_fields buffer_fields(fetta::device_limits& limits)
{
    return base::fields_named(fetta::fields_of(limits), {"buffer-cycles"});
}

option_table compare_accelerators_table()
{
    option_table table("compare_accelerators",
                       "Compares FETTA with the accelerators of its paper on the same layers: latency, energy, "
                       "utilisation and DRAM traffic from one evaluation, as a function of its rules.");
    table.begin_group("Comparison");
    table.add_value("mode", "training|inference", "A whole training step, or the forward pass alone.", "training");
    table.add_value("workloads", "NAME,..", "Layers from published measurements, see the docs.", default_workloads);
    table.add_value(
        "model", "NAME|FILE.yaml",
        "The layers of a tnn_training model in place of --workloads: a model that ships with the project, or a file.");
    table.add_value("batch", "COUNT", "Samples of every layer, or of a step of the model (default: its own).");
    add_dx_option(table);
    table.add_value(
        "accelerators", "NAME,..",
        "Accelerators to compare, see the docs (default: those that train, or those that the paper infers with).");
    table.add_value("sequences", "NAME,..",
                    "Contraction sequences: shared, the best on FETTA for all; own, each accelerator's fixed or best "
                    "one; fixed, the paper's for each format; or names of contraction_search (default: shared in "
                    "training, own in inference).");
    table.add_value("objective", form_of(names_of(workloads::mapping_objective_values)),
                    "Cost that the best sequence minimises.", "latency");
    table.add_value(
        "sweep", "NAME,..",
        "Repeat the comparison with each value of these rules: conflicts, residency, mode-orders, double-buffered, "
        "run-cycles, all.");
    table.add_value("grid", "NAME,..",
                    "Repeat the comparison with every combination of the values of these rules, two or more of them.");
    table.add_flag("by-phase", "Also print the work of each phase, and tensors that are not in the order it needs.");
    table.begin_group("Rules");
    table.add_value("residency", form_of(names_of(workloads::evaluated_residency_values)),
                    "Where intermediates are held.", "blocked");
    table.add_value("mode-orders", form_of(names_of(workloads::line_layouts_values)),
                    "Order of the modes of a tensor in memory.", "searched");
    table.add_value("max-conflict-factor", "FACTOR",
                    "A tensor in another order takes as many times the cycles as lines are touched, up to this factor.",
                    "16");
    table.add_value("conflicts", "FACTOR",
                    "A tensor in another order always takes this factor times the cycles (default: as many as are "
                    "touched).");
    table.add_value(
        "double-buffered", "on|off",
        "Arrays load the next tile while they work on the current one; off: arrays of a fixed size alternate.", "on");
    table.add_value(
        "full-plan", "on|off",
        "Plan FETTA's layouts and count their conflicts as for a run; off: quicker, a few per cent lower costs.",
        "off");
    table.add_value("layout", form_of(names_of(workloads::operand_paths_values)),
                    "How FETTA's operands get from the banks to the engines.", "linear");
    fetta::device_limits limits;
    add_fields(table, buffer_fields(limits));
    table.add_value("run-cycles", "CYCLES", "Cycles for every run of a tensor that is reordered through DRAM.", "0");
    add_common_options(table);
    return table;
}

// Each once.
void require_different(const option_values& values, const char* option, const std::vector<std::string>& words)
{
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (std::count(words.begin(), words.end(), words[i]) > 1) { throw values.error(option, "each name only once"); }
    }
}

void read_workloads(const option_values& values, comparison& what)
{
    if (values.has("model")) {
        require_at_most_one(values, "model", "workloads");
        auto model = base::complaining_of("--model", [&] { return workloads::load_model(values.get_string("model")); });
        if (values.has("batch")) { model.batch = values.get_unsigned("batch", 1, most_samples); }
        compare_model(what, model);
    } else {
        const auto names = values.get_words("workloads");
        require_different(values, "workloads", names);
        for (const auto& name : names) {
            const auto& named = base::complaining_of(
                "--workloads", [&]() -> const auto& { return workloads::find_named_layer(name); });
            auto layer = named.layer;
            if (values.has("batch")) { layer.batch = values.get_unsigned("batch", 1, most_samples); }
            what.workloads.push_back({named.name, std::move(layer), !named.first, 1, std::nullopt});
        }
    }
    const auto dx = values.get_choice("dx", {"auto", "on", "off"});
    for (auto& workload : what.workloads) {
        if (!workload.products) {
            base::complaining_of("--batch", [&] { workloads::check_layer(workload.layer); });
        }
        if (dx != "auto") { workload.with_dx = dx == "on"; }
    }
}

std::vector<std::string> words_of(const option_values& values, const char* option, std::vector<std::string> otherwise,
                                  const std::vector<std::string>& known)
{
    if (!values.has(option)) { return otherwise; }
    const auto words = values.get_words(option);
    for (const auto& word : words) {
        if (std::find(known.begin(), known.end(), word) == known.end()) {
            throw values.error(option, "names of " + listed(known, [](const auto& k) { return k; }));
        }
    }
    require_different(values, option, words);
    return words;
}

void read_machines(const option_values& values, compare_accelerators_options& o)
{
    const bool training = o.mode == "training";
    std::vector<std::string> known;
    for (const auto& m : compared_machines()) {
        if (!training || m.machine->trains) { known.push_back(m.name); }
    }
    const std::vector<std::string> usual =
        training ? std::vector<std::string>(std::begin(of_training), std::end(of_training))
                 : std::vector<std::string>(std::begin(of_inference), std::end(of_inference));
    for (const auto& name : words_of(values, "accelerators", usual, known)) {
        const auto& all = compared_machines();
        o.what.machines.push_back(
            &*std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.name == name; }));
    }
}

void read_rules(const option_values& values, compare_accelerators_options& o)
{
    auto& r = o.rules;
    constexpr double most = 16; // elements of a line, each in a line of its own
    r.training = o.mode == "training";
    r.residency = get_named<workloads::evaluated_residency>(values, "residency", workloads::evaluated_residency_values);
    r.layouts = get_named<workloads::line_layouts>(values, "mode-orders", workloads::line_layouts_values);
    r.most_conflicts = values.get_number("max-conflict-factor", 1, most);
    if (values.has("conflicts")) {
        require_at_most_one(values, "conflicts", "max-conflict-factor");
        r.fixed_conflicts = values.get_number("conflicts", 1, most);
    }
    r.double_buffered = values.get_switch("double-buffered");
    r.whole_plans = values.get_switch("full-plan");
    r.paths = get_named<workloads::operand_paths>(values, "layout", workloads::operand_paths_values);
    fetta::device_limits limits;
    read_fields(values, buffer_fields(limits));
    r.buffer_cycles = limits.buffer_cycles;
    r.run_cycles = static_cast<double>(values.get_unsigned("run-cycles", 0, 1000));
    auto names = sweep_names();
    names.emplace_back("all");
    auto wanted = words_of(values, "sweep", {}, names);
    if (std::find(wanted.begin(), wanted.end(), "all") != wanted.end()) {
        if (wanted.size() > 1) { throw values.error("sweep", "all by itself"); }
        wanted = sweep_names();
    }
    for (const auto& sweep : rule_sweeps()) {
        if (std::find(wanted.begin(), wanted.end(), sweep.rule) != wanted.end()) { o.sweeps.push_back(&sweep); }
    }
    if (!values.has("grid")) { return; }
    for (const auto& name : words_of(values, "grid", {}, sweep_names())) {
        const auto& all = rule_sweeps();
        o.grid.push_back(&*std::find_if(all.begin(), all.end(), [&](const auto& sweep) { return sweep.rule == name; }));
    }
    if (o.grid.size() < 2) { throw values.error("grid", "two rules or more"); }
}

} // namespace

std::optional<compare_accelerators_options> read_compare_accelerators_options(int argc, char** argv, std::ostream& out)
{
    const auto values = compare_accelerators_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    compare_accelerators_options o;
    o.common = read_common_options(*values);
    check_absent(*values, {"vcd", "address-trace"}, "a comparison", "with a testbench that simulates");
    o.mode = values->get_choice("mode", {"training", "inference"});
    if (values->has("model") && !workloads::is_shipped_model(values->get_string("model"))) {
        o.files.add_input("--model", values->get_string("model"));
    }
    read_workloads(*values, o.what);
    read_machines(*values, o);
    o.what.sequences =
        words_of(*values, "sequences", {o.mode == "training" ? shared_sequence : own_sequence}, sequence_names());
    o.what.objective =
        get_named<workloads::mapping_objective>(*values, "objective", workloads::mapping_objective_values);
    read_rules(*values, o);
    o.by_phase = values->get_flag("by-phase");
    o.finish(*values, {"comparison.csv", "sweep.csv", "grid.csv"});
    return o;
}

} // namespace tensorloom::testbench
