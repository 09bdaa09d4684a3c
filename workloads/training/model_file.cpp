#include <tensorloom/workloads/training/model_file.h>
#include <algorithm>
#include <utility>
#include <tensorloom/models/base/files/yaml_fields.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/input_file.h>
#include <tensorloom/workloads/training/layers/layer_reader.h>
#include <tensorloom/workloads/training/shipped_data.h>

namespace tensorloom::workloads {
namespace {

using base::yaml_value;

class model_reader : base::yaml_fields {
public:
    explicit model_reader(const std::string& origin) : yaml_fields(origin) {}

    model_description read(const std::string& text)
    {
        const base::yaml_node root = base::read_yaml(text, origin());
        model_description model;
        auto& o = model.optimizer;
        const base::key_readers of_optimizer{
            {"kind", [&](const auto& v) { o.kind = named<optimizer_kind>(v, optimizer_values); }},
            {"rate", [&](const auto& v) { o.rate = number(v); }},
            {"momentum", [&](const auto& v) { o.momentum = number(v); }},
            {"first_decay", [&](const auto& v) { o.first_decay = number(v); }},
            {"second_decay", [&](const auto& v) { o.second_decay = number(v); }},
            {"epsilon", [&](const auto& v) { o.epsilon = number(v); }},
            {"rate_decay", [&](const auto& v) { o.rate_decay = number(v); }},
            {"weight_decay", [&](const auto& v) { o.weight_decay = number(v); }},
            {"clip_norm", [&](const auto& v) { o.clip_norm = number(v); }},
            {"schedule", [&](const auto& v) { o.schedule = named<rate_schedule>(v, rate_schedule_values); }},
            {"warm_up", [&](const auto& v) { o.warm_up = whole(v); }},
            {"step_epochs", [&](const auto& v) { o.step_epochs = whole(v); }},
            {"step_factor", [&](const auto& v) { o.step_factor = number(v); }},
            {"least_rate", [&](const auto& v) { o.least_rate = number(v); }},
            {"schedule_epochs", [&](const auto& v) { o.schedule_epochs = whole(v); }},
        };
        read_map(*root, {
                            {"data", [&](const auto& v) { model.data = named<sample_set>(v, sample_set_values); }},
                            {"epochs", [&](const auto& v) { model.epochs = whole(v); }},
                            {"batch", [&](const auto& v) { model.batch = whole(v); }},
                            {"loss", [&](const auto& v) { read_loss(v, model.loss); }},
                            {"validation", [&](const auto& v) { model.validation = number(v); }},
                            {"patience", [&](const auto& v) { model.patience = whole(v); }},
                            {"optimizer", [&](const auto& v) { read_map(v, of_optimizer); }},
                            {"layers", [&](const auto& v) { model.layers = read_layers(*this, v, 0); }},
                        });
        base::complaining_of(origin(), [&] { check_model(model); });
        return model;
    }

private:
    // Its kind alone, or a map.
    void read_loss(const yaml_value& value, loss_settings& loss) const
    {
        const auto read_kind = [&](const auto& v) { loss.kind = named<loss_kind>(v, loss_values); };
        if (value.what != yaml_value::kind::map) { return read_kind(value); }
        read_map(value, {{"kind", read_kind}, {"delta", [&](const auto& v) { loss.delta = number(v); }}});
    }
};

} // namespace

model_description parse_model(const std::string& text, const std::string& origin)
{
    auto model = model_reader(origin).read(text);
    model.name = origin;
    return model;
}

bool is_shipped_model(const std::string& name)
{
    const auto* end = shipped_models + shipped_models_count;
    return std::any_of(shipped_models, end, [&](const auto& m) { return name == m.name; });
}

std::string shipped_model_names()
{
    std::string names;
    for (std::size_t m = 0; m < shipped_models_count; ++m) {
        names += (names.empty() ? "" : ", ") + std::string(shipped_models[m].name);
    }
    return names;
}

bool is_model_text(const std::string& text) { return !text.empty() && text.front() == '{'; }

model_description load_model(const std::string& name_or_path)
{
    if (is_model_text(name_or_path)) { return parse_model(name_or_path, "model"); }
    for (std::size_t m = 0; m < shipped_models_count; ++m) {
        if (name_or_path == shipped_models[m].name) { return parse_model(shipped_models[m].text, name_or_path); }
    }
    return parse_model(yaml_file_text(name_or_path, shipped_model_names() + ", or a YAML file"), name_or_path);
}

} // namespace tensorloom::workloads
