#include <tensorloom/workloads/training/network_step_builder.h>
#include <algorithm>
#include <cstring>

namespace tensorloom::workloads {

using base::element_type;
using isa::vector::opcode;

step_builder::step_builder(const model_description& model, const model_contractions& contractions,
                           literal_list& literals)
    : m_model(model), m_contractions(contractions), m_literals(literals)
{
    auto& s = m_step;
    const std::uint64_t parameters = contractions.parameter_elements;
    s.masters = staying("masters", parameters, element_type::f32);
    s.copies = staying("parameters in bf16", parameters, element_type::bf16);
    s.constants = staying("constants", step_constants, element_type::f32);
    s.literals = staying("literals", 1, element_type::f32);
    s.ones = staying("ones", contractions.most_rows, element_type::bf16);
    s.list = tensor("numbers of samples", batch(), element_type::f32);
    s.metrics = tensor("metrics", step_metrics, element_type::f32);
    for (const auto& graph : contractions.graphs) { m_places.emplace_back(graph.graph.tensors.size()); }
}

std::size_t step_builder::tensor(std::string called, std::uint64_t elements, element_type type)
{
    m_step.tensors.push_back({std::move(called), elements, type, false, m_layer});
    return m_step.tensors.size() - 1;
}

std::size_t step_builder::staying(std::string called, std::uint64_t elements, element_type type)
{
    const auto t = tensor(std::move(called), elements, type);
    m_step.tensors[t].stays = true;
    return t;
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
    m_step.tensors[m_step.literals].elements = std::max<std::uint64_t>(m_literals.size(), 1);
    return std::move(m_step);
}

tensor_part step_builder::master(std::size_t parameter) const
{
    return {m_step.masters, m_contractions.parameters[parameter].offset};
}

tensor_part step_builder::gradient(std::size_t parameter) const
{
    return {m_step.gradients, m_contractions.parameters[parameter].offset};
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
    add(what, vector_operation{opcode::scatter_add, result, a, indices, {}, rows, elements, false, result_rows});
}

void step_builder::clear(tensor_part result, std::uint64_t length, const std::string& what)
{
    add(what, copy_operation{result, literal(0), {1, 1, length}, {0, 0, 1}, {0, 0, 0}});
}

std::size_t step_builder::spread(tensor_part a, std::uint64_t rows, std::uint64_t elements, const std::string& called)
{
    const auto z = words(called, rows * elements);
    const auto row = static_cast<std::int64_t>(elements);
    add(called, copy_operation{{z}, a, {1, rows, elements}, {0, row, 1}, {0, 1, 0}});
    return z;
}

std::size_t step_builder::operand_of(passed_values& values)
{
    if (!values.operand) { values.operand = rounded(*values.words, values.length, "round " + values.name); }
    return *values.operand;
}

std::size_t step_builder::words_of(passed_values& values)
{
    if (!values.words) {
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
    if (parameter != nullptr && parameter->is_core) { return {m_step.copies, parameter->offset}; }
    if (const auto* of = m_contractions.parameter_of_gradient(tensor)) { return {m_step.gradients, of->offset}; }
    const auto& graph = m_contractions.graphs[tensor.graph];
    place = tensor_part{this->tensor(graph.graph.tensors[tensor.tensor].name, graph.layouts.layout[tensor.tensor].span,
                                     wide ? element_type::f32 : element_type::bf16)};
    return *place;
}

void step_builder::contract(std::size_t graph, std::size_t contraction, bool wide, const std::string& of)
{
    const auto& all = m_contractions.graphs[graph].graph;
    const auto& c = all.contractions[contraction];
    const auto a = place_of({graph, c.a}, false), b = place_of({graph, c.b}, false),
               result = place_of({graph, c.result}, wide);
    m_step.operations.push_back({c.phase, "contract " + all.tensors[c.a].name + "." + all.tensors[c.b].name + of,
                                 contract_operation{graph, contraction, a, b, result}});
}

} // namespace tensorloom::workloads
