#include <tensorloom/models/arithmetic/counter_random.h>
#include <tensorloom/workloads/training/layers/dropout/dropout_layer.h>
#include <tensorloom/workloads/training/layers/layer_emulation.h>

namespace tensorloom::workloads {
namespace {

class dropout_emulation : public layer_emulation {
public:
    dropout_emulation(const dropout_layer& layer, const layer_contractions& contractions,
                      const emulated_parameters& parameters)
        : m_layer(layer), m_stream(contractions.random_stream.value()), m_parameters(parameters)
    {}

    emulated_values forward(emulated_values x) override { return m_parameters.mask_key ? dropped(std::move(x)) : x; }
    emulated_values backward(emulated_values dz) override { return dropped(std::move(dz)); }

private:
    emulated_values dropped(emulated_values all) const
    {
        const auto first = static_cast<std::uint32_t>(m_parameters.first_sample * m_layer.features);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto number = first + static_cast<std::uint32_t>(i);
            const float random = arithmetic::random_fraction(*m_parameters.mask_key, m_stream, number);
            all[i] = (random < m_layer.rate ? 0.0f : all[i]) * m_layer.scale();
        }
        return all;
    }

    dropout_layer m_layer;
    std::uint32_t m_stream;
    const emulated_parameters& m_parameters;
};

} // namespace

std::unique_ptr<layer_emulation> dropout_layer::emulation(const layer_contractions& contractions,
                                                          emulated_parameters& parameters) const
{
    return std::make_unique<dropout_emulation>(*this, contractions, parameters);
}

} // namespace tensorloom::workloads
