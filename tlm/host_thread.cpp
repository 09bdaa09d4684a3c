#include <tensorloom/tlm/host_thread.h>
#include <utility>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::bus {
namespace {

constexpr std::size_t stack_bytes = 4u << 20; // suits any program; untouched stack pages take no memory

const host_config& checked(const host_config& config, const char* instance)
{
    if (const auto wrong = validate(config)) { report_error(instance, "/tensorloom/host_thread/config", *wrong); }
    return config;
}

} // namespace

host_thread::host_thread(sc_core::sc_module_name name, program_type program, const host_config& config)
    : sc_core::sc_module(name), bus("bus"), irq("irq"), m_program(std::move(program)),
      m_port(this->name(), bus, checked(config, this->name()))
{
    SC_HAS_PROCESS(host_thread);
    SC_THREAD(run);
    set_stack_size(stack_bytes);
}

host_thread::~host_thread() = default;

void host_thread::before_end_of_elaboration()
{
    if (irq.bind_count() == 0) {
        m_unbound_irq = std::make_unique<sc_core::sc_signal<bool>>("unbound_irq");
        irq.bind(*m_unbound_irq);
    }
}

void host_thread::end_of_elaboration() { m_port.watch(*irq.operator->()); }

void host_thread::run()
{
    try {
        m_program(*this);
    } catch (const sc_core::sc_unwind_exception&) {
        throw; // the kernel's way to end a thread
    } catch (...) {
        m_exception = std::current_exception();
        throw;
    }
    fence();
    m_finished = true;
}

void host_thread::rethrow() const
{
    if (m_exception) { std::rethrow_exception(m_exception); }
}

} // namespace tensorloom::bus
