#include "tnn_training/tnn_training.h"
#include <algorithm>
#include <cmath>
#include <tensorloom/models/activity/output_file.h>
#include "platform/report/report_table.h"
#include "platform/fetta/operand_paths_report.h"

namespace tensorloom::testbench {
namespace {

// Its own settings alone.
json optimizer_json(const workloads::model_description& model)
{
    const auto& o = model.optimizer;
    json j = {{"kind", workloads::optimizer_values[static_cast<unsigned>(o.kind)].name},
              {"rate", o.rate},
              {"rate_decay", o.rate_decay}};
    if (o.is_adaptive()) {
        j.update({{"first_decay", o.first_decay}, {"second_decay", o.second_decay}, {"epsilon", o.epsilon}});
    } else {
        j["momentum"] = o.momentum;
    }
    if (o.weight_decay != 0) { j["weight_decay"] = o.weight_decay; }
    if (o.clip_norm != 0) { j["clip_norm"] = o.clip_norm; }
    if (!o.has_schedule()) { return j; }
    j.update({{"schedule", workloads::rate_schedule_values[static_cast<unsigned>(o.schedule)].name},
              {"warm_up", o.warm_up}});
    if (o.schedule == workloads::rate_schedule::step) {
        j.update({{"step_epochs", o.step_epochs}, {"step_factor", o.step_factor}});
    }
    if (o.schedule == workloads::rate_schedule::cosine) {
        j.update({{"least_rate", o.least_rate}, {"schedule_epochs", model.cosine_epochs()}});
    }
    return j;
}

json loss_json(const workloads::loss_settings& loss)
{
    json j = {{"kind", workloads::loss_values[static_cast<unsigned>(loss.kind)].name}};
    if (loss.kind == workloads::loss_kind::huber) { j["delta"] = loss.delta; }
    return j;
}

json samples_json(const workloads::labelled_samples& samples)
{
    return {{"training", samples.training.size()}, {"test", samples.test.size()}, {"inputs", samples.features},
            {"vocabulary", samples.vocabulary},    {"classes", samples.classes},  {"targets", samples.target_numbers}};
}

// Null with a loss of targets.
json accuracy_json(const workloads::batch_metrics& metrics, const tnn_training_options& o)
{
    return or_null(!o.model.loss.takes_targets(), metrics.accuracy());
}

// The text after a loss; empty with a loss of targets.
std::string accuracy_text(const workloads::batch_metrics& metrics, const tnn_training_options& o)
{
    return o.model.loss.takes_targets() ? "" : ", accuracy " + number_text(100 * metrics.accuracy()) + " %";
}

json map_json(const workloads::linear_map& map)
{
    return {
        {"format", map.dense ? "dense" : workloads::layer_format_values[static_cast<unsigned>(map.shape.format)].name},
        {"rows", map.shape.rows},
        {"columns", map.shape.columns},
        {"ranks", map.shape.ranks},
        {"blocks", map.shape.blocks},
        {"bias", map.bias}};
}

json value_json(const workloads::linear_map& map) { return map_json(map); }
json value_json(const std::vector<workloads::described_layer>& layers);
template <class T> json value_json(const T& value) { return value; }

json layer_json(const workloads::described_layer& layer)
{
    json j = {{"name", layer.name}, {"kind", layer.kind}};
    for (const auto& field : layer.fields) {
        j[field.name] = std::visit([](const auto& value) { return value_json(value); }, field.value);
    }
    return j;
}

json value_json(const std::vector<workloads::described_layer>& layers)
{
    json all = json::array();
    for (const auto& layer : layers) { all.push_back(layer_json(layer)); }
    return all;
}

json configuration_json(const tnn_training_options& o)
{
    std::vector<workloads::described_layer> layers;
    for (const auto& layer : o.model.layers) { layers.push_back(workloads::description_of(layer)); }
    json j = {{"model", o.model.name},
              {"data", o.samples.name},
              {"samples", samples_json(o.samples)},
              {"epochs", o.model.epochs},
              {"batch", o.model.batch},
              {"drop_last", o.drop_last},
              {"loss", loss_json(o.model.loss)},
              {"optimizer", optimizer_json(o.model)},
              {"layout", workloads::operand_paths_values[static_cast<unsigned>(o.paths)].name},
              {"layers", value_json(layers)}};
    if (o.model.validation != 0) {
        j["validation"] = {{"share", o.model.validation}, {"samples", o.samples.validation.size()}};
        j["patience"] = o.model.patience;
    }
    j.update(device_json(o.device, o.common));
    return j;
}

json costs_json(const program_costs& c, const tnn_training_options& o)
{
    return {{"cycles", c.cycles},
            {"cycles_by_cause", causes_json(c.cycles_by_cause)},
            {"time_ns", ns_of(c.cycles, o.common)},
            {"energy_pJ", c.pj()},
            {"read_bytes", c.bus_read_bytes},
            {"written_bytes", c.bus_written_bytes}};
}

json phases_json(const epoch_costs& phases, const tnn_training_options& o)
{
    json j = json::object();
    for (std::size_t p = 0; p < phases_of(phases); ++p) { j[epoch_phase_name(p)] = costs_json(phases[p], o); }
    return j;
}

json epoch_json(const epoch_findings& epoch, std::uint64_t number, const tnn_training_options& o)
{
    const auto trained = workloads::sum_of(epoch.batches);
    json j = {{"epoch", number},
              {"steps", epoch.batches.size()},
              {"training_loss", trained.mean_loss()},
              {"training_accuracy", accuracy_json(trained, o)},
              {"test_loss", epoch.test.mean_loss()},
              {"test_accuracy", accuracy_json(epoch.test, o)},
              {"training", costs_json(epoch.training, o)},
              {"phases", phases_json(epoch.phases, o)}};
    if (epoch.validation.samples != 0) {
        j["validation_loss"] = epoch.validation.mean_loss();
        j["validation_accuracy"] = accuracy_json(epoch.validation, o);
    }
    return j;
}

// Of all epochs.
void write_phases(run_report& report, const tnn_training_options& o, const tnn_training_findings& f)
{
    epoch_costs sum;
    for (const auto& epoch : f.epochs) { add_epoch(sum, epoch.phases); }
    for (std::size_t p = 0; p < phases_of(sum); ++p) {
        report.line("  " + std::string(epoch_phase_name(p)), grouped_text(sum[p].cycles) + " cycles, " +
                                                                 quantity_text(sum[p].pj(), "J") + ", " +
                                                                 grouped_text(sum[p].bus_bytes()) + " bytes moved");
    }
    report["phases"] = phases_json(sum, o);
}

// Of the entries of a training_memory.
std::string layer_name(const tnn_training_options& o, std::size_t layer)
{
    return layer < o.model.layers.size() ? o.model.layers[layer].name : "loss";
}

json memory_json(const workloads::training_memory& memory, const tnn_training_options& o)
{
    json layers = json::array(), total = json::object();
    for (std::size_t l = 0; l < memory.layers.size(); ++l) {
        json of{{"name", layer_name(o, l)}};
        for (const auto& kind : workloads::memory_kind_values) { of[kind.name] = memory.layers[l][kind.value]; }
        layers.push_back(std::move(of));
    }
    for (const auto& kind : workloads::memory_kind_values) {
        total[kind.name] = memory.of(static_cast<workloads::memory_kind>(kind.value));
    }
    return {{"peak_bytes", memory.peak}, {"total", total}, {"layers", layers}};
}

void write_memory(run_report& report, const tnn_training_options& o, const tnn_training_findings& f)
{
    const auto text = [](const workloads::training_memory& memory) {
        const auto activations = memory.of(workloads::memory_kind::activations);
        const auto temporaries = memory.of(workloads::memory_kind::temporaries);
        return grouped_text(memory.peak) + " bytes, " + grouped_text(memory.sum() - activations - temporaries) +
               " of them for parameters, " + grouped_text(activations) + " activations";
    };
    report.line("memory of a step", text(f.memory));
    report.line("  dense twin", text(f.dense_memory));
    report["memory"] = memory_json(f.memory, o);
    report["memory"]["occupied_bytes"] = f.occupied_bytes;
    report["memory"]["dense"] = memory_json(f.dense_memory, o);
}

void write_plan(run_report& report, const training_plan& plan)
{
    const auto cycles = [](double x) { return static_cast<std::uint64_t>(std::llround(x)); };
    report.line("plan", counted(plan.blocks, "block", "blocks") + " of " +
                            counted(plan.block_samples, "sample", "samples") + "; " +
                            (plan.stays ? "all tensors of a step stay on chip" : "tensors leave the chip for a while") +
                            "; a step by estimate " + grouped_text(cycles(plan.cycles.step_cycles)) + " cycles");
    report["plan"] = {{"blocks", plan.blocks},
                      {"block_samples", plan.block_samples},
                      {"stays", plan.stays},
                      {"estimated_cycles", cycles(plan.cycles.cycles)},
                      {"estimated_step_cycles", cycles(plan.cycles.step_cycles)},
                      {"estimated_busy_cycles",
                       {{"engines", cycles(plan.cycles.engines)},
                        {"vector_unit", cycles(plan.cycles.vector)},
                        {"memory", cycles(plan.cycles.transfers)}}}};
}

// Lower bounds of the run: the engines' cycles without conflicts, and all bytes at the memory's peak.
void write_bound(run_report& report, std::uint64_t computing, const program_costs& costs, const common_options& common)
{
    const auto memory =
        static_cast<std::uint64_t>(std::ceil(static_cast<double>(costs.bus_bytes()) / peak_bytes_per_cycle(common)));
    report.line("bound", grouped_text(computing) + " cycles of computing, " + grouped_text(memory) +
                             " of the memory: the run takes " +
                             number_text(static_cast<double>(costs.cycles) /
                                         static_cast<double>(std::max({computing, memory, std::uint64_t{1}}))) +
                             " x the larger");
    report["bound"] = {{"compute_cycles", computing}, {"dram_cycles", memory}};
}

// Whether bits were compared or the loss is no number.
void report_check(run_report& report, const tnn_training_findings& f)
{
    const bool decided = f.same_bits || !f.not_a_number.empty();
    report.check(decided ? std::optional<bool>(f.passed()) : std::nullopt,
                 f.passed() ? ", " + grouped_text(f.compared) + " losses, counts and parameters bit by bit"
                            : ", " + f.failure());
    if (!decided) { return; }
    report["check"] = {{"passed", f.passed()},
                       {"same_bits", or_null(f.same_bits)},
                       {"elements", f.compared},
                       {"failure", or_null(!f.passed(), f.failure())},
                       {"reference", "training on the host in the order of the sums"}};
}

// A warning if the last epoch is worse than no training: equal probabilities for all classes, or the mean of the
// targets.
void report_high_loss(run_report& report, const tnn_training_options& o, const tnn_training_findings& f)
{
    const double loss = workloads::sum_of(f.epochs.back().batches).mean_loss();
    const double untrained = workloads::untrained_loss(o.model.loss, o.samples);
    if (!(loss > untrained)) { return; }
    const auto warning = "the training loss of epoch " + std::to_string(f.first_epoch + f.epochs.size()) + ", " +
                         number_text(loss) + ", is above " + number_text(untrained) + ", that of " +
                         (o.model.loss.takes_targets()
                              ? "the mean of the targets"
                              : "equal probabilities of all " + std::to_string(o.model.classes()) + " classes") +
                         ", expected a lower rate than " + number_text(o.model.optimizer.rate);
    report.line("warning", warning);
    report["warnings"].push_back(warning);
}

} // namespace

void write_memory_file(const std::filesystem::path& path, const tnn_training_options& o, const tnn_training_findings& f)
{
    activity::output_file file(path.string());
    file << "network,layer";
    for (const auto& kind : workloads::memory_kind_values) { file << "," << kind.name; }
    file << "\n";
    const auto rows = [&](const char* network, const workloads::training_memory& memory) {
        for (std::size_t l = 0; l < memory.layers.size(); ++l) {
            file << network << "," << activity::csv_text(layer_name(o, l));
            for (const std::uint64_t bytes : memory.layers[l]) { file << "," << bytes; }
            file << "\n";
        }
    };
    rows("model", f.memory);
    rows("dense", f.dense_memory);
    file.commit();
}

void write_report(run_report& report, const tnn_training_options& o, const tnn_training_findings& f)
{
    const auto& g = o.device.config.limits;
    report.begin(o.model.name + ", " + counted(o.model.epochs, "epoch", "epochs") + ", batch " +
                     std::to_string(o.model.batch) + ", " + std::to_string(g.engines) + " engines of " +
                     std::to_string(g.side) + " x " + std::to_string(g.side) + ", " + fidelity_name(o.common),
                 "tensorloom-tnn_training-summary-2", configuration_json(o));
    if (o.data.data) {
        report.line(
            "data",
            o.samples.name + ", " + grouped_text(o.samples.training.size()) + " samples for training, " +
                (o.samples.validation.empty() ? "" : grouped_text(o.samples.validation.size()) + " for validation, ") +
                grouped_text(o.samples.test.size()) + " for the test");
    }
    const auto parameters = o.model.parameters(), dense = o.model.dense_parameters();
    report.line("parameters", grouped_text(parameters) + ", 1 / " +
                                  number_text(static_cast<double>(dense) / static_cast<double>(parameters)) +
                                  " of the " + grouped_text(dense) + " of dense layers");
    write_memory(report, o, f);
    write_plan(report, f.plan);
    if (o.paths == workloads::operand_paths::networks) { report.line("operands of a step", paths_text(f.paths, g)); }
    report["operands"] = paths_json(f.paths, g);
    json epochs = json::array();
    for (std::size_t e = 0; e < f.epochs.size(); ++e) {
        const auto& epoch = f.epochs[e];
        const auto trained = workloads::sum_of(epoch.batches);
        epochs.push_back(epoch_json(epoch, f.first_epoch + e + 1, o));
        report.line(
            "epoch " + std::to_string(f.first_epoch + e + 1),
            "loss " + number_text(trained.mean_loss()) +
                (epoch.validation.samples == 0 ? "" : ", validation " + number_text(epoch.validation.mean_loss())) +
                ", test " + number_text(epoch.test.mean_loss()) + accuracy_text(epoch.test, o) + "; " +
                grouped_text(epoch.training.cycles) + " cycles, test " + grouped_text(epoch.phases[test_phase].cycles));
    }
    const auto& last = f.epochs.back();
    report.fields({{"parameters", parameters},
                   {"dense_parameters", dense},
                   {"test_accuracy", accuracy_json(f.result_test(), o)},
                   {"test_loss", f.result_test().mean_loss()},
                   {"training_loss", workloads::sum_of(last.batches).mean_loss()},
                   {"epochs", epochs}});
    if (f.best) {
        report.line("best epoch", std::to_string(f.best->state.epochs) + ", validation " +
                                      number_text(f.best->validation_loss) + ", test " +
                                      number_text(f.best->test.mean_loss()) + accuracy_text(f.best->test, o) +
                                      (f.is_stopped ? "; stopped early" : ""));
        report["early_stopping"] = {{"best_epoch", f.best->state.epochs},
                                    {"validation_loss", f.best->validation_loss},
                                    {"test_loss", f.best->test.mean_loss()},
                                    {"stopped", f.is_stopped}};
    }
    report.cycles(static_cast<const program_costs&>(f.costs));
    write_phases(report, o, f);
    report.time(ns_of(f.costs.cycles, o.common));
    const auto macs = f.costs.counts.data()[static_cast<std::size_t>(fetta::event::mac)];
    report.fields({{"macs", macs}, {"events", events_json(fetta::events, f.costs.counts.data())}});
    std::uint64_t computing = 0;
    for (const auto e : {fetta::event::compute_cycle, fetta::event::fill_cycle, fetta::event::reload_cycle,
                         fetta::event::psum_cycle}) {
        computing += f.costs.counts[e];
    }
    const std::uint64_t working = computing + f.costs.counts[fetta::event::conflict_cycle];
    write_bound(report, computing, f.costs, o.common);
    report.utilisation(f.costs, {macs, static_cast<double>(g.engines) * g.side * g.side, static_cast<double>(working)});
    report.energy(f.costs.energy, ns_of(f.costs.cycles, o.common), f.on);
    report_high_loss(report, o, f);
    report_check(report, f);
    report.simulation(f.usage, macs);
}

} // namespace tensorloom::testbench
