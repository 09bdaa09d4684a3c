#include <tensorloom/workloads/training/layers/layer_emulation.h>
#include <tensorloom/workloads/training/layers/norm/norm_layer.h>

namespace tensorloom::workloads {
namespace {

class norm_layer_emulation : public layer_emulation {
public:
    norm_layer_emulation(const norm_layer& layer, const layer_contractions& contractions,
                         emulated_parameters& parameters)
        : m_norm(layer.features, layer.epsilon, {contractions.parameters[0], contractions.parameters[1]}, parameters)
    {}

    emulated_values forward(emulated_values x) override { return m_norm.forward(x); }
    emulated_values backward(emulated_values dz) override { return m_norm.backward(std::move(dz)); }

private:
    row_norm_emulation m_norm;
};

} // namespace

std::unique_ptr<layer_emulation> norm_layer::emulation(const layer_contractions& contractions,
                                                       emulated_parameters& parameters) const
{
    return std::make_unique<norm_layer_emulation>(*this, contractions, parameters);
}

} // namespace tensorloom::workloads
