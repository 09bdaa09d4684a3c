#pragma once
#include <string>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

// Reports that name their instance. SystemC's macros (SC_REPORT_ERROR) put the path of the library's source into a
// report, which says nothing to a user of several instances.
//
// The message is "<instance>: <text>". The report's file is the instance too, with line 0: a report handler can select
// an instance by sc_report::get_file_name().

/// `instance`: its hierarchical name.
void report_error(const std::string& instance, const char* id, const std::string& text);
void report_warning(const std::string& instance, const char* id, const std::string& text);
/// Shown at every verbosity level of SystemC: the instance decides what it says.
void report_info(const std::string& instance, const char* id, const std::string& text);

/// The hierarchical name that a module gets from `name`, before its sc_module is constructed: for a constructor's
/// checks of the arguments of base classes.
std::string name_to_be(const sc_core::sc_module_name& name);

} // namespace tensorloom::bus
