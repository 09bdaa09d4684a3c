#include <tensorloom/workloads/training/layers/activation/activation_layer.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/training/layers/layer_emulation.h>
#include <tensorloom/workloads/training/layers/layer_operations.h>
#include <tensorloom/workloads/training/layers/layer_reader.h>

namespace tensorloom::workloads {
namespace {

std::string name_of(activation_kind function) { return activation_values[static_cast<unsigned>(function)].name; }

class of_device : public layer_operations {
public:
    of_device(const activation_layer& layer, const layer_contractions& contractions, const std::string& name)
        : m_features(layer.features), m_with_dx(contractions.with_dx), m_of(" of " + name),
          m_function(layer.function, m_of)
    {}

    passed_values forward(step_builder& to, passed_values x) override
    {
        const auto all = to.batch() * m_features;
        return {all, m_function.forward(to, to.words_of(x), all), std::nullopt, "Z" + m_of};
    }
    std::optional<std::size_t> backward(step_builder& to, std::size_t dz) override
    {
        if (!m_with_dx) { return std::nullopt; }
        return m_function.backward(to, dz);
    }

private:
    std::uint64_t m_features;
    bool m_with_dx;
    std::string m_of;
    activation_operations m_function;
};

class of_host : public layer_emulation {
public:
    explicit of_host(activation_kind function) : m_function(function) {}

    emulated_values forward(emulated_values x) override { return m_function.forward(std::move(x)); }
    emulated_values backward(emulated_values dz) override { return m_function.backward(std::move(dz)); }

private:
    activation_emulation m_function;
};

} // namespace

activation_layer activation_layer::read(layer_reader& from)
{
    activation_layer layer;
    layer.features = from.inputs();
    from.read_keys({
        {"features", [&](const auto& v) { layer.features = from.whole(v); }},
        {"function", [&](const auto& v) { layer.function = from.named<activation_kind>(v, activation_values); }},
    });
    return layer;
}

void activation_layer::check() const
{
    constexpr std::uint64_t most_features = std::uint64_t{1} << 31;
    base::check_range("features", features, std::uint64_t{1}, most_features);
}

std::string activation_layer::text() const
{
    return "activation, features " + std::to_string(features) + ", function " + name_of(function);
}

std::vector<layer_field> activation_layer::fields() const
{
    return {{"features", features}, {"function", name_of(function)}};
}

std::unique_ptr<layer_operations> activation_layer::operations(const layer_contractions& contractions,
                                                               const std::string& name) const
{
    return std::make_unique<of_device>(*this, contractions, name);
}

std::unique_ptr<layer_emulation> activation_layer::emulation(const layer_contractions& /*contractions*/,
                                                             emulated_parameters& /*parameters*/) const
{
    return std::make_unique<of_host>(function);
}

} // namespace tensorloom::workloads
