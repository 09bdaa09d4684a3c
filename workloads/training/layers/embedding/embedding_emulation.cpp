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
        emulated_values table(m_parameters.masters[m_numbers[0]].size());
        for (std::size_t i = 0; i < dz.size(); ++i) {
            table[static_cast<std::size_t>(m_tokens[i / m_features]) * m_features + i % m_features] += dz[i];
        }
        m_parameters.give_gradient(m_numbers[0], std::move(table));
        if (has_positions()) {
            emulated_values positions(m_parameters.masters[m_numbers[1]].size());
            for (std::size_t i = 0; i < dz.size(); ++i) { positions[i % positions.size()] += dz[i]; }
            m_parameters.give_gradient(m_numbers[1], std::move(positions));
        }
        return {};
    }

private:
    bool has_positions() const { return m_numbers.size() > 1; }

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
