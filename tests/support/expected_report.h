#pragma once
#include <string>

namespace tensorloom::test {

/// Declares that SystemC reports of one id are expected while this object lives.
///
/// In tests a report of SC_WARNING or above is a failure, unless its id is expected. Expected reports are counted and
/// take their usual way otherwise: SC_ERROR and SC_FATAL throw sc_core::sc_report (FATAL does not abort). An expected
/// report that never came is a failure, too. Ids match exactly; several objects of one id all count.
class expected_report {
public:
    explicit expected_report(std::string id);
    ~expected_report();
    expected_report(const expected_report&) = delete;
    expected_report& operator=(const expected_report&) = delete;

    const std::string& id() const { return m_id; }
    unsigned count() const { return m_count; }                 ///< reports so far
    const std::string& last_message() const { return m_last; } ///< text of the latest one

    /// Gives a report to all objects that expect its id; false when there is none.
    static bool deliver(const std::string& id, const std::string& message);

private:
    std::string m_id;
    unsigned m_count = 0;
    std::string m_last;
};

/// Installs the rule above as SystemC's report handler.
void fail_on_unexpected_reports();

} // namespace tensorloom::test
