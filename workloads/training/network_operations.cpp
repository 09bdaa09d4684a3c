#include <tensorloom/workloads/training/network_operations.h>
#include <algorithm>
#include <memory>
#include <tensorloom/workloads/training/layers/layer_operations.h>
#include <tensorloom/workloads/training/losses/loss_operations.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using isa::vector::opcode;

std::string loop_over_batches(std::uint64_t batches) { return "loop over " + std::to_string(batches) + " batches"; }

// Layers between the batch, the loss and the optimizer.
class step_writer {
public:
    step_writer(const model_description& model, const model_contractions& contractions, const step_request& request,
                literal_list& literals)
        : m_model(model), m_request(request), m_to(model, contractions, request, literals),
          m_loss(operations_of(model.loss, model.classes()))
    {
        for (std::size_t l = 0; l < model.layers.size(); ++l) {
            const auto& layer = model.layers[l];
            m_to.step().layers.push_back(layer.name);
            m_layers.push_back(
                of_kind(layer, [&](const auto& kind) { return kind.operations(contractions.layers[l], layer.name); }));
        }
    }

    network_step steps()
    {
        const auto& s = m_to.step();
        const auto batches = m_request.batches;
        const bool several = blocks() > 1;
        m_to.enter(step_phase::update);
        load_state();
        m_to.enter(step_phase::fp);
        m_to.add(loop_over_batches(batches), loop_operation{batches, loop_kind::batches});
        const std::uint64_t listed = list_layout(m_to.contractions()).words;
        move(transfer_kind::load, {bus_array::lists}, s.list, listed, "load the list", {step_of(listed), 0});
        if (m_request.training) { clear_sums(); }
        if (several) {
            m_to.add("loop over " + std::to_string(blocks()) + " blocks", loop_operation{blocks(), loop_kind::blocks});
        }
        forward();
        if (m_request.training) { backward(); }
        if (several) {
            store_metrics({step_of(metric_words), step_of(metric_words * blocks())});
            m_to.add("end", end_operation{});
        }
        m_to.enter(step_phase::update);
        if (m_request.training) { update(); }
        if (!several) { store_metrics({step_of(metric_words), 0}); }
        m_to.add("end", end_operation{});
        if (m_request.training) { store_state(); }
        return m_to.finished();
    }

private:
    std::uint64_t blocks() const { return m_to.contractions().blocks; }
    static std::int64_t step_of(std::uint64_t elements) { return static_cast<std::int64_t>(elements); }

    // Moves a whole tensor.
    void move(transfer_kind kind, bus_place place, std::size_t tensor, std::uint64_t elements, const std::string& what,
              std::array<std::int64_t, 2> step = {})
    {
        m_to.add(what, transfer_operation{kind, place, 0, {{elements, 1}}, {tensor}, {}, step});
    }
    void store_metrics(std::array<std::int64_t, 2> step)
    {
        move(transfer_kind::store, {bus_array::metrics}, m_to.step().metrics, step_metrics, "store the metrics", step);
    }
    // Moves parameters and their state, group by group.
    void move_state(transfer_kind kind, const std::string& what)
    {
        const auto move_part = [&](const parameter_group& group, bus_place place, std::size_t tensor,
                                   const std::string& of) {
            m_to.add(what + of, transfer_operation{kind, place, group.offset, {{group.elements, 1}}, {tensor}});
        };
        for (const auto& group : m_to.step().groups) {
            move_part(group, {bus_array::masters}, group.masters, "the parameters");
        }
        for (const auto& group : m_to.step().groups) {
            for (std::size_t m = 0; m < group.moments.size(); ++m) {
                move_part(group, {bus_array::moment, m}, group.moments[m], "moment " + std::to_string(m + 1));
            }
        }
    }

    // step_builder::finished() sets the size of the literals.
    void load_state()
    {
        const auto& s = m_to.step();
        move(transfer_kind::load, {bus_array::constants}, s.constants, step_constants, "load the constants");
        move(transfer_kind::load, {bus_array::literals}, s.literals, 0, "load the literals");
        move(transfer_kind::load, {bus_array::ones}, s.ones, m_to.contractions().most_rows, "load the ones");
        move_state(transfer_kind::load, "load ");
        for (const auto& group : s.groups) {
            round_parameters(group);
            if (m_request.training && blocks() == 1) { m_to.zero(group.gradients, "clear the gradients"); }
        }
    }

    void store_state()
    {
        const auto rate = m_to.constant(step_constant::minus_rate);
        m_to.vector(opcode::mul, rate, {rate, m_to.literal(m_model.optimizer.rate_decay), {}}, 1, "decay of the rate");
        move(transfer_kind::store, {bus_array::constants}, m_to.step().constants, step_constants,
             "store the constants");
        move_state(transfer_kind::store, "store ");
    }

    // Clears the groups of gradients that are sums over blocks or pieces.
    void clear_sums()
    {
        const auto& all = m_to.contractions();
        for (const auto& group : m_to.step().groups) {
            bool any = false;
            for (std::size_t p = 0; p < all.parameters.size(); ++p) {
                const auto& of = all.parameters[p];
                const bool is_inside = group.offset <= of.offset && of.offset < group.offset + group.elements;
                any = any || (is_inside && all.is_summed(p));
            }
            if (any) { m_to.clear({group.gradients}, group.elements, "clear the gradients"); }
        }
    }

    void round_parameters(const parameter_group& group)
    {
        m_to.vector(opcode::pack_bf16, {group.copies}, {tensor_part{group.masters}, {}, {}}, group.elements,
                    "round the parameters");
    }

    void backward()
    {
        m_to.enter(step_phase::bp);
        std::optional<std::size_t> dz = m_loss->gradient(m_to);
        for (std::size_t l = m_layers.size(); l-- > 0 && dz;) { // down to the first layer with parameters
            m_to.enter_layer(l);
            dz = m_layers[l]->backward(m_to, *dz);
        }
        m_to.enter_layer(std::nullopt);
    }

    void forward()
    {
        passed_values values{m_to.batch() * m_model.features(), std::nullopt, std::nullopt, "X"};
        m_to.enter_layer(0);
        if (m_model.vocabulary() != 0) {
            values.words = m_to.words("tokens", values.length);
            m_to.gather(bus_array::features, {*values.words}, m_model.features(), "gather the tokens");
        }
        for (std::size_t l = 0; l < m_layers.size(); ++l) {
            m_to.enter_layer(l);
            values = m_layers[l]->forward(m_to, values);
        }
        m_to.enter_layer(std::nullopt);
        m_loss->measure(m_to, m_to.words_of(values));
    }

    // Computes new masters from the gradients, and their copies in bf16.
    void update()
    {
        const auto& o = m_model.optimizer;
        std::optional<tensor_part> factor, rest;
        if (o.clip_norm != 0) { factor = factor_of_norm(); }
        m_rate = rate_of_step();
        if (o.weight_decay != 0 && o.kind == optimizer_kind::adamw) { rest = rest_of_decay(); }
        if (o.is_adaptive()) { raise_powers(); }
        for (const auto& group : m_to.step().groups) {
            if (factor) { scale({group.gradients}, *factor, group, "clip the gradients"); }
            if (rest) { scale({group.masters}, *rest, group, "decay of the parameters"); }
            if (o.weight_decay != 0 && !rest) { add_decay(group); }
            o.is_adaptive() ? adapt(group) : descend(group);
            round_parameters(group);
        }
    }

    // -rate of this step
    tensor_part rate_of_step()
    {
        const auto rate = m_to.constant(step_constant::minus_rate);
        if (!m_model.optimizer.has_schedule()) { return rate; }
        return {m_to.made_of(opcode::mul, "rate of the step", {rate, m_to.rate_factor(), {}}, 1)};
    }

    // min(clip_norm / (norm of all gradients + epsilon), 1). Squares are added within each parameter, then over the
    // parameters, so that the sum does not depend on the groups.
    tensor_part factor_of_norm()
    {
        const auto& all = m_to.contractions().parameters;
        std::optional<tensor_part> sum;
        for (std::size_t p = 0; p < all.size(); ++p) {
            const std::uint64_t elements = all[p].elements;
            const auto g = m_to.whole_gradient(p);
            const auto name = "squares of the gradient of the " + all[p].name;
            const auto squares = m_to.made_of(opcode::mul, name, {g, g, {}}, elements);
            const tensor_part of{m_to.by_block(opcode::sum_block, "sum of the " + name, squares, 1, elements)};
            if (sum) { m_to.vector(opcode::add, of, {*sum, of, {}}, 1, "squares of the gradients so far"); }
            sum = of;
        }
        const tensor_part norm = sum.value();
        const auto of_norm = [&](opcode code, const std::optional<tensor_part>& b, const char* what) {
            m_to.vector(code, norm, {norm, b, {}}, 1, what);
        };
        of_norm(opcode::sqrt, {}, "norm of the gradients");
        of_norm(opcode::add, m_to.literal(clip_epsilon), "norm and epsilon");
        m_to.vector(opcode::div, norm, {m_to.literal(m_model.optimizer.clip_norm), norm, {}}, 1,
                    "most norm by that norm");
        of_norm(opcode::min, m_to.literal(1), "factor on the gradients");
        return norm;
    }

    // adamw: master = master (1 - rate decay)
    tensor_part rest_of_decay()
    {
        const auto decay = m_to.literal(m_model.optimizer.weight_decay);
        return {m_to.made_of(opcode::mul_add, "1 less rate times decay", {m_to.literal(1), m_rate, decay}, 1)};
    }

    void scale(tensor_part what, tensor_part factor, const parameter_group& group, const char* called)
    {
        m_to.by_word(opcode::mul, what, what, factor, group.elements, called);
    }

    // sgd, adam: gradient = gradient + decay master
    void add_decay(const parameter_group& group)
    {
        const tensor_part g{group.gradients};
        m_to.vector(opcode::mul_add, g, {g, tensor_part{group.masters}, m_to.literal(m_model.optimizer.weight_decay)},
                    group.elements, "gradients and decay of the parameters");
    }

    // v = momentum v + gradient; master = master - rate v
    void descend(const parameter_group& group)
    {
        const tensor_part v{group.moments[0]}, w{group.masters};
        m_to.vector(opcode::mul_add, v, {tensor_part{group.gradients}, v, m_to.literal(m_model.optimizer.momentum)},
                    group.elements, "new velocities");
        m_to.vector(opcode::mul_add, w, {w, v, m_rate}, group.elements, "new parameters");
    }

    // 1 - beta^t and 1 - beta'^t
    void raise_powers()
    {
        const auto& o = m_model.optimizer;
        const auto raise = [&](step_constant power, float decay) {
            const tensor_part p = m_to.constant(power), rest{m_to.words("1 less a power", 1)};
            m_to.vector(opcode::mul, p, {p, m_to.literal(decay), {}}, 1, "power of the step");
            m_to.vector(opcode::sub, rest, {m_to.literal(1), p, {}}, 1, "1 less that power");
            return rest;
        };
        m_rests = {raise(step_constant::first_power, o.first_decay),
                   raise(step_constant::second_power, o.second_decay)};
    }

    // m = beta m + (1 - beta) gradient, v = beta' v + (1 - beta') gradient^2,
    // master = master - rate (m / (1 - beta^t)) / (sqrt(v / (1 - beta'^t)) + epsilon)
    void adapt(const parameter_group& group)
    {
        const std::uint64_t all = group.elements;
        const tensor_part g{group.gradients}, w{group.masters};
        const tensor_part step{m_to.words("change", all)}, root{m_to.words("root of the second moment", all)};
        const auto& o = m_model.optimizer;
        const auto by_word = [&](opcode code, tensor_part z, tensor_part a, tensor_part b, const std::string& what) {
            m_to.by_word(code, z, a, b, all, what);
        };
        const auto moment = [&](std::size_t which, float decay, const char* what) {
            const tensor_part m{group.moments[which]};
            by_word(opcode::mul, step, which == 0 ? g : step, m_to.literal(1 - decay),
                    std::string("share of the ") + what);
            m_to.vector(opcode::mul_add, m, {step, m, m_to.literal(decay)}, all,
                        std::string("new mean of the ") + what);
        };
        moment(0, o.first_decay, "gradients");
        m_to.vector(opcode::mul, step, {g, g, {}}, all, "squares of the gradients");
        moment(1, o.second_decay, "squares");
        by_word(opcode::div, root, {group.moments[1]}, m_rests[1], "mean without its bias");
        m_to.vector(opcode::sqrt, root, {root, {}, {}}, all, "root of the mean square");
        by_word(opcode::add, root, root, m_to.literal(o.epsilon), "root and epsilon");
        by_word(opcode::div, step, {group.moments[0]}, m_rests[0], "mean without its bias");
        m_to.vector(opcode::div, step, {step, root, {}}, all, "change by its root");
        m_to.vector(opcode::mul_add, w, {w, step, m_rate}, all, "new parameters");
    }

    const model_description& m_model;
    step_request m_request;
    step_builder m_to;
    std::array<tensor_part, 2> m_rests; // 1 less the power, for each moment of Adam
    std::vector<std::unique_ptr<layer_operations>> m_layers;
    std::unique_ptr<loss_operations> m_loss;
    tensor_part m_rate; // of the step, negative
};

} // namespace

std::size_t moments_of(optimizer_kind kind) { return kind == optimizer_kind::sgd ? 1 : 2; }

list_layout::list_layout(const model_contractions& contractions)
    : count(contractions.samples * contractions.blocks), rate_factor(count + (contractions.blocks > 1 ? 1 : 0)),
      masks(rate_factor + (contractions.has_schedule ? 1 : 0)),
      words(masks + contractions.blocks * contractions.random_streams.size() * mask_words)
{}

operation_list with_batches(operation_list list, std::uint64_t batches)
{
    for (auto& operation : list.operations) {
        auto* loop = std::get_if<loop_operation>(&operation.work);
        if (loop == nullptr || loop->kind != loop_kind::batches) { continue; }
        loop->count = batches;
        operation.what = loop_over_batches(batches);
    }
    return list;
}

network_step operations_of(const model_description& model, const model_contractions& contractions,
                           const step_request& request, literal_list& literals)
{
    return step_writer(model, contractions, request, literals).steps();
}

} // namespace tensorloom::workloads
