#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
#include <systemc>
#include <tensorloom/models/base/values/input_error.h>
#include "platform/process/main.h"

// Ends in each of the ways a testbench can; the test starts it and looks at its status and its lines.

namespace {

using namespace tensorloom;

constexpr const char* id = "/tensorloom/test/problem";

struct reporting_module : sc_core::sc_module {
    reporting_module(sc_core::sc_module_name name, std::string what) : sc_module(name), m_what(std::move(what))
    {
        SC_HAS_PROCESS(reporting_module);
        SC_THREAD(run);
    }
    void run()
    {
        wait(3, sc_core::SC_NS);
        if (m_what == "process-warning") { SC_REPORT_WARNING(id, "slow\nbut sure"); }
        if (m_what == "process-error") { SC_REPORT_ERROR(id, "broken"); }
        if (m_what == "process-fatal") { SC_REPORT_FATAL(id, "dead"); }
        if (m_what == "process-exception") { throw std::runtime_error("thrown in a process"); }
    }
    std::string m_what;
};

struct slow_to_destroy {
    ~slow_to_destroy() { std::cout << "destroyed\n"; }
};

int run(int argc, char** argv)
{
    const std::string what = argc > 1 ? argv[1] : "";
    if (what == "right") { return 0; }
    if (what == "wrong") { return 1; }
    if (what == "overflow") { throw testbench::wrong_result("a sum\noverflows"); }
    if (what == "input") { throw base::input_error("--seed is '-1',\nexpected more"); }
    if (what == "exception") { throw std::runtime_error("went\nwrong"); }
    if (what == "memory") { throw std::bad_alloc(); }
    if (what == "unknown") { throw 42; }
    if (what == "error") { SC_REPORT_ERROR(id, "broken"); }
    if (what == "fatal") { SC_REPORT_FATAL(id, "dead"); }
    if (what == "info") { SC_REPORT_INFO(id, "for nobody"); }
    if (what == "warning") { SC_REPORT_WARNING(id, "careful"); }
    if (what == "print") { std::cout << "a line\n"; }
    if (what == "print-c") { std::printf("a line\n"); }
    if (what == "leave") {
        const slow_to_destroy mesh;
        std::cout << "last words\n";
        testbench::leave(argv[0], 1);
    }
    if (what.rfind("process", 0) == 0) {
        reporting_module module("module", what);
        sc_core::sc_start();
    }
    return 0;
}

} // namespace

int sc_main(int argc, char* argv[]) { return testbench::run_main(argc, argv, run); }
