#include <tensorloom/models/costs/dram/dram_config.h>
#include <charconv>
#include <filesystem>
#include <map>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/files/yaml_document.h>
#include <tensorloom/models/base/values/embedded_text.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::costs {

namespace {

constexpr std::string_view schema = "tensorloom-dram-1";

/// The scalars of a file by their full keys. Every key is read once; remaining keys are unknown.
class keyed_values {
public:
    keyed_values(const std::string& text, std::string origin) : m_origin(std::move(origin))
    {
        base::yaml_node root;
        try {
            root = base::parse_yaml(text);
        } catch (const base::yaml_error& error) {
            fail("is not YAML: line " + std::to_string(error.line) + ": " + error.what());
        }
        if (root->what != base::yaml_value::kind::map) { fail("expected a map of keys"); }
        flatten(*root, "");
    }

    [[noreturn]] void fail(const std::string& error) const
    {
        throw base::input_error("DRAM " + m_origin + ": " + error);
    }

    std::string take_text(const std::string& key, const std::string& expected)
    {
        const auto found = m_values.find(key);
        if (found == m_values.end()) { fail("missing key " + key + ", expected " + expected); }
        auto text = std::move(found->second);
        m_values.erase(found);
        if (text.empty()) { fail(key + ": found nothing, expected " + expected); }
        return text;
    }
    template <class T> T take_number(const std::string& key, T largest, const std::string& unit)
    {
        const std::string expected = "a number from 0 to " + std::to_string(static_cast<long>(largest)) + unit;
        const auto text = take_text(key, expected);
        T value{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0 && value <= largest)) {
            fail(key + ": found " + base::in_quotes(text) + ", expected " + expected);
        }
        return value;
    }
    template <class E> E take_choice(const std::string& key, const std::map<std::string, E>& choices)
    {
        std::string names;
        for (const auto& [name, value] : choices) { names += (names.empty() ? "" : ", ") + name; }
        const auto text = take_text(key, "one of " + names);
        const auto found = choices.find(text);
        if (found == choices.end()) { fail(key + ": found " + base::in_quotes(text) + ", expected one of " + names); }
        return found->second;
    }
    bool has(const std::string& key) const { return m_values.count(key) > 0; }
    void expect_nothing_left() const
    {
        if (!m_values.empty()) { fail("unknown key " + m_values.begin()->first); }
    }

private:
    void flatten(const base::yaml_value& node, const std::string& path)
    {
        if (node.what == base::yaml_value::kind::map) {
            for (const auto& [key, value] : node.entries) {
                if (key->what != base::yaml_value::kind::text) { fail(path + ": a key must be a plain name"); }
                flatten(*value, path + (path.empty() ? "" : ".") + key->text);
            }
            return;
        }
        if (node.what == base::yaml_value::kind::list) { fail(path + ": found a list, expected a value"); }
        if (!m_values.emplace(path, node.text).second) { fail("repeated key " + path); }
    }

    std::string m_origin;
    std::map<std::string, std::string> m_values;
};

struct integer_key {
    const char* key;
    unsigned& value;
    unsigned largest;
    const char* unit;
};

void read_integers(keyed_values& values, dram_config& c)
{
    auto& o = c.organisation;
    auto& t = c.timing;
    constexpr unsigned long_time = 1u << 20; // sums of several stay far from overflow
    const char* tck = " (tCK)";
    const integer_key keys[] = {
        {"organisation.channels", o.channels, 64, ""},
        {"organisation.banks", o.banks, 64, ""},
        {"organisation.rows", o.rows, 1u << 24, ""},
        {"organisation.columns", o.columns, 1u << 16, ""},
        {"organisation.width_bits", o.width_bits, 64, ""},
        {"organisation.burst_length", o.burst_length, 64, ""},
        {"clock.tCK_ps", c.tCK_ps, 1000000, " (ps)"},
        {"timing.tRCD", t.tRCD, long_time, tck},
        {"timing.tRPpb", t.tRPpb, long_time, tck},
        {"timing.tRPab", t.tRPab, long_time, tck},
        {"timing.tRAS", t.tRAS, long_time, tck},
        {"timing.tRCpb", t.tRCpb, long_time, tck},
        {"timing.RL", t.RL, long_time, tck},
        {"timing.WL", t.WL, long_time, tck},
        {"timing.tDQSCK", t.tDQSCK, long_time, tck},
        {"timing.tDQSS", t.tDQSS, long_time, tck},
        {"timing.tWPRE", t.tWPRE, long_time, tck},
        {"timing.tCCD", t.tCCD, long_time, tck},
        {"timing.tRRD", t.tRRD, long_time, tck},
        {"timing.tFAW", t.tFAW, long_time, tck},
        {"timing.tRTP", t.tRTP, long_time, tck},
        {"timing.tWR", t.tWR, long_time, tck},
        {"timing.tWTR", t.tWTR, long_time, tck},
        {"timing.tREFI", t.tREFI, long_time, tck},
        {"timing.tREFIpb", t.tREFIpb, long_time, tck},
        {"timing.tRFCab", t.tRFCab, long_time, tck},
        {"timing.tRFCpb", t.tRFCpb, long_time, tck},
        {"command.activate", c.command.activate, long_time, tck},
        {"command.precharge", c.command.precharge, long_time, tck},
        {"command.column", c.command.column, long_time, tck},
        {"command.refresh", c.command.refresh, long_time, tck},
        {"controller.queue_bursts", c.controller.queue_bursts, 4096, ""},
        {"controller.interleave_bytes", c.controller.interleave_bytes, 1u << 30, " (bytes)"},
    };
    for (const auto& k : keys) { k.value = values.take_number(k.key, k.largest, k.unit); }
}

void read_supplies(keyed_values& values, dram_config& c)
{
    if (const char* estimate = "supply.estimate"; values.has(estimate)) {
        c.estimated_supplies = values.take_choice<bool>(estimate, {{"false", false}, {"true", true}});
    }
    const char* names[] = {"VDD1", "VDD2", "VDDQ"};
    for (std::size_t s = 0; s < c.supplies.size(); ++s) {
        auto& supply = c.supplies[s];
        const std::string group = std::string("supply.") + names[s] + ".";
        supply.V = values.take_number(group + "V", 100.0, " (V)");
        const std::pair<const char*, double&> currents[] = {{"IDD0", supply.IDD0},   {"IDD2N", supply.IDD2N},
                                                            {"IDD3N", supply.IDD3N}, {"IDD4R", supply.IDD4R},
                                                            {"IDD4W", supply.IDD4W}, {"IDD5", supply.IDD5}};
        for (const auto& [name, value] : currents) { value = values.take_number(group + name, 1e6, " (mA)"); }
    }
}

std::string text_of_file(const std::string& path)
{
    std::error_code error;
    if (std::filesystem::file_size(path, error) > base::largest_yaml_file || error) {
        throw base::input_error("DRAM " + base::in_quotes(path) + " is not a file of at most 1 MiB");
    }
    return base::complaining_of("DRAM", [&] { return base::read_whole_file(path, base::largest_yaml_file); });
}

} // namespace

dram_config read_dram(const std::string& text, const std::string& origin)
{
    keyed_values values(text, origin);
    const auto found = values.take_text("schema", "'" + std::string(schema) + "'");
    if (found != schema) {
        values.fail("schema: found " + base::in_quotes(found) + ", expected '" + std::string(schema) + "'");
    }
    dram_config config;
    config.name = values.take_text("name", "a name");
    config.source = values.take_text("source", "where the numbers come from");
    read_integers(values, config);
    read_supplies(values, config);
    config.controller.page =
        values.take_choice<dram_page>("controller.page", {{"open", dram_page::open}, {"closed", dram_page::closed}});
    config.controller.refresh = values.take_choice<dram_refresh>(
        "controller.refresh",
        {{"off", dram_refresh::off}, {"all_bank", dram_refresh::all_bank}, {"per_bank", dram_refresh::per_bank}});
    config.controller.mapping = values.take_text("controller.mapping", "an order such as row:bank:column:channel");
    if (const char* hash = "controller.channel_hash"; values.has(hash)) {
        config.controller.channel_hash = values.take_choice<dram_channel_hash>(
            hash, {{"none", dram_channel_hash::none}, {"xor", dram_channel_hash::xor_above}});
    }
    values.expect_nothing_left();
    if (const auto wrong = validate(config)) { values.fail(*wrong); }
    return config;
}

dram_config load_dram(const std::string& name_or_path)
{
    static const auto shipped = [] { // once: configurations of memories begin as a shipped one
        std::map<std::string, dram_config> drams;
        for (std::size_t i = 0; i < base::shipped_drams_count; ++i) {
            const auto& [name, text] = base::shipped_drams[i];
            drams.emplace(name, read_dram(text, name));
        }
        return drams;
    }();
    if (const auto found = shipped.find(name_or_path); found != shipped.end()) { return found->second; }
    std::error_code error;
    if (!std::filesystem::exists(name_or_path, error)) {
        std::string names;
        for (const auto& name : shipped_dram_names()) { names += (names.empty() ? "" : ", ") + name; }
        throw base::input_error("DRAM " + base::in_quotes(name_or_path) + " is neither a shipped one (" + names +
                                ") nor a file");
    }
    return read_dram(text_of_file(name_or_path), name_or_path);
}

std::string_view shipped_dram_text(std::string_view name)
{
    for (std::size_t i = 0; i < base::shipped_drams_count; ++i) {
        if (name == base::shipped_drams[i].name) { return base::shipped_drams[i].text; }
    }
    return {};
}

std::vector<std::string> shipped_dram_names()
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < base::shipped_drams_count; ++i) { names.emplace_back(base::shipped_drams[i].name); }
    return names;
}

} // namespace tensorloom::costs
