#include <tensorloom/workloads/training/layers/embedding/embedding_layer.h>
#include <tensorloom/workloads/training/layers/layer_operations.h>

namespace tensorloom::workloads {
namespace {

using isa::vector::opcode;

class embedding_operations : public layer_operations {
public:
    embedding_operations(const embedding_layer& layer, const layer_contractions& contractions, const std::string& name)
        : m_layer(layer), m_contractions(contractions), m_of(" of " + name)
    {}

    // The table in bf16 goes into memory on the bus, because GATHER finds rows there.
    passed_values forward(step_builder& to, passed_values x) override
    {
        const auto tokens = x.length, features = m_layer.features, length = tokens * features;
        const auto row = static_cast<std::int64_t>(features);
        to.add("store the table" + m_of, transfer_operation{transfer_kind::store,
                                                            m_contractions.regions[0],
                                                            0,
                                                            {{m_layer.vocabulary * features, 1}},
                                                            to.copy(m_contractions.parameters[0]),
                                                            {}});
        passed_values z{length, std::nullopt, to.tensor("rows" + m_of, length, base::element_type::bf16), "Z" + m_of};
        to.add("gather rows of the table" + m_of, transfer_operation{transfer_kind::gather,
                                                                     m_contractions.regions[0],
                                                                     0,
                                                                     {{tokens, row}, {features, 1}},
                                                                     {*z.operand},
                                                                     tensor_part{to.words_of(x)},
                                                                     {},
                                                                     m_layer.vocabulary});
        if (!m_layer.positions) { return z; }
        const auto positions = to.repeated(to.master(m_contractions.parameters[1]), to.batch(), m_layer.outputs(),
                                           "repeat the positions" + m_of);
        const tensor_part rows{to.words_of(z)};
        return {length, to.made_of(opcode::add, "add the positions" + m_of, {rows, tensor_part{positions}, {}}, length),
                std::nullopt, z.name};
    }

    // Rows of dZ are added to those of their tokens; positions get the sum over the samples, each a single row.
    std::optional<std::size_t> backward(step_builder& to, std::size_t dz) override
    {
        to.enter(step_phase::wg);
        const auto tokens = to.words("indices of tokens", to.batch() * m_layer.frames);
        to.gather(bus_array::indices, {tokens}, m_layer.frames, "gather the indices of tokens");
        add_rows(to, 0, m_layer.vocabulary, dz, tokens, to.batch() * m_layer.frames, m_layer.features);
        if (m_layer.positions) {
            const auto first = to.spread(to.literal(0), 1, to.batch(), "index of the positions");
            add_rows(to, 1, 1, dz, first, to.batch(), m_layer.outputs());
        }
        to.enter(step_phase::bp);
        return std::nullopt;
    }

private:
    void add_rows(step_builder& to, std::size_t parameter, std::uint64_t result_rows, std::size_t dz,
                  std::size_t indices, std::uint64_t rows, std::uint64_t elements) const
    {
        const auto which = m_contractions.parameters[parameter];
        const auto& name = to.contractions().parameters[which].name;
        to.clear(to.gradient(which), result_rows * elements, "clear the gradient of the " + name);
        to.add_rows(to.gradient(which), result_rows, {dz}, {indices}, rows, elements, "gradient of the " + name);
        to.add_gradient(which);
    }

    embedding_layer m_layer;
    layer_contractions m_contractions;
    std::string m_of;
};

} // namespace

void embedding_layer::declare(std::uint64_t /*batch*/, bool /*with_dx*/, layer_declaration& declaration) const
{
    declaration.add_parameter("table", vocabulary * features);
    if (positions) { declaration.add_parameter("positions", outputs()); }
    declaration.add_region("table", vocabulary * features, base::element_type::bf16);
}

std::unique_ptr<layer_operations> embedding_layer::operations(const layer_contractions& contractions,
                                                              const std::string& name) const
{
    return std::make_unique<embedding_operations>(*this, contractions, name);
}

} // namespace tensorloom::workloads
