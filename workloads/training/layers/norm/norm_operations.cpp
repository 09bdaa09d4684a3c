#include <tensorloom/workloads/training/layers/layer_operations.h>
#include <tensorloom/workloads/training/layers/norm/norm_layer.h>

namespace tensorloom::workloads {
namespace {

class norm_layer_operations : public layer_operations {
public:
    norm_layer_operations(const norm_layer& layer, const layer_contractions& contractions, const std::string& name)
        : m_layer(layer), m_with_dx(contractions.with_dx),
          m_of(" of " + name), m_parameters{contractions.parameters[0], contractions.parameters[1]}
    {}

    passed_values forward(step_builder& to, passed_values x) override
    {
        m_norm = std::make_unique<row_norm_operations>(to.batch() * m_layer.frames, m_layer.features, m_layer.epsilon,
                                                       m_parameters, m_of);
        return {x.length, m_norm->forward(to, to.words_of(x)), std::nullopt, "Z" + m_of};
    }

    std::optional<std::size_t> backward(step_builder& to, std::size_t dz) override
    {
        m_norm->make_gradients(to, dz);
        return m_with_dx ? std::optional(m_norm->backward(to, dz)) : std::nullopt;
    }

private:
    norm_layer m_layer;
    bool m_with_dx;
    std::string m_of;
    norm_parameters m_parameters;
    std::unique_ptr<row_norm_operations> m_norm;
};

} // namespace

void norm_layer::declare(std::uint64_t /*batch*/, bool /*with_dx*/, layer_declaration& declaration) const
{
    declaration.add_parameter("gamma", features);
    declaration.add_parameter("beta", features);
}

std::unique_ptr<layer_operations> norm_layer::operations(const layer_contractions& contractions,
                                                         const std::string& name) const
{
    return std::make_unique<norm_layer_operations>(*this, contractions, name);
}

} // namespace tensorloom::workloads
