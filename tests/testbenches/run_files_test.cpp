#include "platform/options/run_files.h"
#include <filesystem>
#include <sstream>
#include <unistd.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "testbenches/input_error_of.h"
#include "testbenches/scratch_directory.h"

namespace tensorloom::testbench {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class run_files_test : public ::testing::Test {
protected:
    /// What a program with the common options alone says to them; "(none)" when it takes them.
    std::string common(std::vector<std::string> arguments, const std::vector<std::string>& more = {})
    {
        return input_error_of([&] {
            option_table table("sample", "");
            add_common_options(table);
            std::vector<const char*> words{"sample"};
            for (const auto& argument : arguments) { words.push_back(argument.c_str()); }
            std::ostringstream out;
            const auto values = table.parse(static_cast<int>(words.size()), words.data(), out);
            const auto read = read_common_options(*values);
            m_files.add_common(*values, read, more);
            m_files.check_outputs(read);
        });
    }
    std::string at(const std::string& name) const { return m_scratch.file(name); }

    scratch_directory m_scratch;
    run_files m_files;
};

// Of another user, when the tests run as root: root may look everywhere.
TEST_F(run_files_test, a_folder_that_nobody_may_look_into)
{
    fs::create_directories(at("locked/in"));
    fs::permissions(at("locked"), fs::perms::none);
    const bool root = geteuid() == 0;
    constexpr uid_t nobody = 65534;
    ASSERT_FALSE(root && seteuid(nobody) != 0);
    const auto error = common({"--out", at("locked/in/run"), "--vcd", at("locked/in/run/wave")});
    ASSERT_FALSE(root && seteuid(0) != 0);
    fs::permissions(at("locked"), fs::perms::owner_all);
    EXPECT_THAT(error, StartsWith("--vcd: " + at("locked/in/run/wave") + ": cannot be written"));
}

TEST_F(run_files_test, inputs_may_be_one_file)
{
    m_files.add_input("--a", at("same"));
    m_files.add_input("--b", at("same"));
}

TEST_F(run_files_test, an_output_is_no_input)
{
    const std::string path = m_scratch.write("data", "x");
    m_files.add_input("--in", path);
    EXPECT_EQ(input_error_of([&] { m_files.add_output("--out", path); }),
              "--out is '" + path + "', which is also --in, expected another file");
}

TEST_F(run_files_test, in_whatever_order_they_are_told)
{
    const std::string path = m_scratch.write("data", "x");
    m_files.add_output("--out", path);
    EXPECT_EQ(input_error_of([&] { m_files.add_input("--in", path); }),
              "--out is '" + path + "', which is also --in, expected another file");
}

TEST_F(run_files_test, outputs_are_files_of_their_own)
{
    m_files.add_output("--first", at("data")); // not there yet
    EXPECT_THAT(input_error_of([&] { m_files.add_output("--second", at("folder/../data")); }),
                StartsWith("--second is '" + at("folder/../data") + "', which is also --first"));
    m_files.add_output("--second", at("other"));
}

TEST_F(run_files_test, a_link_is_what_it_leads_to)
{
    const std::string path = m_scratch.write("data", "x");
    fs::create_symlink("data", at("link"));
    m_files.add_input("--in", path);
    EXPECT_THAT(input_error_of([&] { m_files.add_output("--out", at("link")); }), HasSubstr("which is also --in"));
}

TEST_F(run_files_test, files_of_every_testbench_are_taken)
{
    m_scratch.write("job.yaml", "seed: 2\n");
    EXPECT_EQ(common({"--config", at("job.yaml"), "--out", at("files"), "--vcd", at("wave"), "--technology", "7nm"}),
              "(none)");
}

TEST_F(run_files_test, files_of_every_testbench_do_not_clash)
{
    const std::string job = m_scratch.write("job.yaml", "seed: 2\n");
    EXPECT_THAT(common({"--config", job, "--vcd", job}), HasSubstr("which is also --config"));
    m_files = {};
    const std::string own = m_scratch.write("own.yaml", "");
    EXPECT_THAT(common({"--technology", own, "--vcd", own}), HasSubstr("which is also --technology"));
    for (const char* name : {"summary.json", "latency.csv", "energy.csv", "trace.json", "events.csv"}) {
        m_files = {};
        EXPECT_THAT(common({"--out", at("files"), "--vcd", at("files/") + name}),
                    HasSubstr("which is also a file that --out writes"));
    }
}

TEST_F(run_files_test, further_files_of_the_directory_do_not_clash_either)
{
    EXPECT_THAT(common({"--out", at("files"), "--vcd", at("files/more.csv")}, {"more.csv"}),
                HasSubstr("which is also a file that --out writes"));
    m_files = {};
    EXPECT_EQ(common({"--out", at("files"), "--vcd", at("files/more.csv")}), "(none)");
}

TEST_F(run_files_test, a_clash_names_what_was_typed)
{
    m_files.add_output("--result", at("files/summary.json"));
    EXPECT_EQ(common({"--out", at("files")}), "--result is '" + at("files/summary.json") +
                                                  "', which is also a file that --out writes, expected another file");
}

TEST_F(run_files_test, a_name_that_ships_is_no_file)
{
    m_files.add_output("--result", "45nm");
    EXPECT_EQ(common({"--technology", "45nm"}), "(none)");
}

TEST_F(run_files_test, outputs_can_be_written_or_are_named)
{
    m_files.add_output("--result", at("nowhere/file"));
    EXPECT_THAT(common({}), StartsWith("--result: " + at("nowhere/file") + ": cannot be written: "));
    m_files = {};
    fs::create_directory(at("folder"));
    m_files.add_output("--result", at("folder"));
    EXPECT_THAT(common({}), StartsWith("--result: " + at("folder") + ": cannot be written: "));
}

TEST_F(run_files_test, files_in_a_directory_that_out_will_make_pass)
{
    m_files.add_output("--result", at("new/result"));
    EXPECT_EQ(common({"--out", at("new")}), "(none)");
    m_files = {};
    m_files.add_output("--result", at("new/below/result"));
    EXPECT_THAT(common({"--out", at("new")}), StartsWith("--result: "));
    EXPECT_FALSE(fs::exists(at("new")));
}

} // namespace
} // namespace tensorloom::testbench
