#include <tensorloom/workloads/training/layers/layer_operations.h>
#include <tensorloom/workloads/training/layers/residual/residual_layer.h>
#include <tensorloom/workloads/training/model.h>

namespace tensorloom::workloads {
namespace {

using isa::vector::opcode;

class residual_operations : public layer_operations {
public:
    residual_operations(const residual_layer& layer, const layer_contractions& contractions, const std::string& name)
        : m_inputs(layer.inputs()), m_with_dx(contractions.with_dx), m_of(" of " + name)
    {
        for (std::size_t l = 0; l < layer.layers.size(); ++l) {
            const auto& inner = layer.layers[l];
            m_layers.push_back(of_kind(
                inner, [&](const auto& kind) { return kind.operations(contractions.inner[l], inner.name + m_of); }));
        }
    }

    passed_values forward(step_builder& to, passed_values x) override
    {
        const tensor_part words{to.words_of(x)};
        auto y = x;
        for (const auto& layer : m_layers) { y = layer->forward(to, y); }
        const tensor_part inner{to.words_of(y)};
        return {x.length, to.made_of(opcode::add, "X and layers" + m_of, {words, inner, {}}, x.length), std::nullopt,
                "Z" + m_of};
    }

    std::optional<std::size_t> backward(step_builder& to, std::size_t dz) override
    {
        std::optional<std::size_t> d = dz;
        for (std::size_t l = m_layers.size(); l-- > 0 && d;) { d = m_layers[l]->backward(to, *d); }
        if (!m_with_dx) { return std::nullopt; }
        return to.made_of(opcode::add, "dX past layers and through them" + m_of, {tensor_part{dz}, tensor_part{*d}, {}},
                          to.batch() * m_inputs);
    }

private:
    std::uint64_t m_inputs;
    bool m_with_dx;
    std::string m_of;
    std::vector<std::unique_ptr<layer_operations>> m_layers;
};

} // namespace

void residual_layer::declare(std::uint64_t batch, bool /*with_dx*/, layer_declaration& declaration) const
{
    for (const auto& layer : layers) {
        auto inner = declaration.inner(layer.name);
        of_kind(layer, [&](const auto& kind) { kind.declare(batch, inner.needs_dx(), inner); });
    }
}

std::unique_ptr<layer_operations> residual_layer::operations(const layer_contractions& contractions,
                                                             const std::string& name) const
{
    return std::make_unique<residual_operations>(*this, contractions, name);
}

} // namespace tensorloom::workloads
