// docs/events.md says what is in the code.
#include <algorithm>
#include <fstream>
#include <regex>
#include <set>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/costs/dram/dram_energy.h>
#include <tensorloom/models/costs/sram_costs.h>
#include <tensorloom/models/costs/technology.h>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/tlm/dma_engine.h>
#include <tensorloom/tlm/router.h>

namespace {

using namespace tensorloom;
using namespace tensorloom::base;
using namespace tensorloom::costs;
using namespace tensorloom::isa;
using row = std::vector<std::string>;

std::string trimmed(const std::string& text)
{
    const auto first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

/// The rows of the first table below "## <heading>", without its head.
std::vector<row> table_below(const std::string& heading)
{
    std::ifstream page(TENSORLOOM_DOCS "/events.md");
    EXPECT_TRUE(page) << "docs/events.md cannot be read";
    std::vector<row> rows;
    bool inside = false;
    for (std::string line; std::getline(page, line);) {
        if (line.rfind("## ", 0) == 0) { inside = line == "## " + heading; }
        const bool of_a_table = !line.empty() && line.front() == '|';
        if (inside && !of_a_table && !rows.empty()) { break; }
        if (!inside || !of_a_table) { continue; }
        row cells;
        for (std::size_t at = 1; at < line.size();) {
            const auto bar = std::min(line.find('|', at), line.size());
            cells.push_back(trimmed(line.substr(at, bar - at)));
            at = bar + 1;
        }
        rows.push_back(cells);
    }
    if (rows.size() >= 2) { rows.erase(rows.begin(), rows.begin() + 2); }
    return rows;
}

struct documented_table {
    std::string heading;
    tensorloom::base::event_table events;
};

std::vector<documented_table> device_tables()
{
    std::vector<documented_table> tables;
    for (const auto* device : tensorloom::isa::described_devices()) {
        tables.push_back({std::string(device->name) + "_events", device->events});
    }
    return tables;
}

std::vector<documented_table> documented_tables()
{
    auto tables = device_tables();
    tables.insert(tables.end(), {{"sram_events", sram_events},
                                 {"dram_events", dram_events},
                                 {"router_events", tensorloom::bus::router_events},
                                 {"dma_events", tensorloom::bus::dma_events}});
    return tables;
}

class events_page : public ::testing::TestWithParam<documented_table> {};
INSTANTIATE_TEST_SUITE_P(tables, events_page, ::testing::ValuesIn(documented_tables()),
                         [](const auto& tested) { return tested.param.heading; });

TEST_P(events_page, has_the_events_of_the_code_in_their_order)
{
    const auto rows = table_below(GetParam().heading);
    const auto& events = GetParam().events;
    ASSERT_EQ(rows.size(), events.size);
    for (std::size_t e = 0; e < events.size; ++e) {
        ASSERT_EQ(rows[e].size(), 4u) << events.events[e].name;
        EXPECT_EQ(rows[e][0], events.events[e].name);
        EXPECT_EQ(rows[e][1] == "-" ? "" : rows[e][1], events.events[e].component) << events.events[e].name;
        EXPECT_EQ(rows[e][2] == "-", *events.events[e].component == '\0') << events.events[e].name;
        EXPECT_EQ(rows[e][3], events.events[e].meaning) << events.events[e].name;
    }
}

TEST_P(events_page, names_keys_that_the_shipped_technologies_have)
{
    const std::regex quoted("`([^`]+)`");
    for (const auto& name : shipped_technology_names()) {
        const auto technology = load_technology(name);
        const auto has = [&](const std::string& key) {
            const auto starts = [&](const auto& number) {
                return number.first == key || number.first.rfind(key + ".", 0) == 0;
            };
            return std::any_of(technology.numbers().begin(), technology.numbers().end(), starts);
        };
        for (const auto& cells : table_below(GetParam().heading)) {
            for (auto found = std::sregex_iterator(cells[2].begin(), cells[2].end(), quoted);
                 found != std::sregex_iterator(); ++found) {
                for (const char* operand : {"bf16", "f32"}) { // of a FETTA
                    const std::string key =
                        std::regex_replace((*found)[1].str(), std::regex("<(operand|psum)>"), operand);
                    const std::string of_format = std::regex_replace(key, std::regex("<(format|word)>"), "f64");
                    const std::string of_64_bits = std::regex_replace(key, std::regex("<(format|word)>"), "64bit");
                    EXPECT_TRUE(has(of_format) || has(of_64_bits)) << name << ": " << key;
                }
            }
        }
    }
}

TEST(events_page_components, are_those_of_the_code)
{
    std::set<std::string> in_code = {"leakage", "others"};
    auto tables = device_tables();
    tables.insert(tables.end(), {{"sram_events", sram_events}, {"dram_events", dram_events}});
    for (const auto& [heading, table] : tables) {
        for (std::size_t e = 0; e < table.size; ++e) {
            if (*table.events[e].component != '\0') { in_code.insert(table.events[e].component); }
        }
    }
    std::set<std::string> on_page;
    for (const auto& cells : table_below("Components")) { on_page.insert(cells[0]); }
    EXPECT_EQ(on_page, in_code);
}

} // namespace
