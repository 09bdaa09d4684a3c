// docs/protocol-checker.md says what is in the code.
#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/tlm/protocol_rule.h>

namespace {

using namespace tensorloom::bus;
using row = std::vector<std::string>;

/// The rows of the table below "## <heading>", without its head.
std::vector<row> table_below(const std::string& heading)
{
    std::ifstream page(TENSORLOOM_DOCS "/protocol-checker.md");
    EXPECT_TRUE(page) << "docs/protocol-checker.md cannot be read";
    std::vector<row> rows;
    bool inside = false;
    for (std::string line; std::getline(page, line);) {
        if (line.rfind("## ", 0) == 0) { inside = line == "## " + heading; }
        if (!inside || line.empty() || line.front() != '|') { continue; }
        rows.emplace_back();
        for (std::size_t at = 2; at < line.size();) {
            const auto bar = std::min(line.find(" |", at), line.size());
            rows.back().push_back(line.substr(at, bar - at));
            at = bar + 3;
        }
    }
    if (rows.size() >= 2) { rows.erase(rows.begin(), rows.begin() + 2); }
    return rows;
}

TEST(protocol_page, has_the_rules_of_the_code_in_their_order)
{
    const auto rows = table_below("The rules");
    ASSERT_EQ(rows.size(), protocol_rule_count);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto& d = protocol_rules[i];
        EXPECT_EQ(rows[i], (row{std::string(d.name), std::string(d.clause), std::to_string(d.row),
                                d.weight == rule_weight::error ? "error" : "warning", std::string(d.text)}));
    }
}

TEST(protocol_page, says_of_each_row_of_the_checklist_whether_a_rule_sees_it)
{
    std::set<std::string> seen;
    for (const auto& d : protocol_rules) { seen.insert(std::to_string(d.row)); }
    const auto rows = table_below("The checklist");
    ASSERT_EQ(rows.size(), 21u);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        ASSERT_EQ(rows[i].size(), 3u);
        EXPECT_EQ(rows[i][0], std::to_string(i + 1));
        EXPECT_EQ(rows[i][2] != "no", seen.count(rows[i][0]) == 1) << rows[i][1];
    }
}

} // namespace
