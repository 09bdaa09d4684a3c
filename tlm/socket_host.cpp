#include <tensorloom/tlm/socket_host.h>
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <utility>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::bus {
namespace {

constexpr std::size_t largest_preload = 1u << 30; // a payload's length has 32 bits

} // namespace

std::optional<std::string> validate(const host_config& config)
{
    const unsigned burst = config.burst_bytes;
    if (burst < 4 || burst > (1u << 20) || (burst & (burst - 1)) != 0) {
        return "burst_bytes is " + std::to_string(burst) + ", expected a power of two from 4 to 1048576";
    }
    return std::nullopt;
}

socket_host::socket_host(std::string name, target_of target, const host_config& config)
    : m_name(std::move(name)), m_target(std::move(target)), m_config(config)
{
    if (const auto wrong = validate(config)) { report_error(m_name, "/tensorloom/socket_host/config", *wrong); }
}

isa::bus_failure socket_host::failure(const std::string& what, std::uint64_t address) const
{
    char text[24];
    std::snprintf(text, sizeof text, "0x%" PRIx64, address);
    return isa::bus_failure(m_name + ": " + what + " at address " + text);
}

void socket_host::transfer(tlm::tlm_command command, std::uint64_t address, void* data, std::size_t bytes)
{
    tlm::tlm_generic_payload transaction;
    auto& target = m_target();
    if (m_time.get_local_time() == sc_core::SC_ZERO_TIME) { m_time.reset(); } // a quantum begins with an access
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
        target.b_transport(transaction, ahead);
        m_time.set(ahead);
        if (!m_config.quantum_keeper || m_time.need_sync()) { m_time.sync(); }
        if (!transaction.is_response_ok()) { throw failure(transaction.get_response_string(), address); }
        address += piece;
        at += piece;
        bytes -= piece;
    }
}

std::uint32_t socket_host::read_word(std::uint64_t address)
{
    std::uint32_t value = 0;
    transfer(tlm::TLM_READ_COMMAND, address, &value, sizeof value);
    return value;
}

void socket_host::write_word(std::uint64_t address, std::uint32_t value)
{
    transfer(tlm::TLM_WRITE_COMMAND, address, &value, sizeof value);
}

void socket_host::read_block(std::uint64_t address, void* to, std::size_t bytes)
{
    transfer(tlm::TLM_READ_COMMAND, address, to, bytes);
}

void socket_host::write_block(std::uint64_t address, const void* from, std::size_t bytes)
{
    transfer(tlm::TLM_WRITE_COMMAND, address, const_cast<void*>(from), bytes); // targets must not write to it
}

void socket_host::fence()
{
    if (m_time.get_local_time() > sc_core::SC_ZERO_TIME) { m_time.sync(); }
}

void socket_host::set_interrupt(bool high)
{
    m_raised = high;
    if (high) { m_raises.notify(sc_core::SC_ZERO_TIME); }
}

bool socket_host::wait_interrupt(std::uint64_t timeout_ns)
{
    fence();
    if (!interrupted()) {
        const sc_core::sc_time longest = sc_core::sc_max_time() - sc_core::sc_time_stamp();
        const double longest_ns = longest.to_seconds() * 1e9;
        const auto timeout = static_cast<double>(timeout_ns);
        const sc_core::sc_time most = timeout < longest_ns ? sc_core::sc_time(timeout, sc_core::SC_NS) : longest;
        if (m_line == nullptr) {
            sc_core::wait(most, m_raises);
        } else {
            sc_core::wait(most, m_line->posedge_event() | m_raises);
        }
    }
    return interrupted();
}

void socket_host::preload(std::uint64_t address, const void* from, std::size_t bytes)
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
        if (m_target().transport_dbg(transaction) != piece) { throw failure("debug transport failed", address); }
        address += piece;
        at += piece;
        bytes -= piece;
    }
}

} // namespace tensorloom::bus
