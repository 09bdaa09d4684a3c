#include <tensorloom/models/isa/export/memory_map_file.h>
#include <algorithm>
#include <functional>
#include <set>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/files/yaml_fields.h>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::isa {
namespace {

using base::yaml_value;

constexpr std::uint64_t page_bytes = 4096;
static_assert(page_bytes == reg::block_bytes, "a register block is a page");

class map_reader : base::yaml_fields {
public:
    explicit map_reader(const std::string& origin) : yaml_fields(origin) {}

    memory_map read(const yaml_value& root)
    {
        read_all(root,
                 {{"platform", [&](const auto& v) { m_map.platform = name_of(v); }},
                  {"devices", [&](const auto& v) { read_list(v, [&](const auto& item) { read_device(item); }); }}},
                 {{"memories", [&](const auto& v) { read_list(v, [&](const auto& item) { read_memory(item); }); }},
                  {"interrupts", [&](const auto& v) { read_interrupts(v); }}});
        refuse_overlaps();
        return std::move(m_map);
    }

private:
    struct placed {
        memory_map::range range;
        std::string place; // file and line
    };

    /// A map with all required keys, and maybe some of the optional ones.
    void read_all(const yaml_value& map, const base::key_readers& required,
                  const base::key_readers& optional = {}) const
    {
        std::set<std::string> seen;
        auto all = optional;
        for (const auto& [name, reader] : required) {
            all[name] = [&seen, &name = name, &reader = reader](const yaml_value& v) {
                seen.insert(name);
                reader(v);
            };
        }
        read_map(map, all);
        for (const auto& [name, reader] : required) {
            if (seen.count(name) == 0) { base::refuse(place_of(map), "no key " + name, "a value for it"); }
        }
    }

    template <class Read> void read_list(const yaml_value& list, const Read& read) const
    {
        if (list.what != yaml_value::kind::list) { refuse(list, "a list"); }
        if (list.items.empty()) { base::refuse(place_of(list), "an empty list", "at least one entry"); }
        for (const auto& item : list.items) { read(*item); }
    }

    void read_device(const yaml_value& item)
    {
        mapped_device d{};
        read_all(item, {{"name", [&](const auto& v) { d.name = new_name(v); }},
                        {"kind", [&](const auto& v) { d.kind = kind_of(v); }},
                        {"base", [&](const auto& v) { d.base = page_multiple(v, 0); }},
                        {"interrupt", [&](const auto& v) { d.interrupt = interrupt_of(v); }}});
        add(item, d.name, d.base, registers.block_bytes);
        m_map.devices.push_back(std::move(d));
    }

    void read_memory(const yaml_value& item)
    {
        mapped_memory m{};
        read_all(item, {{"name", [&](const auto& v) { m.name = new_name(v); }},
                        {"base", [&](const auto& v) { m.base = page_multiple(v, 0); }},
                        {"size", [&](const auto& v) { m.bytes = page_multiple(v, page_bytes); }}});
        add(item, m.name, m.base, m.bytes);
        m_map.memories.push_back(std::move(m));
    }

    void read_interrupts(const yaml_value& item)
    {
        read_all(item, {{"controller", [&](const auto& v) { m_map.interrupt_controller = name_of(v); }},
                        {"cells", [&](const auto& v) {
                             const auto cells = whole(v);
                             if (cells < 1 || cells > 3) { refuse(v, "1, 2 or 3"); }
                             m_map.interrupt_cells = static_cast<unsigned>(cells);
                         }}});
    }

    std::string name_of(const yaml_value& value) const
    {
        constexpr std::size_t longest = 40;
        const auto& name = text_of(value);
        const auto letter = [](char c) { return c >= 'a' && c <= 'z'; };
        const bool plain = std::all_of(name.begin(), name.end(),
                                       [&](char c) { return letter(c) || (c >= '0' && c <= '9') || c == '_'; });
        if (!plain || !letter(name[0]) || name.size() > longest) {
            refuse(value, "a name of at most 40 lower-case letters, digits and _, the first a letter");
        }
        return name;
    }
    std::string new_name(const yaml_value& value)
    {
        auto name = name_of(value);
        if (!m_names.insert(name).second) { refuse(value, "a name that no other entry has"); }
        return name;
    }
    std::string kind_of(const yaml_value& value) const
    {
        const auto& name = text_of(value);
        if (find_described_device(name) == nullptr) { refuse(value, "one of " + described_device_names()); }
        return name;
    }
    std::uint64_t page_multiple(const yaml_value& value, std::uint64_t least) const
    {
        const auto number = base::parse_unsigned(text_of(value), 64);
        if (!number || *number % page_bytes != 0 || *number < least) {
            refuse(value, "a multiple of 4096 from " + std::to_string(least) + " on, decimal or with 0x");
        }
        return *number;
    }
    unsigned interrupt_of(const yaml_value& value) const
    {
        const auto number = whole(value);
        if (number > largest_interrupt) { refuse(value, "a number from 0 to " + std::to_string(largest_interrupt)); }
        return static_cast<unsigned>(number);
    }

    void add(const yaml_value& item, const std::string& name, std::uint64_t first, std::uint64_t bytes)
    {
        const std::uint64_t last = first + (bytes - 1);
        if (last < first) {
            base::refuse(place_of(item),
                         name + " at " + base::hexadecimal(first) + " with " + base::hexadecimal(bytes) + " bytes",
                         "a range that ends below 2^64");
        }
        m_placed.push_back({{name, first, last}, place_of(item)});
    }

    void refuse_overlaps()
    {
        std::stable_sort(m_placed.begin(), m_placed.end(),
                         [](const placed& a, const placed& b) { return a.range.first < b.range.first; });
        for (std::size_t i = 1; i < m_placed.size(); ++i) {
            const auto& [range, place] = m_placed[i];
            const auto& before = m_placed[i - 1].range;
            if (range.first <= before.last) {
                base::refuse(place, range.name + " from " + base::hexadecimal(range.first) + " on",
                             "a range that does not overlap " + before.name + " from " +
                                 base::hexadecimal(before.first) + " to " + base::hexadecimal(before.last));
            }
        }
    }

    memory_map m_map;
    std::set<std::string> m_names;
    std::vector<placed> m_placed;
};

} // namespace

memory_map parse_memory_map(const std::string& text, const std::string& origin)
{
    return map_reader(origin).read(*base::read_yaml(text, origin));
}

memory_map read_memory_map(const std::string& path)
{
    return parse_memory_map(base::read_whole_file(path, base::largest_yaml_file), path);
}

memory_map devices_in_a_row(const exported_devices& devices, std::uint64_t first_base, unsigned first_interrupt)
{
    memory_map map;
    map.platform = "TensorLoom";
    for (const auto* d : devices) {
        map.devices.push_back({d->name, d->name, first_base, first_interrupt});
        first_base += registers.block_bytes;
        ++first_interrupt;
    }
    return map;
}

} // namespace tensorloom::isa
