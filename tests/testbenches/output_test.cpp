#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "platform/options/run_files.h"
#include "testbenches/input_error_of.h"
#include "testbenches/scratch_directory.h"

namespace tensorloom::testbench {
namespace {

namespace fs = std::filesystem;
using ::testing::StartsWith;

class output_test : public ::testing::Test {
protected:
    std::string directory_check_error(const std::string& path)
    {
        return input_error_of([&] { output_directory{path}; });
    }
    scratch_directory m_scratch;
};

TEST_F(output_test, directory_is_created_with_its_parents_and_stays_empty)
{
    const output_directory out(m_scratch.file("a/b/c"));
    EXPECT_TRUE(fs::is_directory(m_scratch.file("a/b/c")));
    EXPECT_TRUE(fs::is_empty(m_scratch.file("a/b/c")));
}

TEST_F(output_test, directory_knows_its_files)
{
    const output_directory out(m_scratch.path());
    EXPECT_EQ(out.path(), m_scratch.path());
    EXPECT_EQ(out.summary(), m_scratch.file("summary.json"));
    EXPECT_EQ(out.latency(), m_scratch.file("latency.csv"));
    EXPECT_EQ(out.energy(), m_scratch.file("energy.csv"));
    EXPECT_EQ(out.trace(), m_scratch.file("trace.json"));
    EXPECT_EQ(out.events(), m_scratch.file("events.csv"));
    EXPECT_EQ(out.file("slice.png"), m_scratch.file("slice.png"));
}

TEST_F(output_test, directory_that_exists_keeps_what_it_holds)
{
    m_scratch.write("summary.json", "old");
    m_scratch.write("other", "mine");
    const output_directory out(m_scratch.path());
    EXPECT_EQ(content(out.summary()), "old");
    EXPECT_EQ(content(out.file("other")), "mine");
}

TEST_F(output_test, directory_belongs_to_one_run_at_a_time)
{
    {
        const output_directory first(m_scratch.file("a"));
        EXPECT_EQ(directory_check_error(m_scratch.file("a/")),
                  "--out: '" + m_scratch.file("a/") + "' is being written by another run, expected another directory");
    }
    EXPECT_FALSE(fs::exists(m_scratch.file("a")));
    const output_directory after(m_scratch.file("a"));
}

TEST_F(output_test, directory_with_a_slash_at_its_end)
{
    const output_directory out(m_scratch.file("a/"));
    EXPECT_TRUE(fs::is_directory(m_scratch.file("a")));
}

TEST_F(output_test, directory_that_cannot_be_one)
{
    const std::string file = m_scratch.write("file", "");
    EXPECT_EQ(directory_check_error(file),
              "--out is '" + file + "', expected a directory that can be written: Not a directory");
    EXPECT_EQ(directory_check_error(file + "/a"),
              "--out is '" + file + "/a', expected a directory that can be written: Not a directory");
    EXPECT_THAT(directory_check_error("/proc/nothing"),
                StartsWith("--out is '/proc/nothing', expected a directory that can be written: "));
    EXPECT_THAT(directory_check_error("/proc"), StartsWith("--out: /proc/summary.json: cannot be written: "));
}

TEST_F(output_test, directory_with_a_file_that_cannot_be_replaced)
{
    fs::create_directory(m_scratch.file("trace.json"));
    EXPECT_EQ(directory_check_error(m_scratch.path()),
              "--out: " + m_scratch.file("trace.json") +
                  ": cannot be written: it is a directory, expected a file that can be created");
}

} // namespace
} // namespace tensorloom::testbench
