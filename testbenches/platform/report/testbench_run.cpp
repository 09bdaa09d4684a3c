#include "platform/report/testbench_run.h"
#include <tensorloom/models/base/files/atomic_file.h>

namespace tensorloom::testbench {
namespace {

int run_and_report(const char* testbench, const run_options& o, testbench_run& run)
{
    auto technology = costs::load_technology(o.common.technology);
    technology.scale_leakage(o.common.leakage);
    if (o.common.dry_run) { return exit_right; }
    technology.list_missing([&] { run.prepare(technology); });
    std::optional<output_directory> directory;
    if (o.common.out) { directory.emplace(*o.common.out, o.files.more()); }
    o.files.check_outputs(o.common); // again: what lies in the directory can be checked only now

    base::file_transaction files;
    run.simulate(technology);
    run_report report(o, testbench, technology.second_source_name());
    run.write_report(report);
    if (directory) {
        run.write_programs(*directory);
        write_summary(directory->summary(), report.summary());
    }
    files.commit();
    if (!o.common.quiet) { std::cout << report.table(); }
    if (run.passed()) { return exit_right; }
    if (const auto failure = run.failure(); o.common.quiet && !failure.empty()) { throw wrong_result(failure); }
    return exit_wrong;
}

} // namespace

int run_to_the_end(const char* testbench, const run_options& options, testbench_run& run)
{
    try {
        return run_and_report(testbench, options, run);
    } catch (const base::input_error& e) {
        throw base::input_error(run.explained(e.what()));
    }
}

} // namespace tensorloom::testbench
