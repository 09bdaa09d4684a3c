#include <tensorloom/models/shell/execution_unit.h>
#include <utility>

namespace tensorloom::shell {

execution_unit::execution_unit(sc_core::sc_module_name name, std::function<void(const issued_command&)> run)
    : sc_core::sc_module(name), m_run(std::move(run))
{
    SC_HAS_PROCESS(execution_unit);
    SC_THREAD(run_commands);
}

void execution_unit::start(const issued_command& command)
{
    m_command = command;
    m_started.notify(sc_core::SC_ZERO_TIME);
}

void execution_unit::run_commands()
{
    while (true) {
        wait(m_started);
        m_run(m_command);
    }
}

} // namespace tensorloom::shell
