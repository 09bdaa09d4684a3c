#pragma once
#include <cstdint>
#include <optional>
#include <systemc>
#include <tensorloom/models/shell/access_set.h>
#include <tensorloom/models/shell/command_outcome.h>
#include <tensorloom/models/shell/command_report.h>
#include <tensorloom/models/shell/issued_command.h>
#include <tensorloom/models/shell/program_failure.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::shell {

/// What the issue of commands asks of a device.
class command_executor {
public:
    virtual ~command_executor() = default;

    /// Runs a command of a unit, in the calling thread.
    virtual command_outcome run(const issued_command& command) = 0;
    virtual access_set footprint_of(const issued_command& command) = 0;
    virtual void log_row(const issued_command& command, const report_row& row) = 0; ///< in the order of start_cycle
    /// So many commands have ended, counted from the program's first without gap, modulo 2^32; the last of them had
    /// this token.
    virtual void show_executed(std::uint32_t commands, std::uint32_t token) = 0;
};

/// How the commands of a program follow each other. Called in the thread that walks the program, report() aside.
class command_issue {
public:
    virtual ~command_issue() = default;

    /// A program starts; nothing is under way.
    virtual void begin() = 0;

    /// A command of a unit: begins it as soon as it may. False: the program must end.
    virtual bool start(const issued_command& command) = 0;
    /// A command that the walk itself has executed in no time.
    virtual void pass(const issued_command& command) = 0;
    /// A cycle that the walk itself takes.
    virtual void spend_cycle(const issued_command& command, const char* cause, const char* phase) = 0;
    /// The command cannot run.
    virtual void refuse(const issued_command& command, arch::error_code code) = 0;

    /// Commands started or passed.
    virtual std::uint64_t issued() const = 0;
    /// Returns when the first `commands` of them have ended; false when one of them failed.
    virtual bool wait_for(std::uint64_t commands) = 0;
    /// No further command must begin.
    virtual bool failed() const = 0;
    /// Returns when all has ended: the failure of the first command, in the order of the program, that failed.
    virtual std::optional<program_failure> finish() = 0;

    /// A phase of a command that runs.
    virtual void report(const issued_command& command, const char* cause, const char* phase, std::uint64_t cycles,
                        const std::uint64_t* counts) = 0;
};

} // namespace tensorloom::shell
