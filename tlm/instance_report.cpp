#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::bus {
namespace {

void report(sc_core::sc_severity severity, const std::string& instance, const char* id, const std::string& text)
{
    const std::string message = instance + ": " + text;
    if (severity == sc_core::SC_INFO) {
        sc_core::sc_report_handler::report(severity, id, message.c_str(), sc_core::SC_NONE, instance.c_str(), 0);
    } else {
        sc_core::sc_report_handler::report(severity, id, message.c_str(), instance.c_str(), 0);
    }
}

} // namespace

void report_error(const std::string& instance, const char* id, const std::string& text)
{
    report(sc_core::SC_ERROR, instance, id, text);
}

void report_warning(const std::string& instance, const char* id, const std::string& text)
{
    report(sc_core::SC_WARNING, instance, id, text);
}

void report_info(const std::string& instance, const char* id, const std::string& text)
{
    report(sc_core::SC_INFO, instance, id, text);
}

std::string name_to_be(const sc_core::sc_module_name& name)
{
    const auto* parent = sc_core::sc_get_curr_simcontext()->active_object();
    const std::string own = static_cast<const char*>(name);
    return parent != nullptr ? std::string(parent->name()) + "." + own : own;
}

} // namespace tensorloom::bus
