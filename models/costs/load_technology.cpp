#include <tensorloom/models/costs/technology.h>

#include <algorithm>
#include <filesystem>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/files/yaml_document.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/costs/shipped_technology.h>

namespace tensorloom::costs {

namespace {

const shipped_technology* find_shipped(std::string_view name)
{
    const auto* end = shipped_technologies + shipped_technologies_count;
    const auto* found =
        std::find_if(shipped_technologies, end, [&](const shipped_technology& t) { return name == t.name; });
    return found == end ? nullptr : found;
}

std::string shipped_names()
{
    std::string names;
    for (const auto& name : shipped_technology_names()) { names += (names.empty() ? "" : ", ") + name; }
    return names;
}

std::string text_of_file(const std::string& path)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        throw base::input_error("technology " + base::in_quotes(path) + " is not a file");
    }
    if (std::filesystem::file_size(path, error) > base::largest_yaml_file || error) {
        throw base::input_error("technology " + base::in_quotes(path) +
                                " is larger than 1 MiB, expected a YAML file of numbers");
    }
    return base::complaining_of("technology", [&] { return base::read_whole_file(path, base::largest_yaml_file); });
}

} // namespace

class technology_loader {
public:
    /// `chain`: the files that lead to this text, the last one its own.
    static technology read(const std::string& text, const std::vector<std::string>& chain)
    {
        const std::string& path = chain.back();
        return read_technology(text, path, [&](const std::string& name) {
            if (auto found = shipped(name)) { return std::move(*found); }
            auto files = chain;
            files.push_back((std::filesystem::path(path).parent_path() / name).lexically_normal().string());
            std::error_code error;
            if (!std::filesystem::exists(files.back(), error)) {
                throw base::input_error("found " + base::in_quotes(name) + ", expected a shipped technology (" +
                                        shipped_names() + ") or a file");
            }
            for (const auto& file : chain) {
                if (!std::filesystem::equivalent(file, files.back(), error)) { continue; }
                throw base::input_error(base::in_quotes(name) +
                                        (&file == &path ? " is this file" : " is based on this file"));
            }
            return read_file(files);
        });
    }

    static technology read_file(const std::vector<std::string>& chain)
    {
        const std::string& path = chain.back();
        auto result = read(text_of_file(path), chain);
        result.m_files.insert(result.m_files.begin(), path);
        return result;
    }

    static std::optional<technology> shipped(const std::string& name)
    {
        const auto* const found = find_shipped(name);
        if (found == nullptr) { return std::nullopt; }
        technology result;
        result.m_origin = result.m_name = found->name;
        result.m_process = found->process;
        result.m_second_name = found->second_source;
        for (const auto* n = found->numbers; n != found->numbers + found->count; ++n) {
            result.add(n->key, {n->value, n->unit, n->process, n->source, n->estimate});
        }
        return result;
    }

    static technology with_second(technology t)
    {
        if (t.m_second_name.empty()) { return t; }
        auto second = shipped(t.m_second_name);
        if (!second) {
            throw base::input_error("technology " + t.m_origin + ": second_source: found " +
                                    base::in_quotes(t.m_second_name) + ", expected a shipped technology (" +
                                    shipped_names() + ")");
        }
        second->m_second_name.clear();
        t.m_second = std::make_shared<const technology>(std::move(*second));
        return t;
    }
};

technology technology::from_text(const std::string& text, const std::string& origin)
{
    return technology_loader::with_second(technology_loader::read(text, {origin}));
}

technology technology::from_file(const std::string& path)
{
    return technology_loader::with_second(technology_loader::read_file({path}));
}

void technology::scale_leakage(double factor)
{
    m_leakage = factor;
    if (!m_second) { return; }
    technology second = *m_second;
    second.m_leakage = factor;
    m_second = std::make_shared<const technology>(std::move(second));
}

technology load_technology(const std::string& name_or_path)
{
    if (auto shipped = technology_loader::shipped(name_or_path)) {
        return technology_loader::with_second(std::move(*shipped));
    }
    std::error_code error;
    if (!std::filesystem::exists(name_or_path, error)) {
        throw base::input_error("technology " + base::in_quotes(name_or_path) + " is neither a shipped one (" +
                                shipped_names() + ") nor a file");
    }
    return technology::from_file(name_or_path);
}

std::string_view shipped_technology_text(std::string_view name)
{
    const auto* shipped = find_shipped(name);
    return shipped != nullptr ? shipped->text : std::string_view{};
}

std::vector<std::string> shipped_technology_names()
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < shipped_technologies_count; ++i) { names.emplace_back(shipped_technologies[i].name); }
    return names;
}

} // namespace tensorloom::costs
