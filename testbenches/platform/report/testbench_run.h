#pragma once
#include <iostream>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/models/costs/technology.h>
#include "platform/process/main.h"
#include "platform/options/run_files.h"
#include "platform/report/run_report.h"

namespace tensorloom::testbench {

/// The part of a run that is specific to a testbench. A run calls these functions in this order:
///
///     options read and checked (their read function)         exit status 2 in one line
///     technology loaded                                       likewise
///     prepare(), but not in a --dry-run                       likewise, before anything is written
///     devices(), the clock checked; the end of a --dry-run    likewise
///     --out created, every output checked
///     simulate()                                              places data, runs, checks, writes files of own options
///     write_report()                                                  costs and check, into table and summary
///     write_programs(), summary.json                          with --out
///     all files take their names                              together; none if something failed before
///     the table                                               without --quiet
///     exit status                                             0 right or not checked, 1 wrong
class testbench_run {
public:
    virtual ~testbench_run() = default;
    /// Checks everything that is known beforehand, and generates the data if that is quick. Asks the technology for
    /// every number that the run needs: missing keys are listed together (costs::technology::list_missing()).
    virtual void prepare(const costs::technology&) {}
    /// The floor plans of the devices, which limit the clock; after prepare(), or in a --dry-run without it.
    virtual std::vector<costs::floor_plan> devices(const costs::technology&) const { return {}; }
    virtual void simulate(const costs::technology& technology) = 0;
    virtual bool passed() const = 0; ///< true also when nothing was checked
    virtual void write_report(run_report& report) const = 0;
    /// latency.csv, energy.csv, trace.json; none for a run that keeps no records.
    virtual void write_programs(const output_directory& directory) const = 0;
    /// The error in one line, also printed with --quiet; empty if the exit status is sufficient.
    virtual std::string failure() const { return {}; }
    /// An base::input_error in this testbench's words.
    virtual std::string explained(const std::string& error) const { return error; }
};

/// The run after its options; returns the exit status, or throws wrong_result with --quiet. Sets in the
/// options whether the clock is more than the devices allow.
int run_to_the_end(const char* testbench, run_options& options, testbench_run& run);

/// sc_main() of a testbench. `read`: reads the options, none for help or version; `make`: creates the testbench_run (by
/// std::unique_ptr) of these options. Platforms are not destroyed: a large mesh takes seconds for that.
template <class Read, class Make>
int testbench_main(const char* testbench, int argc, char** argv, const Read& read, const Make& make)
{
    return run_main(argc, argv, [&](int count, char** arguments) -> int {
        auto options = read(count, arguments, std::cout);
        if (!options) { return exit_right; }
        const std::unique_ptr<testbench_run> run = make(*options);
        leave(arguments[0], run_to_the_end(testbench, *options, *run));
    });
}

} // namespace tensorloom::testbench
