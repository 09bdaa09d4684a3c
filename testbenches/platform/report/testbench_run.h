#pragma once
#include <iostream>
#include <memory>
#include <string>
#include <tensorloom/models/costs/technology.h>
#include "platform/process/main.h"
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

/// What is new about a testbench. A run goes through these functions in this order:
///
///     options read and checked (their read function)         exit status 2 in one line
///     technology loaded; the end of a --dry-run               likewise
///     prepare()                                               likewise, before anything is written
///     --out made, every output looked at
///     simulate()                                              lays out, runs, checks, writes what own options name
///     write_report()                                                  costs and check, into table and summary
///     write_programs(), summary.json                          with --out
///     the table                                               without --quiet
///     exit status                                             0 right or not checked, 1 wrong
class testbench_run {
public:
    virtual ~testbench_run() = default;
    /// Refuses what can be known beforehand, and makes the data where that is quick.
    virtual void prepare(const costs::technology&) {}
    virtual void simulate(const costs::technology& technology) = 0;
    virtual bool passed() const = 0; ///< true also when nothing was checked
    virtual void write_report(run_report& report) const = 0;
    /// latency.csv, energy.csv, trace.json; none for a run that keeps no records.
    virtual void write_programs(const output_directory& directory) const = 0;
    /// What is wrong, in one line that --quiet leaves; empty where the exit status says it.
    virtual std::string failure() const { return {}; }
    /// What an base::input_error complains about, in this testbench's words.
    virtual std::string explained(const std::string& error) const { return error; }
};

/// Everything behind the options; the exit status, or wrong_result with --quiet.
int run_to_the_end(const char* testbench, const run_options& options, testbench_run& run);

/// sc_main() of a testbench. `read`: the options, nothing when they ask for help or version; `make`: a testbench_run
/// (by std::unique_ptr) of these options. Platforms are not taken down: a large mesh takes seconds for that.
template <class Read, class Make>
int testbench_main(const char* testbench, int argc, char** argv, const Read& read, const Make& make)
{
    return run_main(argc, argv, [&](int count, char** arguments) -> int {
        const auto options = read(count, arguments, std::cout);
        if (!options) { return exit_right; }
        const std::unique_ptr<testbench_run> run = make(*options);
        leave(arguments[0], run_to_the_end(testbench, *options, *run));
    });
}

} // namespace tensorloom::testbench
