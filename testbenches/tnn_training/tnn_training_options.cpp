#include "tnn_training/tnn_training.h"
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/training/model_file.h>

namespace tensorloom::testbench {
namespace {

option_table tnn_training_table()
{
    option_table table("tnn_training", "Trains a network of dense and tensorized layers on a FETTA: forward, backward "
                                       "and update run on the device; the host writes lists of samples and reads loss "
                                       "and accuracy.");
    table.begin_group("Model");
    table.add_value("model", "NAME|FILE|{YAML}",
                    "The network and its training: " + workloads::shipped_model_names() +
                        ", a YAML file, or its content in braces.",
                    "digits-ttm");
    table.add_value("data", "FILE.npz|X.npy,Y.npy|FILE.csv|DIR",
                    "Samples for training: arrays of inputs and of labels or targets, or a folder of IDX files "
                    "(default: the data set of the model).");
    table.add_value("test", "FILE.npz|X.npy,Y.npy|FILE.csv", "Samples for testing, likewise (default: --held-out).");
    table.add_value("held-out", "FRACTION",
                    "Share of the samples of --data that is the test set, between 0 and 1 (default: " +
                        base::shortest_text(default_held_out) + ").");
    table.add_value("scale", "NUMBER",
                    "Inputs of --data and --test are divided by it, 1e-30 to 1e30 (default: 1, 255 for IDX files).");
    table.add_value("loss", form_of(names_of(workloads::loss_values)), "Loss (default: as the model says).");
    table.add_value("epochs", "COUNT", "Passes over the training set (default: as the model says).");
    table.add_value("batch", "COUNT", "Samples per step (default: as the model says).");
    table.add_value("block-samples", "SAMPLES",
                    "Samples of a block of the batch, 1 to those of the batch (default: chosen).");
    table.add_value("optimizer", form_of(names_of(workloads::optimizer_values)),
                    "Optimizer (default: as the model says).");
    table.add_value(
        "validation", "SHARE",
        "Share of the training set that is held out by the seed and measured after every epoch (default: as "
        "the model says).");
    table.add_value("patience", "EPOCHS",
                    "Stop after so many epochs without a smaller validation loss, 0 for never; the best state is kept "
                    "(default: as the model says).");
    table.add_flag("drop-last", "End an epoch with its last whole batch.");
    table.add_value("save", "FILE", "Write the state after the last epoch, to continue from.");
    table.one_run_alone();
    table.add_value(
        "trace-step", "EPOCH:STEP",
        "Step that trace.json shows, both numbers from 1; needs --out (default: the first one of the run).");
    table.one_run_alone();
    table.add_value("checkpoint", "FILE", "Write the state during the run, to continue from.");
    table.one_run_alone();
    table.add_value("checkpoint-every", "EPOCHS", "Epochs from one checkpoint to the next.", "1");
    table.one_run_alone();
    table.add_value("resume", "FILE", "Continue from a state of the same model, optimizer, batch and seed.");
    table.add_value("weights-in", "FILE.npz", "Start from these parameters: an array for each, under its name.");
    table.add_value("weights-out", "FILE.npz", "Write the parameters after the last epoch.");
    table.one_run_alone();
    table.begin_group("Device");
    table.add_value("layout", "linear|banked", "How operands get from the banks to the engines.", "linear");
    add_fetta_options(table);
    add_common_options(table);
    return table;
}

tnn_training_options::step_number read_trace_step(const option_values& values)
{
    const auto text = values.get_string("trace-step");
    const auto parts = base::split(text, ':');
    const auto number = [&](std::size_t part) {
        const auto n = base::parse_number<std::uint64_t>(parts.size() == 2 ? parts[part] : "");
        if (!n) { throw values.error("trace-step", "EPOCH:STEP, two numbers from 1"); }
        return *n;
    };
    return {number(0), number(1)};
}

void read_data_options(tnn_training_options& o, const option_values& values)
{
    for (const char* option : {"test", "held-out", "scale"}) { require_both(values, option, "data"); }
    require_at_most_one(values, "test", "held-out");
    const auto files = [&](const char* option, std::optional<std::string>& to) {
        if (!values.has(option)) { return; }
        to = values.get_string(option);
        for (const auto& file : files_of(*to)) { o.files.add_input("--" + std::string(option), file); }
    };
    files("data", o.data.data);
    files("test", o.data.test);
    if (values.has("held-out")) { o.data.held_out = values.get_number_between("held-out", 0, 1); }
    if (values.has("scale")) { o.data.scale = values.get_number("scale", 1e-30, 1e30); }
    o.data.seed = o.common.seed;
}

void read_samples(tnn_training_options& o)
{
    o.samples = samples_of(o.model, o.data);
    base::complaining_of("--model", [&] { workloads::check_samples(o.model, o.samples); });
    if (o.data.data || o.model.data == workloads::sample_set::fashion_mnist) {
        o.model.data_digest = workloads::digest_of(o.samples);
    }
    if (o.model.patience != 0 && o.model.validation == 0) {
        throw base::input_error("--patience is " + std::to_string(o.model.patience) +
                                ", expected a validation set with it: --validation, or validation in the model");
    }
    if (o.model.validation != 0) {
        base::complaining_of("--validation",
                             [&] { workloads::hold_out_validation(o.samples, o.model.validation, o.common.seed); });
    }
    const std::size_t samples = o.samples.training.size();
    o.steps = o.drop_last ? samples / o.model.batch : workloads::batches_of(o.model, samples);
    if (o.steps == 0) {
        throw base::input_error("--batch is " + std::to_string(o.model.batch) + ", expected at most the " +
                                std::to_string(samples) + " samples of the training set with --drop-last");
    }
}

} // namespace

std::optional<tnn_training_options> read_tnn_training_options(int argc, char** argv, std::ostream& out)
{
    const auto values = tnn_training_table().parse(argc, argv, out);
    if (!values) { return std::nullopt; }
    tnn_training_options o;
    o.common = read_common_options(*values);
    o.device = read_fetta_options(*values, o.common);
    const auto model = values->get_string("model");
    o.model = base::complaining_of("--model", [&] { return workloads::load_model(model); });
    if (!workloads::is_shipped_model(model) && !workloads::is_model_text(model)) {
        o.files.add_input("--model", model);
    }
    read_data_options(o, *values);
    if (values->has("loss")) {
        o.model.loss.kind = get_named<workloads::loss_kind>(*values, "loss", workloads::loss_values);
    }
    if (values->has("epochs")) { o.model.epochs = values->get_unsigned("epochs", 1, workloads::most_epochs); }
    if (values->has("batch")) { o.model.batch = values->get_unsigned("batch", 1, workloads::most_batch_samples); }
    if (values->has("block-samples")) { o.block = values->get_unsigned("block-samples", 1, o.model.batch); }
    if (values->has("optimizer")) {
        o.model.optimizer.kind =
            get_named<workloads::optimizer_kind>(*values, "optimizer", workloads::optimizer_values);
    }
    if (values->has("validation")) {
        o.model.validation = static_cast<float>(values->get_number("validation", 0, workloads::most_validation));
    }
    if (values->has("patience")) { o.model.patience = values->get_unsigned("patience", 0, workloads::most_epochs); }
    o.drop_last = values->get_flag("drop-last");
    read_samples(o);
    if (values->has("resume")) {
        o.resume = values->get_string("resume");
        o.files.add_input("--resume", *o.resume);
    }
    if (values->has("save")) {
        o.save = values->get_string("save");
        o.files.add_output("--save", *o.save);
    }
    if (values->has("weights-in")) {
        check_absent(*values, {"resume"}, "--weights-in", "without it, because a state has parameters of its own");
        o.weights_in = values->get_string("weights-in");
        o.files.add_input("--weights-in", *o.weights_in);
    }
    if (values->has("weights-out")) {
        o.weights_out = values->get_string("weights-out");
        o.files.add_output("--weights-out", *o.weights_out);
    }
    if (values->has("checkpoint")) {
        o.checkpoint = values->get_string("checkpoint");
        o.files.add_output("--checkpoint", *o.checkpoint);
    }
    require_both(*values, "checkpoint-every", "checkpoint");
    o.checkpoint_epochs = values->get_unsigned("checkpoint-every", 1, workloads::most_epochs);
    require_both(*values, "trace-step", "out");
    if (values->has("trace-step")) { o.trace_step = read_trace_step(*values); }
    o.paths = values->get_choice("layout", {"linear", "banked"}) == "linear" ? workloads::operand_paths::gathered
                                                                             : workloads::operand_paths::networks;
    const auto& g = o.device.config.limits;
    if (g.operand != base::element_type::bf16) { throw values->error("operand", "bf16 in training"); }
    o.finish(*values, {memory_file, output_directory::banks, step_costs::file_name});
    return o;
}

} // namespace tensorloom::testbench
