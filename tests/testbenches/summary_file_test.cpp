#include "platform/report/run_report.h"
#include <cmath>
#include <filesystem>
#include <limits>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include "testbenches/scratch_directory.h"

namespace tensorloom::testbench {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

class summary_file_test : public ::testing::Test {
protected:
    ordered_json written(const ordered_json& document)
    {
        write_summary(m_scratch.file("summary.json"), document);
        return ordered_json::parse(content(m_scratch.file("summary.json")));
    }
    std::size_t files() const
    {
        const fs::directory_iterator all(m_scratch.path());
        return static_cast<std::size_t>(std::distance(begin(all), end(all)));
    }
    scratch_directory m_scratch;
};

TEST_F(summary_file_test, document_reads_back_in_its_order)
{
    const ordered_json document = {
        {"version", "1"}, {"cycles", 18446744073709551615u}, {"check", {{"passed", nullptr}}}};
    EXPECT_EQ(written(document).dump(), document.dump());
    EXPECT_EQ(files(), 1u);
}

TEST_F(summary_file_test, plain_json_is_accepted)
{
    write_summary(m_scratch.file("summary.json"), nlohmann::json{{"b", 1}, {"a", 2}});
    EXPECT_EQ(ordered_json::parse(content(m_scratch.file("summary.json"))).dump(), R"({"a":2,"b":1})");
}

TEST_F(summary_file_test, numbers_read_back_as_the_same_double)
{
    for (const double x : {0.1, 1.0 / 3, 1e300 / 7, 5e-324, -0.0, 123456789.123456789}) {
        const double back = written({{"x", x}})["x"].get<double>();
        EXPECT_EQ(back, x);
        EXPECT_EQ(std::signbit(back), std::signbit(x));
    }
}

TEST_F(summary_file_test, numbers_that_are_not_finite_are_null)
{
    const double infinity = std::numeric_limits<double>::infinity();
    const ordered_json back = written({{"a", infinity}, {"b", -infinity}, {"c", std::nan("")}});
    EXPECT_TRUE(back["a"].is_null());
    EXPECT_TRUE(back["b"].is_null());
    EXPECT_TRUE(back["c"].is_null());
}

TEST_F(summary_file_test, text_that_is_not_utf8_still_gives_json)
{
    EXPECT_EQ(written({{"file", "a\xff.npy"}})["file"], "a\xef\xbf\xbd.npy");
}

TEST_F(summary_file_test, old_file_is_replaced)
{
    written({{"long", std::string(1000, 'x')}});
    EXPECT_EQ(written({{"a", 1}}).dump(), R"({"a":1})");
    EXPECT_EQ(files(), 1u);
}

TEST_F(summary_file_test, failure_throws_and_leaves_no_part_behind)
{
    EXPECT_THROW(write_summary(m_scratch.file("missing/summary.json"), {}), std::runtime_error);
    fs::create_directories(m_scratch.file("summary.json/inside"));
    EXPECT_THROW(write_summary(m_scratch.file("summary.json"), {}), std::runtime_error);
    EXPECT_EQ(files(), 1u);
}

} // namespace
} // namespace tensorloom::testbench
