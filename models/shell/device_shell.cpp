#include <tensorloom/models/shell/device_shell.h>
#include <algorithm>
#include <tensorloom/models/arch/program/register_map.h>
#include <tensorloom/models/shell/overlapped_issue.h>
#include <tensorloom/models/shell/program_check.h>
#include <tensorloom/models/shell/program_fetch.h>
#include <tensorloom/models/shell/sequential_issue.h>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::shell {

using arch::error_code;
namespace reg = arch::reg;

namespace {

bus::dma_config dma_settings(const shell_config& config)
{
    bus::dma_config c = config.dma;
    c.clock_period = config.clock_period;
    if (const auto wrong = bus::complaint(c)) { SC_REPORT_ERROR("/tensorloom/shell/config", wrong->c_str()); }
    return c;
}

const shell_config& checked(const shell_config& c, const arch::event_table& events)
{
    const bool well = !c.overlap || (c.units >= 1 && c.units <= shell_config::max_units);
    if (!well) { SC_REPORT_ERROR("/tensorloom/shell/config", "units: expected 1 to 64"); }
    if (c.overlapped_cycle && *c.overlapped_cycle >= events.size) {
        SC_REPORT_ERROR("/tensorloom/shell/config", "overlapped_cycle: expected an event of the device");
    }
    return c;
}

bool is_of_device(const issued_command& command)
{
    return command.header.opcode >= static_cast<std::uint8_t>(arch::opcode::first_of_device);
}

} // namespace

device_shell::device_shell(sc_core::sc_module_name name, const shell_config& config, const arch::event_table& events,
                           bus::activity_sink* activity)
    : sc_core::sc_module(name), regs("regs"), irq("irq"), rst("rst"), m_config(checked(config, events)),
      m_registers(arch::registers, *this, config.tolerance), m_dma(dma_settings(config)), m_events(events),
      m_counts(events.size, 0), m_activity(activity), m_full_name(this->name()), m_clock(config.clock_period),
      m_transfers(m_dma, m_stop, m_clock), m_issue(make_issue()),
      m_run(*m_issue, m_stop, [this] { raise(arch::irq_command); })
{
    SC_HAS_PROCESS(device_shell);
    m_registers.set_reset_value(reg::id, config.id);
    m_registers.set_reset_value(reg::caps, config.caps);
    m_registers.set_reset_value(reg::caps_size_0, config.caps_size[0]);
    m_registers.set_reset_value(reg::caps_size_1, config.caps_size[1]);
    m_registers.set_reset_value(reg::caps_size_2, config.caps_size[2]);

    regs.register_b_transport(this, &device_shell::b_transport);
    regs.register_transport_dbg(this, &device_shell::transport_dbg);
    SC_THREAD(run_programs);
    SC_METHOD(drive_irq);
    sensitive << m_irq_changed;
    SC_METHOD(watch_rst);
    sensitive << rst;
    dont_initialize();

    if (m_activity != nullptr) {
        m_activity->attach(m_full_name, m_events, m_counts.data());
        m_activity->attach(m_full_name + ".dma_engine", bus::dma_events, m_dma.counts());
    }
}

std::unique_ptr<command_issue> device_shell::make_issue()
{
    command_executor& device = *this;
    if (!m_config.overlap) { return std::make_unique<sequential_issue>(device, m_clock, m_events.size); }
    return std::make_unique<overlapped_issue>(device, m_clock, m_stop, m_events.size, m_config.units + 1,
                                              m_config.overlapped_cycle);
}

void device_shell::before_end_of_elaboration()
{
    if (irq.bind_count() == 0) {
        m_unbound_irq = std::make_unique<sc_core::sc_signal<bool>>("unbound_irq");
        irq.bind(*m_unbound_irq);
    }
    if (rst.bind_count() == 0) {
        m_unbound_rst = std::make_unique<sc_core::sc_signal<bool>>("unbound_rst");
        rst.bind(*m_unbound_rst);
    }
}

void device_shell::trace_shell(sc_core::sc_trace_file& file)
{
    sc_core::sc_trace(&file, m_busy, std::string(name()) + ".busy");
    sc_core::sc_trace(&file, irq, std::string(name()) + ".irq");
}

// ---- registers ----

void device_shell::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay)
{
    const bool waits = m_config.tolerance.wait_out_delay && bus::in_thread();
    if (waits) { bus::wait_out(delay); }
    m_registers.b_transport(transaction, delay);
    if (transaction.is_write() && rst.read()) { reset_registers(); }
    delay += m_config.clock_period;
    if (waits) { bus::wait_out(delay); }
}

unsigned device_shell::transport_dbg(tlm::tlm_generic_payload& transaction)
{
    return m_registers.transport_dbg(transaction);
}

std::uint64_t device_shell::latched_value(std::uint32_t lo_offset, const sc_core::sc_time& delay)
{
    if (lo_offset == reg::cycles_lo) { return shown_cycles(delay); }
    sync_counters();
    return shown_count();
}

std::uint64_t device_shell::debug_value(std::uint32_t lo_offset) const
{
    return lo_offset == reg::cycles_lo ? shown_cycles(sc_core::SC_ZERO_TIME) : shown_count();
}

std::uint64_t device_shell::shown_cycles(const sc_core::sc_time& delay) const
{
    if (!m_busy) { return m_cycles; }
    const auto now = sc_core::sc_time_stamp() + delay;
    return now < m_clock.started_at() ? 0 : (now - m_clock.started_at()).value() / m_config.clock_period.value();
}

std::uint64_t device_shell::shown_count() const
{
    const std::uint32_t index = m_registers.get(reg::counter_index);
    return index < m_events.size ? m_counts[index] : 0;
}

void device_shell::after_write(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay)
{
    switch (offset) {
    case reg::ctrl:
        if ((value & arch::ctrl_reset) != 0) {
            request_reset(delay);
        } else {
            if ((value & arch::ctrl_abort) != 0 && m_busy) { m_stop.request(delay); }
            if ((value & arch::ctrl_start) != 0) { request_start(delay); }
        }
        break;
    case reg::irq_status:
    case reg::irq_enable: m_irq_changed.notify(sc_core::SC_ZERO_TIME); break;
    default: break;
    }
}

void device_shell::request_start(const sc_core::sc_time& delay)
{
    if (m_busy || rst.read()) { return; }
    m_busy = true;
    m_stop.clear();
    for (auto offset : {reg::error_code, reg::error_command, reg::error_addr_lo, reg::error_addr_hi,
                        reg::error_response, reg::commands_done, reg::token}) {
        m_registers.set(offset, 0);
    }
    m_cycles = 0;
    m_registers.set(reg::status, arch::status_busy);
    m_program_address =
        m_registers.get(reg::program_addr_lo) | static_cast<std::uint64_t>(m_registers.get(reg::program_addr_hi)) << 32;
    m_clock.start(sc_core::sc_time_stamp() + delay);
    m_start.notify(delay);
}

void device_shell::request_reset(const sc_core::sc_time& delay)
{
    m_reset_pending = m_reset_pending || m_busy;
    reset_registers();
    if (m_busy) {
        m_stop.request(delay);
    } else {
        std::fill(m_counts.begin(), m_counts.end(), 0);
        reset_device();
    }
}

// A device that works stays BUSY until it has stopped.
void device_shell::reset_registers()
{
    m_registers.reset();
    m_cycles = 0;
    m_registers.set(reg::status, m_busy ? arch::status_busy : 0);
    m_irq_changed.notify(sc_core::SC_ZERO_TIME);
}

void device_shell::raise(std::uint32_t irq_bits)
{
    if (m_reset_pending) { return; }
    m_registers.set(reg::irq_status, m_registers.get(reg::irq_status) | irq_bits);
    m_irq_changed.notify(sc_core::SC_ZERO_TIME);
}

void device_shell::drive_irq()
{
    irq.write((m_registers.get(reg::irq_status) & m_registers.get(reg::irq_enable)) != 0);
}

void device_shell::watch_rst()
{
    if (rst.read()) { request_reset(sc_core::SC_ZERO_TIME); }
}

void device_shell::log(const char* cause, const char* phase, std::uint32_t command, std::uint32_t id,
                       std::uint32_t detail, std::uint64_t start_cycle, std::uint64_t cycles,
                       const std::uint64_t* counts)
{
    log({cause, phase, command, id, detail, start_cycle, cycles, counts});
}

void device_shell::log(const bus::log_record& record)
{
    for (std::size_t e = 0; e < m_events.size; ++e) { m_counts[e] += record.counts[e]; }
    if (m_activity != nullptr) { m_activity->log(m_full_name, record); }
}

// ---- programs ----

void device_shell::run_programs()
{
    while (true) {
        wait(m_start);
        std::fill(m_counts.begin(), m_counts.end(), 0);
        if (m_activity != nullptr) { m_activity->started(m_full_name, bus::picoseconds(m_clock.started_at())); }
        begin_program();
        const auto failed = run_program();
        m_clock.align();
        finish(failed);
    }
}

std::optional<program_failure> device_shell::run_program()
{
    auto failed = fetch_program(m_program_address, m_config.max_program_bytes, m_dma, m_stop, m_program);
    m_clock.align();
    const std::vector<std::uint64_t> none(m_events.size, 0);
    log("fetch", "fetch", 0, 0, 0, 0, m_clock.now(), none.data());
    if (failed) { return failed; }
    const auto check = [this](const arch::command_header& header, const std::uint8_t* payload, std::size_t bytes) {
        return check_command(header, payload, bytes);
    };
    failed = check_program(m_program, transfer_memory(), check);
    return failed ? failed : m_run.run(m_program);
}

command_outcome device_shell::run(const issued_command& command)
{
    if (is_of_device(command)) { return execute(command); }
    const auto result = m_transfers.run(command, *transfer_memory());
    if (result.cycles > 0 || result.moved.bytes > 0) {
        const auto code = static_cast<arch::opcode>(command.header.opcode);
        const char* cause = code == arch::opcode::load ? "load" : "store";
        std::vector<std::uint64_t> counts(m_events.size, 0);
        count_transfer(code, result.moved, counts.data());
        report(command, cause, cause, result.cycles, counts.data());
    }
    return result.outcome;
}

access_set device_shell::footprint_of(const issued_command& command)
{
    if (is_of_device(command)) { return footprint(command); }
    auto f = transfer_unit::footprint(command, *transfer_memory());
    f.unit = m_config.units;
    return f;
}

void device_shell::report(const issued_command& command, const char* cause, const char* phase, std::uint64_t cycles,
                          const std::uint64_t* counts)
{
    m_issue->report(command, cause, phase, cycles, counts);
}

void device_shell::log_row(const issued_command& command, const report_row& row)
{
    log({row.cause, row.phase, command.index, static_cast<std::uint32_t>(command.execution), 0, row.start_cycle,
         row.cycles, row.counts, row.busy_start_cycle, row.busy_cycles});
}

void device_shell::show_executed(std::uint32_t commands, std::uint32_t token)
{
    m_registers.set(reg::commands_done, commands);
    m_registers.set(reg::token, token);
}

void device_shell::finish(const std::optional<program_failure>& failed)
{
    const std::uint64_t cycles = m_clock.now();
    if (m_activity != nullptr) { m_activity->finished(m_full_name, cycles); }
    m_busy = false;
    m_stop.clear();
    if (m_reset_pending) {
        m_reset_pending = false;
        for (auto offset : {reg::status, reg::commands_done, reg::token, reg::cycles_lo, reg::cycles_hi,
                            reg::counter_value_lo, reg::counter_value_hi}) {
            m_registers.set(offset, 0);
        }
        std::fill(m_counts.begin(), m_counts.end(), 0);
        reset_device();
        return;
    }
    m_cycles = cycles;
    if (!failed) {
        m_registers.set(reg::status, arch::status_done);
        raise(arch::irq_done);
        return;
    }
    const bool aborted = failed->code == error_code::aborted;
    m_registers.set(reg::status, arch::status_error | (aborted ? arch::status_aborted : 0));
    m_registers.set(reg::error_code, static_cast<std::uint32_t>(failed->code));
    m_registers.set(reg::error_command, failed->command);
    m_registers.set_pair(reg::error_addr_lo, failed->address);
    m_registers.set(reg::error_response, static_cast<std::uint32_t>(failed->response));
    raise(arch::irq_error);
}

} // namespace tensorloom::shell
