#include <tensorloom/workloads/training/layers/linear/linear_layer.h>
#include <tensorloom/workloads/training/layers/layer_emulation.h>

namespace tensorloom::workloads {
namespace {

class linear_emulation : public layer_emulation {
public:
    linear_emulation(const linear_layer& layer, const layer_contractions& contractions, emulated_parameters& parameters)
        : m_map(contractions.maps[0], parameters), m_activation(layer.activation)
    {}

    emulated_values forward(emulated_values x) override
    {
        return m_activation.forward(m_map.forward(rounded(std::move(x))));
    }
    emulated_values backward(emulated_values dz) override
    {
        return m_map.backward(rounded(m_activation.backward(std::move(dz))));
    }

private:
    map_emulation m_map;
    activation_emulation m_activation;
};

} // namespace

std::unique_ptr<layer_emulation> linear_layer::emulation(const layer_contractions& contractions,
                                                         emulated_parameters& parameters) const
{
    return std::make_unique<linear_emulation>(*this, contractions, parameters);
}

} // namespace tensorloom::workloads
