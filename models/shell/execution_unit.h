#pragma once
#include <functional>
#include <systemc>
#include <tensorloom/models/shell/issued_command.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::shell {

/// A unit of a device whose commands overlap: a thread that runs one command after the other.
class execution_unit : public sc_core::sc_module {
public:
    /// `run` runs a command to its end.
    execution_unit(sc_core::sc_module_name name, std::function<void(const issued_command&)> run);

    /// Not while a command runs.
    void start(const issued_command& command);
    const issued_command& command() const { return m_command; } ///< the last that was started

private:
    void run_commands(); // thread

    std::function<void(const issued_command&)> m_run;
    issued_command m_command;
    sc_core::sc_event m_started;
};

} // namespace tensorloom::shell
