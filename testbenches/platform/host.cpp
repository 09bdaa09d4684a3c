#include "platform/host.h"
#include <algorithm>
#include <string>
#include <tensorloom/models/arch/device_driver.h>

namespace tensorloom::testbench {
namespace {

constexpr std::size_t largest_transfer = 4096;

} // namespace

host::host(sc_core::sc_module_name name, std::function<void(host&)> program)
    : sc_core::sc_module(name), bus("bus"), irq("irq"), m_program(std::move(program))
{
    SC_HAS_PROCESS(host);
    SC_THREAD(run);
}

void host::run()
{
    try {
        m_program(*this);
        m_finished = true;
    } catch (const std::exception&) {
        m_exception = std::current_exception();
    }
}

void host::rethrow() const
{
    if (m_exception) { std::rethrow_exception(m_exception); }
}

void host::transfer(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes)
{
    tlm::tlm_generic_payload transaction;
    auto* at = static_cast<unsigned char*>(data);
    while (bytes > 0) {
        const auto piece = static_cast<unsigned>(std::min(bytes, largest_transfer - address % largest_transfer));
        transaction.set_command(command);
        transaction.set_address(address);
        transaction.set_data_ptr(at);
        transaction.set_data_length(piece);
        transaction.set_streaming_width(piece);
        transaction.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        transaction.set_dmi_allowed(false);
        sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
        bus->b_transport(transaction, delay);
        wait(delay);
        if (!transaction.is_response_ok()) {
            throw arch::bus_failure("host: " + transaction.get_response_string() + " at address " +
                                    std::to_string(address));
        }
        address += piece;
        at += piece;
        bytes -= piece;
    }
}

std::uint32_t host::read_word(std::uint64_t address)
{
    std::uint32_t value = 0;
    transfer(tlm::TLM_READ_COMMAND, address, &value, sizeof value);
    return value;
}

void host::write_word(std::uint64_t address, std::uint32_t value)
{
    transfer(tlm::TLM_WRITE_COMMAND, address, &value, sizeof value);
}

void host::read_block(std::uint64_t address, void* to, std::size_t bytes)
{
    transfer(tlm::TLM_READ_COMMAND, address, to, bytes);
}

void host::write_block(std::uint64_t address, const void* from, std::size_t bytes)
{
    transfer(tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(from), bytes); // a target must not write to it
}

bool host::wait_interrupt(std::uint64_t timeout_ns)
{
    if (irq.read()) { return true; }
    wait(sc_core::sc_time(static_cast<double>(timeout_ns), sc_core::SC_NS), irq.posedge_event());
    return irq.read();
}

void host::preload(std::uint64_t address, const void* from, std::size_t bytes)
{
    tlm::tlm_generic_payload transaction;
    const auto* at = static_cast<const unsigned char*>(from);
    while (bytes > 0) {
        const auto piece = static_cast<unsigned>(std::min<std::size_t>(bytes, 1u << 30));
        transaction.set_write();
        transaction.set_address(address);
        transaction.set_data_ptr(const_cast<unsigned char*>(at));
        transaction.set_data_length(piece);
        transaction.set_streaming_width(piece);
        if (bus->transport_dbg(transaction) != piece) {
            throw arch::bus_failure("host: debug transport failed at address " + std::to_string(address));
        }
        address += piece;
        at += piece;
        bytes -= piece;
    }
}

} // namespace tensorloom::testbench
