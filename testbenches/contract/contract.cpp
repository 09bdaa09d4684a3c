#include <iostream>
#include <optional>
#include <string>
#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/models/arch/costs/technology.h>
#include "contract/contract_options.h"
#include "contract/contract_profile.h"
#include "contract/contract_report.h"
#include "contract/contract_run.h"
#include "platform/main.h"
#include "platform/output_directory.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

// What a technology file lacks shows where it is needed; such complaints begin with "technology" and the file.
template <class Action> auto naming_option(const Action& action)
{
    try {
        return action();
    } catch (const arch::input_error& e) {
        const std::string text = e.what();
        throw arch::input_error((text.rfind("technology ", 0) == 0 ? "--technology: " : "") + text);
    }
}

int run(const contract_options& o)
{
    const auto technology = naming_option([&] { return arch::load_technology(o.common.technology); });
    std::optional<output_directory> directory;
    if (o.common.out) { directory.emplace(*o.common.out); }
    o.files.check_outputs(o.common); // again: what lies in the directory can be checked only now

    const auto found = naming_option([&] { return run_contract(o, technology); });
    if (directory) { write_files(*directory, o, found); }
    if (!o.common.quiet) { print_table(std::cout, o, found); }
    if (o.profile) { print_profile(std::cout, profile_of(found)); }
    if (!found.passed() && o.common.quiet) { throw wrong_result(failure_text(o, found)); }
    return found.passed() ? exit_right : exit_wrong;
}

int run_contract_testbench(int argc, char** argv)
{
    const auto options = read_contract_options(argc, argv, std::cout);
    return options ? run(*options) : exit_right;
}

} // namespace

int sc_main(int argc, char* argv[]) { return run_main(argc, argv, run_contract_testbench); }
