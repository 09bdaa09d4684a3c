#include "support/expected_report.h"
#include <algorithm>
#include <vector>
#include <gtest/gtest.h>
#include <systemc>

namespace tensorloom::test {
namespace {

std::vector<expected_report*>& expectations()
{
    static std::vector<expected_report*> list;
    return list;
}

const char* text(const char* s) { return s != nullptr ? s : ""; }

void handle(const sc_core::sc_report& report, const sc_core::sc_actions& actions)
{
    sc_core::sc_actions rest = actions & ~static_cast<sc_core::sc_actions>(sc_core::SC_ABORT);
    if (report.get_severity() >= sc_core::SC_WARNING) {
        rest &= ~static_cast<sc_core::sc_actions>(sc_core::SC_DISPLAY);
        if (!expected_report::deliver(text(report.get_msg_type()), text(report.get_msg()))) {
            ADD_FAILURE_AT(text(report.get_file_name()), report.get_line_number())
                << "unexpected SystemC report: " << report.what();
        }
    }
    sc_core::sc_report_handler::default_handler(report, rest);
}

} // namespace

expected_report::expected_report(std::string id) : m_id(std::move(id)) { expectations().push_back(this); }

expected_report::~expected_report()
{
    auto& list = expectations();
    list.erase(std::remove(list.begin(), list.end(), this), list.end());
    if (m_count == 0) { ADD_FAILURE() << "expected SystemC report never came: " << m_id; }
}

bool expected_report::deliver(const std::string& id, const std::string& message)
{
    bool expected = false;
    for (expected_report* e : expectations()) {
        if (e->m_id != id) { continue; }
        ++e->m_count;
        e->m_last = message;
        expected = true;
    }
    return expected;
}

void fail_on_unexpected_reports()
{
    sc_core::sc_report_handler::set_actions(sc_core::SC_FATAL,
                                            sc_core::SC_LOG | sc_core::SC_CACHE_REPORT | sc_core::SC_THROW);
    sc_core::sc_report_handler::set_handler(handle);
}

} // namespace tensorloom::test
