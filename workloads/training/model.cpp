#include <tensorloom/workloads/training/model.h>
#include <algorithm>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::workloads {

std::uint64_t inputs_of(const model_layer& layer)
{
    return of_kind(layer, [](const auto& l) { return l.inputs(); });
}

std::uint64_t outputs_of(const model_layer& layer)
{
    return of_kind(layer, [](const auto& l) { return l.outputs(); });
}

std::string text_of(const model_layer& layer)
{
    return of_kind(layer, [](const auto& l) { return l.text(); });
}

described_layer description_of(const model_layer& layer)
{
    return of_kind(layer, [&](const auto& l) { return described_layer{layer.name, l.kind_name, l.fields()}; });
}

std::vector<model_layer> dense_twins_of(std::vector<model_layer> layers)
{
    for (auto& layer : layers) {
        layer.what = of_kind(layer, [](const auto& l) { return layer_kind(l.dense_twin()); });
    }
    return layers;
}

namespace {

bool is_dropout_in(const std::vector<model_layer>& layers)
{
    return std::any_of(layers.begin(), layers.end(), [](const model_layer& layer) {
        const auto* residual = std::get_if<residual_layer>(&layer.what);
        return std::holds_alternative<dropout_layer>(layer.what) ||
               (residual != nullptr && is_dropout_in(residual->layers));
    });
}

} // namespace

bool model_description::has_dropout() const { return is_dropout_in(layers); }

std::uint64_t model_description::parameters() const
{
    std::uint64_t sum = 0;
    for (const auto& layer : layers) {
        sum += of_kind(layer, [](const auto& l) { return l.parameters(); });
    }
    return sum;
}

std::uint64_t model_description::dense_parameters() const { return dense_twin().parameters(); }

model_description model_description::dense_twin() const
{
    auto twin = *this;
    twin.layers = dense_twins_of(layers);
    return twin;
}

std::uint64_t model_description::vocabulary() const
{
    const auto* embedding = std::get_if<embedding_layer>(&layers.front().what);
    return embedding == nullptr ? 0 : embedding->vocabulary;
}

void check_samples(const model_description& model, const labelled_samples& samples)
{
    if (samples.features != model.features() || samples.outputs() != model.classes()) {
        throw base::input_error("its layers take " + std::to_string(model.features()) + " and give " +
                                std::to_string(model.classes()) + " numbers, expected the " +
                                std::to_string(samples.features) + " features and " +
                                std::to_string(samples.outputs()) +
                                (samples.classes != 0 ? " classes of " : " targets of ") + samples.name);
    }
    const auto tokens = model.vocabulary();
    if (samples.vocabulary != tokens) {
        const auto text = [](std::uint64_t of) { return of == 0 ? "numbers" : std::to_string(of) + " tokens"; };
        throw base::input_error("its first layer takes " + text(tokens) + ", expected " + text(samples.vocabulary) +
                                " as of " + samples.name);
    }
}

void check_chain(const std::vector<model_layer>& layers)
{
    if (layers.empty()) { throw base::input_error("no layer, expected at least one"); }
    for (std::size_t l = 0; l < layers.size(); ++l) {
        const auto& layer = layers[l];
        base::complaining_of("layer " + layer.name, [&] { of_kind(layer, [](const auto& k) { k.check(); }); });
        if (std::any_of(layers.begin(), layers.begin() + static_cast<std::ptrdiff_t>(l),
                        [&](const model_layer& other) { return other.name == layer.name; })) {
            throw base::input_error("two layers are called " + layer.name + ", expected a name for each");
        }
        if (l == 0) { continue; }
        if (std::holds_alternative<embedding_layer>(layer.what)) {
            throw base::input_error("layer " + layer.name + " takes tokens, expected that of the first layer alone");
        }
        const auto& before = layers[l - 1];
        if (outputs_of(before) != inputs_of(layer)) {
            throw base::input_error("layer " + layer.name + " has " + std::to_string(inputs_of(layer)) +
                                    " inputs, expected the " + std::to_string(outputs_of(before)) + " outputs of " +
                                    before.name);
        }
    }
}

void check_model(const model_description& model)
{
    if (model.layers.empty()) { throw base::input_error("model: no layer, expected at least one"); }
    base::check_range("model: epochs", model.epochs, std::uint64_t{1}, most_epochs);
    base::check_range("model: batch", model.batch, std::uint64_t{1}, most_batch_samples);
    base::check_range<double>("model: delta", model.loss.delta, 1e-6, 1e6);
    base::check_range<double>("model: validation", model.validation, 0, most_validation);
    base::check_range("model: patience", model.patience, std::uint64_t{0}, most_epochs);
    const auto& o = model.optimizer;
    base::check_range<double>("model: rate", o.rate, 0, 1e6);
    base::check_range<double>("model: momentum", o.momentum, 0, 1);
    base::check_range<double>("model: first_decay", o.first_decay, 0, 0.999999);
    base::check_range<double>("model: second_decay", o.second_decay, 0, 0.999999);
    base::check_range<double>("model: epsilon", o.epsilon, 1e-30, 1);
    base::check_range<double>("model: rate_decay", o.rate_decay, 0, 1);
    base::check_range<double>("model: weight_decay", o.weight_decay, 0, 1000);
    base::check_range<double>("model: clip_norm", o.clip_norm, 0, 1e30);
    base::check_range("model: warm_up", o.warm_up, std::uint64_t{0}, most_warm_up_steps);
    base::check_range("model: step_epochs", o.step_epochs, std::uint64_t{1}, most_epochs);
    base::check_range<double>("model: step_factor", o.step_factor, 0, 1);
    base::check_range<double>("model: least_rate", o.least_rate, 0, o.rate);
    base::check_range("model: schedule_epochs", o.schedule_epochs, std::uint64_t{0}, most_epochs);
    base::complaining_of("model", [&] { check_chain(model.layers); });
    if (model.parameters() == 0) {
        throw base::input_error("model: no layer has parameters, expected at least one that has");
    }
}

} // namespace tensorloom::workloads
