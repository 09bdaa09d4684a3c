#include <iostream>
#include <optional>
#include <tensorloom/models/arch/costs/technology.h>
#include <tensorloom/models/arch/triada/energy.h>
#include <tensorloom/workloads/npy_file.h>
#include "platform/main.h"
#include "platform/memory_need.h"
#include "platform/output_directory.h"
#include "platform/progress.h"
#include "tucker/tucker_costs.h"
#include "tucker/tucker_options.h"
#include "tucker/tucker_report.h"
#include "tucker/tucker_run.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

void write_tensors(const tucker_options& o, const tucker_result& result)
{
    if (o.core) { workloads::save_npy(*o.core, result.found.form.core); }
    for (std::size_t m = 0; o.factors && m < 3; ++m) {
        workloads::save_npy((*o.factors)[m], result.found.form.factors[m]);
    }
    if (o.output) { workloads::save_npy(*o.output, result.expanded); }
}

int run(const tucker_options& o)
{
    const auto technology = arch::load_technology(o.common.technology);
    arch::triada::device_energy(technology,
                                {o.chains.mesh, o.format, o.device.vertical_mode}); // refuses what it misses
    require_memory(needed_bytes(o),
                   o.common.detailed ? "a smaller tensor or mesh, or --fidelity fast" : "a smaller tensor");
    progress(o.common.quiet).show(0, "making the tensor");
    const auto x = make_tensor(o);
    std::optional<output_directory> directory;
    if (o.common.out) { directory.emplace(*o.common.out); }
    o.files.check_outputs(o.common); // again: what lies in the directory can be checked only now

    // Nothing is recorded step by step unless somebody wants to read it.
    tucker_jobs jobs(o.common.out ? activity::log_detail::every_record : activity::log_detail::totals);
    const auto result = simulate(o, x, jobs);
    const tucker_costs costs(o, technology, jobs, result);
    write_tensors(o, result);
    if (directory) { write_files(*directory, o, result, costs, jobs); }
    if (!o.common.quiet) { print_table(std::cout, o, result, costs, jobs); }
    return result.check && !result.check->passed ? exit_wrong : exit_right;
}

int run_tucker(int argc, char** argv)
{
    const auto options = read_tucker_options(argc, argv, std::cout);
    if (!options) { return exit_right; }
    leave(argv[0], run(*options)); // the platform may still be alive: a large mesh takes seconds to tear down
}

} // namespace

int sc_main(int argc, char* argv[]) { return run_main(argc, argv, run_tucker); }
