#include <tensorloom/workloads/training/layers/layer_reader.h>
#include <variant>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/training/model.h>

namespace tensorloom::workloads {

using base::yaml_value;

namespace {

// A kind by its name, and what reads it.
struct kind_reader {
    const char* name;
    layer_kind (*read)(layer_reader&);
};
template <class... Kinds> std::vector<kind_reader> readers_of(const std::variant<Kinds...>& /*any*/)
{
    return {{Kinds::kind_name, [](layer_reader& from) { return layer_kind(Kinds::read(from)); }}...};
}

// What the key `kind` of a layer says, if it has one.
kind_reader kind_of(const base::yaml_fields& file, const yaml_value& layer)
{
    const auto kinds = readers_of(layer_kind());
    for (const auto& [key, value] : layer.entries) {
        if (key->text != "kind") { continue; }
        std::string names;
        for (const auto& kind : kinds) {
            if (file.text_of(*value) == kind.name) { return kind; }
            names += (names.empty() ? "" : ", ") + std::string(kind.name);
        }
        file.refuse(*value, "one of " + names);
    }
    return kinds.front();
}

} // namespace

std::vector<model_layer> read_layers(const base::yaml_fields& file, const yaml_value& list, std::uint64_t inputs)
{
    if (list.what != yaml_value::kind::list) { file.refuse(list, "a list of layers"); }
    std::vector<model_layer> layers;
    for (const auto& item : list.items) {
        layer_reader from(file, *item, "layer " + std::to_string(layers.size() + 1), inputs);
        auto what = kind_of(file, *item).read(from);
        base::complaining_of(from.called(), [&] { std::visit([](const auto& l) { l.check(); }, what); });
        layers.push_back({from.name(), std::move(what)});
        inputs = outputs_of(layers.back());
    }
    return layers;
}

void layer_reader::read_keys(base::key_readers of_kind)
{
    of_kind.insert({"kind", [](const auto& /*read before*/) {}});
    of_kind.insert({"name", [&](const auto& v) { m_name = text_of(v); }});
    read_map(m_item, of_kind);
}

std::string layer_reader::called() const { return place_of(m_item) + ": layer " + m_name; }

base::key_readers layer_reader::matrix_keys(read_matrix& of) const
{
    return {
        {"format", [&](const auto& v) { read_format(v, of.map); }},
        {"rows", [&](const auto& v) { of.map.shape.rows = numbers(v, 'x', "16x4"); }},
        {"cols", [&](const auto& v) { of.map.shape.columns = numbers(v, 'x', "16x4"); }},
        {"ranks", [&](const auto& v) { of.ranks = numbers(v, ',', "4,8"); }},
        {"blocks", [&](const auto& v) { of.map.shape.blocks = whole(v); }},
        {"order",
         [&](const auto& v) {
             of.map.shape.order = named<core_order>(v, core_order_values);
             of.has_order = true;
         }},
        {"bias", [&](const auto& v) { of.map.bias = flag(v); }},
    };
}

void layer_reader::read_format(const yaml_value& value, linear_map& map) const
{
    map.dense = text_of(value) == "dense";
    map.shape.format = map.dense ? layer_format::ttm : named<layer_format>(value, layer_format_values, "dense, ");
}

linear_map layer_reader::completed(read_matrix of, const std::string& part) const
{
    auto& shape = of.map.shape;
    if (shape.rows.empty() || shape.columns.empty()) {
        throw base::input_error(called() + part + " has no " + (shape.rows.empty() ? "rows" : "cols") +
                                ", expected a matrix with rows and cols");
    }
    const bool is_chain = shape.format == layer_format::tt || shape.format == layer_format::tr;
    if ((of.map.dense && !of.ranks.empty()) || (of.has_order && !is_chain)) {
        throw base::input_error(
            called() + part + " has " +
            (of.has_order ? "an order, expected it of tt and tr alone" : "ranks, expected none of a dense layer"));
    }
    if (of.map.dense && (shape.rows.size() != 1 || shape.columns.size() != 1)) {
        refuse(m_item, "one factor of rows and one of cols in a dense layer");
    }
    const bool none = rank_count(shape.format, shape.rows.size(), shape.columns.size()) == 0;
    base::complaining_of(called() + part, [&] {
        if (!none) { shape.ranks = completed_ranks(of.ranks, shape); }
        check_layer(shape);
    });
    return of.map;
}

read_matrix layer_reader::with_sizes(read_matrix matrix, std::uint64_t rows, std::uint64_t columns)
{
    auto& shape = matrix.map.shape;
    if (matrix.map.dense && shape.rows.empty()) { shape.rows = {rows}; }
    if (matrix.map.dense && shape.columns.empty()) { shape.columns = {columns}; }
    return matrix;
}

} // namespace tensorloom::workloads
