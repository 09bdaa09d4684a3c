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
    for (auto& layer : twin.layers) {
        layer.what = of_kind(layer, [](const auto& l) { return layer_kind(l.dense_twin()); });
    }
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

void check_model(const model_description& model)
{
    if (model.layers.empty()) { throw base::input_error("model: no layer, expected at least one"); }
    base::check_range("model: epochs", model.epochs, std::uint64_t{1}, most_epochs);
    base::check_range("model: batch", model.batch, std::uint64_t{1}, most_batch_samples);
    base::check_range<double>("model: delta", model.loss.delta, 1e-6, 1e6);
    const auto& o = model.optimizer;
    base::check_range<double>("model: rate", o.rate, 0, 1e6);
    base::check_range<double>("model: momentum", o.momentum, 0, 1);
    base::check_range<double>("model: first_decay", o.first_decay, 0, 0.999999);
    base::check_range<double>("model: second_decay", o.second_decay, 0, 0.999999);
    base::check_range<double>("model: epsilon", o.epsilon, 1e-30, 1);
    base::check_range<double>("model: rate_decay", o.rate_decay, 0, 1);
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
        const auto& layer = model.layers[l];
        base::complaining_of("model: layer " + layer.name, [&] { of_kind(layer, [](const auto& k) { k.check(); }); });
        if (std::any_of(model.layers.begin(), model.layers.begin() + static_cast<std::ptrdiff_t>(l),
                        [&](const model_layer& other) { return other.name == layer.name; })) {
            throw base::input_error("model: two layers are called " + layer.name + ", expected a name for each");
        }
        if (l == 0) { continue; }
        if (std::holds_alternative<embedding_layer>(layer.what)) {
            throw base::input_error("model: layer " + layer.name +
                                    " takes tokens, expected that of the first layer alone");
        }
        const auto& before = model.layers[l - 1];
        if (outputs_of(before) != inputs_of(layer)) {
            throw base::input_error("model: layer " + layer.name + " has " + std::to_string(inputs_of(layer)) +
                                    " inputs, expected the " + std::to_string(outputs_of(before)) + " outputs of " +
                                    before.name);
        }
    }
}

} // namespace tensorloom::workloads
