#include <algorithm>
#include <cstdint>
#include <iostream>
#include <optional>
#include <type_traits>
#include <tensorloom/models/activity/energy_report.h>
#include <tensorloom/models/activity/job_log.h>
#include <tensorloom/models/arch/costs/sram_energy.h>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/models/arch/triada/energy.h>
#include <tensorloom/workloads/gemt_check.h>
#include <tensorloom/workloads/npy_file.h>
#include <tensorloom/workloads/lossy_compression.h>
#include "dxt/dxt_options.h"
#include "dxt/dxt_report.h"
#include "dxt/dxt_run.h"
#include "platform/main.h"
#include "platform/memory_need.h"
#include "platform/output_directory.h"
#include "platform/progress.h"
#include "platform/transform_check.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

// An int8 result is small again when it is asked for in the element format; there are no .npy files of bfloat16.
template <class T, class R> void write_output(const dxt_options& o, const std::vector<workloads::tensor<R>>& results)
{
    if constexpr (std::is_same_v<T, std::int8_t> && !std::is_same_v<R, T>) {
        if (o.result == result_format::element) {
            std::vector<workloads::tensor<T>> small;
            for (const auto& y : results) {
                small.emplace_back(y.shape);
                std::transform(y.data.begin(), y.data.end(), small.back().data.begin(),
                               [](R value) { return static_cast<T>(value); });
            }
            write_output<T>(o, small);
            return;
        }
    }
    if (results.size() == 1) {
        workloads::save_npy(*o.output, results.front());
        return;
    }
    const auto shape = o.result_shape();
    workloads::tensor<R> all({results.size(), shape[0], shape[1], shape[2]});
    auto at = all.data.begin();
    for (const auto& y : results) { at = std::copy(y.data.begin(), y.data.end(), at); }
    workloads::save_npy(*o.output, all);
}

template <class T> int run(const dxt_options& o)
{
    const auto tech = arch::load_technology(o.common.technology);
    const auto device_energy = arch::triada::device_energy(tech, {o.mesh, o.format, o.device.vertical_mode});
    require_memory(needed_bytes(o),
                   o.common.detailed ? "a smaller problem or mesh, or --fidelity fast" : "a smaller problem");
    progress(o.common.quiet).show(0, "making tensors and matrices");
    auto problem = make_problem<T>(o);
    std::optional<output_directory> directory;
    if (o.common.out) { directory.emplace(*o.common.out); }
    o.files.check_outputs(o.common); // again: what lies in the directory can be checked only now

    // Nothing is recorded step by step unless somebody wants to read it.
    activity::job_log log(dxt_device_name,
                          o.common.out ? activity::log_detail::every_record : activity::log_detail::totals);
    auto result = simulate(o, problem, log);

    dxt_findings findings;
    findings.cycles = result.transform.cycles;
    findings.clock_period_ps = clock_period_ps(o.common);
    findings.memory_bytes = result.memory_bytes;
    findings.workspace_bytes = result.workspace_bytes;
    findings.active_cell_steps = result.active_cell_steps;
    findings.plan = result.plan;
    findings.usage = result.usage;
    findings.log = &log;
    const activity::energy_report energy(
        log, static_cast<double>(findings.clock_period_ps) / 1000,
        {{dxt_device_name, device_energy}, {dxt_memory_name, arch::sram_energy(tech, result.memory_bytes)}});
    findings.energy = &energy;
    if (o.common.check) {
        problem.x = make_tensors<T>(o);
        findings.check = check_transform(o, problem, result.transform.y, o.common.quiet);
        problem.x.clear();
    }
    if (o.keep) {
        findings.kept = 0;
        for (auto& y : result.transform.y) { *findings.kept += workloads::keep_largest(y, *o.keep); }
    }
    if (o.output) { write_output<T>(o, result.transform.y); }
    if (directory) { write_files(*directory, o, findings); }
    if (!o.common.quiet) { print_table(std::cout, o, findings); }
    return findings.check && !findings.check->passed ? exit_wrong : exit_right;
}

int run_dxt(int argc, char** argv)
{
    const auto options = read_dxt_options(argc, argv, std::cout);
    if (!options) { return exit_right; }
    const int status = with_element(options->format, [&](auto element) { return run<decltype(element)>(*options); });
    leave(argv[0], status); // the platform is still alive: a large mesh takes seconds to tear down
}

} // namespace

int sc_main(int argc, char* argv[]) { return run_main(argc, argv, run_dxt); }
