#include <tensorloom/workloads/training/layers/dropout/dropout_layer.h>
#include <tensorloom/workloads/training/layers/layer_operations.h>

namespace tensorloom::workloads {
namespace {

using isa::vector::opcode;

class dropout_operations : public layer_operations {
public:
    dropout_operations(const dropout_layer& layer, const layer_contractions& contractions, const std::string& name)
        : m_layer(layer), m_contractions(contractions), m_of(" of " + name)
    {}

    passed_values forward(step_builder& to, passed_values x) override
    {
        if (!to.is_training()) { return x; }
        return {x.length, dropped(to, to.words_of(x), "dropout" + m_of), std::nullopt, "Z" + m_of};
    }

    // The mask of the forward pass is made anew.
    std::optional<std::size_t> backward(step_builder& to, std::size_t dz) override
    {
        if (!m_contractions.with_dx) { return std::nullopt; }
        return dropped(to, dz, "gradient of dropout" + m_of);
    }

private:
    std::size_t dropped(step_builder& to, std::size_t of, const std::string& called) const
    {
        const auto all = to.batch() * m_layer.features;
        const auto z = to.words(called, all);
        const std::uint32_t stream = m_contractions.random_stream.value();
        vector_operation mask{opcode::random_mask,      {z}, tensor_part{of}, to.literal(m_layer.rate),
                              to.mask_words_of(stream), all};
        mask.broadcast_b = true;
        mask.bits = stream;
        to.add("mask" + m_of, mask);
        to.by_word(opcode::mul, {z}, {z}, to.literal(m_layer.scale()), all, called);
        return z;
    }

    dropout_layer m_layer;
    layer_contractions m_contractions;
    std::string m_of;
};

} // namespace

void dropout_layer::declare(std::uint64_t /*batch*/, bool /*with_dx*/, layer_declaration& declaration) const
{
    declaration.add_random_stream(features);
}

std::unique_ptr<layer_operations> dropout_layer::operations(const layer_contractions& contractions,
                                                            const std::string& name) const
{
    return std::make_unique<dropout_operations>(*this, contractions, name);
}

} // namespace tensorloom::workloads
