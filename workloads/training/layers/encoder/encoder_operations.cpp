#include <tensorloom/workloads/training/layers/encoder/encoder_layer.h>
#include <cmath>
#include <tensorloom/workloads/training/layers/layer_operations.h>

namespace tensorloom::workloads {
namespace {

using isa::vector::opcode;

class attention_operations {
public:
    attention_operations(const encoder_layer& layer, const layer_contractions& contractions, const std::string& name)
        : m_graph(contractions.graphs[0]), m_frames(layer.frames), m_width(layer.features / layer.heads),
          m_of(" of " + name), m_query(contractions.maps[0], " of query" + m_of),
          m_key(contractions.maps[1], " of key" + m_of), m_values(contractions.maps[2], " of values" + m_of),
          m_output(contractions.maps[3], " of output" + m_of)
    {}

    std::size_t forward(step_builder& to, passed_values x)
    {
        const tensor_part operand{to.operand_of(x)};
        place_rounded(to, tensor::query, m_query.forward(to, operand));
        place_rounded(to, tensor::key, m_key.forward(to, operand));
        place_rounded(to, tensor::values, m_values.forward(to, operand));
        m_weights = contract(to, tensor::scores, true).tensor;
        soften(to);
        place_rounded(to, tensor::weights, m_weights);
        return m_output.forward(to, contract(to, tensor::mixed, false));
    }

    // dX, if its projections make one.
    std::optional<std::size_t> backward(step_builder& to, std::size_t dy)
    {
        const auto dy_operand = to.rounded(dy, elements(to, tensor::mixed), "round dY of attention" + m_of);
        place_rounded(to, tensor::mixed_gradient, m_output.backward(to, {dy_operand}).value());
        const auto dp = contract(to, tensor::weights_gradient, true).tensor;
        const auto dv = contract(to, tensor::values_gradient, false);
        make_gradient_of_scores(to, dp);
        place_rounded(to, tensor::scores_gradient, dp);
        const auto dq = contract(to, tensor::query_gradient, false), dk = contract(to, tensor::key_gradient, false);
        const auto dx = m_query.backward(to, dq), dx_of_key = m_key.backward(to, dk),
                   dx_of_values = m_values.backward(to, dv);
        if (!dx) { return std::nullopt; }
        for (const auto more : {*dx_of_key, *dx_of_values}) {
            to.vector(opcode::add, {*dx}, {tensor_part{*dx}, tensor_part{more}, {}}, elements(to, tensor::query),
                      "sum of dX" + m_of);
        }
        return dx;
    }

private:
    using tensor = attention_tensor;

    const contraction_graph& graph(const step_builder& to) const { return to.contractions().graphs[m_graph].graph; }
    std::uint64_t elements(const step_builder& to, std::size_t of) const { return graph(to).elements(of); }

    tensor_part contract(step_builder& to, std::size_t result, bool wide) const
    {
        to.contract(m_graph, *graph(to).maker(result), wide, m_of);
        return to.place_of({m_graph, result}, wide);
    }

    void place_rounded(step_builder& to, std::size_t as, std::size_t words) const
    {
        to.place({m_graph, as}, {to.rounded(words, elements(to, as), "round " + graph(to).tensors[as].name + m_of)});
    }

    // A word for each row of scores, as often as the row is long.
    std::size_t by_row(step_builder& to, opcode code, std::size_t of, const char* called) const
    {
        const std::uint64_t rows = elements(to, tensor::scores) / m_frames;
        const auto words = to.by_block(code, called + m_of, of, rows, m_frames);
        return to.spread({words}, rows, m_frames, std::string("repeat the ") + called + m_of);
    }

    float scale() const { return static_cast<float>(1 / std::sqrt(static_cast<double>(m_width))); }

    // Softmax of each row of the scores, with its maximum taken off, in their place.
    void soften(step_builder& to) const
    {
        const std::uint64_t all = elements(to, tensor::scores);
        const tensor_part p{m_weights};
        to.by_word(opcode::mul, p, p, to.literal(scale()), all, "scaled scores" + m_of);
        const auto with = [&](opcode code, std::size_t b, const char* what) {
            to.vector(code, p, {p, tensor_part{b}, {}}, all, what + m_of);
        };
        with(opcode::sub, by_row(to, opcode::max_block, m_weights, "largest scores"), "scores less the largest");
        to.vector(opcode::exp, p, {p, {}, {}}, all, "powers of e" + m_of);
        with(opcode::div, by_row(to, opcode::sum_block, m_weights, "sums of powers"), "softmax");
    }

    // In the place of dP: P (dP - sum over the row of dP P) scale
    void make_gradient_of_scores(step_builder& to, std::size_t dp) const
    {
        const std::uint64_t all = elements(to, tensor::scores);
        const tensor_part d{dp}, p{m_weights};
        const auto product = to.made_of(opcode::mul, "dP times P" + m_of, {d, p, {}}, all);
        const auto sums = by_row(to, opcode::sum_block, product, "sums of dP times P");
        to.vector(opcode::sub, d, {d, tensor_part{sums}, {}}, all, "dP less that" + m_of);
        to.vector(opcode::mul, d, {d, p, {}}, all, "gradient of softmax" + m_of);
        to.by_word(opcode::mul, d, d, to.literal(scale()), all, "gradient of the scores" + m_of);
    }

    std::size_t m_graph;
    std::uint64_t m_frames, m_width; // of a head
    std::string m_of;
    linear_operations m_query, m_key, m_values, m_output;
    std::size_t m_weights = 0; // in words, where scores were
};

class feed_forward_operations {
public:
    feed_forward_operations(const encoder_layer& layer, const layer_contractions& contractions, const std::string& name)
        : m_rows(contractions.maps[projections].rows), m_width(layer.features), m_hidden(layer.hidden),
          m_of(" of " + name), m_up(contractions.maps[projections], " of up" + m_of),
          m_gelu(activation_kind::gelu, m_of), m_down(contractions.maps[projections + 1], " of down" + m_of)
    {}

    std::size_t forward(step_builder& to, std::size_t x)
    {
        const auto y = m_up.forward(to, {to.rounded(x, m_rows * m_width, "round X of up" + m_of)});
        const auto z = m_gelu.forward(to, y, m_rows * m_hidden);
        return m_down.forward(to, {to.rounded(z, m_rows * m_hidden, "round X of down" + m_of)});
    }

    std::size_t backward(step_builder& to, std::size_t dy)
    {
        const auto dz = m_down.backward(to, {to.rounded(dy, m_rows * m_width, "round dY of down" + m_of)});
        const auto dh = m_gelu.backward(to, dz.value());
        return m_up.backward(to, {to.rounded(dh, m_rows * m_hidden, "round dY of up" + m_of)}).value();
    }

private:
    std::uint64_t m_rows, m_width, m_hidden;
    std::string m_of;
    linear_operations m_up;
    activation_operations m_gelu;
    linear_operations m_down;
};

class encoder_operations : public layer_operations {
public:
    encoder_operations(const encoder_layer& layer, const layer_contractions& contractions, const std::string& name)
        : m_is_pre(layer.norm == norm_place::pre), m_length(contractions.maps[0].rows * layer.features),
          m_of(" of " + name), m_attention(layer, contractions, name), m_feed_forward(layer, contractions, name),
          m_first(norm(layer, contractions, 0)), m_second(norm(layer, contractions, 1))
    {}

    passed_values forward(step_builder& to, passed_values x) override
    {
        const auto z = m_is_pre ? forward_pre(to, x) : forward_post(to, x);
        return {m_length, z, std::nullopt, "Z" + m_of};
    }

    std::optional<std::size_t> backward(step_builder& to, std::size_t dz) override
    {
        return m_is_pre ? backward_pre(to, dz) : backward_post(to, dz);
    }

private:
    row_norm_operations norm(const encoder_layer& layer, const layer_contractions& contractions,
                             std::size_t number) const
    {
        const auto* first = contractions.parameters.data() + contractions.parameters.size() - 2 * encoder_norms;
        return {contractions.maps[0].rows,
                layer.features,
                layer.epsilon,
                {first[2 * number], first[2 * number + 1]},
                " of norm " + std::to_string(number + 1) + m_of};
    }

    std::size_t sum(step_builder& to, std::size_t a, std::size_t b, const char* called) const
    {
        return to.made_of(opcode::add, called + m_of, {tensor_part{a}, tensor_part{b}, {}}, m_length);
    }

    std::size_t forward_post(step_builder& to, passed_values x)
    {
        const auto attention = m_attention.forward(to, x);
        const auto n = m_first.forward(to, sum(to, to.words_of(x), attention, "X and attention"));
        return m_second.forward(to, sum(to, n, m_feed_forward.forward(to, n), "N and feed-forward"));
    }

    std::optional<std::size_t> backward_post(step_builder& to, std::size_t dz)
    {
        m_second.make_gradients(to, dz);
        const auto by = m_second.backward(to, dz);
        const auto dn = sum(to, by, m_feed_forward.backward(to, by), "sum of dN");
        m_first.make_gradients(to, dn);
        const auto dr = m_first.backward(to, dn);
        const auto dx = m_attention.backward(to, dr);
        if (!dx) { return std::nullopt; }
        return sum(to, dr, *dx, "dX past attention and through it");
    }

    std::size_t forward_pre(step_builder& to, passed_values x)
    {
        const auto words = to.words_of(x);
        const auto n = m_first.forward(to, words);
        const auto attention = m_attention.forward(to, {m_length, n, std::nullopt, "N" + m_of});
        const auto r = sum(to, words, attention, "X and attention");
        return sum(to, r, m_feed_forward.forward(to, m_second.forward(to, r)), "R and feed-forward");
    }

    std::optional<std::size_t> backward_pre(step_builder& to, std::size_t dz)
    {
        const auto dm = m_feed_forward.backward(to, dz);
        m_second.make_gradients(to, dm);
        const auto dr = sum(to, dz, m_second.backward(to, dm), "sum of dR");
        const auto dn = m_attention.backward(to, dr).value();
        m_first.make_gradients(to, dn);
        return sum(to, dr, m_first.backward(to, dn), "dX past attention and through it");
    }

    bool m_is_pre;
    std::uint64_t m_length;
    std::string m_of;
    attention_operations m_attention;
    feed_forward_operations m_feed_forward;
    row_norm_operations m_first, m_second; // beside attention, beside the feed-forward
};

} // namespace

void encoder_layer::declare(std::uint64_t batch, bool with_dx, layer_declaration& declaration) const
{
    for (const auto& of : maps()) {
        declaration.add_map(of.map, batch * of.rows, of.needs_dx(with_dx), of.role, row_pitch::none, 1);
    }
    declaration.add_graph(attention_graph(*this, batch));
    for (const char* of : {" of norm 1", " of norm 2"}) {
        declaration.add_parameter(std::string("gamma") + of, features);
        declaration.add_parameter(std::string("beta") + of, features);
    }
}

std::unique_ptr<layer_operations> encoder_layer::operations(const layer_contractions& contractions,
                                                            const std::string& name) const
{
    return std::make_unique<encoder_operations>(*this, contractions, name);
}

} // namespace tensorloom::workloads
