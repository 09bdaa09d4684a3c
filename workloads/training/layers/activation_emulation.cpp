#include <tensorloom/workloads/training/layers/layer_emulation.h>
#include <cmath>
#include <tensorloom/models/arithmetic/elementary_functions.h>

namespace tensorloom::workloads {
namespace {

float bend(float x) { return arithmetic::hyperbolic_tangent(std::fma(gelu_cube, x * x * x, x) * gelu_scale); }

float gelu_slope(float x)
{
    const float h = bend(x);
    const float inside = (x * x * gelu_cube_slope + 1) * gelu_scale;
    return (h + 1 - (h * h - 1) * inside * x) * 0.5f;
}

} // namespace

emulated_values activation_emulation::forward(emulated_values y)
{
    m_y = std::move(y);
    m_z = m_y;
    for (float& z : m_z) {
        switch (m_kind) {
        case activation_kind::none: break;
        case activation_kind::relu: z = z > 0 ? z : 0.0f; break;
        case activation_kind::sigmoid: z = arithmetic::sigmoid(z); break;
        case activation_kind::tanh: z = arithmetic::hyperbolic_tangent(z); break;
        case activation_kind::gelu: z = (bend(z) + 1) * z * 0.5f; break;
        }
    }
    return m_z;
}

emulated_values activation_emulation::backward(emulated_values dz) const
{
    for (std::size_t i = 0; i < dz.size(); ++i) {
        float& g = dz[i];
        const float z = m_z[i];
        switch (m_kind) {
        case activation_kind::none: break;
        case activation_kind::relu: g = m_y[i] > 0 ? g : 0.0f; break;
        case activation_kind::sigmoid: g = g * (z - z * z); break;
        case activation_kind::tanh: g = g - g * z * z; break;
        case activation_kind::gelu: g = g * gelu_slope(m_y[i]); break;
        }
    }
    return dz;
}

} // namespace tensorloom::workloads
