#include <algorithm>
#include <complex>
#include <iostream>
#include <optional>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/job_log.h>
#include <tensorloom/models/arch/sram_energy.h>
#include <tensorloom/models/arch/technology.h>
#include <tensorloom/models/arch/triada_energy.h>
#include <tensorloom/workloads/gemt_check.h>
#include <tensorloom/workloads/gemt_reference.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/selection.h>
#include "dxt/dxt_options.h"
#include "dxt/dxt_problem.h"
#include "dxt/dxt_report.h"
#include "dxt/dxt_run.h"
#include "platform/main.h"
#include "platform/memory_need.h"
#include "platform/output_directory.h"
#include "platform/progress.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

void take_worse(workloads::check_result& worst, const workloads::check_result& other)
{
    worst.passed = worst.passed && other.passed;
    worst.finite = worst.finite && other.finite;
    worst.max_abs_error = std::max(worst.max_abs_error, other.max_abs_error);
    worst.max_rel_error = std::max(worst.max_rel_error, other.max_rel_error);
    worst.bound = std::max(worst.bound, other.bound);
    worst.compared += other.compared;
}

template <class T>
workloads::check_result check(const dxt_options& o, const dxt_problem<T>& problem,
                              const std::vector<workloads::tensor<T>>& results)
{
    progress shown(o.common.quiet);
    std::optional<workloads::check_result> worst;
    workloads::gemt_problem<T> gemt;
    for (std::size_t m = 0; m < 3; ++m) { gemt.matrices[m] = &problem.matrices[m]; }
    gemt.order = o.order;
    gemt.initial = problem.initial ? &*problem.initial : nullptr;
    std::optional<workloads::gemt_reference<T>> reference;
    for (std::size_t i = 0; i < results.size(); ++i) {
        shown.show(static_cast<double>(i) / static_cast<double>(results.size()),
                   "reference of tensor " + std::to_string(i + 1));
        gemt.x = &problem.tensor(i);
        if (!reference || problem.x.size() > 1) { reference = workloads::compute_reference(gemt); }
        const auto result = workloads::check_gemt(results[i], gemt, *reference, o.esop ? o.zero_threshold : 0);
        if (worst) {
            take_worse(*worst, result);
        } else {
            worst = result;
        }
    }
    return *worst;
}

template <class T> void write_output(const dxt_options& o, const std::vector<workloads::tensor<T>>& results)
{
    if (results.size() == 1) {
        workloads::save_npy(*o.output, results.front());
        return;
    }
    workloads::tensor<T> all({results.size(), o.shape[0], o.shape[1], o.shape[2]});
    auto at = all.data.begin();
    for (const auto& y : results) { at = std::copy(y.data.begin(), y.data.end(), at); }
    workloads::save_npy(*o.output, all);
}

template <class T> int run(const dxt_options& o)
{
    const auto tech = arch::load_technology(o.common.technology);
    const auto device_energy = arch::triada_energy(tech, {o.mesh, o.format, o.vertical_mode});
    require_memory(needed_bytes(o),
                   o.common.detailed ? "a smaller problem or mesh, or --fidelity fast" : "a smaller problem");
    const auto problem = make_problem<T>(o);
    std::optional<output_directory> directory;
    if (o.common.out) { directory.emplace(*o.common.out); }
    check_outputs(o); // again: what lies in the directory can be checked only now

    // Nothing is recorded step by step unless somebody wants to read it.
    activity::job_log log(dxt_device_name,
                          o.common.out ? activity::log_detail::every_record : activity::log_detail::totals);
    auto result = simulate(o, problem, log);

    dxt_findings findings;
    findings.cycles = result.cycles;
    findings.clock_period_ps = clock_period_ps(o.common);
    findings.memory_bytes = result.memory_bytes;
    findings.usage = result.usage;
    findings.log = &log;
    const activity::energy_report energy(
        log, static_cast<double>(findings.clock_period_ps) / 1000,
        {{dxt_device_name, device_energy}, {dxt_memory_name, arch::sram_energy(tech, result.memory_bytes)}});
    findings.energy = &energy;
    if (o.common.check) { findings.check = check(o, problem, result.y); }
    if (o.keep) {
        findings.kept = 0;
        for (auto& y : result.y) { *findings.kept += workloads::keep_largest(y, *o.keep); }
    }
    if (o.output) { write_output(o, result.y); }
    if (directory) { write_files(*directory, o, findings); }
    if (!o.common.quiet) { print_table(std::cout, o, findings); }
    return findings.check && !findings.check->passed ? exit_wrong : exit_right;
}

int run_dxt(int argc, char** argv)
{
    const auto options = read_dxt_options(argc, argv, std::cout);
    if (!options) { return exit_right; }
    int status = exit_internal;
    switch (options->format) {
    case arch::element_type::f64: status = run<double>(*options); break;
    case arch::element_type::f32: status = run<float>(*options); break;
    case arch::element_type::c128: status = run<std::complex<double>>(*options); break;
    case arch::element_type::c64: status = run<std::complex<float>>(*options); break;
    }
    leave(argv[0], status); // the platform is still alive: a large mesh takes seconds to tear down
}

} // namespace

int sc_main(int argc, char* argv[]) { return run_main(argc, argv, run_dxt); }
