#include <tensorloom/workloads/training/layers/layer_emulation.h>
#include <tensorloom/workloads/training/layers/residual/residual_layer.h>
#include <tensorloom/workloads/training/model.h>

namespace tensorloom::workloads {
namespace {

class residual_emulation : public layer_emulation {
public:
    residual_emulation(const residual_layer& layer, const layer_contractions& contractions,
                       emulated_parameters& parameters)
    {
        for (std::size_t l = 0; l < layer.layers.size(); ++l) {
            m_layers.push_back(of_kind(
                layer.layers[l], [&](const auto& kind) { return kind.emulation(contractions.inner[l], parameters); }));
        }
    }

    emulated_values forward(emulated_values x) override
    {
        auto z = x;
        for (const auto& layer : m_layers) { z = layer->forward(std::move(z)); }
        for (std::size_t i = 0; i < z.size(); ++i) { z[i] += x[i]; }
        return z;
    }

    emulated_values backward(emulated_values dz) override
    {
        auto d = dz;
        for (std::size_t l = m_layers.size(); l-- > 0 && !d.empty();) { d = m_layers[l]->backward(std::move(d)); }
        for (std::size_t i = 0; i < d.size(); ++i) { d[i] += dz[i]; }
        return d;
    }

private:
    std::vector<std::unique_ptr<layer_emulation>> m_layers;
};

} // namespace

std::unique_ptr<layer_emulation> residual_layer::emulation(const layer_contractions& contractions,
                                                           emulated_parameters& parameters) const
{
    return std::make_unique<residual_emulation>(*this, contractions, parameters);
}

} // namespace tensorloom::workloads
