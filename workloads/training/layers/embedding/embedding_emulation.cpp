#include <tensorloom/workloads/training/layers/embedding/embedding_layer.h>
#include <tensorloom/workloads/training/layers/layer_emulation.h>

namespace tensorloom::workloads {
namespace {

class embedding_emulation : public layer_emulation {
public:
    embedding_emulation(const embedding_layer& layer, const layer_contractions& contractions,
                        emulated_parameters& parameters)
        : m_features(layer.features), m_numbers(contractions.parameters), m_parameters(parameters)
    {}

    emulated_values forward(emulated_values x) override
    {
        m_tokens = std::move(x);
        const auto& table = m_parameters.masters[m_numbers[0]];
        emulated_values z;
        for (const float token : m_tokens) {
            for (std::size_t k = 0; k < m_features; ++k) {
                z.push_back(rounded(table[static_cast<std::size_t>(token) * m_features + k]));
            }
        }
        if (has_positions()) {
            const auto& positions = m_parameters.masters[m_numbers[1]];
            for (std::size_t i = 0; i < z.size(); ++i) { z[i] += positions[i % positions.size()]; }
        }
        return z;
    }

    emulated_values backward(emulated_values dz) override
    {
        auto& table = cleared(0);
        for (std::size_t i = 0; i < dz.size(); ++i) {
            table[static_cast<std::size_t>(m_tokens[i / m_features]) * m_features + i % m_features] += dz[i];
        }
        if (has_positions()) {
            auto& positions = cleared(1);
            for (std::size_t i = 0; i < dz.size(); ++i) { positions[i % positions.size()] += dz[i]; }
        }
        return {};
    }

private:
    bool has_positions() const { return m_numbers.size() > 1; }
    emulated_values& cleared(std::size_t parameter)
    {
        auto& gradient = m_parameters.gradients[m_numbers[parameter]];
        gradient.assign(gradient.size(), 0.0f);
        return gradient;
    }

    std::size_t m_features;
    std::vector<std::size_t> m_numbers; // of its parameters
    emulated_parameters& m_parameters;
    emulated_values m_tokens;
};

} // namespace

std::unique_ptr<layer_emulation> embedding_layer::emulation(const layer_contractions& contractions,
                                                            emulated_parameters& parameters) const
{
    return std::make_unique<embedding_emulation>(*this, contractions, parameters);
}

} // namespace tensorloom::workloads
