#include "platform/process/main.h"
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <systemc>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::testbench {
namespace {

// SystemC's main() prints its banner before it calls sc_main(), so this happens before main().
[[maybe_unused]] const int banner_off = setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);

// ---- SystemC's reports ----

std::string program_name; // for handle(), which SystemC calls without it

const char* text(const char* s) { return s != nullptr ? s : ""; }

// A SystemC report on one line: id, text, process and simulated time.
std::string describe(const sc_core::sc_report& report)
{
    std::string line = text(report.get_msg_type());
    if (*text(report.get_msg()) != '\0') { line += std::string(": ") + text(report.get_msg()); }
    const std::string process = text(report.get_process_name());
    if (!process.empty()) { line += " (" + process + " at " + report.get_time().to_string() + ")"; }
    return base::on_one_line(line);
}

void handle(const sc_core::sc_report& report, const sc_core::sc_actions& actions)
{
    if ((actions & sc_core::SC_DISPLAY) != 0 && report.get_severity() != sc_core::SC_INFO) {
        std::fprintf(stderr, "%s: warning: %s\n", program_name.c_str(), describe(report).c_str());
    }
    const sc_core::sc_actions ours = sc_core::SC_DISPLAY | sc_core::SC_ABORT;
    sc_core::sc_report_handler::default_handler(report, actions & ~ours);
}

// SystemC's warnings go to stderr, one line each, after the program's name. Nothing aborts: SC_ERROR and SC_FATAL are
// thrown as sc_core::sc_report, and whoever catches them prints them.
void handle_reports(const std::string& program)
{
    program_name = program;
    using sc_core::sc_report_handler;
    const sc_core::sc_actions thrown = sc_core::SC_LOG | sc_core::SC_CACHE_REPORT | sc_core::SC_THROW;
    sc_report_handler::set_actions(sc_core::SC_ERROR, thrown);
    sc_report_handler::set_actions(sc_core::SC_FATAL, thrown);
    sc_report_handler::set_handler(handle);
}

// ---- the end ----

std::string base_name(const char* path)
{
    const std::string name = path != nullptr ? path : "";
    return name.substr(name.find_last_of('/') + 1);
}

int complain(const std::string& program, int status, const std::string& text)
{
    std::fflush(stdout);
    std::fprintf(stderr, "%s: %s\n", program.c_str(), base::on_one_line(text).c_str());
    return status;
}

int flush_output(const std::string& program, int status)
{
    errno = 0;
    std::cout.flush();
    const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
    if (written) { return status; }
    const std::string reason = errno != 0 ? std::string(": ") + std::strerror(errno) : "";
    return complain(program, exit_bad_input, "standard output could not be written" + reason);
}

} // namespace

int run_main(int argc, char** argv, const std::function<int(int, char**)>& run)
{
    const std::string program = base_name(argc > 0 ? argv[0] : nullptr);
    int status = exit_internal;
    base::remove_temporaries_on_signals();
    try {
        handle_reports(program);
        status = run(argc, argv);
    } catch (const wrong_result& e) {
        status = complain(program, exit_wrong, e.what());
    } catch (const base::input_error& e) {
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
