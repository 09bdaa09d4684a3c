#include <tensorloom/workloads/training/model_contractions.h>
#include <algorithm>
#include <limits>
#include <numeric>
#include <tensorloom/models/fetta/isa/bank_conflicts.h>
#include <tensorloom/models/fetta/isa/schedule.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/step_planner/contract_choice.h>
#include <tensorloom/workloads/step_planner/step_places.h>

namespace tensorloom::workloads {
namespace {

// The graph of a map in reverse mode, and the gradient of its bias, dbias, the last tensor: the sum of dY over the
// rows, a product with ones.
contraction_graph graph_of(const linear_map& map, std::uint64_t rows, bool with_dx, linear_contractions& made)
{
    auto shape = map.shape;
    shape.batch = rows;
    auto graph = step_graph(shape, *named_sequence(forward_network(shape), "csse-macs"), with_dx);
    for (const auto& c : graph.contractions) {
        if (c.phase == step_phase::fp) { made.y = c.result; }
    }
    made.rows = rows;
    made.dy = *graph.gradient(made.y);
    made.dx = graph.gradient(made.x);
    if (map.bias) {
        made.ones = graph.tensors.size();
        graph.tensors.push_back({"ones", {graph.batch}, std::nullopt});
        auto outputs = graph.tensors[made.y].modes;
        outputs.erase(std::find(outputs.begin(), outputs.end(), graph.batch));
        graph.tensors.push_back({"dbias", std::move(outputs), std::nullopt});
        graph.contractions.push_back({step_phase::wg, *made.ones, made.dy, graph.tensors.size() - 1});
    }
    return graph;
}

// C order, with rows of so many elements of which the tensor has the first ones.
mode_layout layout_in_rows(const contraction_graph& graph, std::size_t tensor, std::uint64_t row)
{
    auto layout = natural_layout(graph, tensor);
    if (layout.order.empty() || layout.order.front() != graph.batch) { return layout; } // one row
    layout.span += (row - layout.stride.front()) * (graph.modes[graph.batch].size - 1);
    layout.stride.front() = row;
    return layout;
}

// C order, and the same with 1, 2, 4, ... rows of a bank, fewer than there are banks, behind each sample.
std::vector<mode_layout> pitched_layouts(const contraction_graph& graph, std::size_t tensor,
                                         const fetta::device_limits& g)
{
    std::vector<mode_layout> all{natural_layout(graph, tensor)};
    const mode_layout dense = all.front();
    if (dense.order.empty() || dense.order.front() != graph.batch) { return all; } // one sample
    const std::uint64_t rows = (dense.stride.front() + g.side - 1) / g.side;
    for (std::uint64_t gap = 1; gap < g.engines; gap *= 2) {
        all.push_back(layout_in_rows(graph, tensor, (rows + gap) * g.side));
    }
    return all;
}

// Replaces the gradient of a dense W by that of all frames: its operands are X and dY with one mode more, the last one
// of the graph.
void sum_over_frames(contraction_graph& graph, std::uint64_t frames, linear_contractions& made)
{
    const auto frame = static_cast<unsigned>(graph.modes.size());
    graph.modes.push_back({"frame", frames});
    const auto of_all = [&](std::size_t tensor) {
        auto all = graph.tensors[tensor];
        all.name += " of all frames";
        all.gradient_of.reset();
        all.modes.insert(all.modes.begin(), frame);
        graph.tensors.push_back(std::move(all));
        return graph.tensors.size() - 1;
    };
    made.of_frames = linear_contractions::tensors_of_frames{of_all(made.x), of_all(made.dy)};
    for (auto& c : graph.contractions) {
        if (c.phase != step_phase::wg) { continue; }
        for (auto* operand : {&c.a, &c.b}) {
            if (*operand == made.x) { *operand = made.of_frames->x; }
            if (*operand == made.dy) { *operand = made.of_frames->dy; }
        }
    }
}

// C order, with rows of the batch of so many elements, and frames of so many.
mode_layout layout_in_frames(const contraction_graph& graph, std::size_t tensor, std::uint64_t row, std::uint64_t frame)
{
    auto layout = natural_layout(graph, tensor);
    layout.span = 1;
    for (std::size_t m = 0; m < layout.order.size(); ++m) {
        auto& stride = layout.stride[m];
        if (layout.order[m] == graph.batch) { stride = row; }
        if (layout.order[m] == graph.modes.size() - 1) { stride = frame; }
        layout.span += (graph.modes[layout.order[m]].size - 1) * stride;
    }
    return layout;
}

// A CONTRACT counts its flat indices in 32 bits, which are more than the largest memory has elements; those of a tensor
// are bounded so that its bytes are a number.
void check_extents(const contraction_graph& graph, const fetta::device_limits& g, const std::string& layer)
{
    constexpr std::uint64_t most_elements = std::uint64_t{1} << 56;
    const auto check_elements = [&](std::uint64_t elements, std::uint64_t most, const std::string& tensor) {
        const std::uint64_t bytes = elements * base::element_bytes(base::element_type::bf16);
        if (elements > most) { throw step_too_large(g, bytes, tensor + " of layer " + layer + " all of them"); }
    };
    for (const auto& tensor : graph.tensors) {
        std::uint64_t elements = 1;
        for (const unsigned m : tensor.modes) {
            const bool is_beyond = graph.modes[m].size > most_elements / elements;
            elements = is_beyond ? most_elements + 1 : elements * graph.modes[m].size;
            check_elements(elements, most_elements, tensor.name);
        }
    }
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        const auto e = extents_of(graph, groups_of(graph, c));
        const auto& of = graph.contractions[c];
        constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
        check_elements(std::max({e.batch, e.contracted, e.a_free}), most, graph.tensors[of.a].name);
        check_elements(e.b_free, most, graph.tensors[of.b].name);
    }
}

} // namespace

std::vector<std::uint64_t> model_contractions::places_of(const model_parameter& parameter) const
{
    std::vector<std::uint64_t> places(parameter.values);
    std::iota(places.begin(), places.end(), std::uint64_t{0});
    if (parameter.lies_as) {
        const auto& of = graphs[parameter.lies_as->graph];
        places = element_places(of.graph, parameter.lies_as->tensor, of.layouts.layout[parameter.lies_as->tensor]);
    }
    for (auto& place : places) { place += parameter.offset; }
    return places;
}

parameter_values model_contractions::in_parts(const parameter_values& whole) const
{
    parameter_values all;
    std::size_t from = 0;
    for (const auto& parameter : parameters) {
        const auto first = whole[from].begin() + static_cast<std::ptrdiff_t>(parameter.part * parameter.values);
        all.emplace_back(first, first + static_cast<std::ptrdiff_t>(parameter.values));
        if (parameter.part + 1 == parameter.parts) { ++from; }
    }
    return all;
}

parameter_values model_contractions::in_whole(const parameter_values& parts) const
{
    parameter_values all;
    for (std::size_t p = 0; p < parameters.size(); ++p) {
        if (parameters[p].part == 0) { all.emplace_back(); }
        all.back().insert(all.back().end(), parts[p].begin(), parts[p].end());
    }
    return all;
}

const model_parameter* model_contractions::parameter_of(graph_tensor_number tensor) const
{
    for (const auto& p : parameters) {
        if (p.lies_as && p.lies_as->graph == tensor.graph && p.lies_as->tensor == tensor.tensor) { return &p; }
    }
    return nullptr;
}

const model_parameter* model_contractions::parameter_of_gradient(graph_tensor_number tensor) const
{
    const auto source = graphs[tensor.graph].graph.tensors[tensor.tensor].gradient_of;
    if (source) { return parameter_of({tensor.graph, *source}); }
    const auto* bias = parameter_of(tensor);
    return bias != nullptr && !bias->is_core ? bias : nullptr;
}

layer_declaration::layer_declaration(model_contractions& all, layer_contractions& to, std::size_t layer,
                                     std::string name, const fetta::device_limits& g, operand_paths paths)
    : m_all(all), m_to(to), m_layer(layer), m_name(std::move(name)), m_limits(g), m_paths(paths)
{
    m_to.with_dx = !all.parameters.empty();
}

layer_declaration layer_declaration::inner(const std::string& name)
{
    return {m_all, m_to.inner.emplace_back(), m_layer, name + " of " + m_name, m_limits, m_paths};
}

void layer_declaration::add_random_stream(std::uint64_t numbers)
{
    m_to.random_stream = static_cast<std::uint32_t>(m_all.random_streams.size());
    m_all.random_streams.push_back(numbers);
}

std::size_t layer_declaration::plan(contraction_graph graph, const std::vector<layout_request::tensor>& wanted)
{
    check_extents(graph, m_limits, m_name);
    layout_request request{graph, m_limits, {}, {}};
    request.paths = m_paths;
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        request.contractions.push_back({1, false, m_limits.accumulator_rows()});
    }
    request.tensors = wanted;
    constexpr double least = 1e-6; // of equal layouts those without gaps
    for (auto& tensor : request.tensors) { tensor.cycles_per_gap = least; }
    auto layouts = choose_layouts(request);
    std::vector<double> cycles;
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        // Conflicts are counted row by row, which takes too long for very large contractions.
        constexpr std::uint64_t most_macs = std::uint64_t{1} << 28;
        const auto& of = graph.contractions[c];
        const auto& choice = layouts.choice[c];
        cycles.push_back(static_cast<double>(choice.cycles));
        if (graph.macs(c) > most_macs) { continue; }
        const auto& l = layouts.layout;
        const auto command = command_of(graph, choice, {&l[of.a], &l[of.b], &l[of.result]}, false);
        auto counts = fetta::contract_counts(command, m_limits);
        fetta::count_linear(fetta::linear_accesses(command, m_limits).all(), command, m_limits, counts);
        cycles.back() =
            static_cast<double>(fetta::ideal_cycles(command, m_limits).total() + counts[fetta::event::conflict_cycle]);
    }
    m_all.graphs.push_back({std::move(graph), std::move(layouts), std::move(cycles)});
    return m_all.graphs.size() - 1;
}

// The smallest number of pieces with which the tensors of each contraction occupy at most half of the memory; 1 if that
// needs too many.
std::uint64_t layer_declaration::pieces_of(const contraction_graph& graph, std::uint64_t rows, std::uint64_t unit) const
{
    constexpr std::uint64_t most = 64; // each has its own commands
    for (std::uint64_t pieces = 1; unit != 0 && pieces <= std::min(rows, most); ++pieces) {
        if (rows % pieces != 0 || (rows / pieces % unit != 0 && unit % (rows / pieces) != 0)) { continue; }
        const auto piece = with_batch(graph, rows / pieces);
        const bool fits = std::all_of(piece.contractions.begin(), piece.contractions.end(), [&](const auto& c) {
            const std::uint64_t elements = piece.elements(c.a) + piece.elements(c.b) + piece.elements(c.result);
            return elements <= m_limits.elements(base::element_type::bf16) / 2;
        });
        if (fits) { return pieces; }
    }
    return 1;
}

// The number of parts of a dense W: of a W that takes more than an eighth of the memory, the smallest one whose parts
// take at most a sixteenth, so that a part fits beside its gradient and its state, in float32. 1 if there is none, or
// if there are too many.
std::uint64_t layer_declaration::parts_of(const linear_map& map) const
{
    constexpr std::uint64_t most_whole = 8, most_part = 16; // shares of the memory
    constexpr std::uint64_t most = 256;                     // each has its own commands
    const std::uint64_t elements = map.outputs() * map.inputs(), all = m_limits.elements(base::element_type::bf16);
    if (!map.dense || elements <= all / most_whole) { return 1; }
    for (std::uint64_t parts = 2; parts <= std::min(map.outputs(), most); ++parts) {
        if (map.outputs() % parts == 0 && elements / parts <= all / most_part) { return parts; }
    }
    return 1;
}

// The gradient of the bias of a map in parts: the sum of dY over the rows of a piece.
void layer_declaration::add_bias(linear_contractions& made, std::uint64_t piece, const std::string& of)
{
    using bias = linear_contractions::bias_tensors;
    contraction_graph graph;
    graph.modes = {{"b", piece}, {"m", made.outputs}};
    graph.tensors = {{"ones", {0}, std::nullopt}, {"dY", {0, 1}, std::nullopt}, {"dbias", {1}, std::nullopt}};
    graph.contractions = {{step_phase::wg, bias::ones, bias::dy, bias::dbias}};
    std::vector<layout_request::tensor> wanted(graph.tensors.size());
    for (std::size_t t = 0; t < wanted.size(); ++t) { wanted[t].given = {natural_layout(graph, t)}; }
    made.graph_of_bias = plan(std::move(graph), wanted);
    made.bias = m_all.parameters.size();
    m_all.most_rows = std::max(m_all.most_rows, piece);
    add({"bias" + of, m_layer, made.outputs, graph_tensor_number{*made.graph_of_bias, bias::dbias}, false},
        made.pieces);
}

void layer_declaration::add_map(const linear_map& map, std::uint64_t rows, bool with_dx, const std::string& role,
                                row_pitch of_dy, std::uint64_t piece_unit)
{
    add(map, {rows, piece_unit, 0, with_dx, role, of_dy});
}

void layer_declaration::add_recurrent_map(const linear_map& map, std::uint64_t rows, std::uint64_t frames,
                                          const std::string& role)
{
    add(map, {rows, 0, frames, true, role, row_pitch::searched});
}

void layer_declaration::add(const linear_map& map, const map_request& request)
{
    const auto& [rows, piece_unit, frames, with_dx, role, of_dy] = request;
    linear_contractions made;
    const std::uint64_t parts = parts_of(map);
    const auto of_part = parts == 1 ? map : dense_map(map.outputs() / parts, map.inputs(), false);
    auto graph = graph_of(of_part, rows, with_dx, made);
    made.pieces = pieces_of(graph, rows, piece_unit);
    if (made.pieces > 1) { graph = graph_of(of_part, rows / made.pieces, with_dx, made); }
    const std::uint64_t piece = rows / made.pieces;
    made.rows = rows;
    made.outputs = map.outputs();
    const std::size_t dbias = graph.tensors.size() - 1; // where there is one
    if (frames != 0 && map.dense) { sum_over_frames(graph, frames, made); }
    const auto is_core = [&](std::size_t t) {
        const bool is_of_frames = made.of_frames && (t == made.of_frames->x || t == made.of_frames->dy);
        return t != made.x && t != made.dy && t != made.ones && !is_of_frames && !graph.maker(t).has_value();
    };
    std::vector<layout_request::tensor> wanted(graph.tensors.size());
    for (std::size_t t = 0; t < wanted.size(); ++t) {
        if (t == made.x || t == made.y || t == made.dy || t == made.dx || t == made.ones || (made.ones && t == dbias)) {
            wanted[t].given = {natural_layout(graph, t)};
        }
        if (parts > 1 && (t == made.y || t == made.dy)) { wanted[t].given = {layout_in_rows(graph, t, made.outputs)}; }
        const auto source = graph.tensors[t].gradient_of;
        if (source && is_core(*source)) { wanted[t].lies_as = source; }
    }
    if (made.of_frames) {
        const std::uint64_t pitch = (rows * map.inputs() + m_all.block - 1) / m_all.block * m_all.block;
        wanted[made.of_frames->x].given = {layout_in_frames(graph, made.of_frames->x, map.inputs(), pitch)};
        wanted[made.of_frames->dy].given = {
            layout_in_frames(graph, made.of_frames->dy, map.outputs(), rows * map.outputs())};
    }
    if (of_dy == row_pitch::searched && made.pieces == 1 && parts == 1) {
        const std::uint64_t words_per_cycle = std::uint64_t{m_limits.engines} * m_limits.side; // of all banks
        wanted[made.dy].given = pitched_layouts(graph, made.dy, m_limits);
        const std::uint64_t beats_of_row = (map.outputs() + words_per_cycle - 1) / words_per_cycle;
        wanted[made.dy].cycles_unless_first = static_cast<double>(rows * beats_of_row); // at most
    }
    made.graphs = {plan(graph, wanted)};
    for (std::uint64_t part = 1; part < parts; ++part) {
        made.graphs.push_back(m_all.graphs.size());
        m_all.graphs.push_back(planned_graph(m_all.graphs[made.graph()]));
    }
    const std::string of = (role.empty() ? "" : " of " + role) + " of " + m_name;
    for (std::uint64_t part = 0; part < parts; ++part) {
        for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
            if (!is_core(t)) { continue; }
            add({graph.tensors[t].name + of, m_layer, graph.elements(t), graph_tensor_number{made.graphs[part], t},
                 true, 0, 0, 1, part, parts},
                made.pieces);
        }
    }
    if (map.bias && parts == 1) {
        made.bias = m_all.parameters.size();
        m_all.most_rows = std::max(m_all.most_rows, piece);
        add({"bias" + of, m_layer, map.outputs(), graph_tensor_number{made.graph(), dbias}, false}, made.pieces);
    } else if (map.bias) {
        add_bias(made, piece, of);
    }
    m_to.maps.push_back(made);
}

void layer_declaration::add_graph(contraction_graph graph)
{
    std::vector<layout_request::tensor> wanted(graph.tensors.size());
    for (std::size_t t = 0; t < wanted.size(); ++t) { wanted[t].given = {natural_layout(graph, t)}; }
    m_to.graphs.push_back(plan(std::move(graph), wanted));
}

void layer_declaration::add_parameter(const std::string& name, std::uint64_t values)
{
    add({name + " of " + m_name, m_layer, values, std::nullopt, false});
}

void layer_declaration::add_region(const std::string& name, std::uint64_t elements, base::element_type type)
{
    m_to.regions.push_back(m_all.regions.size());
    m_all.regions.push_back({name + " of " + m_name, elements, type});
}

void layer_declaration::add(model_parameter parameter, std::uint64_t pieces)
{
    parameter.pieces = pieces;
    parameter.elements = parameter.values;
    if (const auto& as = parameter.lies_as) {
        parameter.elements = m_all.graphs[as->graph].layouts.layout[as->tensor].span;
    }
    m_to.parameters.push_back(m_all.parameters.size());
    m_all.parameters.push_back(std::move(parameter));
}

model_contractions contractions_of(const model_description& model, const fetta::device_limits& g, operand_paths paths,
                                   std::uint64_t samples)
{
    model_contractions all;
    all.samples = samples == 0 ? model.batch : std::min(samples, model.batch);
    all.blocks = (model.batch + all.samples - 1) / all.samples;
    all.layers.resize(model.layers.size());
    all.has_schedule = model.optimizer.has_schedule();
    all.block = place_granule(g) / base::element_bytes(base::element_type::bf16);
    for (std::size_t l = 0; l < model.layers.size(); ++l) {
        layer_declaration declaration(all, l, model.layers[l].name, g, paths);
        of_kind(model.layers[l],
                [&](const auto& kind) { kind.declare(all.samples, declaration.needs_dx(), declaration); });
    }
    for (const bool cores : {true, false}) {
        for (auto& parameter : all.parameters) {
            if (parameter.is_core != cores) { continue; }
            parameter.offset = all.parameter_elements;
            all.parameter_elements += (parameter.elements + all.block - 1) / all.block * all.block;
        }
    }
    return all;
}

} // namespace tensorloom::workloads
