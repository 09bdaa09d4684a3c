#include "platform/report_log.h"
#include <memory>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

namespace tensorloom::testbench {
namespace {

const char* text(const char* s) { return s != nullptr ? s : ""; }

void handle(const sc_core::sc_report& report, const sc_core::sc_actions& actions)
{
    if ((actions & sc_core::SC_DISPLAY) != 0) {
        const bool warning = report.get_severity() == sc_core::SC_WARNING;
        spdlog::log(warning ? spdlog::level::warn : spdlog::level::info, "{}", describe(report));
    }
    const sc_core::sc_actions ours = sc_core::SC_DISPLAY | sc_core::SC_ABORT;
    sc_core::sc_report_handler::default_handler(report, actions & ~ours);
}

} // namespace

std::string on_one_line(const std::string& text)
{
    std::string line = text;
    for (char& c : line) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '\n' || c == '\r' || c == '\t') {
            c = ' ';
        } else if (code < 0x20 || code == 0x7f) {
            c = '?';
        }
    }
    return line.substr(0, line.find_last_not_of(' ') + 1);
}

std::string describe(const sc_core::sc_report& report)
{
    std::string line = text(report.get_msg_type());
    if (*text(report.get_msg()) != '\0') { line += std::string(": ") + text(report.get_msg()); }
    const std::string process = text(report.get_process_name());
    if (!process.empty()) { line += " (" + process + " at " + report.get_time().to_string() + ")"; }
    return on_one_line(line);
}

void log_reports(const std::string& program)
{
    using sc_core::sc_report_handler;
    const sc_core::sc_actions thrown = sc_core::SC_LOG | sc_core::SC_CACHE_REPORT | sc_core::SC_THROW;
    sc_report_handler::set_actions(sc_core::SC_ERROR, thrown);
    sc_report_handler::set_actions(sc_core::SC_FATAL, thrown);
    sc_report_handler::set_handler(handle);

    auto logger = std::make_shared<spdlog::logger>(program, std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern("%n: %l: %v");
    logger->set_level(spdlog::level::warn);
    logger->flush_on(spdlog::level::warn);
    spdlog::set_default_logger(logger);
}

} // namespace tensorloom::testbench
