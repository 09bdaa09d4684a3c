#include <tensorloom/workloads/training/network_operations.h>
#include <memory>
#include <tensorloom/workloads/training/layers/layer_operations.h>
#include <tensorloom/workloads/training/losses/loss_operations.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using isa::vector::opcode;

// Layers between the batch, the loss and the optimizer.
class step_writer {
public:
    step_writer(const model_description& model, const model_contractions& contractions, literal_list& literals)
        : m_model(model), m_to(model, contractions, literals), m_loss(operations_of(model.loss, model.classes()))
    {
        for (std::size_t l = 0; l < model.layers.size(); ++l) {
            const auto& layer = model.layers[l];
            m_to.step().layers.push_back(layer.name);
            m_layers.push_back(
                of_kind(layer, [&](const auto& kind) { return kind.operations(contractions.layers[l], layer.name); }));
        }
    }

    network_step forward_step()
    {
        forward();
        return m_to.finished();
    }

    network_step training_step()
    {
        auto& s = m_to.step();
        for (std::size_t m = 0; m < moments_of(m_model.optimizer.kind); ++m) {
            s.moments.push_back(
                m_to.staying("moment " + std::to_string(m + 1), parameter_elements(), element_type::f32));
        }
        s.gradients = m_to.staying("gradients", parameter_elements(), element_type::f32);
        forward();
        m_to.enter(step_phase::bp);
        std::optional<std::size_t> dz = m_loss->gradient(m_to);
        for (std::size_t l = m_layers.size(); l-- > 0;) {
            m_to.enter_layer(l);
            dz = m_layers[l]->backward(m_to, dz.value());
        }
        m_to.enter_layer(std::nullopt);
        m_to.enter(step_phase::update);
        update();
        return m_to.finished();
    }

private:
    void forward()
    {
        passed_values values{m_to.batch() * m_model.features(), std::nullopt, std::nullopt, "X"};
        m_to.enter_layer(0);
        if (m_model.vocabulary() == 0) {
            values.operand = m_to.tensor("X", values.length, element_type::bf16);
            m_to.add("gather X", gather_operation{batch_field::features, *values.operand});
        } else {
            values.words = m_to.words("tokens", values.length);
            m_to.add("gather the tokens", gather_operation{batch_field::features, *values.words});
        }
        for (std::size_t l = 0; l < m_layers.size(); ++l) {
            m_to.enter_layer(l);
            values = m_layers[l]->forward(m_to, values);
        }
        m_to.enter_layer(std::nullopt);
        m_loss->measure(m_to, m_to.words_of(values));
    }

    // New masters of the gradients, and their copies in bf16; of the rate behind an epoch.
    void update()
    {
        auto& s = m_to.step();
        m_model.optimizer.kind == optimizer_kind::sgd ? descend() : adapt();
        m_to.vector(opcode::pack_bf16, {s.copies}, {tensor_part{s.masters}, {}, {}}, parameter_elements(),
                    "round the parameters");
        const auto rate = m_to.constant(step_constant::minus_rate);
        s.rate_decay = {opcode::mul, rate, rate, m_to.literal(m_model.optimizer.rate_decay), {}, 1};
    }

    std::uint64_t parameter_elements() const { return m_to.contractions().parameter_elements; }

    // v = momentum v + gradient; master = master - rate v
    void descend()
    {
        const tensor_part v{m_to.step().moments[0]}, w{m_to.step().masters};
        m_to.vector(opcode::mul_add, v,
                    {tensor_part{m_to.step().gradients}, v, m_to.literal(m_model.optimizer.momentum)},
                    parameter_elements(), "new velocities");
        m_to.vector(opcode::mul_add, w, {w, v, m_to.constant(step_constant::minus_rate)}, parameter_elements(),
                    "new parameters");
    }

    // m = beta m + (1 - beta) gradient, v = beta' v + (1 - beta') gradient^2,
    // master = master - rate (m / (1 - beta^t)) / (sqrt(v / (1 - beta'^t)) + epsilon)
    void adapt()
    {
        const std::uint64_t all = parameter_elements();
        const tensor_part g{m_to.step().gradients}, w{m_to.step().masters};
        const tensor_part step{m_to.words("change", all)}, root{m_to.words("root of the second moment", all)};
        const tensor_part rest{m_to.words("1 less a power", 1)};
        const auto& o = m_model.optimizer;
        const auto by_word = [&](opcode code, tensor_part z, tensor_part a, tensor_part b, const std::string& what) {
            m_to.by_word(code, z, a, b, all, what);
        };
        const auto moment = [&](std::size_t which, float decay, const char* what) {
            const tensor_part m{m_to.step().moments[which]};
            by_word(opcode::mul, step, which == 0 ? g : step, m_to.literal(1 - decay),
                    std::string("share of the ") + what);
            m_to.vector(opcode::mul_add, m, {step, m, m_to.literal(decay)}, all,
                        std::string("new mean of the ") + what);
        };
        const auto without_bias = [&](tensor_part z, std::size_t which, step_constant power, float decay) {
            const tensor_part p = m_to.constant(power);
            m_to.vector(opcode::mul, p, {p, m_to.literal(decay), {}}, 1, "power of the step");
            m_to.vector(opcode::sub, rest, {m_to.literal(1), p, {}}, 1, "1 less that power");
            by_word(opcode::div, z, {m_to.step().moments[which]}, rest, "mean without its bias");
        };
        moment(0, o.first_decay, "gradients");
        m_to.vector(opcode::mul, step, {g, g, {}}, all, "squares of the gradients");
        moment(1, o.second_decay, "squares");
        without_bias(root, 1, step_constant::second_power, o.second_decay);
        m_to.vector(opcode::sqrt, root, {root, {}, {}}, all, "root of the mean square");
        by_word(opcode::add, root, root, m_to.literal(o.epsilon), "root and epsilon");
        without_bias(step, 0, step_constant::first_power, o.first_decay);
        m_to.vector(opcode::div, step, {step, root, {}}, all, "change by its root");
        m_to.vector(opcode::mul_add, w, {w, step, m_to.constant(step_constant::minus_rate)}, all, "new parameters");
    }

    const model_description& m_model;
    step_builder m_to;
    std::vector<std::unique_ptr<layer_operations>> m_layers;
    std::unique_ptr<loss_operations> m_loss;
};

} // namespace

std::size_t moments_of(optimizer_kind kind) { return kind == optimizer_kind::sgd ? 1 : 2; }

network_step operations_of(const model_description& model, const model_contractions& contractions, bool training,
                           literal_list& literals)
{
    step_writer writer(model, contractions, literals);
    return training ? writer.training_step() : writer.forward_step();
}

} // namespace tensorloom::workloads
