#include <cstdlib>
#include <string>
#include <sys/wait.h>
#include <gtest/gtest.h>
#include "testbenches/scratch_directory.h"

namespace tensorloom::testbench {
namespace {

struct outcome {
    int status;
    std::string out;
    std::string err;
};

outcome run(const std::string& argument, const std::string& out_file = {})
{
    const scratch_directory scratch;
    const std::string out = out_file.empty() ? scratch.file("out") : out_file;
    const std::string command = "env -u SYSTEMC_DISABLE_COPYRIGHT_MESSAGE '" EXIT_STATUS_PROGRAM "' " + argument +
                                " > '" + out + "' 2> '" + scratch.file("err") + "'";
    const int status = std::system(command.c_str()); // NOLINT(cert-env33-c)
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, out_file.empty() ? content(out) : "",
            content(scratch.file("err"))};
}

void expect_outcome(const std::string& argument, int status, const std::string& out, const std::string& err)
{
    const outcome found = run(argument);
    EXPECT_EQ(found.status, status) << argument;
    EXPECT_EQ(found.out, out) << argument;
    EXPECT_EQ(found.err, err) << argument;
}

TEST(exit_status_test, right_and_wrong_are_silent)
{
    expect_outcome("right", 0, "", ""); // no banner either
    expect_outcome("wrong", 1, "", "");
}

TEST(exit_status_test, device_without_a_right_result_is_wrong_in_one_line)
{
    expect_outcome("overflow", 1, "", "exit_status_program: a sum overflows\n");
}

TEST(exit_status_test, bad_input_is_one_line)
{
    expect_outcome("input", 2, "", "exit_status_program: --seed is '-1', expected more\n");
}

TEST(exit_status_test, exceptions_are_internal_failures)
{
    expect_outcome("exception", 3, "", "exit_status_program: internal failure: went wrong\n");
    expect_outcome("memory", 3, "", "exit_status_program: out of memory\n");
    expect_outcome("unknown", 3, "", "exit_status_program: internal failure: an exception of an unknown type\n");
}

TEST(exit_status_test, systemc_errors_are_internal_failures)
{
    expect_outcome("error", 3, "", "exit_status_program: internal failure: /tensorloom/test/problem: broken\n");
    expect_outcome("fatal", 3, "", "exit_status_program: internal failure: /tensorloom/test/problem: dead\n");
}

TEST(exit_status_test, report_of_a_process_names_it_and_its_time)
{
    const std::string where = " (module.run at 3 ns)\n";
    expect_outcome("process-error", 3, "",
                   "exit_status_program: internal failure: /tensorloom/test/problem: broken" + where);
    expect_outcome("process-fatal", 3, "",
                   "exit_status_program: internal failure: /tensorloom/test/problem: dead" + where);
    expect_outcome("process-warning", 0, "",
                   "exit_status_program: warning: /tensorloom/test/problem: slow but sure" + where);
}

TEST(exit_status_test, exception_in_a_process_is_an_internal_failure)
{
    const outcome found = run("process-exception");
    EXPECT_EQ(found.status, 3);
    EXPECT_NE(found.err.find("thrown in a process"), std::string::npos) << found.err;
    EXPECT_EQ(found.err.find('\n'), found.err.size() - 1) << found.err;
}

TEST(exit_status_test, warning_is_logged_and_info_is_not)
{
    expect_outcome("warning", 0, "", "exit_status_program: warning: /tensorloom/test/problem: careful\n");
    expect_outcome("info", 0, "", "");
}

TEST(exit_status_test, full_disk_is_an_output_that_cannot_be_written)
{
    for (const char* argument : {"print", "print-c", "leave"}) {
        const outcome found = run(argument, "/dev/full");
        EXPECT_EQ(found.status, 2) << argument;
        EXPECT_EQ(found.err, "exit_status_program: standard output could not be written: No space left on device\n");
    }
    EXPECT_EQ(run("right", "/dev/full").status, 0);
}

TEST(exit_status_test, leave_flushes_and_destroys_nothing) { expect_outcome("leave", 1, "last words\n", ""); }

} // namespace
} // namespace tensorloom::testbench
