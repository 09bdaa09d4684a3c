#include <tensorloom/workloads/training/model_file.h>
#include <algorithm>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>
#include <tensorloom/models/base/files/yaml_document.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/workloads/input_file.h>
#include <tensorloom/workloads/training/shipped_data.h>

namespace tensorloom::workloads {
namespace {

using base::yaml_value;

constexpr std::uint64_t largest_factor = (std::uint64_t{1} << 31) - 1;

constexpr const char* layer_kinds[] = {
    "linear", "embedding", "convolution", "lstm", "encoder",
};

// The keys of a map, each with what reads its value.
using key_readers = std::map<std::string, std::function<void(const yaml_value&)>>;

class model_reader {
public:
    explicit model_reader(std::string origin) : m_origin(std::move(origin)) {}

    model_description read(const std::string& text)
    {
        base::yaml_node root;
        try {
            root = base::parse_yaml(text);
        } catch (const base::yaml_error& e) {
            throw base::input_error(m_origin + ":" + std::to_string(e.line) + ": not valid YAML: " + e.what());
        }
        model_description model;
        auto& o = model.optimizer;
        const key_readers of_optimizer{
            {"kind", [&](const auto& v) { o.kind = named<optimizer_kind>(v, optimizer_values); }},
            {"rate", [&](const auto& v) { o.rate = number(v); }},
            {"momentum", [&](const auto& v) { o.momentum = number(v); }},
            {"first_decay", [&](const auto& v) { o.first_decay = number(v); }},
            {"second_decay", [&](const auto& v) { o.second_decay = number(v); }},
            {"epsilon", [&](const auto& v) { o.epsilon = number(v); }},
            {"rate_decay", [&](const auto& v) { o.rate_decay = number(v); }},
        };
        read_map(*root, {
                            {"data", [&](const auto& v) { model.data = named<sample_set>(v, sample_set_values); }},
                            {"epochs", [&](const auto& v) { model.epochs = whole(v); }},
                            {"batch", [&](const auto& v) { model.batch = whole(v); }},
                            {"optimizer", [&](const auto& v) { read_map(v, of_optimizer); }},
                            {"layers", [&](const auto& v) { read_layers(v, model); }},
                        });
        base::complaining_of(m_origin, [&] { check_model(model); });
        return model;
    }

private:
    [[noreturn]] void refuse(const yaml_value& value, const std::string& expected) const
    {
        throw base::input_error(m_origin + ":" + std::to_string(value.line) + ": found " + value.described() +
                                ", expected " + expected);
    }

    void read_map(const yaml_value& map, const key_readers& readers) const
    {
        std::string names;
        for (const auto& [name, reader] : readers) { names += (names.empty() ? "" : ", ") + name; }
        if (map.what != yaml_value::kind::map) { refuse(map, "a map with some of " + names); }
        std::map<std::string, unsigned> seen;
        for (const auto& [key, value] : map.entries) {
            const auto reader = readers.find(key->text);
            if (key->what != yaml_value::kind::text || reader == readers.end()) { refuse(*key, "one of " + names); }
            if (++seen[key->text] > 1) { refuse(*key, "each key once"); }
            reader->second(*value);
        }
    }

    void read_layers(const yaml_value& list, model_description& model) const
    {
        if (list.what != yaml_value::kind::list) { refuse(list, "a list of layers"); }
        for (const auto& item : list.items) {
            model_layer layer;
            layer.name = "layer " + std::to_string(model.layers.size() + 1);
            const auto kind = kind_of(*item);
            if (kind == "linear") { layer.what = read_linear(*item, layer.name); }
            if (kind == "embedding") { layer.what = read_embedding(*item, layer.name); }
            if (kind == "convolution") { layer.what = read_convolution(*item, layer.name); }
            if (kind == "lstm") { layer.what = read_lstm(*item, layer.name); }
            if (kind == "encoder") { layer.what = read_encoder(*item, layer.name); }
            model.layers.push_back(std::move(layer));
        }
    }

    // What the key `kind` of a layer says, if it has one.
    std::string kind_of(const yaml_value& layer) const
    {
        for (const auto& [key, value] : layer.entries) {
            if (key->text != "kind") { continue; }
            std::string names;
            for (const char* kind : layer_kinds) {
                if (text_of(*value) == kind) { return kind; }
                names += (names.empty() ? "" : ", ") + std::string(kind);
            }
            refuse(*value, "one of " + names);
        }
        return layer_kinds[0];
    }

    // The keys of a layer: those that all kinds have, and its own.
    void read_layer(const yaml_value& item, std::string& name, key_readers readers) const
    {
        readers.insert({"kind", [](const auto& /*read before*/) {}});
        readers.insert({"name", [&](const auto& v) { name = text_of(v); }});
        read_map(item, readers);
    }

    // Keys of a matrix, dense or a tensor network; to be completed when all keys are read.
    struct read_matrix {
        linear_map map;
        std::vector<std::uint64_t> ranks;
        bool has_order = false; // the key `order`
    };
    key_readers matrix_keys(read_matrix& of) const
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
    linear_map completed(read_matrix of, const yaml_value& item, const std::string& name) const
    {
        auto& shape = of.map.shape;
        if (shape.rows.empty() || shape.columns.empty()) {
            throw base::input_error(m_origin + ":" + std::to_string(item.line) + ": layer " + name + " has no " +
                                    (shape.rows.empty() ? "rows" : "cols") + ", expected a matrix with rows and cols");
        }
        const bool is_chain = shape.format == layer_format::tt || shape.format == layer_format::tr;
        if ((of.map.dense && !of.ranks.empty()) || (of.has_order && !is_chain)) {
            throw base::input_error(
                m_origin + ":" + std::to_string(item.line) + ": layer " + name + " has " +
                (of.has_order ? "an order, expected it of tt and tr alone" : "ranks, expected none of a dense layer"));
        }
        if (of.map.dense && (shape.rows.size() != 1 || shape.columns.size() != 1)) {
            refuse(item, "one factor of rows and one of cols in a dense layer");
        }
        const bool none = rank_count(shape.format, shape.rows.size(), shape.columns.size()) == 0;
        base::complaining_of(m_origin + ":" + std::to_string(item.line) + ": layer " + name, [&] {
            if (!none) { shape.ranks = completed_ranks(of.ranks, shape); }
            check_layer(shape);
        });
        return of.map;
    }

    linear_layer read_linear(const yaml_value& item, std::string& name) const
    {
        linear_layer layer;
        read_matrix matrix;
        auto keys = matrix_keys(matrix);
        keys.insert({"frames", [&](const auto& v) { layer.frames = whole(v); }});
        keys.insert(
            {"activation", [&](const auto& v) { layer.activation = named<activation_kind>(v, activation_values); }});
        read_layer(item, name, keys);
        layer.map = completed(matrix, item, name);
        return layer;
    }

    embedding_layer read_embedding(const yaml_value& item, std::string& name) const
    {
        embedding_layer layer;
        read_layer(item, name,
                   {
                       {"vocabulary", [&](const auto& v) { layer.vocabulary = whole(v); }},
                       {"frames", [&](const auto& v) { layer.frames = whole(v); }},
                       {"features", [&](const auto& v) { layer.features = whole(v); }},
                       {"positions", [&](const auto& v) { layer.positions = flag(v); }},
                   });
        return layer;
    }

    convolution_layer read_convolution(const yaml_value& item, std::string& name) const
    {
        convolution_layer layer;
        read_matrix matrix;
        auto keys = matrix_keys(matrix);
        keys.insert({
            {"height", [&](const auto& v) { layer.height = whole(v); }},
            {"width", [&](const auto& v) { layer.width = whole(v); }},
            {"channels", [&](const auto& v) { layer.channels = whole(v); }},
            {"kernel", [&](const auto& v) { std::tie(layer.kernel_height, layer.kernel_width) = kernel(v); }},
            {"stride", [&](const auto& v) { layer.stride = whole(v); }},
            {"padding", [&](const auto& v) { layer.padding = whole(v); }},
            {"patches", [&](const auto& v) { layer.patches_from = named<patch_source>(v, patch_source_values); }},
            {"activation", [&](const auto& v) { layer.activation = named<activation_kind>(v, activation_values); }},
        });
        read_layer(item, name, keys);
        layer.map = completed(matrix, item, name);
        return layer;
    }

    std::pair<std::uint64_t, std::uint64_t> kernel(const yaml_value& value) const
    {
        const auto sizes = numbers(value, 'x', "3x3");
        if (sizes.size() != 2) { refuse(value, "height and width, like 3x3"); }
        return {sizes[0], sizes[1]};
    }

    // Of a dense matrix a layer may say rows and columns.
    static read_matrix with_sizes(read_matrix matrix, std::uint64_t rows, std::uint64_t columns)
    {
        auto& shape = matrix.map.shape;
        if (matrix.map.dense && shape.rows.empty()) { shape.rows = {rows}; }
        if (matrix.map.dense && shape.columns.empty()) { shape.columns = {columns}; }
        return matrix;
    }

    lstm_layer read_lstm(const yaml_value& item, std::string& name) const
    {
        lstm_layer layer;
        read_matrix weights, of_hidden;
        weights.map.dense = of_hidden.map.dense = true;
        of_hidden.map.bias = false;
        auto hidden_keys = matrix_keys(of_hidden);
        hidden_keys.erase("bias");
        auto keys = matrix_keys(weights);
        keys.insert({"frames", [&](const auto& v) { layer.frames = whole(v); }});
        keys.insert({"features", [&](const auto& v) { layer.features = whole(v); }});
        keys.insert({"hidden", [&](const auto& v) { layer.hidden = whole(v); }});
        keys.insert({"hidden_weights", [&](const auto& v) { read_map(v, hidden_keys); }});
        keys.insert(
            {"output", [&](const auto& v) { layer.output = named<sequence_output>(v, sequence_output_values); }});
        read_layer(item, name, keys);
        base::complaining_of(m_origin + ":" + std::to_string(item.line) + ": layer " + name,
                             [&] { layer.check_sizes(); });
        const std::uint64_t rows = lstm_layer::gates * layer.hidden;
        layer.weights = completed(with_sizes(weights, rows, layer.features), item, name);
        layer.hidden_weights = completed(with_sizes(of_hidden, rows, layer.hidden), item, name);
        return layer;
    }

    encoder_layer read_encoder(const yaml_value& item, std::string& name) const
    {
        encoder_layer layer;
        read_matrix attention, up, down;
        for (auto* matrix : {&attention, &up, &down}) { matrix->map.dense = true; }
        const auto keys_of = [this](read_matrix& matrix) {
            return [this, &matrix](const auto& v) { read_map(v, matrix_keys(matrix)); };
        };
        read_layer(item, name,
                   {
                       {"frames", [&](const auto& v) { layer.frames = whole(v); }},
                       {"features", [&](const auto& v) { layer.features = whole(v); }},
                       {"heads", [&](const auto& v) { layer.heads = whole(v); }},
                       {"hidden", [&](const auto& v) { layer.hidden = whole(v); }},
                       {"norm", [&](const auto& v) { layer.norm = named<norm_place>(v, norm_place_values); }},
                       {"epsilon", [&](const auto& v) { layer.epsilon = number(v); }},
                       {"attention", keys_of(attention)},
                       {"up", keys_of(up)},
                       {"down", keys_of(down)},
                   });
        base::complaining_of(m_origin + ":" + std::to_string(item.line) + ": layer " + name,
                             [&] { layer.check_sizes(); });
        layer.attention = completed(with_sizes(attention, layer.features, layer.features), item, name + ", attention");
        layer.up = completed(with_sizes(up, layer.hidden, layer.features), item, name + ", up");
        layer.down = completed(with_sizes(down, layer.features, layer.hidden), item, name + ", down");
        return layer;
    }

    void read_format(const yaml_value& value, linear_map& map) const
    {
        map.dense = text_of(value) == "dense";
        map.shape.format = map.dense ? layer_format::ttm : named<layer_format>(value, layer_format_values, "dense, ");
    }

    const std::string& text_of(const yaml_value& value) const
    {
        if (value.what != yaml_value::kind::text || value.text.empty()) { refuse(value, "a single value"); }
        return value.text;
    }

    float number(const yaml_value& value) const
    {
        const auto read = base::parse_number<double>(text_of(value));
        if (!read) { refuse(value, "a number"); }
        return static_cast<float>(*read);
    }

    std::uint64_t whole(const yaml_value& value) const
    {
        const auto read = base::parse_number<std::uint64_t>(text_of(value));
        if (!read) { refuse(value, "a whole number"); }
        return *read;
    }

    bool flag(const yaml_value& value) const
    {
        const auto& text = text_of(value);
        if (text != "true" && text != "false") { refuse(value, "true or false"); }
        return text == "true";
    }

    std::vector<std::uint64_t> numbers(const yaml_value& value, char between, const char* example) const
    {
        std::vector<std::uint64_t> all;
        for (const auto part : base::split(text_of(value), between)) {
            const auto read = base::parse_number<std::uint64_t>(part);
            if (!read || *read < 1 || *read > largest_factor) {
                refuse(value, std::string("whole numbers from 1 to 2147483647, like ") + example);
            }
            all.push_back(*read);
        }
        return all;
    }

    template <class E, std::size_t N>
    E named(const yaml_value& value, const base::named_value (&all)[N], std::string names = {}) const
    {
        for (const auto& one : all) {
            if (text_of(value) == one.name) { return static_cast<E>(one.value); }
            names += std::string(one.name) + ", ";
        }
        refuse(value, "one of " + names.substr(0, names.size() - 2));
    }

    std::string m_origin;
};

} // namespace

model_description parse_model(const std::string& text, const std::string& origin)
{
    auto model = model_reader(origin).read(text);
    model.name = origin;
    return model;
}

bool is_shipped_model(const std::string& name)
{
    const auto* end = shipped_models + shipped_models_count;
    return std::any_of(shipped_models, end, [&](const auto& m) { return name == m.name; });
}

std::string shipped_model_names()
{
    std::string names;
    for (std::size_t m = 0; m < shipped_models_count; ++m) {
        names += (names.empty() ? "" : ", ") + std::string(shipped_models[m].name);
    }
    return names;
}

model_description load_model(const std::string& name_or_path)
{
    for (std::size_t m = 0; m < shipped_models_count; ++m) {
        if (name_or_path == shipped_models[m].name) { return parse_model(shipped_models[m].text, name_or_path); }
    }
    const auto bytes = input_file_bytes(name_or_path, shipped_model_names() + ", or a YAML file");
    if (bytes > base::largest_yaml_file) {
        throw base::input_error("'" + name_or_path + "' has " + std::to_string(bytes) +
                                " bytes, expected a model of at most 1 MiB");
    }
    std::ostringstream text;
    text << std::ifstream(name_or_path, std::ios::binary).rdbuf();
    return parse_model(text.str(), name_or_path);
}

} // namespace tensorloom::workloads
