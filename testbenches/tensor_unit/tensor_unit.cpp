#include <iostream>
#include <optional>
#include <tensorloom/models/arch/costs/technology.h>
#include "platform/main.h"
#include "platform/output_directory.h"
#include "tensor_unit/tensor_unit_options.h"
#include "tensor_unit/tensor_unit_report.h"
#include "tensor_unit/tensor_unit_run.h"
#include "tensor_unit/theorem_run.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

int run(const tensor_unit_options& o)
{
    const auto technology = arch::load_technology(o.common.technology);
    std::optional<output_directory> directory;
    if (o.common.out) { directory.emplace(*o.common.out); }
    o.files.check_outputs(o.common); // again: what lies in the directory can be checked only now

    const auto report = [&](const auto& found, bool passed) {
        if (directory) { write_files(*directory, o, found); }
        if (!o.common.quiet) { print_table(std::cout, o, found); }
        if (!passed && o.common.quiet) { throw wrong_result(failure_text(o, found)); }
        return passed ? exit_right : exit_wrong;
    };
    if (o.theorems) {
        const auto found = run_theorems(o);
        return report(found, found.passed(o.latency));
    }
    const auto found = run_algorithm(o, technology);
    return report(found, found.passed());
}

int run_tensor_unit(int argc, char** argv)
{
    const auto options = read_tensor_unit_options(argc, argv, std::cout);
    return options ? run(*options) : exit_right;
}

} // namespace

int sc_main(int argc, char* argv[]) { return run_main(argc, argv, run_tensor_unit); }
