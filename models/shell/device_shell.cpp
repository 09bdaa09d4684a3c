#include <tensorloom/models/shell/device_shell.h>
#include <algorithm>
#include <tensorloom/models/arch/register_map.h>
#include <tensorloom/tlm/process_context.h>
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

} // namespace

device_shell::device_shell(sc_core::sc_module_name name, const shell_config& config, const arch::event_table& events,
                           bus::activity_sink* activity)
    : sc_core::sc_module(name), regs("regs"), irq("irq"), rst("rst"), m_config(config),
      m_registers(arch::registers, *this, config.tolerance), m_dma(dma_settings(config)), m_events(events),
      m_counts(events.size, 0), m_activity(activity), m_full_name(this->name()), m_clock(config.clock_period)
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
    for (std::size_t e = 0; e < m_events.size; ++e) { m_counts[e] += counts[e]; }
    if (m_activity != nullptr) {
        m_activity->log(m_full_name, {cause, phase, command, id, detail, start_cycle, cycles, counts});
    }
}

// ---- programs ----

void device_shell::run_programs()
{
    while (true) {
        wait(m_start);
        std::fill(m_counts.begin(), m_counts.end(), 0);
        if (m_activity != nullptr) { m_activity->started(m_full_name, bus::picoseconds(m_clock.started_at())); }
        auto failed = fetch();
        m_clock.align();
        const std::vector<std::uint64_t> none(m_events.size, 0);
        log("fetch", "fetch", 0, 0, 0, 0, m_clock.now(), none.data());
        if (!failed) { failed = check_program(); }
        if (!failed) { failed = run_commands(); }
        m_clock.align();
        finish(failed);
    }
}

std::optional<device_shell::failure> device_shell::fetch()
{
    const std::uint64_t address = m_program_address;
    if (address % 16 != 0) { return failure{error_code::bad_program, 0}; }
    const auto outcome = [](const bus::dma_result& result) -> std::optional<failure> {
        const command_outcome o = outcome_of(result);
        if (o.ok()) { return std::nullopt; }
        return failure{o.error, 0, o.address, o.response};
    };
    m_program.resize(arch::program_header::encoded_bytes);
    if (auto failed = outcome(m_dma.read(address, m_program.data(), m_program.size(), m_stop))) { return failed; }
    const auto header = arch::program_header::decode(m_program.data());
    const bool known =
        header.magic == arch::program_header::magic_value && header.version >> 16 == arch::register_map_version >> 16;
    if (!known || header.bytes < m_program.size() || header.bytes > m_config.max_program_bytes ||
        header.bytes % 16 != 0 || header.bytes - 1 > UINT64_MAX - address) {
        return failure{error_code::bad_program, 0};
    }
    const std::size_t head = m_program.size();
    m_program.resize(header.bytes);
    return outcome(m_dma.read(address + head, m_program.data() + head, header.bytes - head, m_stop));
}

std::optional<device_shell::failure> device_shell::check_program() const
{
    const auto header = arch::program_header::decode(m_program.data());
    std::size_t at = arch::program_header::encoded_bytes;
    for (std::uint32_t i = 0; i < header.commands; ++i) {
        const auto bad = [i](error_code code) { return failure{code, i}; };
        if (m_program.size() - at < arch::command_header::encoded_bytes) { return bad(error_code::bad_program); }
        const auto command = arch::command_header::decode(m_program.data() + at);
        if (command.length < arch::command_header::encoded_bytes || command.length % 16 != 0 ||
            command.length > m_program.size() - at || command.reserved != 0) {
            return bad(error_code::bad_command);
        }
        if (command.opcode >= static_cast<std::uint8_t>(arch::opcode::first_of_device)) {
            const auto refused = check_command(command, m_program.data() + at + arch::command_header::encoded_bytes,
                                               command.length - arch::command_header::encoded_bytes);
            if (refused) { return bad(refused->code); }
        } else {
            switch (static_cast<arch::opcode>(command.opcode)) {
            case arch::opcode::nop:
            case arch::opcode::halt:
            case arch::opcode::irq:
                if (command.length != arch::command_header::encoded_bytes || command.flags != 0) {
                    return bad(error_code::bad_command);
                }
                break;
            case arch::opcode::loop:
            case arch::opcode::end:
            case arch::opcode::load:
            case arch::opcode::store:
            case arch::opcode::wait:
            case arch::opcode::signal: return bad(error_code::unsupported_opcode);
            default: return bad(error_code::unknown_opcode);
            }
        }
        at += command.length;
    }
    if (at != m_program.size()) { return failure{error_code::bad_program, header.commands}; }
    return std::nullopt;
}

std::optional<device_shell::failure> device_shell::run_commands()
{
    const auto header = arch::program_header::decode(m_program.data());
    std::size_t at = arch::program_header::encoded_bytes;
    for (std::uint32_t i = 0; i < header.commands; ++i) {
        if (m_stop.acts_at(sc_core::sc_time_stamp())) { return failure{error_code::aborted, i}; }
        const auto command = arch::command_header::decode(m_program.data() + at);
        const auto code = static_cast<arch::opcode>(command.opcode);
        if (code == arch::opcode::irq) { raise(arch::irq_command); }
        if (command.opcode >= static_cast<std::uint8_t>(arch::opcode::first_of_device)) {
            const auto outcome = execute(i, command, m_program.data() + at + arch::command_header::encoded_bytes);
            if (!outcome.ok()) { return failure{outcome.error, i, outcome.address, outcome.response}; }
        }
        m_registers.set(reg::commands_done, i + 1);
        m_registers.set(reg::token, command.token);
        if (code == arch::opcode::halt) { break; }
        at += command.length;
    }
    return std::nullopt;
}

void device_shell::finish(const std::optional<failure>& failed)
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
