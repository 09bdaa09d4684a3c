#include <iostream>
#include <optional>
#include <tensorloom/models/arch/costs/technology.h>
#include "platform/main.h"
#include "platform/output_directory.h"
#include "segmented/comparison_report.h"
#include "segmented/segmented_comparison.h"
#include "segmented/segmented_options.h"
#include "segmented/segmented_report.h"
#include "segmented/segmented_run.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

template <class T> int run(const segmented_options& o)
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
    if (o.compare) {
        const auto found = compare_variants<T>(o, technology);
        return report(found, found.passed());
    }
    const auto found = run_variant<T>(o, technology);
    return report(found, found.passed());
}

int run_segmented_testbench(int argc, char** argv)
{
    const auto options = read_segmented_options(argc, argv, std::cout);
    if (!options) { return exit_right; }
    return options->format == arch::element_type::f64 ? run<double>(*options) : run<std::int64_t>(*options);
}

} // namespace

int sc_main(int argc, char* argv[]) { return run_main(argc, argv, run_segmented_testbench); }
