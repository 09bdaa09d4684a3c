#include <tensorloom/workloads/training/layers/linear/linear_layer.h>
#include <tensorloom/workloads/training/layers/layer_operations.h>

namespace tensorloom::workloads {
namespace {

class linear_layer_operations : public layer_operations {
public:
    linear_layer_operations(const linear_layer& layer, const layer_contractions& contractions, const std::string& name)
        : m_outputs(layer.map.outputs()), m_rows(contractions.maps[0].rows), m_of(" of " + name),
          m_map(contractions.maps[0], m_of), m_activation(layer.activation, m_of)
    {}

    passed_values forward(step_builder& to, passed_values x) override
    {
        const auto y = m_map.forward(to, {to.operand_of(x)});
        return {length(), m_activation.forward(to, y, length()), std::nullopt, "Z" + m_of};
    }

    std::optional<std::size_t> backward(step_builder& to, std::size_t dz) override
    {
        return m_map.backward(to, m_map.operand_of_dy(to, {m_activation.backward(to, dz)}));
    }

private:
    std::uint64_t length() const { return m_rows * m_outputs; }

    std::uint64_t m_outputs, m_rows;
    std::string m_of;
    linear_operations m_map;
    activation_operations m_activation;
};

} // namespace

void linear_layer::declare(std::uint64_t batch, bool with_dx, layer_declaration& declaration) const
{
    declaration.add_map(map, batch * frames, with_dx, {}, row_pitch::searched, 1);
}

std::unique_ptr<layer_operations> linear_layer::operations(const layer_contractions& contractions,
                                                           const std::string& name) const
{
    return std::make_unique<linear_layer_operations>(*this, contractions, name);
}

} // namespace tensorloom::workloads
