#include <tensorloom/workloads/training/network_step_builder.h>
#include <algorithm>
#include <cstring>

namespace tensorloom::workloads {

using base::element_type;
using isa::vector::opcode;

step_builder::step_builder(const model_description& model, const model_contractions& contractions,
                           const step_request& request, literal_list& literals)
    : m_model(model), m_contractions(contractions), m_list(contractions), m_is_training(request.training),
      m_batches(request.batches), m_literals(literals), m_of_block(contractions.parameters.size())
{
    auto& s = m_step;
    const std::size_t moments = moments_of(model.optimizer.kind);
    const auto& all = contractions.parameters;
    std::vector<const model_parameter*> order; // in memory
    for (const auto& parameter : all) { order.push_back(&parameter); }
    std::stable_sort(order.begin(), order.end(), [](const auto* x, const auto* y) { return x->offset < y->offset; });
    std::uint64_t first = 0;
    for (std::size_t p = 1; p < order.size(); ++p) {
        const std::uint64_t end = p + 1 < order.size() ? order[p + 1]->offset : contractions.parameter_elements;
        const bool is_full = end - first > request.group_elements || order[p]->is_core != order[p - 1]->is_core;
        if (request.group_elements == 0 || !is_full) { continue; }
        add_group(first, order[p]->offset - first, request.training, moments);
        first = order[p]->offset;
    }
    add_group(first, contractions.parameter_elements - first, request.training, moments);
    s.constants = tensor("constants", step_constants, element_type::f32);
    s.literals = tensor("literals", 1, element_type::f32);
    s.ones = tensor("ones", contractions.most_rows, element_type::bf16);
    s.list = tensor("list of the batch", m_list.words, element_type::f32);
    s.metrics = tensor("metrics", step_metrics, element_type::f32);
    for (const std::size_t t : {s.constants, s.list, s.metrics}) { s.tensors[t].stays = true; }
    for (const auto& graph : contractions.graphs) { m_places.emplace_back(graph.graph.tensors.size()); }
}

void step_builder::add_group(std::uint64_t offset, std::uint64_t elements, bool training, std::size_t moments)
{
    const auto number = m_step.groups.size();
    auto& group = m_step.groups.emplace_back();
    group.offset = offset;
    group.elements = elements;
    const auto of_group = [&](const std::string& called, element_type type, memory_kind kind) {
        const auto t = tensor(called + (number == 0 ? "" : " " + std::to_string(number + 1)), elements, type);
        m_step.tensors[t].kind = kind;
        m_step.tensors[t].parameter = offset;
        return t;
    };
    group.masters = of_group("masters", element_type::f32, memory_kind::masters);
    group.copies = of_group("parameters in bf16", element_type::bf16, memory_kind::copies);
    if (!training) { return; }
    for (std::size_t m = 0; m < moments; ++m) {
        group.moments.push_back(of_group("moment " + std::to_string(m + 1), element_type::f32, memory_kind::optimizer));
    }
    group.gradients = of_group("gradients", element_type::f32, memory_kind::gradients);
}

const parameter_group& step_builder::group_of(std::size_t parameter) const
{
    const std::uint64_t offset = m_contractions.parameters[parameter].offset;
    std::size_t group = m_step.groups.size() - 1;
    while (m_step.groups[group].offset > offset) { --group; }
    return m_step.groups[group];
}

std::size_t step_builder::tensor(std::string called, std::uint64_t elements, element_type type)
{
    m_step.tensors.push_back({std::move(called), elements, type, m_layer, {}, 0});
    return m_step.tensors.size() - 1;
}

tensor_part step_builder::literal(float value) { return literals({value}); }

tensor_part step_builder::literals(const std::vector<float>& values)
{
    const auto same = [](float x, float y) { return std::memcmp(&x, &y, sizeof x) == 0; };
    auto at = std::search(m_literals.begin(), m_literals.end(), values.begin(), values.end(), same);
    if (at == m_literals.end()) { at = m_literals.insert(at, values.begin(), values.end()); }
    return {m_step.literals, static_cast<std::uint64_t>(at - m_literals.begin())};
}

network_step step_builder::finished()
{
    const std::uint64_t literals = std::max<std::uint64_t>(m_literals.size(), 1);
    m_step.tensors[m_step.literals].elements = literals;
    for (auto& operation : m_step.operations) {
        auto* transfer = std::get_if<transfer_operation>(&operation.work);
        if (transfer != nullptr && transfer->place.array == bus_array::literals) { transfer->modes[0].size = literals; }
    }
    return std::move(m_step);
}

tensor_part step_builder::master(std::size_t parameter) const
{
    const auto& group = group_of(parameter);
    return {group.masters, m_contractions.parameters[parameter].offset - group.offset};
}

tensor_part step_builder::copy(std::size_t parameter) const
{
    const auto& group = group_of(parameter);
    return {group.copies, m_contractions.parameters[parameter].offset - group.offset};
}

tensor_part step_builder::gradient(std::size_t parameter)
{
    const auto& of = m_contractions.parameters[parameter];
    if (!m_contractions.is_summed(parameter)) { return whole_gradient(parameter); }
    auto& tensor = m_of_block[parameter];
    if (!tensor) {
        tensor = words("gradient of the " + of.name, of.elements);
        if (of.elements != of.values) { clear({*tensor}, of.elements, "clear the gradient of the " + of.name); }
    }
    return {*tensor};
}

void step_builder::add_gradient(std::size_t parameter)
{
    if (!m_contractions.is_summed(parameter)) { return; }
    const auto& of = m_contractions.parameters[parameter];
    const auto sum = whole_gradient(parameter);
    vector(opcode::add, sum, {sum, gradient(parameter), {}}, of.elements, "add the gradient of the " + of.name);
}

tensor_part step_builder::whole_gradient(std::size_t parameter) const
{
    const auto& group = group_of(parameter);
    return {group.gradients, m_contractions.parameters[parameter].offset - group.offset};
}

tensor_part step_builder::counted_samples() const
{
    if (m_contractions.blocks == 1) { return metric(step_metric::samples); }
    return {m_step.list, m_list.count};
}

tensor_part step_builder::mask_words_of(std::uint32_t stream) const
{
    const std::uint64_t of_block = m_contractions.random_streams.size() * mask_words;
    return {m_step.list, m_list.masks + stream * mask_words,
            m_contractions.blocks == 1 ? 0 : static_cast<std::int64_t>(of_block)};
}

void step_builder::vector(opcode code, tensor_part result, const operands& of, std::uint64_t length, std::string what,
                          std::uint64_t block, bool broadcast_b)
{
    add(std::move(what), vector_operation{code, result, of.a, of.b, of.c, length, block, broadcast_b});
}

std::size_t step_builder::made_of(opcode code, const std::string& called, const operands& of, std::uint64_t length)
{
    const auto z = words(called, length);
    vector(code, {z}, of, length, called);
    return z;
}

std::size_t step_builder::by_block(opcode code, const std::string& called, std::size_t a, std::uint64_t blocks,
                                   std::uint64_t block)
{
    const auto z = words(called, blocks);
    vector(code, {z}, {tensor_part{a}, {}, {}}, blocks * block, called, block);
    return z;
}

std::size_t step_builder::rounded(std::size_t values, std::uint64_t length, const std::string& what)
{
    return rounded(tensor_part{values}, length, m_step.tensors[values].name, what);
}

std::size_t step_builder::rounded(tensor_part values, std::uint64_t length, const std::string& called,
                                  const std::string& what)
{
    const auto z = tensor(called + " in bf16", length, element_type::bf16);
    vector(opcode::pack_bf16, {z}, {values, {}, {}}, length, what);
    return z;
}

void step_builder::fill(tensor_part result, tensor_part word, std::uint64_t elements, std::string what)
{
    add(std::move(what), copy_operation{result, word, {1, 1, elements}, {0, 0, 1}, {0, 0, 0}});
}

std::size_t step_builder::repeated(tensor_part a, std::uint64_t rows, std::uint64_t elements, const std::string& called)
{
    const auto z = words(called, rows * elements);
    const auto row = static_cast<std::int64_t>(elements);
    add(called, copy_operation{{z}, a, {1, rows, elements}, {0, row, 1}, {0, 0, 1}});
    return z;
}

void step_builder::add_rows(tensor_part result, std::uint64_t result_rows, tensor_part a, tensor_part indices,
                            std::uint64_t rows, std::uint64_t elements, const std::string& what)
{
    vector_operation sums{opcode::scatter_add, result, a, indices, {}, rows, elements, false, result_rows};
    if (indices.tensor == m_step.literals && indices.step == 0) {
        const auto first = m_literals.begin() + static_cast<std::ptrdiff_t>(indices.offset);
        sums.rows = std::make_shared<std::vector<std::uint32_t>>(first, first + static_cast<std::ptrdiff_t>(rows));
    }
    add(what, sums);
}

void step_builder::clear(tensor_part result, std::uint64_t length, const std::string& what)
{
    add(what, copy_operation{result, literal(0), {1, 1, length}, {0, 0, 1}, {0, 0, 0}});
}

void step_builder::zero(std::size_t tensor, const std::string& what)
{
    vector_operation clearing{opcode::mask, {tensor}, {}, tensor_part{tensor}, {}, m_step.tensors[tensor].elements};
    clearing.zero_a = true;
    add(what, clearing);
}

std::size_t step_builder::spread(tensor_part a, std::uint64_t rows, std::uint64_t elements, const std::string& called)
{
    const auto z = words(called, rows * elements);
    const auto row = static_cast<std::int64_t>(elements);
    add(called, copy_operation{{z}, a, {1, rows, elements}, {0, row, 1}, {0, 1, 0}});
    return z;
}

void step_builder::gather(bus_array of, tensor_part result, const sample_values& values, const std::string& what)
{
    const std::uint64_t of_sample =
        of == bus_array::labels ? answer_words(m_model.loss, m_model.classes()) : m_model.features();
    const auto next_block = m_contractions.blocks > 1 ? static_cast<std::int64_t>(m_contractions.samples) : 0;
    const std::uint64_t epoch = m_batches * m_contractions.blocks * m_contractions.samples; // takes each sample once
    add(what, transfer_operation{transfer_kind::gather,
                                 {of},
                                 values.first,
                                 {{values.samples, static_cast<std::int64_t>(of_sample)}, {values.count, 1}},
                                 result,
                                 tensor_part{m_step.list, values.first_sample, next_block},
                                 {},
                                 epoch});
}

std::size_t step_builder::operand_of(passed_values& values)
{
    if (values.are_features()) {
        values.operand = tensor(values.name, values.length, element_type::bf16);
        gather(bus_array::features, {*values.operand}, values.length / batch(), "gather " + values.name);
    }
    if (!values.operand) { values.operand = rounded(*values.words, values.length, "round " + values.name); }
    return *values.operand;
}

std::size_t step_builder::words_of(passed_values& values)
{
    if (!values.words) {
        operand_of(values);
        values.words = made_of(opcode::unpack_bf16, values.name + " in float32", {tensor_part{*values.operand}, {}, {}},
                               values.length);
    }
    return *values.words;
}

void step_builder::place(graph_tensor_number tensor, tensor_part part) { m_places[tensor.graph][tensor.tensor] = part; }

tensor_part step_builder::place_of(graph_tensor_number tensor, bool wide)
{
    auto& place = m_places[tensor.graph][tensor.tensor];
    if (place) { return *place; }
    const auto* parameter = m_contractions.parameter_of(tensor);
    if (parameter != nullptr && parameter->is_core) {
        return copy(static_cast<std::size_t>(parameter - m_contractions.parameters.data()));
    }
    if (const auto* of = m_contractions.parameter_of_gradient(tensor)) {
        return gradient(static_cast<std::size_t>(of - m_contractions.parameters.data()));
    }
    const auto& graph = m_contractions.graphs[tensor.graph];
    place = tensor_part{this->tensor(graph.graph.tensors[tensor.tensor].name, graph.layouts.layout[tensor.tensor].span,
                                     wide ? element_type::f32 : element_type::bf16)};
    return *place;
}

void step_builder::forget_rows(std::size_t graph)
{
    const auto& of = m_contractions.graphs[graph].graph;
    for (std::size_t t = 0; t < of.tensors.size(); ++t) {
        const bool is_of_parameters =
            m_contractions.parameter_of({graph, t}) != nullptr ||
            m_contractions.parameter_of_gradient({graph, t}) != nullptr ||
            (of.maker(t) && of.contractions[*of.maker(t)].phase == step_phase::fp && !of.is_batched(t));
        if (!is_of_parameters) { m_places[graph][t].reset(); }
    }
}

void step_builder::contract(std::size_t graph, std::size_t contraction, bool wide, const std::string& of)
{
    const auto& all = m_contractions.graphs[graph].graph;
    const auto& c = all.contractions[contraction];
    const auto a = place_of({graph, c.a}, false), b = place_of({graph, c.b}, false),
               result = place_of({graph, c.result}, wide);
    m_step.operations.push_back(
        {c.phase, "contract " + all.tensors[c.a].name + "." + all.tensors[c.b].name + of,
         contract_operation{graph, contraction, a, b, result, m_contractions.graphs[graph].cycles[contraction]}});
    if (const auto* of = m_contractions.parameter_of_gradient({graph, c.result})) {
        const auto parameter = static_cast<std::size_t>(of - m_contractions.parameters.data());
        if (m_of_block[parameter] == result.tensor) {
            const auto phase = m_phase;
            enter(step_phase::wg);
            add_gradient(parameter);
            enter(phase);
        }
    }
}

} // namespace tensorloom::workloads
