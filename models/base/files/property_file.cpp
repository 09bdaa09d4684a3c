#include <tensorloom/models/base/files/property_file.h>
#include <algorithm>
#include <map>
#include <utility>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/files/yaml_fields.h>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::base {
namespace {

class property_reader : yaml_fields {
public:
    explicit property_reader(const std::string& origin) : yaml_fields(origin) {}

    std::vector<property_file::property> read(const yaml_value& root)
    {
        if (root.is_empty()) { return {}; }
        read_level(root, {});
        return std::move(m_properties);
    }

private:
    void read_level(const yaml_value& map, const std::string& above)
    {
        if (map.what != yaml_value::kind::map || map.entries.empty()) {
            refuse(map, "a map of properties, INSTANCE.FIELD: VALUE");
        }
        for (const auto& [key, value] : map.entries) {
            const std::string name = (above.empty() ? "" : above + ".") + text_of(*key);
            if (value->what == yaml_value::kind::map) {
                read_level(*value, name);
                continue;
            }
            check_name(*key, name);
            m_properties.push_back({name, text_of_value(*value), place_of(*key)});
        }
    }

    void check_name(const yaml_value& key, const std::string& name)
    {
        const auto parts = split(name, '.');
        if (parts.size() < 2 || std::find(parts.begin(), parts.end(), "") != parts.end()) {
            base::refuse(place_of(key), in_quotes(name), "a property INSTANCE.FIELD");
        }
        const auto [known, is_new] = m_places.emplace(name, place_of(key));
        if (!is_new) { base::refuse(place_of(key), in_quotes(name) + " again", "it once, as at " + known->second); }
    }

    std::string text_of_value(const yaml_value& value) const
    {
        if (value.what != yaml_value::kind::list) { return text_of(value); }
        if (value.items.empty()) { return "none"; }
        std::string all;
        for (const auto& item : value.items) { all += (all.empty() ? "" : ",") + text_of(*item); }
        return all;
    }

    std::vector<property_file::property> m_properties;
    std::map<std::string, std::string> m_places; // by name
};

} // namespace

property_file property_file::read(const std::string& path)
{
    return parse(read_whole_file(path, largest_yaml_file), path);
}

property_file property_file::parse(const std::string& text, const std::string& origin)
{
    property_file file;
    file.m_origin = origin;
    file.m_properties = property_reader(origin).read(*read_yaml(text, origin));
    return file;
}

void property_file::apply(const std::string& instance, const std::function<config_fields()>& fields,
                          const std::function<std::optional<std::string>()>& check) const
{
    m_instances.insert(instance);
    const auto table = fields();
    std::vector<std::pair<std::size_t, const property*>> found; // by place in the table
    for (const auto& p : m_properties) {
        const auto dot = p.name.rfind('.');
        if (p.name.compare(0, dot, instance) != 0) { continue; }
        const auto at = place_in(table, p.name.substr(dot + 1));
        found.emplace_back(at, &p);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 1; i < found.size(); ++i) {
        if (found[i].first != found[i - 1].first || found[i].first == table.size()) { continue; }
        base::refuse(found[i].second->place, in_quotes(found[i].second->name),
                     "one value of the field, which also " + found[i - 1].second->place + " sets");
    }
    for (const auto& [at, p] : found) {
        if (const auto wrong = set(fields(), p->name.substr(instance.size() + 1), p->text)) {
            throw input_error(p->place + ": " + instance + ": " + *wrong);
        }
    }
    if (const auto wrong = check()) { throw input_error(m_origin + ": " + instance + ": " + *wrong); }
}

void property_file::expect_all_used() const
{
    for (const auto& p : m_properties) {
        if (m_instances.count(p.name.substr(0, p.name.rfind('.'))) != 0) { continue; }
        std::string known;
        for (const auto& instance : m_instances) { known += (known.empty() ? "" : ", ") + instance; }
        base::refuse(p.place, in_quotes(p.name), "a property of one of " + (known.empty() ? "no instance" : known));
    }
}

} // namespace tensorloom::base
