#pragma once
#include <string>
#include <systemc>

namespace tensorloom::testbench {

/// The text on one line: line breaks become blanks, other control characters '?'.
std::string on_one_line(const std::string& text);

/// A SystemC report on one line: id, text, process and simulated time.
std::string describe(const sc_core::sc_report& report);

/// Sends SystemC's reports to the log: warnings and above, one line each, on stderr, behind the program's name.
/// Nothing aborts: SC_ERROR and SC_FATAL are thrown as sc_core::sc_report, and whoever catches them prints them.
void log_reports(const std::string& program);

} // namespace tensorloom::testbench
