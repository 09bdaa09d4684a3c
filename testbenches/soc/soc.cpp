#include <iostream>
#include <optional>
#include <tensorloom/models/activity/transaction_log.h>
#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/workloads/npy_file.h>
#include "platform/main.h"
#include "platform/memory_need.h"
#include "platform/output_directory.h"
#include "platform/transform_check.h"
#include "platform/transform_job.h"
#include "soc/soc_options.h"
#include "soc/soc_report.h"
#include "soc/soc_run.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

template <class T> transform_problem<T> problem_of(const soc_job& job)
{
    try {
        return make_problem<T>(job.transform);
    } catch (const arch::input_error& e) {
        throw arch::input_error("--" + job.name + "-transform: " + e.what());
    }
}

template <class T> int run(const soc_options& o)
{
    const auto technology = arch::load_technology(o.common.technology);
    require_memory(needed_bytes(o), o.common.detailed ? "smaller jobs, or --fidelity fast" : "smaller jobs");
    std::array<transform_problem<T>, soc_devices> problems;
    for (std::size_t d = 0; d < soc_devices; ++d) { problems[d] = problem_of<T>(o.jobs[d]); }
    const auto layout = lay_out(o, problems);
    std::optional<output_directory> directory;
    if (o.common.out) { directory.emplace(*o.common.out, soc_bus_files); }
    o.files.check_outputs(o.common); // again: what lies in the directory can be checked only now

    soc_activity activity({soc_device_names[0], soc_device_names[1]},
                          o.common.out ? activity::log_detail::every_record : activity::log_detail::totals);
    constexpr std::size_t most_records = 1'000'000; // of transactions.csv and trace.json, about 100 MB
    activity::transaction_log transactions(most_records);
    const auto result = simulate(o, problems, layout, activity, o.common.out ? &transactions : nullptr);

    soc_findings findings;
    findings.measured = &result.measured;
    findings.activity = &activity;
    findings.transactions = &transactions;
    findings.energy = energy_of(o, technology, activity, result.measured);
    for (std::size_t d = 0; d < soc_devices; ++d) {
        findings.passed = findings.passed && result.same[d];
        if (!o.common.check || o.jobs[d].runs == 0) { continue; }
        problems[d].x = make_tensors<T>(o.jobs[d].transform);
        findings.check[d] = check_transform(o.jobs[d].transform, problems[d], result.y[d], o.common.quiet);
        findings.passed = findings.passed && findings.check[d]->passed;
    }
    for (std::size_t d = 0; d < soc_devices; ++d) {
        if (o.jobs[d].output) { workloads::save_npy(*o.jobs[d].output, result.y[d].front()); }
    }
    if (directory) { write_files(*directory, o, findings, technology); }
    if (!o.common.quiet) { print_table(std::cout, o, findings); }
    return findings.passed ? exit_right : exit_wrong;
}

int run_soc(int argc, char** argv)
{
    const auto options = read_soc_options(argc, argv, std::cout);
    if (!options) { return exit_right; }
    const int status = with_element(options->jobs[large_device].transform.format,
                                    [&](auto element) { return run<decltype(element)>(*options); });
    leave(argv[0], status); // the platform is still alive: a large mesh takes seconds to tear down
}

} // namespace

int sc_main(int argc, char* argv[]) { return run_main(argc, argv, run_soc); }
