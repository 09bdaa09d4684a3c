#include <tensorloom/tlm/host_thread.h>
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>

namespace tensorloom::bus {
namespace {

constexpr std::size_t stack_bytes = 4u << 20;     // suits any program; untouched stack pages take no memory
constexpr std::size_t largest_preload = 1u << 30; // a payload's length has 32 bits

isa::bus_failure failure(const host_thread& host, const std::string& what, std::uint64_t address)
{
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, address);
    return isa::bus_failure(std::string(host.name()) + ": " + what + " at address " + text);
}

} // namespace

std::optional<std::string> validate(const host_config& config)
{
    const unsigned burst = config.burst_bytes;
    if (burst < 4 || burst > (1u << 20) || (burst & (burst - 1)) != 0) {
        return "burst_bytes is " + std::to_string(burst) + ", expected a power of two from 4 to 1048576";
    }
    return std::nullopt;
}

host_thread::host_thread(sc_core::sc_module_name name, program_type program, const host_config& config)
    : sc_core::sc_module(name), bus("bus"), irq("irq"), m_program(std::move(program)), m_config(config)
{
    if (const auto wrong = validate(config)) { SC_REPORT_ERROR("/tensorloom/host_thread/config", wrong->c_str()); }
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

void host_thread::run()
{
    m_time.reset();
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

void host_thread::transfer(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes)
{
    tlm::tlm_generic_payload transaction;
    auto* at = static_cast<unsigned char*>(data);
    while (bytes > 0) {
        const std::size_t to_boundary = m_config.burst_bytes - address % m_config.burst_bytes;
        const auto piece = static_cast<unsigned>(std::min(bytes, to_boundary));
        transaction.set_command(command);
        transaction.set_address(address);
        transaction.set_data_ptr(at);
        transaction.set_data_length(piece);
        transaction.set_streaming_width(piece);
        transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        transaction.set_dmi_allowed(false);
        sc_core::sc_time ahead = m_time.get_local_time();
        bus->b_transport(transaction, ahead);
        m_time.set(ahead);
        if (!m_config.quantum_keeper || m_time.need_sync()) { m_time.sync(); }
        if (!transaction.is_response_ok()) { throw failure(*this, transaction.get_response_string(), address); }
        address += piece;
        at += piece;
        bytes -= piece;
    }
}

std::uint32_t host_thread::read_word(std::uint64_t address)
{
    std::uint32_t value = 0;
    transfer(tlm::TLM_READ_COMMAND, address, &value, sizeof value);
    return value;
}

void host_thread::write_word(std::uint64_t address, std::uint32_t value)
{
    transfer(tlm::TLM_WRITE_COMMAND, address, &value, sizeof value);
}

void host_thread::read_block(std::uint64_t address, void* to, std::size_t bytes)
{
    transfer(tlm::TLM_READ_COMMAND, address, to, bytes);
}

void host_thread::write_block(std::uint64_t address, const void* from, std::size_t bytes)
{
    transfer(tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(from), bytes); // targets must not write to it
}

void host_thread::fence()
{
    if (m_time.get_local_time() > sc_core::SC_ZERO_TIME) { m_time.sync(); }
}

bool host_thread::wait_interrupt(std::uint64_t timeout_ns)
{
    fence();
    if (!irq.read()) {
        const sc_core::sc_time longest = sc_core::sc_max_time() - sc_core::sc_time_stamp();
        const double longest_ns = longest.to_seconds() * 1e9;
        const auto timeout = static_cast<double>(timeout_ns);
        wait(timeout < longest_ns ? sc_core::sc_time(timeout, sc_core::SC_NS) : longest, irq.posedge_event());
        m_time.reset(); // a new quantum begins at the end of the wait
    }
    return irq.read();
}

void host_thread::preload(std::uint64_t address, const void* from, std::size_t bytes)
{
    tlm::tlm_generic_payload transaction;
    const auto* at = static_cast<const unsigned char*>(from);
    while (bytes > 0) {
        const auto piece = static_cast<unsigned>(std::min(bytes, largest_preload));
        transaction.set_write();
        transaction.set_address(address);
        transaction.set_data_ptr(const_cast<unsigned char*>(at));
        transaction.set_data_length(piece);
        transaction.set_streaming_width(piece);
        if (bus->transport_dbg(transaction) != piece) { throw failure(*this, "debug transport failed", address); }
        address += piece;
        at += piece;
        bytes -= piece;
    }
}

} // namespace tensorloom::bus
