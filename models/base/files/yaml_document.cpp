#include <tensorloom/models/base/files/yaml_document.h>
#include <algorithm>
#include <map>
#include <sstream>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

namespace tensorloom::base {

std::string yaml_value::described() const
{
    switch (what) {
    case kind::nothing: return "nothing";
    case kind::list: return "a list";
    case kind::map: return "a map";
    default: return in_quotes(text);
    }
}

namespace {

constexpr std::size_t most_aliased = std::size_t{1} << 20;
constexpr unsigned most_levels = 64;

[[noreturn]] void refuse(const YAML::Mark& mark, const std::string& found)
{
    throw yaml_error(static_cast<unsigned>(mark.line + 1), static_cast<unsigned>(mark.column + 1), found);
}

// Builds values from the events of yaml-cpp's parser. YAML::Load() and LoadAll() expand aliases without a limit, and
// may find documents without end.
class value_builder : public YAML::EventHandler {
public:
    const yaml_node& document() const { return m_document; }

    void OnDocumentStart(const YAML::Mark& mark) override
    {
        if (m_started) { refuse(mark, "a second document, expected one"); }
        m_started = true;
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        auto value = begun(mark); // of an omitted value the mark is that of the text after it
        if (!m_open.empty() && m_open.back().key != nullptr) { value->line = m_open.back().key->line; }
        add(std::move(value), anchor, 1, 0);
    }
    void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor, const std::string& text) override
    {
        auto value = begun(mark, yaml_value::kind::text);
        value->text = text;
        add(std::move(value), anchor, text.size() + 1, 0);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override
    {
        const auto found = m_anchored.find(anchor);
        if (found == m_anchored.end()) { refuse(mark, "an alias inside the value that it names"); }
        const auto& [value, weight, levels] = found->second;
        m_aliased += weight;
        if (m_aliased > most_aliased) { refuse(mark, "aliases that expand to more than 1 MiB"); }
        check_levels(mark, levels);
        add(value, 0, weight, levels);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override
    {
        open(mark, yaml_value::kind::list, anchor);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override
    {
        open(mark, yaml_value::kind::map, anchor);
    }
    void OnMapEnd() override { close(); }

private:
    struct open_value {
        std::shared_ptr<yaml_value> value;
        YAML::anchor_t anchor;
        std::size_t weight = 1;
        unsigned levels = 1;
        yaml_node key; // of a map, until its value has been read
    };
    struct anchored_value {
        yaml_node value;
        std::size_t weight;
        unsigned levels;
    };

    static std::shared_ptr<yaml_value> begun(const YAML::Mark& mark, yaml_value::kind kind = yaml_value::kind::nothing)
    {
        auto value = std::make_shared<yaml_value>();
        value->what = kind;
        value->line = static_cast<unsigned>(mark.line + 1);
        return value;
    }

    void check_levels(const YAML::Mark& mark, unsigned more) const
    {
        if (m_open.size() + more > most_levels) {
            refuse(mark, "values nested more than " + std::to_string(most_levels) + " deep");
        }
    }

    void open(const YAML::Mark& mark, yaml_value::kind kind, YAML::anchor_t anchor)
    {
        check_levels(mark, 1);
        m_open.push_back({begun(mark, kind), anchor, 1, 1, nullptr});
    }
    void close()
    {
        const open_value done = std::move(m_open.back());
        m_open.pop_back();
        add(done.value, done.anchor, done.weight, done.levels);
    }

    // `weight`: size for the limit on aliases. `levels`: depth of lists and maps.
    void add(yaml_node value, YAML::anchor_t anchor, std::size_t weight, unsigned levels)
    {
        if (anchor != 0) { m_anchored[anchor] = {value, weight, levels}; }
        if (m_open.empty()) {
            m_document = std::move(value);
            return;
        }
        open_value& around = m_open.back();
        around.weight += weight;
        around.levels = std::max(around.levels, levels + 1);
        if (around.value->what == yaml_value::kind::list) {
            around.value->items.push_back(std::move(value));
        } else if (around.key == nullptr) {
            around.key = std::move(value);
        } else {
            around.value->entries.emplace_back(std::move(around.key), std::move(value));
            around.key = nullptr;
        }
    }

    bool m_started = false;
    yaml_node m_document = std::make_shared<yaml_value>();
    std::vector<open_value> m_open; // the innermost last
    std::map<YAML::anchor_t, anchored_value> m_anchored;
    std::size_t m_aliased = 0;
};

} // namespace

yaml_node parse_yaml(const std::string& text)
{
    std::istringstream stream(text);
    value_builder builder;
    try {
        YAML::Parser parser(stream);
        while (parser.HandleNextDocument(builder)) {} // the builder refuses the second
    } catch (const YAML::Exception& error) {
        refuse(error.mark, error.msg);
    }
    return builder.document();
}

} // namespace tensorloom::base
