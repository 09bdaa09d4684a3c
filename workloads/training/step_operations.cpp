#include <tensorloom/workloads/training/step_operations.h>
#include <algorithm>
#include <limits>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/step_planner/pass_places.h>

namespace tensorloom::workloads {
namespace {

using arch::element_type;
using arch::vector::opcode;

contraction_tree best_tree(const tensor_network& network)
{
    search_request request;
    request.top = 1;
    return search_sequences(network, request).best.front().tree;
}

// The layer's graph in reverse mode, and the gradient of its bias: the sum of dY over the batch, a product with ones.
layer_contractions graph_of(const model_layer& layer, bool with_dx)
{
    layer_contractions made;
    auto& graph = made.graph;
    graph = step_graph(layer.shape, best_tree(forward_network(layer.shape)), with_dx);
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        if (graph.contractions[c].phase == step_phase::fp) { made.y = graph.contractions[c].result; }
    }
    made.dy = *graph.gradient(made.y);
    made.dx = graph.gradient(made.x);
    if (layer.bias) {
        made.ones = graph.tensors.size();
        graph.tensors.push_back({"ones", {graph.batch}, std::nullopt});
        auto outputs = graph.tensors[made.y].modes;
        outputs.erase(std::find(outputs.begin(), outputs.end(), graph.batch));
        graph.tensors.push_back({"dbias", std::move(outputs), std::nullopt});
        graph.contractions.push_back({step_phase::wg, *made.ones, made.dy, graph.tensors.size() - 1});
    }
    return made;
}

bool is_core(const layer_contractions& of, std::size_t tensor)
{
    const bool made = of.graph.maker(tensor).has_value();
    return tensor != of.x && tensor != of.dy && tensor != of.ones && !made;
}

// What layers and the vector unit both use lies in C order, and so does the bias.
bool lies_in_c_order(const layer_contractions& of, std::size_t tensor)
{
    return tensor == of.x || tensor == of.y || tensor == of.dy || tensor == of.dx || tensor == of.ones ||
           (of.ones && tensor == of.graph.tensors.size() - 1);
}

joint_layouts layouts_of(const layer_contractions& of, const arch::fetta::geometry& g)
{
    layout_request request{of.graph, g, {}, {}};
    for (std::size_t c = 0; c < of.graph.contractions.size(); ++c) {
        request.contractions.push_back({1, false, g.accumulator_rows()});
    }
    constexpr double least = 1e-6; // of equal layouts those without gaps
    for (std::size_t t = 0; t < of.graph.tensors.size(); ++t) {
        layout_request::tensor wanted;
        wanted.cycles_per_gap = least;
        const auto source = of.graph.tensors[t].gradient_of;
        if (lies_in_c_order(of, t)) { wanted.given = natural_layout(of.graph, t); }
        if (source && is_core(of, *source)) { wanted.lies_as = source; }
        request.tensors.push_back(std::move(wanted));
    }
    return choose_layouts(request);
}

class step_builder {
public:
    step_builder(const model_description& model, const model_contractions& contractions)
        : m_model(model), m_contractions(contractions)
    {
        auto& s = m_step;
        const std::uint64_t parameters = contractions.parameter_elements;
        s.masters = staying("masters", parameters, element_type::f32);
        s.copies = staying("parameters in bf16", parameters, element_type::bf16);
        s.constants = staying("constants", step_constants, element_type::f32);
        s.ones = staying("ones", batch(), element_type::bf16);
        s.list = tensor("numbers of samples", batch(), element_type::f32);
        s.metrics = tensor("metrics", step_metrics, element_type::f32);
    }

    network_step forward_step()
    {
        forward();
        return std::move(m_step);
    }

    network_step training_step()
    {
        auto& s = m_step;
        for (std::size_t m = 0; m < moments_of(m_model.optimizer.kind); ++m) {
            s.moments.push_back(
                staying("moment " + std::to_string(m + 1), m_contractions.parameter_elements, element_type::f32));
        }
        s.gradients = staying("gradients", m_contractions.parameter_elements, element_type::f32);
        forward();
        m_phase = step_phase::bp;
        std::size_t dz = gradient_of_loss();
        for (std::size_t l = m_model.layers.size(); l-- > 0;) {
            const std::size_t dy = gradient_of_activation(l, dz);
            dz = backward(l, rounded(dy, rows(l) * batch(), "round dY of " + name(l)));
        }
        m_phase = step_phase::update;
        update();
        return std::move(m_step);
    }

private:
    void forward()
    {
        m_phase = step_phase::fp;
        std::size_t x = tensor("X", batch() * m_model.features(), element_type::bf16);
        add("gather X", gather_operation{batch_field::features, x});
        for (std::size_t l = 0; l < m_model.layers.size(); ++l) {
            m_bends.push_back(0);
            m_made.push_back(std::vector<std::optional<std::size_t>>(m_contractions.layers[l].graph.tensors.size()));
            const std::size_t y = forward(l, x);
            const std::size_t z = activate(l, y);
            m_sums.push_back(y);
            m_outputs.push_back(z);
            if (l + 1 < m_model.layers.size()) { x = rounded(z, rows(l) * batch(), "round Z of " + name(l)); }
        }
        measure();
    }

    std::uint64_t batch() const { return m_model.batch; }
    std::uint64_t rows(std::size_t layer) const { return row_count(m_model.layers[layer].shape); }
    const std::string& name(std::size_t layer) const { return m_model.layers[layer].name; }

    std::size_t tensor(std::string called, std::uint64_t elements, element_type type)
    {
        m_step.tensors.push_back({std::move(called), elements, type, false});
        return m_step.tensors.size() - 1;
    }
    std::size_t words(std::string called, std::uint64_t elements)
    {
        return tensor(std::move(called), elements, element_type::f32);
    }
    std::size_t staying(std::string called, std::uint64_t elements, element_type type)
    {
        const auto t = tensor(std::move(called), elements, type);
        m_step.tensors[t].stays = true;
        return t;
    }

    template <class Work> void add(std::string what, Work work)
    {
        m_step.operations.push_back({m_phase, std::move(what), std::move(work)});
    }

    struct operands {
        std::optional<tensor_part> a, b, c;
    };
    void vector(opcode code, tensor_part result, const operands& of, std::uint64_t length, std::string what,
                std::uint64_t block = 0, bool broadcast_b = false)
    {
        add(std::move(what), vector_operation{code, result, of.a, of.b, of.c, length, block, broadcast_b});
    }
    // By element, into a tensor of its own.
    std::size_t made_of(opcode code, const std::string& called, const operands& of, std::uint64_t length)
    {
        const auto z = words(called, length);
        vector(code, {z}, of, length, called);
        return z;
    }
    // A word for each block.
    std::size_t by_block(opcode code, const std::string& called, std::size_t a, std::uint64_t blocks,
                         std::uint64_t block)
    {
        const auto z = words(called, blocks);
        vector(code, {z}, {tensor_part{a}, {}, {}}, blocks * block, called, block);
        return z;
    }
    std::size_t rounded(std::size_t values, std::uint64_t length, const std::string& what)
    {
        const auto z = tensor(m_step.tensors[values].name + " in bf16", length, element_type::bf16);
        vector(opcode::pack_bf16, {z}, {tensor_part{values}, {}, {}}, length, what);
        return z;
    }
    std::size_t repeated(tensor_part a, std::uint64_t samples, std::uint64_t elements, bool each,
                         const std::string& called)
    {
        const auto z = words(called, samples * elements);
        add(called, repeat_operation{{z}, a, samples, elements, each});
        return z;
    }

    const model_parameter& parameter(std::size_t layer, std::size_t graph_tensor) const
    {
        const auto& all = m_contractions.parameters;
        return *std::find_if(all.begin(), all.end(),
                             [&](const auto& p) { return p.layer == layer && p.tensor == graph_tensor; });
    }

    // Of a tensor of a layer's graph.
    tensor_part place_of(std::size_t layer, std::size_t t)
    {
        const auto& of = m_contractions.layers[layer];
        auto& made = m_made[layer][t];
        if (made) { return {*made}; }
        const auto source = of.graph.tensors[t].gradient_of;
        if (is_core(of, t)) { return {m_step.copies, parameter(layer, t).offset}; }
        if (source && is_core(of, *source)) { return {m_step.gradients, parameter(layer, *source).offset}; }
        if (t == of.ones) { return {m_step.ones}; }
        if (of.ones && t == of.graph.tensors.size() - 1) { return {m_step.gradients, parameter(layer, t).offset}; }
        const bool sums = t == of.y || t == of.dx; // go on to the vector unit
        made = tensor(of.graph.tensors[t].name + " of " + name(layer), of.layouts.layout[t].span,
                      sums ? element_type::f32 : element_type::bf16);
        return {*made};
    }

    void contract(std::size_t layer, std::size_t c)
    {
        const auto& graph = m_contractions.layers[layer].graph;
        const auto& of = graph.contractions[c];
        const auto a = place_of(layer, of.a), b = place_of(layer, of.b), result = place_of(layer, of.result);
        m_phase = of.phase;
        add("contract " + graph.tensors[of.a].name + "." + graph.tensors[of.b].name + " of " + name(layer),
            contract_operation{layer, c, a, b, result});
    }

    // Sums and bias.
    std::size_t forward(std::size_t l, std::size_t x)
    {
        const auto& of = m_contractions.layers[l];
        m_made[l][of.x] = x;
        for (std::size_t c = 0; c < of.graph.contractions.size(); ++c) {
            if (of.graph.contractions[c].phase == step_phase::fp) { contract(l, c); }
        }
        const std::size_t y = *m_made[l][of.y];
        if (!of.ones) { return y; }
        const auto bias = repeated({m_step.masters, parameter(l, of.graph.tensors.size() - 1).offset}, batch(), rows(l),
                                   false, "repeat the bias of " + name(l));
        return made_of(opcode::add, "add the bias of " + name(l), {tensor_part{y}, tensor_part{bias}, {}},
                       batch() * rows(l));
    }

    std::size_t activate(std::size_t l, std::size_t y)
    {
        const auto of = [&](opcode code, const char* called) {
            return made_of(code, called + (" of " + name(l)), {tensor_part{y}, {}, {}}, batch() * rows(l));
        };
        switch (m_model.layers[l].activation) {
        case activation_kind::none: return y;
        case activation_kind::relu: return of(opcode::relu, "relu");
        case activation_kind::sigmoid: return of(opcode::sigmoid, "sigmoid");
        case activation_kind::tanh: return of(opcode::tanh, "tanh");
        case activation_kind::gelu: return gelu(l, y);
        }
        return y;
    }

    // z = f(z, a word)
    void by_word(opcode code, std::size_t z, step_constant c, std::uint64_t length, const std::string& what)
    {
        vector(code, {z}, {tensor_part{z}, constant(c), {}}, length, what, 0, true);
    }

    // x (1 + tanh(scale (x + cube x^3))) / 2
    std::size_t gelu(std::size_t l, std::size_t y)
    {
        const std::uint64_t length = batch() * rows(l);
        const std::string of = " of " + name(l);
        const tensor_part x{y};
        const auto inner = made_of(opcode::mul, "square" + of, {x, x, {}}, length);
        vector(opcode::mul, {inner}, {tensor_part{inner}, x, {}}, length, "cube" + of);
        vector(opcode::mul_add, {inner}, {x, tensor_part{inner}, constant(step_constant::gelu_cube)}, length,
               "x and its cube" + of);
        by_word(opcode::mul, inner, step_constant::gelu_scale, length, "scaled" + of);
        const auto bend = made_of(opcode::tanh, "tanh" + of, {tensor_part{inner}, {}, {}}, length);
        m_bends[l] = bend;
        const auto z = words("gelu" + of, length);
        vector(opcode::add, {z}, {tensor_part{bend}, constant(step_constant::one), {}}, length, "1 and tanh" + of, 0,
               true);
        vector(opcode::mul, {z}, {tensor_part{z}, x, {}}, length, "times x" + of);
        by_word(opcode::mul, z, step_constant::half, length, "gelu" + of);
        return z;
    }

    // With h the tanh of before: dz (1 + h - (h^2 - 1) scale (1 + 3 cube x^2) x) / 2
    std::size_t gradient_of_gelu(std::size_t l, std::size_t dz)
    {
        const std::uint64_t length = batch() * rows(l);
        const std::string of = " of " + name(l);
        const tensor_part x{m_sums[l]}, h{m_bends[l]};
        const auto slope = made_of(opcode::mul, "square" + of, {x, x, {}}, length);
        by_word(opcode::mul, slope, step_constant::gelu_cube_slope, length, "slope of the cube" + of);
        by_word(opcode::add, slope, step_constant::one, length, "slope of x and its cube" + of);
        by_word(opcode::mul, slope, step_constant::gelu_scale, length, "slope inside of tanh" + of);
        const auto rest = made_of(opcode::mul, "square of tanh" + of, {h, h, {}}, length);
        by_word(opcode::sub, rest, step_constant::one, length, "slope of tanh, negative" + of);
        vector(opcode::mul, {rest}, {tensor_part{rest}, tensor_part{slope}, {}}, length, "times that inside" + of);
        vector(opcode::mul, {rest}, {tensor_part{rest}, x, {}}, length, "times x" + of);
        const auto z = words("slope of gelu" + of, length);
        vector(opcode::add, {z}, {h, constant(step_constant::one), {}}, length, "1 and tanh" + of, 0, true);
        vector(opcode::sub, {z}, {tensor_part{z}, tensor_part{rest}, {}}, length, "both parts" + of);
        by_word(opcode::mul, z, step_constant::half, length, "slope of gelu" + of);
        vector(opcode::mul, {z}, {tensor_part{dz}, tensor_part{z}, {}}, length, "gradient of gelu" + of);
        return z;
    }

    // Softmax over the classes of each sample, with its maximum taken off; loss = log(sum) + max - x[label]. Rows of no
    // label, which fill a batch up, count for nothing.
    void measure()
    {
        const std::uint64_t classes = m_model.classes(), all = batch() * classes;
        const std::size_t x = m_outputs.back();
        m_labels = words("labels", all);
        add("gather the labels", gather_operation{batch_field::labels, m_labels});
        const auto most = by_block(opcode::max_block, "largest outputs", x, batch(), classes);
        const auto wide = repeated({most}, batch(), classes, true, "repeat the largest outputs");
        m_differences = made_of(opcode::sub, "outputs less the largest", {tensor_part{x}, tensor_part{wide}, {}}, all);
        m_powers = made_of(opcode::exp, "powers of e", {tensor_part{m_differences}, {}, {}}, all);
        m_power_sums = by_block(opcode::sum_block, "sums of powers", m_powers, batch(), classes);
        m_weights = by_block(opcode::sum_block, "labels of a sample", m_labels, batch(), classes);
        vector(opcode::sum_block, metric(step_metric::samples), {tensor_part{m_weights}, {}, {}}, batch(),
               "count the samples", batch());
        const auto logs = made_of(opcode::log, "logarithms of sums", {tensor_part{m_power_sums}, {}, {}}, batch());
        vector(opcode::mul, {logs}, {tensor_part{logs}, tensor_part{m_weights}, {}}, batch(), "logarithms that count");
        const auto of_label = made_of(opcode::mul, "differences at the labels",
                                      {tensor_part{m_differences}, tensor_part{m_labels}, {}}, all);
        const auto picked = by_block(opcode::sum_block, "difference at the label", of_label, batch(), classes);
        vector(opcode::sub, {logs}, {tensor_part{logs}, tensor_part{picked}, {}}, batch(), "losses");
        vector(opcode::sum_block, metric(step_metric::loss), {tensor_part{logs}, {}, {}}, batch(), "sum of the losses",
               batch());
        const auto best = made_of(opcode::is_zero, "largest output", {tensor_part{m_differences}, {}, {}}, all);
        vector(opcode::mul, {best}, {tensor_part{best}, tensor_part{m_labels}, {}}, all, "largest at the label");
        vector(opcode::sum_block, metric(step_metric::correct), {tensor_part{best}, {}, {}}, all,
               "count the right ones", all);
    }

    tensor_part metric(step_metric m) const { return {m_step.metrics, static_cast<std::uint64_t>(m)}; }
    tensor_part constant(step_constant c) const { return {m_step.constants, static_cast<std::uint64_t>(c)}; }

    // (softmax - label) / samples
    std::size_t gradient_of_loss()
    {
        const std::uint64_t classes = m_model.classes(), all = batch() * classes;
        const auto sums = repeated({m_power_sums}, batch(), classes, true, "repeat the sums of powers");
        const auto p = made_of(opcode::div, "softmax", {tensor_part{m_powers}, tensor_part{sums}, {}}, all);
        const auto weights = repeated({m_weights}, batch(), classes, true, "repeat the labels of a sample");
        vector(opcode::mul, {p}, {tensor_part{p}, tensor_part{weights}, {}}, all, "softmax of samples with a label");
        vector(opcode::sub, {p}, {tensor_part{p}, tensor_part{m_labels}, {}}, all, "softmax less label");
        vector(opcode::div, {p}, {tensor_part{p}, metric(step_metric::samples), {}}, all, "gradient of the loss", 0,
               true);
        return p;
    }

    // dY of dZ
    std::size_t gradient_of_activation(std::size_t l, std::size_t dz)
    {
        const std::uint64_t length = batch() * rows(l);
        const std::string of = " of " + name(l);
        const tensor_part z{m_outputs[l]}, d{dz};
        switch (m_model.layers[l].activation) {
        case activation_kind::none: return dz;
        case activation_kind::gelu: return gradient_of_gelu(l, dz);
        case activation_kind::relu:
            return made_of(opcode::relu_gradient, "gradient of relu" + of, {d, tensor_part{m_sums[l]}, {}}, length);
        case activation_kind::sigmoid: { // dz (z - z z)
            const auto square = made_of(opcode::mul, "square of sigmoid" + of, {z, z, {}}, length);
            vector(opcode::sub, {square}, {z, tensor_part{square}, {}}, length, "slope of sigmoid" + of);
            return made_of(opcode::mul, "gradient of sigmoid" + of, {d, tensor_part{square}, {}}, length);
        }
        case activation_kind::tanh: { // dz - dz z z
            const auto product = made_of(opcode::mul, "dZ times tanh" + of, {d, z, {}}, length);
            vector(opcode::mul, {product}, {tensor_part{product}, z, {}}, length, "dZ times its square" + of);
            return made_of(opcode::sub, "gradient of tanh" + of, {d, tensor_part{product}, {}}, length);
        }
        }
        return dz;
    }

    // Gradients of the parameters; dX, which is dZ of the layer before.
    std::size_t backward(std::size_t l, std::size_t dy)
    {
        const auto& of = m_contractions.layers[l];
        m_made[l][of.dy] = dy;
        for (std::size_t c = 0; c < of.graph.contractions.size(); ++c) {
            if (of.graph.contractions[c].phase != step_phase::fp) { contract(l, c); }
        }
        return of.dx ? *m_made[l][*of.dx] : 0;
    }

    // New masters of the gradients, and their copies in bf16.
    void update()
    {
        m_model.optimizer.kind == optimizer_kind::sgd ? descend() : adapt();
        vector(opcode::pack_bf16, {m_step.copies}, {tensor_part{m_step.masters}, {}, {}}, parameter_elements(),
               "round the parameters");
    }

    std::uint64_t parameter_elements() const { return m_contractions.parameter_elements; }

    // v = momentum v + gradient; master = master - rate v
    void descend()
    {
        const tensor_part v{m_step.moments[0]}, w{m_step.masters};
        vector(opcode::mul_add, v, {tensor_part{m_step.gradients}, v, constant(step_constant::momentum)},
               parameter_elements(), "new velocities");
        vector(opcode::mul_add, w, {w, v, constant(step_constant::minus_rate)}, parameter_elements(), "new parameters");
    }

    // m = beta m + (1 - beta) gradient, v = beta' v + (1 - beta') gradient^2,
    // master = master - rate (m / (1 - beta^t)) / (sqrt(v / (1 - beta'^t)) + epsilon)
    void adapt()
    {
        const std::uint64_t all = parameter_elements();
        const tensor_part g{m_step.gradients}, w{m_step.masters};
        const tensor_part step{words("change", all)}, root{words("root of the second moment", all)};
        const tensor_part rest{words("1 less a power", 1)};
        const auto by_word = [&](opcode code, tensor_part z, tensor_part a, tensor_part b, const std::string& what) {
            vector(code, z, {a, b, {}}, all, what, 0, true);
        };
        const auto moment = [&](std::size_t which, step_constant momentum, step_constant one_less, const char* what) {
            const tensor_part m{m_step.moments[which]};
            by_word(opcode::mul, step, which == 0 ? g : step, constant(one_less), std::string("share of the ") + what);
            vector(opcode::mul_add, m, {step, m, constant(momentum)}, all, std::string("new mean of the ") + what);
        };
        const auto without_bias = [&](tensor_part z, std::size_t which, step_constant power, step_constant momentum) {
            const tensor_part p = constant(power);
            vector(opcode::mul, p, {p, constant(momentum), {}}, 1, "power of the step");
            vector(opcode::sub, rest, {constant(step_constant::one), p, {}}, 1, "1 less that power");
            by_word(opcode::div, z, {m_step.moments[which]}, rest, "mean without its bias");
        };
        moment(0, step_constant::momentum, step_constant::one_less_momentum, "gradients");
        vector(opcode::mul, step, {g, g, {}}, all, "squares of the gradients");
        moment(1, step_constant::second_momentum, step_constant::one_less_second, "squares");
        without_bias(root, 1, step_constant::second_power, step_constant::second_momentum);
        vector(opcode::sqrt, root, {root, {}, {}}, all, "root of the mean square");
        by_word(opcode::add, root, root, constant(step_constant::epsilon), "root and epsilon");
        without_bias(step, 0, step_constant::first_power, step_constant::momentum);
        vector(opcode::div, step, {step, root, {}}, all, "change by its root");
        vector(opcode::mul_add, w, {w, step, constant(step_constant::minus_rate)}, all, "new parameters");
    }

    const model_description& m_model;
    const model_contractions& m_contractions;
    network_step m_step;
    step_phase m_phase = step_phase::fp;
    std::vector<std::vector<std::optional<std::size_t>>> m_made; // by layer and tensor of its graph
    std::vector<std::size_t> m_bends;                            // by layer: of gelu its tanh
    std::vector<std::size_t> m_sums, m_outputs;                  // by layer: what its activation takes and gives
    std::size_t m_labels = 0, m_differences = 0, m_powers = 0, m_power_sums = 0, m_weights = 0;
};

} // namespace

model_contractions contractions_of(const model_description& model, const arch::fetta::geometry& g)
{
    model_contractions all;
    const std::uint64_t block = place_granule(g) / arch::element_bytes(element_type::bf16);
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
        auto layer = model.layers[l];
        layer.shape.batch = model.batch;
        auto of = graph_of(layer, l != 0);
        of.layouts = layouts_of(of, g);
        const auto add = [&](const std::string& name, std::size_t tensor, bool is_bias) {
            const std::uint64_t elements = of.layouts.layout[tensor].span;
            all.parameters.push_back(
                {name + " of " + layer.name, l, tensor, is_bias, all.parameter_elements, elements});
            all.parameter_elements += (elements + block - 1) / block * block;
        };
        for (std::size_t t = 0; t < of.graph.tensors.size(); ++t) {
            if (is_core(of, t)) { add(of.graph.tensors[t].name, t, false); }
        }
        if (of.ones) { add("bias", of.graph.tensors.size() - 1, true); }
        all.layers.push_back(std::move(of));
    }
    return all;
}

std::size_t moments_of(optimizer_kind kind) { return kind == optimizer_kind::sgd ? 1 : 2; }

network_step operations_of(const model_description& model, const model_contractions& contractions, bool training)
{
    step_builder builder(model, contractions);
    return training ? builder.training_step() : builder.forward_step();
}

} // namespace tensorloom::workloads
