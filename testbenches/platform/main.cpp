#include "platform/main.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <systemc>
#include <tensorloom/models/arch/files/atomic_file.h>
#include <tensorloom/models/arch/values/input_error.h>
#include "platform/report_log.h"

namespace tensorloom::testbench {
namespace {

// SystemC's main() prints its banner before it calls sc_main(), so this happens before main().
[[maybe_unused]] const int banner_off = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);

std::string base_name(const char* path)
{
    const std::string name = path != nullptr ? path : "";
    return name.substr(name.find_last_of('/') + 1);
}

int complain(const std::string& program, int status, const std::string& text)
{
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", program.c_str(), on_one_line(text).c_str());
    return status;
}

int flush_output(const std::string& program, int status)
{
    errno = 0;
    std::cout.flush();
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
    if (written) { return status; }
    const std::string reason = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
    return complain(program, exit_internal, "standard output could not be written" + reason);
}

} // namespace

int run_main(int argc, char** argv, const std::function<int(int, char**)>& run)
{
    const std::string program = base_name(argc > 0 ? argv[0] : nullptr);
    int status = exit_internal;
    arch::remove_temporaries_on_signals();
    try {
        log_reports(program);
        status = run(argc, argv);
    } catch (const wrong_result& e) {
        status = complain(program, exit_wrong, e.what());
    } catch (const arch::input_error& e) {
        status = complain(program, exit_bad_input, e.what());
    } catch (const sc_core::sc_report& r) {
        status = complain(program, exit_internal, "internal failure: " + describe(r));
    } catch (const std::bad_alloc&) {
        status = complain(program, exit_internal, "out of memory");
    } catch (const std::exception& e) {
        status = complain(program, exit_internal, std::string("internal failure: ") + e.what());
    } catch (...) {
        status = complain(program, exit_internal, "internal failure: an exception of an unknown type");
    }
    return flush_output(program, status);
}

void leave(const char* program, int status) { std::exit(flush_output(base_name(program), status)); }

} // namespace tensorloom::testbench
