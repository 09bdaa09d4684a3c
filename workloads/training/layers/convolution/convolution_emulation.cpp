#include <tensorloom/workloads/training/layers/convolution/convolution_layer.h>
#include <tensorloom/workloads/training/layers/layer_emulation.h>

namespace tensorloom::workloads {
namespace {

class convolution_emulation : public layer_emulation {
public:
    convolution_emulation(const convolution_layer& layer, const layer_contractions& contractions,
                          emulated_parameters& parameters)
        : m_layer(layer), m_map(contractions.maps[0], parameters), m_activation(layer.activation)
    {}

    emulated_values forward(emulated_values x) override
    {
        const auto picture = rounded(std::move(x));
        m_samples = picture.size() / m_layer.inputs();
        emulated_values patches;
        for_each_tap([&](bool inside, std::size_t at) { patches.push_back(inside ? picture[at] : 0.0f); });
        return m_activation.forward(m_map.forward(std::move(patches)));
    }

    emulated_values backward(emulated_values dz) override
    {
        const auto patches = m_map.backward(rounded(m_activation.backward(std::move(dz))));
        if (patches.empty()) { return {}; }
        emulated_values dx(m_samples * m_layer.inputs());
        std::size_t next = 0;
        for_each_tap([&](bool inside, std::size_t at) {
            const float d = patches[next++];
            if (inside) { dx[at] += d; }
        });
        return dx;
    }

private:
    // Calls f(is it in the picture, where there) for each number of each patch, in their order.
    template <class F> void for_each_tap(F f) const
    {
        const auto& l = m_layer;
        for (std::size_t s = 0; s < m_samples; ++s) {
            for (std::size_t oy = 0; oy < l.rows(); ++oy) {
                for (std::size_t ox = 0; ox < l.columns(); ++ox) {
                    for (std::size_t ky = 0; ky < l.kernel_height; ++ky) {
                        for (std::size_t kx = 0; kx < l.kernel_width; ++kx) {
                            const std::size_t y = oy * l.stride + ky - l.padding, x = ox * l.stride + kx - l.padding;
                            const bool inside = y < l.height && x < l.width; // below 0 they are large
                            for (std::size_t c = 0; c < l.channels; ++c) {
                                f(inside, ((s * l.height + y) * l.width + x) * l.channels + c);
                            }
                        }
                    }
                }
            }
        }
    }

    convolution_layer m_layer;
    map_emulation m_map;
    activation_emulation m_activation;
    std::size_t m_samples = 0;
};

} // namespace

std::unique_ptr<layer_emulation> convolution_layer::emulation(const layer_contractions& contractions,
                                                              emulated_parameters& parameters) const
{
    return std::make_unique<convolution_emulation>(*this, contractions, parameters);
}

} // namespace tensorloom::workloads
