#include <tensorloom/models/costs/technology.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <exception>
#include <iterator>
#include <set>
#include <utility>
#include <tensorloom/models/base/files/yaml_document.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::costs {

namespace {

constexpr std::string_view schema = "tensorloom-technology-1";
constexpr double largest_value = 1e12; // in any unit; products with 64-bit counts stay finite

struct format_width {
    std::string_view name;
    unsigned bits;
};
constexpr format_width formats[] = {{"int8", 8}, {"int32", 32}, {"int64", 64}, {"f16", 16},  {"bf16", 16},
                                    {"f32", 32}, {"f64", 64},   {"c64", 64},   {"c128", 128}};

std::optional<unsigned> bits_of(std::string_view format)
{
    for (const auto& f : formats) {
        if (f.name == format) { return f.bits; }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> parse_bytes(std::string_view text)
{
    std::uint64_t bytes = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
    if (error != std::errc{} || end != text.data() + text.size() || bytes == 0 || text.front() == '0') {
        return std::nullopt;
    }
    return bytes;
}

std::optional<double> parse_number(std::string_view text)
{
    if (!text.empty() && text.front() == '+') { text.remove_prefix(1); }
    if (text.empty() || text.front() == '+') { return std::nullopt; }
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) { return std::nullopt; }
    return value;
}

using key_path = std::vector<std::string>;

std::string joined(const key_path& path)
{
    std::string key;
    for (const auto& part : path) { key += (key.empty() ? "" : ".") + part; }
    return key;
}

/// A top-level key with numbers below it.
struct section {
    std::string_view name;
    std::size_t depth;                         // of the numbers' keys, the section's name included
    std::string (*unit)(const key_path& path); // "" when the key is not one of the schema
};

std::string energy_unit(const key_path& path)
{
    if (path[1] == "sram" && path[2] == "access_64bit" && !parse_bytes(path[3])) { return ""; }
    return "pJ";
}

std::string wire_unit(const key_path& path)
{
    if (path[1] == "on_chip") { return "fJ/bit/mm"; }
    if (path[1] == "pitch") { return "um"; }
    return path[1] == "via" ? "fJ/bit" : "";
}

std::string pitch_unit(const key_path& path) { return bits_of(path[1]) ? "um" : ""; }

std::string area_unit(const key_path& path)
{
    constexpr std::string_view areas[] = {"nand2",        "sram_bit",  "contraction_engine",
                                          "distribution", "reduction", "unified_sram",
                                          "accumulator",  "vector",    "other"};
    return std::find(std::begin(areas), std::end(areas), path[1]) != std::end(areas) ? "um^2" : "";
}

std::string gate_unit(const key_path& path) { return path[1] == "delay" ? "ps" : ""; }

std::string voltage_unit(const key_path& path) { return path[1] == "nominal" ? "V" : ""; }
std::string speed_unit(const key_path& path) { return parse_bytes(path[1]) ? "1" : ""; } // by mV, a whole number too

std::string uncertainty_unit(const key_path& path)
{
    return path[1] == "published" || path[1] == "synthesized" || path[1] == "estimate" ? "1" : "";
}

std::string leakage_unit(const key_path& path)
{
    if (path[1] == "die") { return path[2] == "logic" || path[2] == "sram" ? "nW/um^2" : ""; }
    return path[1] == "dram" ? "mW" : "";
}

std::string limit_unit(const key_path& path)
{
    if (path[1] == "power_density") { return "W/mm^2"; }
    if (path[1] == "die_area") { return "mm^2"; }
    return path[1] == "wire_reach" ? "mm/ns" : "";
}

std::string dram_unit(const key_path& path)
{
    const std::string& group = path[1];
    if (group == "organisation") { return "1"; }
    if (group == "clock") { return "ns"; }
    if (group == "timing") { return "tCK"; }
    if (group == "voltage") { return "V"; }
    return group.rfind("current_", 0) == 0 ? "mA" : "";
}

constexpr const char* event_energy_modules[] = {"triada", "torus", "mmv", "fetta", "sram"};

// Modules whose models take event energies.
std::string event_unit(const key_path& path)
{
    const auto& modules = event_energy_modules;
    return std::find(std::begin(modules), std::end(modules), path[1]) != std::end(modules) ? "pJ" : "";
}

constexpr section sections[] = {
    {"energy", 4, energy_unit},    {"event", 3, event_unit}, {"wire", 2, wire_unit},
    {"cell_pitch", 2, pitch_unit}, {"area", 2, area_unit},   {"gate", 2, gate_unit},
    {"leakage", 3, leakage_unit},  {"limit", 2, limit_unit}, {"dram", 3, dram_unit},
    {"voltage", 2, voltage_unit},  {"speed", 2, speed_unit}, {"uncertainty", 2, uncertainty_unit}};

std::string top_level_keys()
{
    std::string keys = "schema, name, process, base, second_source";
    for (const auto& s : sections) { (keys += ", ") += s.name; }
    return keys;
}

} // namespace

/// Converts YAML into a technology and reports every error.
class technology_reader {
public:
    technology_reader(const std::string& origin, const technology_lookup& base) : m_origin(origin), m_base(base) {}

    technology read(const std::string& text)
    {
        base::yaml_node root;
        try {
            root = base::parse_yaml(text);
        } catch (const base::yaml_error& error) {
            fail("is not YAML: line " + std::to_string(error.line) + ", column " + std::to_string(error.column) + ": " +
                 error.what());
        }
        const auto keys = children(*root, {}); // a map without duplicate keys
        for (const auto& [key, node] : keys) {
            const bool of_file =
                key == "schema" || key == "name" || key == "process" || key == "base" || key == "second_source";
            if (!of_file && !find_section(key)) {
                fail("unknown key " + base::in_quotes(key) + ", expected " + top_level_keys());
            }
        }
        if (const auto found = text_of(keys, "schema", {}); found != schema) {
            fail("schema: found " + base::in_quotes(found) + ", expected '" + std::string(schema) + "'");
        }
        if (has(keys, "base")) { m_result = base_of(keys); }
        m_result.m_origin = m_origin;
        m_result.m_second = nullptr;
        m_result.m_second_name = has(keys, "second_source") ? text_of(keys, "second_source", {}) : "";
        m_result.m_name = text_of(keys, "name", {});
        if (!has(keys, "base") || has(keys, "process")) { m_result.m_process = text_of(keys, "process", {}); }
        for (const auto& [key, node] : keys) {
            if (const auto* s = find_section(key)) { read_group(*node, {key}, *s); }
        }
        return std::move(m_result);
    }

private:
    using child_list = std::vector<std::pair<std::string, base::yaml_node>>;

    static bool has(const child_list& keys, std::string_view name)
    {
        return std::any_of(keys.begin(), keys.end(), [&](const auto& k) { return k.first == name; });
    }

    technology base_of(const child_list& keys) const
    {
        const std::string name = text_of(keys, "base", {});
        return base::complaining_of("technology " + m_origin + ": base", [&] { return m_base(name); });
    }

    [[noreturn]] void fail(const std::string& error) const
    {
        throw base::input_error("technology " + m_origin + ": " + error);
    }
    [[noreturn]] void fail(const key_path& path, const std::string& error) const { fail(joined(path) + ": " + error); }

    static const section* find_section(const std::string& name)
    {
        for (const auto& s : sections) {
            if (s.name == name) { return &s; }
        }
        return nullptr;
    }

    /// The children of a map, in order.
    child_list children(const base::yaml_value& node, const key_path& path) const
    {
        if (node.what != base::yaml_value::kind::map) {
            const std::string error = "expected a map of keys, found " + node.described();
            path.empty() ? fail(error) : fail(path, error);
        }
        child_list list;
        std::set<std::string> seen;
        for (const auto& [key_node, value] : node.entries) {
            if (key_node->what != base::yaml_value::kind::text) {
                fail((path.empty() ? "" : joined(path) + ": ") + "a key must be a plain name");
            }
            const std::string& key = key_node->text;
            key_path full = path;
            full.push_back(key);
            if (!is_name(key)) {
                fail((path.empty() ? "" : joined(path) + ": ") + "a key must be a name without dots, found " +
                     base::in_quotes(key));
            }
            if (!seen.insert(key).second) { fail("repeated key " + joined(full)); }
            list.emplace_back(key, value);
        }
        return list;
    }

    static bool is_name(const std::string& key)
    {
        const auto fits = [](unsigned char c) { return c >= 0x20 && c != 0x7f && c != '.'; };
        return !key.empty() && std::all_of(key.begin(), key.end(), fits);
    }

    /// The text of a required scalar child.
    std::string text_of(const child_list& keys, const std::string& name, const key_path& path) const
    {
        const std::string where = path.empty() ? name : joined(path) + ": " + name;
        for (const auto& [key, node] : keys) {
            if (key != name) { continue; }
            if (node->is_empty()) { fail(where + " is empty"); }
            if (node->what != base::yaml_value::kind::text) {
                fail(where + ": expected text, found " + node->described());
            }
            return node->text;
        }
        fail(where + " is missing");
    }

    void read_group(const base::yaml_value& node, const key_path& path, const section& section_of_path)
    {
        for (const auto& [key, child] : children(node, path)) {
            key_path full = path;
            full.push_back(key);
            if (full.size() < section_of_path.depth) {
                read_group(*child, full, section_of_path);
            } else {
                read_number(*child, full, section_of_path);
            }
        }
    }

    void read_number(const base::yaml_value& node, const key_path& path, const section& section_of_path)
    {
        const std::string expected = section_of_path.unit(path);
        if (expected.empty()) { fail("unknown key " + joined(path)); }

        const auto keys = children(node, path);
        technology_number number;
        number.process = m_result.m_process;
        for (const auto& [key, child] : keys) {
            if (key == "process") {
                number.process = text_of(keys, key, path);
            } else if (key == "estimate") {
                number.estimate = read_mark(*child, path);
            } else if (key != "value" && key != "unit" && key != "source") {
                fail(path, "unknown key " + base::in_quotes(key) + ", expected value, unit, source, process, estimate");
            }
        }
        const std::string value = text_of(keys, "value", path);
        const auto parsed = parse_number(value);
        if (!parsed || !(*parsed >= 0 && *parsed <= largest_value)) {
            fail(path,
                 "value: found " + base::in_quotes(value) + ", expected a number from 0 to 1e12 (" + expected + ")");
        }
        if (path[0] == "uncertainty" && *parsed < 1) {
            fail(path, "value: found " + base::in_quotes(value) + ", expected a factor of at least 1");
        }
        number.value = *parsed;
        number.unit = text_of(keys, "unit", path);
        if (number.unit != expected) {
            fail(path, "unit: found " + base::in_quotes(number.unit) + ", expected '" + expected + "'");
        }
        number.source = text_of(keys, "source", path);

        m_result.add(joined(path), std::move(number));
    }

    bool read_mark(const base::yaml_value& node, const key_path& path) const
    {
        if (node.text == "true" || node.text == "false") { return node.text == "true"; }
        fail(path, "estimate: found " + node.described() + ", expected true or false");
    }

    std::string m_origin;
    const technology_lookup& m_base;
    technology m_result;
};

void technology::add(const std::string& key, technology_number number)
{
    constexpr std::string_view accesses = "energy.sram.access_64bit.";
    if (key.compare(0, accesses.size(), accesses) == 0) {
        m_sram_access[*parse_bytes(std::string_view(key).substr(accesses.size()))] = {number.value, number.estimate};
    }
    m_numbers.insert_or_assign(m_numbers.end(), key, std::move(number));
}

double technology::speed_at(double volts) const
{
    constexpr std::string_view section = "speed.";
    std::map<double, double> points; // by volts
    for (const auto& [key, number] : m_numbers) {
        if (key.compare(0, section.size(), section) != 0) { continue; }
        points[static_cast<double>(*parse_bytes(std::string_view(key).substr(section.size()))) / 1000] = number.value;
    }
    if (points.empty()) { throw base::input_error("technology " + m_origin + ": speed is missing"); }
    const auto above = points.lower_bound(volts);
    if (above == points.end() || (above == points.begin() && volts < above->first)) {
        throw base::input_error("--voltage: found " + base::shortest_text(volts) + " V, expected " +
                                base::shortest_text(points.begin()->first) + " to " +
                                base::shortest_text(points.rbegin()->first) + " V, the points of technology " +
                                m_origin);
    }
    if (above == points.begin()) { return above->second; }
    const auto below = std::prev(above);
    const double share = (volts - below->first) / (above->first - below->first);
    return below->second + share * (above->second - below->second);
}

void technology::scale_supply(double ratio, double speed)
{
    const auto starts = [](const std::string& key, std::string_view with) {
        return key.compare(0, with.size(), with) == 0;
    };
    const auto scale = [](technology_number& number, double factor) {
        number.value *= factor;
        number.estimate = true;
    };
    for (auto& [key, number] : m_numbers) {
        if (starts(key, "energy.dram.") || starts(key, "leakage.dram.")) { continue; }
        if (starts(key, "energy.") || starts(key, "event.") || key == "wire.on_chip" || key == "wire.via") {
            scale(number, ratio * ratio);
        } else if (starts(key, "leakage.")) {
            scale(number, ratio);
        } else if (key == "gate.delay") {
            scale(number, 1 / speed);
        } else if (key == "limit.wire_reach") {
            scale(number, speed);
        }
    }
    for (auto& [bytes, cost] : m_sram_access) { cost = {cost.pj * ratio * ratio, true}; }
}

void technology::set_supply(double volts)
{
    const double ratio = volts / number("voltage.nominal", "V").value, speed = speed_at(volts);
    if (ratio == 1) { return; }
    scale_supply(ratio, speed);
    if (!m_second) { return; }
    technology second = *m_second;
    second.scale_supply(ratio, speed);
    m_second = std::make_shared<const technology>(std::move(second));
}

void set_event_energies(energy_model& model, const technology& tech, const std::string& module)
{
    model.module = module;
    const std::string prefix = "event." + module + ".";
    const auto& numbers = tech.numbers();
    for (auto n = numbers.lower_bound(prefix); n != numbers.end() && n->first.rfind(prefix, 0) == 0; ++n) {
        const auto* const end = model.events.events + model.events.size;
        const auto* const found = std::find_if(model.events.events, end,
                                               [&](const auto& e) { return n->first.substr(prefix.size()) == e.name; });
        if (found == end || *found->component == '\0') {
            throw base::input_error("technology " + tech.name() + ": " + n->first + ": expected an event of " + module +
                                    " that is charged to a component, as docs/events.md lists them");
        }
        model.costs[static_cast<std::size_t>(found - model.events.events)] = {n->second.value, n->second.estimate};
    }
}

technology read_technology(const std::string& text, const std::string& origin, const technology_lookup& base)
{
    return technology_reader(origin, base).read(text);
}

const technology_number* technology::find(std::string_view key) const
{
    const auto found = m_numbers.find(key);
    return found == m_numbers.end() ? nullptr : &found->second;
}

const technology_number& technology::number(std::string_view key, std::string_view unit) const
{
    static const technology_number one{1, {}, {}, {}};
    const auto* found = find(key);
    if (!found) {
        miss(key, unit);
        return one;
    }
    if (found->unit != unit) {
        throw base::input_error("technology " + m_origin + ": " + std::string(key) + ": unit: found '" + found->unit +
                                "', expected '" + std::string(unit) + "'");
    }
    return *found;
}

void technology::miss(std::string_view key, std::string_view unit) const
{
    auto with_unit = std::string(key) + " (" + std::string(unit) + ")";
    if (!m_missing) { refuse_missing({with_unit}); }
    if (std::find(m_missing->begin(), m_missing->end(), with_unit) == m_missing->end()) {
        m_missing->push_back(std::move(with_unit));
    }
}

void technology::refuse_missing(const std::vector<std::string>& keys) const
{
    constexpr std::size_t most_named = 8;
    std::string list;
    for (std::size_t k = 0; k < std::min(keys.size(), most_named); ++k) { list += (k == 0 ? "" : ", ") + keys[k]; }
    if (keys.size() > most_named) { list += " and " + std::to_string(keys.size() - most_named) + " more"; }
    throw base::input_error("technology " + m_origin + ": missing " + (keys.size() == 1 ? "key " : "keys ") + list);
}

void technology::list_missing(const std::function<void()>& asks)
{
    m_missing = std::make_shared<std::vector<std::string>>();
    std::exception_ptr thrown;
    try {
        asks();
    } catch (...) {
        thrown = std::current_exception();
    }
    const auto missing = std::exchange(m_missing, nullptr);
    if (!missing->empty()) { refuse_missing(*missing); }
    if (thrown) { std::rethrow_exception(thrown); }
}

event_cost technology::energy(std::string_view component, std::string_view event, std::string_view format) const
{
    const std::string group = "energy." + std::string(component) + "." + std::string(event) + ".";
    const std::string key = group + std::string(format);
    if (!find(key)) {
        const auto bits = bits_of(format);
        if (const auto* wide = find(group + "64bit"); wide && bits) {
            return {wide->value * *bits / 64, wide->estimate || *bits != 64};
        }
    }
    const auto& found = number(key, "pJ");
    return {found.value, found.estimate};
}

event_cost technology::energy(std::string_view component, std::string_view event, base::element_type format) const
{
    return energy(component, event, base::element_type_name(format));
}

namespace {

constexpr std::uint64_t word_bytes = 8; // of an access

/// Side length of a cell with this number of ports, relative to one port.
double cell_side(unsigned ports) { return 1 + (std::sqrt(2.0) - 1) * (ports - 1.0); }

/// Energy of an access to a memory with one port, by the table's figures.
event_cost access_of_one_port(const std::map<std::uint64_t, event_cost>& table, std::uint64_t bytes)
{
    const auto as_root_of = [](const auto& known, std::uint64_t size) -> event_cost {
        return {known.second.pj * std::sqrt(static_cast<double>(size) / static_cast<double>(known.first)), true};
    };
    const auto above = table.lower_bound(bytes);
    if (above == table.end()) { return as_root_of(*table.rbegin(), bytes); }
    if (above->first == bytes) { return above->second; }
    if (above == table.begin()) { return as_root_of(*above, std::max(bytes, std::min(above->first, word_bytes))); }
    const auto& [small, small_cost] = *std::prev(above);
    const auto& [large, large_cost] = *above;
    const double share = std::log(static_cast<double>(bytes) / static_cast<double>(small)) /
                         std::log(static_cast<double>(large) / static_cast<double>(small));
    if (small_cost.pj == 0 || large_cost.pj == 0) { // 0 has no logarithm
        return {small_cost.pj + share * (large_cost.pj - small_cost.pj), true};
    }
    return {small_cost.pj * std::pow(large_cost.pj / small_cost.pj, share), true};
}

} // namespace

event_cost technology::sram_access(std::uint64_t bytes, unsigned ports) const
{
    if (m_sram_access.empty()) {
        miss("energy.sram.access_64bit", "pJ");
        return {1, false};
    }
    const auto of_one = access_of_one_port(m_sram_access, bytes);
    return {cell_side(ports) * of_one.pj, of_one.estimate || ports > 1};
}

event_cost technology::local_memory_access(std::uint64_t bytes) const
{
    const auto access = sram_access(bytes);
    const double least = energy("cell", "register_read", "f64").pj;
    return access.pj < least ? event_cost{least, true} : access;
}

figure technology::sram_edge_um(std::uint64_t bytes, unsigned ports) const
{
    constexpr double small = 4096, large = 32768; // bytes; periphery has a larger share in small arrays
    const double share = std::log(static_cast<double>(bytes) / small) / std::log(large / small);
    const double efficiency = 0.4 + 0.2 * std::clamp(share, 0.0, 1.0);
    const double bits_um2 = 8.0 * static_cast<double>(bytes) * number("area.sram_bit", "um^2").value;
    return {cell_side(ports) * std::sqrt(bits_um2 / efficiency), true};
}

event_cost technology::wire_energy(unsigned bits, figure length_um) const
{
    const auto wire = wire_fj_per_bit_mm();
    return {bits * (length_um.value * 1e-3) * (wire.value * 1e-3), wire.estimate || length_um.estimate}; // mm, pJ
}

figure technology::wire_fj_per_bit_mm() const
{
    const auto& found = number("wire.on_chip", "fJ/bit/mm");
    return {found.value, found.estimate};
}

figure technology::wire_pitch_um() const
{
    const auto& found = number("wire.pitch", "um");
    return {found.value, found.estimate};
}

figure technology::via_fj_per_bit() const
{
    const auto& found = number("wire.via", "fJ/bit");
    return {found.value, found.estimate};
}

figure technology::leakage_mw(figure um2, const char* key) const
{
    constexpr double mw_per_nw = 1e-6;
    const auto& found = number(key, "nW/um^2");
    return {m_leakage * found.value * mw_per_nw * um2.value, found.estimate || um2.estimate};
}

figure technology::logic_leakage_mw(figure um2) const { return leakage_mw(um2, "leakage.die.logic"); }
figure technology::sram_leakage_mw(figure um2) const { return leakage_mw(um2, "leakage.die.sram"); }

} // namespace tensorloom::costs
