#include <tensorloom/models/arch/device_driver.h>
#include <cstdio>
#include <tensorloom/models/arch/register_map.h>

namespace tensorloom::arch {
namespace {

std::string hex(std::uint32_t value)
{
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", value);
    return text;
}

} // namespace

device_driver::device_driver(host_port& host, std::uint64_t base) : m_host(host), m_base(base) {}

void device_driver::probe(const char (&id)[5])
{
    const std::uint32_t found = read(reg::id);
    if (found != device_id(id)) {
        throw device_failure("device at " + std::to_string(m_base) + ": ID is " + hex(found) + ", expected " +
                             hex(device_id(id)) + " (" + id + ")");
    }
    const std::uint32_t version = read(reg::version);
    if (version >> 16 != register_map_version >> 16) {
        throw device_failure("device " + std::string(id) + ": register map version " + hex(version) +
                             ", the driver knows " + hex(register_map_version));
    }
}

program_result device_driver::run(const std::vector<std::uint8_t>& program, std::uint64_t address,
                                  std::uint64_t timeout_ns)
{
    m_host.write_block(address, program.data(), program.size());
    start(address);
    return finish(timeout_ns);
}

void device_driver::start(std::uint64_t program_address)
{
    write(reg::irq_status, irq_done | irq_error | irq_command);
    write(reg::irq_enable, irq_done | irq_error);
    write(reg::program_addr_lo, static_cast<std::uint32_t>(program_address));
    write(reg::program_addr_hi, static_cast<std::uint32_t>(program_address >> 32));
    m_host.fence();
    write(reg::ctrl, ctrl_start);
}

program_result device_driver::finish(std::uint64_t timeout_ns)
{
    if (!m_host.wait_interrupt(timeout_ns)) {
        throw device_failure("no interrupt within " + std::to_string(timeout_ns) + " ns; STATUS is " +
                             hex(read(reg::status)));
    }
    const std::uint32_t status = read(reg::status);
    program_result result;
    result.done = (status & status_done) != 0;
    result.aborted = (status & status_aborted) != 0;
    result.error = static_cast<error_code>(read(reg::error_code));
    result.error_command = read(reg::error_command);
    result.error_address = read_pair(reg::error_addr_lo);
    result.cycles = read_pair(reg::cycles_lo);
    write(reg::irq_status, irq_done | irq_error);
    return result;
}

void device_driver::abort() { write(reg::ctrl, ctrl_abort); }
void device_driver::reset() { write(reg::ctrl, ctrl_reset); }

std::uint64_t device_driver::counter(std::uint32_t index)
{
    write(reg::counter_index, index);
    return read_pair(reg::counter_value_lo);
}

std::uint64_t device_driver::read_pair(std::uint32_t lo_offset)
{
    const std::uint64_t low = read(lo_offset);
    return low | static_cast<std::uint64_t>(read(lo_offset + 4)) << 32;
}

} // namespace tensorloom::arch
