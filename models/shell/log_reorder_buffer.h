#pragma once
#include <cstdint>
#include <functional>
#include <vector>
#include <tensorloom/models/shell/command_report.h>
#include <tensorloom/models/shell/issued_command.h>

namespace tensorloom::shell {

/// Rows of the log that come in the order in which commands end, and go in the order in which they start; of one cycle
/// in the order of the program. So they depend on times alone.
class log_reorder_buffer {
public:
    using receiver = std::function<void(const issued_command&, const report_row&)>;

    explicit log_reorder_buffer(std::size_t events) : m_events(events) {}

    /// `number`: place of the command in the order of the program.
    void add(std::uint64_t number, const issued_command& command, const report_row& row);
    /// Hands over the rows that start before this cycle.
    void release(std::uint64_t before, const receiver& to);

private:
    struct kept_row {
        std::uint64_t number;
        issued_command command;
        report_row row;
        std::vector<std::uint64_t> counts;
    };

    std::size_t m_events;
    std::vector<kept_row> m_rows;
};

} // namespace tensorloom::shell
