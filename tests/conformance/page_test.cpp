// docs/conformance.md names the tests of each row, and each row has one.
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <gtest/gtest.h>

namespace {

// Tests of this program by row: "target_row.row_01_...". Several rows in one name count for each.
std::map<int, std::set<std::string>> tests_by_row()
{
    std::map<int, std::set<std::string>> found;
    const auto& all = *::testing::UnitTest::GetInstance();
    for (int s = 0; s < all.total_test_suite_count(); ++s) {
        const auto& suite = *all.GetTestSuite(s);
        const std::string suite_name = std::regex_replace(std::string(suite.name()), std::regex("^.*/"), "");
        for (int t = 0; t < suite.total_test_count(); ++t) {
            const std::string name =
                std::regex_replace(std::string(suite.GetTestInfo(t)->name()), std::regex("/.*$"), "");
            std::smatch rows;
            if (!std::regex_search(name, rows, std::regex("^row_(\\d\\d)(_and_(\\d\\d))?_"))) { continue; }
            found[std::stoi(rows[1])].insert(suite_name + "." + name);
            if (rows[3].matched) { found[std::stoi(rows[3])].insert(suite_name + "." + name); }
        }
    }
    return found;
}

std::map<int, std::set<std::string>> tests_on_the_page()
{
    std::ifstream file(TENSORLOOM_DOCS "/conformance.md");
    std::map<int, std::set<std::string>> found;
    for (std::string line; std::getline(file, line);) {
        std::smatch row;
        if (!std::regex_search(line, row, std::regex("^\\| (\\d+) \\|"))) { continue; }
        const std::regex test("`([a-z]+_row\\.row_[a-z0-9_]+)`");
        for (std::sregex_iterator at(line.begin(), line.end(), test), end; at != end; ++at) {
            found[std::stoi(row[1])].insert((*at)[1]);
        }
    }
    return found;
}

TEST(conformance_page, names_the_tests_of_each_of_the_21_rows)
{
    const auto tests = tests_by_row();
    const auto page = tests_on_the_page();
    for (int row = 1; row <= 21; ++row) {
        ASSERT_EQ(tests.count(row), 1u) << "row " << row << " has no test";
        ASSERT_EQ(page.count(row), 1u) << "row " << row << " is not on the page";
        EXPECT_EQ(page.at(row), tests.at(row)) << "row " << row;
    }
    EXPECT_EQ(tests.size(), 21u);
}

} // namespace
