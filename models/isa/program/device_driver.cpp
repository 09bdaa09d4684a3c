#include <tensorloom/models/isa/program/device_driver.h>
#include <cstdio>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/register_map.h>

namespace tensorloom::isa {
namespace {

std::string hex(std::uint32_t value)
{
    char text[16];
    std::snprintf(text, sizeof text, "0x%08x", static_cast<unsigned>(value));
    return text;
}

std::string address_text(std::uint64_t address)
{
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(address));
    return text;
}

constexpr std::uint32_t all_ones = 0xffffffff; // value of buses without a target

} // namespace

device_driver::device_driver(host_port& host, std::uint64_t base) : m_host(host), m_base(base) {}

void device_driver::fail(const std::string& what)
{
    throw device_failure("device at " + address_text(m_base) + ": " + what);
}

// The registers that matter first when a device does not respond.
std::string device_driver::state_text()
{
    std::string text;
    try {
        const std::uint32_t status = read(reg::status);
        for (auto offset : {reg::status, reg::irq_status, reg::irq_enable, reg::error_code, reg::commands_done}) {
            for (const auto& r : registers) {
                if (r.offset != offset) { continue; }
                text += (text.empty() ? "" : ", ") + std::string(r.name) + " " +
                        hex(offset == reg::status ? status : read(offset));
            }
        }
        if (status == all_ones) { return text + ": no device responds"; }
        if ((status & status_busy) != 0) { return text + ": still busy"; }
        if ((status & (status_done | status_error)) != 0) {
            return text + ": the program has ended, but its interrupt has not arrived";
        }
        return text + ": no program was started";
    } catch (const bus_failure& e) {
        return text + (text.empty() ? "" : ", ") + "and its registers cannot be read (" + e.what() + ")";
    }
}

void device_driver::probe(const char (&id)[5])
{
    const std::uint32_t found = read(reg::id);
    const std::string expected = ", expected " + hex(device_id(id)) + " (" + id + ")";
    if (found == 0 || found == all_ones) { fail("ID reads " + hex(found) + expected + ": no device responds"); }
    if (found != device_id(id)) { fail("ID is " + hex(found) + expected); }
    const std::uint32_t version = read(reg::version);
    if (version >> 16 != register_map_major) {
        fail("register map version is " + hex(version) + ", the driver supports " + hex(register_map_version));
    }
}

program_result device_driver::run(const std::vector<std::uint8_t>& program, std::uint64_t address,
                                  std::uint64_t timeout_ns)
{
    check_start(address);
    m_host.write_block(address, program.data(), program.size());
    start_idle(address);
    return finish(timeout_ns);
}

void device_driver::start(std::uint64_t program_address)
{
    check_start(program_address);
    start_idle(program_address);
}

// A START while BUSY is ignored: the result would be that of another program.
void device_driver::check_start(std::uint64_t program_address)
{
    if (program_address % program_header::alignment != 0) {
        fail("cannot be started: the program's address " + address_text(program_address) + " is not a multiple of " +
             std::to_string(program_header::alignment));
    }
    const std::uint32_t status = read(reg::status);
    if (status == all_ones) { fail("STATUS reads " + hex(status) + ": no device responds"); }
    if ((status & status_busy) != 0) { fail("cannot be started: STATUS is " + hex(status) + ", a program is running"); }
}

void device_driver::start_idle(std::uint64_t program_address)
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
        fail("no interrupt within " + std::to_string(timeout_ns) + " ns; " + state_text());
    }
    const std::uint32_t status = read(reg::status);
    if (status == all_ones || (status & status_busy) != 0 || (status & (status_done | status_error)) == 0) {
        fail("an interrupt, but no program has ended; " + state_text());
    }
    program_result result;
    result.done = (status & status_done) != 0;
    result.aborted = (status & status_aborted) != 0;
    result.error = static_cast<error_code>(read(reg::error_code));
    result.error_command = read(reg::error_command);
    result.error_address = read_pair(reg::error_addr_lo);
    result.error_response = static_cast<bus_response>(read(reg::error_response));
    result.cycles = read_pair(reg::cycles_lo);
    write(reg::irq_status, irq_done | irq_error);
    return result;
}

void device_driver::abort() { write(reg::ctrl, ctrl_abort); }

// A reset raises no interrupt and disables all: this wait only passes time.
void device_driver::reset(std::uint64_t timeout_ns)
{
    constexpr unsigned looks = 16;
    write(reg::ctrl, ctrl_reset);
    for (unsigned look = 0; look < looks; ++look) {
        if ((read(reg::status) & status_busy) == 0) { return; }
        m_host.wait_interrupt(timeout_ns / looks);
    }
    if ((read(reg::status) & status_busy) != 0) {
        fail("the reset did not end within " + std::to_string(timeout_ns) + " ns; " + state_text());
    }
}

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

} // namespace tensorloom::isa
