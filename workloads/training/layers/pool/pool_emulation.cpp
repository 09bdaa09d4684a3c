#include <algorithm>
#include <limits>
#include <tensorloom/models/arithmetic/word_operations.h>
#include <tensorloom/workloads/training/layers/layer_emulation.h>
#include <tensorloom/workloads/training/layers/pool/pool_layer.h>

namespace tensorloom::workloads {
namespace {

class pool_emulation : public layer_emulation {
public:
    explicit pool_emulation(const pool_layer& layer) : m_layer(layer) {}

    emulated_values forward(emulated_values x) override
    {
        m_x = std::move(x);
        const std::size_t samples = m_x.size() / m_layer.inputs();
        m_z.assign(samples * m_layer.outputs(), 0.0f);
        for_each_tap([&](bool is_first, std::size_t out, bool inside, std::size_t at) {
            const float pixel = inside ? m_x[at] : rim();
            m_z[out] = is_first ? pixel : is_max() ? arithmetic::word_maximum(m_z[out], pixel) : m_z[out] + pixel;
        });
        if (!is_max()) { scale(m_z); }
        return m_z;
    }

    emulated_values backward(emulated_values dz) override
    {
        if (!is_max()) { scale(dz); }
        emulated_values dx(m_x.size(), 0.0f);
        std::vector<bool> is_passed(m_z.size());
        for_each_tap([&](bool /*is_first*/, std::size_t out, bool inside, std::size_t at) {
            float d = dz[out];
            if (is_max()) {
                const bool is_hit = (inside ? m_x[at] : rim()) - m_z[out] == 0 && !is_passed[out];
                is_passed[out] = is_passed[out] || is_hit;
                d = is_hit ? d : 0.0f;
            }
            if (inside) { dx[at] = m_layer.overlaps() ? dx[at] + d : d; }
        });
        return dx;
    }

private:
    bool is_max() const { return m_layer.function == pool_function::max; }
    float rim() const { return is_max() ? -std::numeric_limits<float>::infinity() : 0.0f; }
    void scale(emulated_values& all) const
    {
        for (float& x : all) { x *= 1 / static_cast<float>(m_layer.taps()); }
    }

    // Calls f(whether it is the first tap, number of the output, whether the pixel is in the picture, its number),
    // sample by sample, tap by tap, row by row of the output.
    template <class F> void for_each_tap(F f) const
    {
        const auto& l = m_layer;
        for (std::size_t s = 0; s < m_x.size() / l.inputs(); ++s) {
            for (std::size_t tap = 0; tap < l.taps(); ++tap) {
                for (std::size_t out = 0; out < l.outputs(); ++out) {
                    const std::size_t channel = out % l.channels, column = out / l.channels % l.columns(),
                                      row = out / l.channels / l.columns();
                    const std::size_t y = row * l.stride_height + tap / l.kernel_width - l.padding,
                                      x = column * l.stride_width + tap % l.kernel_width - l.padding;
                    const bool inside = y < l.height && x < l.width; // unsigned: none is below 0
                    f(tap == 0, s * l.outputs() + out, inside,
                      ((s * l.height + y) * l.width + x) * l.channels + channel);
                }
            }
        }
    }

    pool_layer m_layer;
    emulated_values m_x, m_z;
};

} // namespace

std::unique_ptr<layer_emulation> pool_layer::emulation(const layer_contractions& /*contractions*/,
                                                       emulated_parameters& /*parameters*/) const
{
    return std::make_unique<pool_emulation>(*this);
}

} // namespace tensorloom::workloads
