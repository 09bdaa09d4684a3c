#include "platform/report/testbench_run.h"
#include <tensorloom/models/base/files/atomic_file.h>
#include "platform/process/text.h"
#include "platform/run/die.h"

namespace tensorloom::testbench {
namespace {

// Marks a clock that the devices do not allow, and refuses one that was asked for.
void check_clock(common_options& o, const die& devices)
{
    const auto limit = clock_limit_of(devices);
    o.overclocked = limit.ps > static_cast<double>(clock_period_ps(o));
    if (!o.overclocked) { return; }
    o.overclocked_because = overclocked_text(limit, static_cast<double>(clock_period_ps(o)) / 1000);
    if (!o.clock_given || o.allow_overclock) { return; }
    throw base::input_error("--clock: found " + number_text(o.clock_ghz) + " GHz, expected at most " +
                            number_text(fastest_ghz(limit)) + ", because " + limit.cause + ", or --allow-overclock");
}

int run_and_report(const char* testbench, run_options& o, testbench_run& run)
{
    auto technology = costs::load_technology(o.common.technology);
    if (o.common.voltage) { technology.set_supply(*o.common.voltage); }
    technology.scale_leakage(o.common.leakage);
    technology.list_missing([&] {
        if (!o.common.dry_run) { run.prepare(technology); }
        check_clock(o.common, die_of(technology, run.devices(technology)));
    });
    if (o.common.dry_run) { return exit_right; }
    std::optional<output_directory> directory;
    if (o.common.out) { directory.emplace(*o.common.out, o.files.more()); }
    o.files.check_outputs(o.common); // again: what lies in the directory can be checked only now

    base::file_transaction files;
    run.simulate(technology);
    check_clock(o.common, die_of(technology, run.devices(technology))); // again: a run may size the memories
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

int run_to_the_end(const char* testbench, run_options& options, testbench_run& run)
{
    try {
        return run_and_report(testbench, options, run);
    } catch (const base::input_error& e) {
        throw base::input_error(run.explained(e.what()));
    }
}

} // namespace tensorloom::testbench
