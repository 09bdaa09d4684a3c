#include <tensorloom/models/shell/device_shell.h>
#include <algorithm>
#include <cmath>
#include <istream>
#include <ostream>
#include <utility>
#include <tensorloom/models/base/values/number_text.h>
#include <tensorloom/models/isa/program/register_map.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/shell/transfer_watch.h>
#include <tensorloom/tlm/instance_report.h>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::shell {

using isa::error_code;
namespace reg = isa::reg;

namespace {

bus::dma_config checked_dma(const device_config& config, const program_clock& clock, const char* instance)
{
    auto c = dma_settings(config);
    if (const auto wrong = bus::validate(c)) { bus::report_error(instance, "/tensorloom/shell/config", *wrong); }
    c.clock_period = clock;
    return c;
}

std::optional<std::string> whole_ps_error(const sc_core::sc_time& period)
{
    if (sc_core::sc_time(static_cast<double>(bus::picoseconds(period)), sc_core::SC_PS) == period) {
        return std::nullopt;
    }
    return "clock_period is " + period.to_string() + ", expected whole picoseconds";
}

const shell_config& checked(const shell_config& c, const base::event_table& events, const char* instance)
{
    if (c.overlapped_cycle && *c.overlapped_cycle >= events.size) {
        bus::report_error(instance, "/tensorloom/shell/config", "overlapped_cycle: expected an event of the device");
    }
    for (const auto& wrong : {whole_ps_error(c.clock_period), validate_prefetch(c.program_prefetch, c.clock_period)}) {
        if (wrong) { bus::report_error(instance, "/tensorloom/shell/config", *wrong); }
    }
    return c;
}

// In whole ps, so that logs have it exactly.
sc_core::sc_time period_of(std::uint64_t hz)
{
    if (hz == 0) { return sc_core::SC_ZERO_TIME; }
    return sc_core::sc_time(static_cast<double>(std::llround(1e12 / static_cast<double>(hz))), sc_core::SC_PS);
}

std::optional<std::string> period_error(const sc_core::sc_time& period, std::uint32_t program_prefetch)
{
    if (auto wrong = whole_ps_error(period)) { return wrong; }
    device_config c;
    if (auto wrong = base::set(c, "clock-period", std::to_string(bus::picoseconds(period)))) { return wrong; }
    return validate_prefetch(program_prefetch, period);
}

constexpr const char* program_id = "/tensorloom/shell/program";
constexpr const char* reset_id = "/tensorloom/shell/reset";

std::string end_text(const std::optional<program_failure>& failed, std::uint64_t cycles)
{
    const std::string after = std::to_string(cycles) + " cycles";
    if (!failed) { return "the program is done: " + after; }
    std::string text = "the program failed after " + after + ", at command " + std::to_string(failed->command) + ": " +
                       isa::error_text(failed->code);
    if (failed->response != isa::bus_response::none) {
        text += " (address " + base::hexadecimal(failed->address) + ")";
    }
    return text;
}

debug_memory seen_by_debugger(local_memory& memory)
{
    // Splits a range into pieces inside one window each.
    const auto pieces = [window = memory.window_bytes()](std::uint64_t address, std::uint64_t bytes, const auto& move) {
        for (std::uint64_t done = 0; done < bytes;) {
            const std::uint64_t now = std::min(bytes - done, window - (address + done) % window);
            move(address + done, done, now);
            done += now;
        }
    };
    return {memory.name(), memory.bytes(),
            [&memory, pieces](std::uint64_t address, unsigned char* to, std::uint64_t bytes) {
                pieces(address, bytes, [&](auto at, auto done, auto now) { memory.read(at, to + done, now); });
            },
            [&memory, pieces](std::uint64_t address, const unsigned char* from, std::uint64_t bytes) {
                pieces(address, bytes, [&](auto at, auto done, auto now) { memory.write(at, from + done, now); });
            },
            memory.window_bytes()};
}

} // namespace

device_shell::device_shell(sc_core::sc_module_name name, const isa::device_description& description,
                           const shell_config& config, bus::activity_sink* activity)
    : sc_core::sc_module(name), regs("regs"), irq("irq"), rst("rst"), clock_hz("clock_hz"),
      m_config(checked(config, description.events, this->name())), m_description(description),
      m_registers(isa::registers, *this, config.tolerance), m_clock(config.clock_period),
      m_dma(checked_dma(config, m_clock, this->name()), config.dma_ports),
      m_log(this->name(), description.events, activity)
{
    set_configuration(base::configuration_text(static_cast<const device_config&>(config)));
    SC_HAS_PROCESS(device_shell);
    m_registers.set_reset_value(reg::id, description.id);
    m_registers.set_reset_value(reg::caps, config.format | static_cast<std::uint32_t>(description.events.size) << 8);
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
    SC_METHOD(watch_clock);
    sensitive << clock_hz;
    dont_initialize();
    SC_METHOD(abandon_bursts);
    sensitive << m_leave;
    dont_initialize();

    if (activity != nullptr) {
        activity->attach(std::string(this->name()) + ".dma_engine", bus::dma_events, m_dma.counts());
    }
}

device_shell::~device_shell() = default;

void device_shell::use_units(std::initializer_list<command_unit*> units, local_memory& memory,
                             const transfer_events& events)
{
    m_memory = &memory;
    m_transfers = std::make_unique<transfer_unit>(m_dma, m_dma_turn, memory, events, m_log.events());
    use_units(units);
}

void device_shell::use_units(std::initializer_list<command_unit*> units)
{
    for (auto* unit : units) { m_units.add(*unit, m_description.commands); }
    if (m_transfers) { m_units.add(*m_transfers, isa::shell_command_descriptions()); }
    list_memories();
    const issue_context context{m_units, m_clock, m_stop, m_log, [this](std::uint32_t commands, std::uint32_t token) {
                                    m_registers.set(reg::commands_done, commands);
                                    m_registers.set(reg::token, token);
                                }};
    if (m_config.overlap) {
        m_issue = std::make_unique<overlapped_issue>(context, m_config.overlapped_cycle);
    } else {
        m_issue = std::make_unique<sequential_issue>(context);
    }
    if (m_config.program_prefetch > 0) {
        m_fetch = std::make_unique<program_fetch>("program_fetch", m_config.program_prefetch, m_dma.first(), m_dma_turn,
                                                  m_clock, m_stop);
    }
    m_processor = std::make_unique<command_processor>(*m_issue, m_clock, m_stop, [this] { raise(isa::irq_command); });
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
    if (clock_hz.bind_count() == 0) {
        m_unbound_clock = std::make_unique<sc_core::sc_signal<std::uint64_t>>("unbound_clock_hz");
        clock_hz.bind(*m_unbound_clock);
    }
}

void device_shell::start_of_simulation() { watch_clock(); }

void device_shell::trace_units(sc_core::sc_trace_file& file)
{
    sc_core::sc_trace(&file, m_busy, std::string(name()) + ".busy");
    sc_core::sc_trace(&file, irq, std::string(name()) + ".irq");
    for (auto* unit : m_units.units()) { unit->trace_command(file); }
    for (auto* unit : m_units.units()) { unit->trace(file); }
}

// ---- registers ----

void device_shell::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay)
{
    const bool waits = m_config.tolerance.wait_out_delay && bus::in_thread();
    if (waits) { bus::wait_out(delay); }
    m_registers.b_transport(transaction, delay);
    if (transaction.is_write() && held_in_reset()) { reset_registers(); }
    delay += m_config.clock_period;
    if (waits) { bus::wait_out(delay); }
}

unsigned device_shell::transport_dbg(tlm::tlm_generic_payload& transaction)
{
    const std::uint64_t address = transaction.get_address();
    const auto memory =
        std::find_if(m_memories.begin(), m_memories.end(), [&](const debug_memory& m) { return m.holds(address); });
    const bool moves = transaction.is_read() || transaction.is_write();
    if (memory == m_memories.end() || !moves || transaction.get_data_ptr() == nullptr) {
        return m_registers.transport_dbg(transaction);
    }
    debug_memories();
    unsigned char* const data = transaction.get_data_ptr();
    const std::uint64_t length = transaction.get_data_length();
    const std::uint64_t moved = transaction.is_read() ? memory->read(address - memory->offset, data, length)
                                                      : memory->write(address - memory->offset, data, length);
    const bool refused = moved == 0 && length != 0;
    transaction.set_response_status(refused ? tlm::TLM_COMMAND_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE);
    return static_cast<unsigned>(moved);
}

std::uint64_t device_shell::latched_value(std::uint32_t lo_offset, const sc_core::sc_time& delay)
{
    if (lo_offset == reg::cycles_lo) { return shown_cycles(delay); }
    for (auto* unit : m_units.units()) { unit->sync(); }
    return shown_count();
}

std::uint64_t device_shell::debug_value(std::uint32_t lo_offset) const
{
    return lo_offset == reg::cycles_lo ? shown_cycles(sc_core::SC_ZERO_TIME) : shown_count();
}

std::uint64_t device_shell::shown_cycles(const sc_core::sc_time& delay) const
{
    if (!m_busy) { return m_cycles; }
    if (m_waits_for_clock) { return 0; }
    const auto now = sc_core::sc_time_stamp() + delay;
    return now < m_clock.started_at() ? 0 : (now - m_clock.started_at()).value() / m_clock.period().value();
}

std::uint64_t device_shell::shown_count() const { return m_log.count(m_registers.get(reg::counter_index)); }

void device_shell::after_write(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay)
{
    switch (offset) {
    case reg::ctrl:
        if ((value & isa::ctrl_reset) != 0) {
            request_reset(delay);
        } else {
            if ((value & isa::ctrl_abort) != 0 && m_busy) { m_stop.request(delay); }
            if ((value & isa::ctrl_start) != 0) { request_start(delay); }
        }
        break;
    case reg::irq_status:
    case reg::irq_enable: m_irq_changed.notify(sc_core::SC_ZERO_TIME); break;
    default: break;
    }
}

void device_shell::request_start(const sc_core::sc_time& delay)
{
    if (m_busy || held_in_reset()) {
        if (tells(sc_core::SC_LOW)) {
            const char* const why = m_busy ? "busy" : m_powered ? "rst is high" : "the power is off";
            tell(program_id, std::string("START has no effect: ") + why);
        }
        return;
    }
    watch_clock(); // which may have changed in this delta
    m_busy = true;
    m_stop.clear();
    for (auto offset : {reg::error_code, reg::error_command, reg::error_addr_lo, reg::error_addr_hi,
                        reg::error_response, reg::commands_done, reg::token}) {
        m_registers.set(offset, 0);
    }
    m_cycles = 0;
    m_registers.set(reg::status, isa::status_busy);
    m_program_address =
        m_registers.get(reg::program_addr_lo) | static_cast<std::uint64_t>(m_registers.get(reg::program_addr_hi)) << 32;
    m_start_at = bus::annotated(delay);
    m_waits_for_clock = m_gated;
    if (!m_waits_for_clock) { begin_program(); }
}

void device_shell::begin_program()
{
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    const sc_core::sc_time begin = std::max(m_start_at, now);
    m_waits_for_clock = false;
    m_clock.start(begin);
    if (tells(sc_core::SC_MEDIUM)) {
        tell(program_id, "the program at " + base::hexadecimal(m_program_address) + " starts");
    }
    m_start.notify(begin - now);
}

void device_shell::cancel_waiting_start()
{
    if (!m_waits_for_clock) { return; }
    m_waits_for_clock = false;
    m_busy = false;
    m_stop.clear();
}

void device_shell::request_reset(const sc_core::sc_time& delay)
{
    cancel_waiting_start();
    if (tells(sc_core::SC_LOW)) {
        tell(reset_id, m_busy ? "reset, stops the program" : m_powered ? "reset" : "power off, contents are lost");
    }
    m_reset_pending = m_reset_pending || m_busy;
    reset_registers();
    if (m_busy) {
        m_stop.request(delay);
        m_leave.notify(delay + m_clock.time_of(reset_cycles + m_config.burst_bytes / m_dma.first().bus_bytes()));
    } else {
        reset_units();
    }
}

void device_shell::abandon_bursts() { m_dma.abandon_bursts(); }

// The device stays BUSY until it has stopped.
void device_shell::reset_registers()
{
    m_registers.reset();
    m_cycles = 0;
    m_registers.set(reg::status, m_busy ? isa::status_busy : 0);
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

void device_shell::reset_units()
{
    m_log.clear();
    for (auto* unit : m_units.units()) { unit->reset(); }
    if (m_memory != nullptr) { m_memory->clear(); }
}

// ---- clock and power ----

sc_core::sc_time device_shell::clock_period() const { return m_gated ? sc_core::SC_ZERO_TIME : m_clock.period(); }

std::optional<std::string> device_shell::set_clock_period(const sc_core::sc_time& period)
{
    if (!m_unbound_clock && clock_hz.bind_count() > 0) {
        return std::string("clock_period: clock_hz is bound, expected the change on this port");
    }
    if (runs_program()) { return std::string("clock_period: a program runs, expected the change between programs"); }
    if (period != sc_core::SC_ZERO_TIME) {
        if (auto wrong = period_error(period, m_config.program_prefetch)) { return wrong; }
    }
    change_clock(period);
    return std::nullopt;
}

void device_shell::watch_clock()
{
    if (m_unbound_clock) { return; }
    const sc_core::sc_time period = period_of(clock_hz.read());
    if (clock_hz.read() != 0) {
        if (const auto wrong = period_error(period, m_config.program_prefetch)) {
            const std::string told = "clock_hz: " + std::to_string(clock_hz.read()) + " Hz; " + *wrong;
            bus::report_error(name(), "/tensorloom/shell/clock", told);
            return;
        }
    }
    if (runs_program()) {
        m_next_period = period;
    } else {
        change_clock(period);
    }
}

void device_shell::change_clock(const sc_core::sc_time& period)
{
    account_time();
    m_gated = period == sc_core::SC_ZERO_TIME;
    if (m_gated) { return; }
    if (period != m_clock.period()) {
        m_clock.set_period(period);
        m_dma.restart(); // it counts times in cycles
    }
    if (m_waits_for_clock) { begin_program(); }
}

std::optional<std::string> device_shell::power_off()
{
    if (runs_program()) { return std::string("power_off: a program runs, expected it to end, or a reset"); }
    account_time();
    m_powered = false;
    request_reset(sc_core::SC_ZERO_TIME);
    return std::nullopt;
}

void device_shell::power_on()
{
    if (m_powered) { return; }
    account_time();
    m_powered = true;
    reset_units(); // what a debugger has written meanwhile
}

base::power_state device_shell::power() const
{
    if (!m_powered) { return base::power_state::power_gated; }
    return m_gated ? base::power_state::clock_gated : base::power_state::on;
}

void device_shell::account_time()
{
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    m_spent[static_cast<std::size_t>(power())] += now - m_state_since;
    m_state_since = now;
}

base::power_residency device_shell::residency() const
{
    auto spent = m_spent;
    spent[static_cast<std::size_t>(power())] += sc_core::sc_time_stamp() - m_state_since;
    base::power_residency found;
    for (std::size_t s = 0; s < spent.size(); ++s) { found.ps[s] = bus::picoseconds(spent[s]); }
    return found;
}

// ---- messages ----

void device_shell::set_verbosity(int level)
{
    m_verbosity = level;
    m_processor->listen({});
    m_log.listen({});
    if (tells(sc_core::SC_HIGH)) {
        m_processor->listen([this](const issued_command& c) {
            const auto* command = isa::find_command(m_description, c.header.opcode);
            tell("/tensorloom/shell/command", "command " + std::to_string(c.index) + " " + command->opcode.name +
                                                  ", execution " + std::to_string(c.execution) + ", cycle " +
                                                  std::to_string(m_clock.now()));
        });
    }
    if (tells(sc_core::SC_FULL)) {
        m_log.listen([this](const bus::log_record& r) {
            const std::string cause = r.cause;
            tell("/tensorloom/shell/record", "command " + std::to_string(r.command) + ", " +
                                                 (cause == r.phase ? cause : cause + " " + r.phase) + " " +
                                                 std::to_string(r.id) + ": cycles " + std::to_string(r.start_cycle) +
                                                 " to " + std::to_string(r.start_cycle + r.cycles));
        });
    }
}

void device_shell::tell(const char* id, const std::string& text) const
{
    bus::report_info(name(), id, sc_core::sc_time_stamp().to_string() + ": " + text);
}

std::size_t set_verbosity(const std::string& instance, int level)
{
    std::vector<sc_core::sc_object*> objects;
    if (instance.empty()) {
        objects = sc_core::sc_get_top_level_objects();
    } else if (auto* const found = sc_core::sc_find_object(instance.c_str())) {
        objects.push_back(found);
    }
    std::size_t devices = 0;
    while (!objects.empty()) {
        auto* const object = objects.back();
        objects.pop_back();
        if (auto* const device = dynamic_cast<device_shell*>(object)) {
            device->set_verbosity(level);
            ++devices;
        }
        const auto& below = object->get_child_objects();
        objects.insert(objects.end(), below.begin(), below.end());
    }
    return devices;
}

// ---- debug access, saved state ----

void device_shell::list_memories()
{
    if (m_memory != nullptr) { m_memories.push_back(seen_by_debugger(*m_memory)); }
    for (auto* unit : m_units.units()) {
        for (auto& memory : unit->memories()) {
            memory.closed = &m_busy;
            m_memories.push_back(std::move(memory));
        }
    }
    std::uint64_t next = debug_window;
    for (auto& memory : m_memories) {
        memory.offset = next;
        next += (memory.bytes + debug_alignment - 1) / debug_alignment * debug_alignment;
    }
}

std::vector<base::counted_memory> device_shell::counted_memories() const
{
    std::vector<base::counted_memory> memories;
    for (const auto& [memory, counts] : m_counted) { memories.push_back({memory, *counts}); }
    return memories;
}

const std::vector<debug_memory>& device_shell::debug_memories()
{
    for (auto* unit : m_units.units()) { unit->begin_debug(); }
    return m_memories;
}

void device_shell::require_idle(const char* to) const
{
    if (m_busy) { throw base::input_error(std::string("it is busy, expected an idle device to ") + to); }
    if (!m_powered) { throw base::input_error(std::string("it is power gated, expected a powered device to ") + to); }
}

void device_shell::save(std::ostream& to) const
{
    base::complaining_of(name(), [&] {
        require_idle("save");
        base::state_writer state(to, kind(), m_configuration);
        state.put(isa::register_map_version);
        for (const auto& r : isa::registers) { state.put(m_registers.get(r.offset)); }
        state.put(m_cycles);
        for (std::size_t e = 0; e < m_log.events(); ++e) { state.put(m_log.count(e)); }
        for (const auto* unit : m_units.units()) { unit->write_state(state); }
        for (const auto& memory : m_memories) { memory.write_state(state); }
        state.finish();
    });
}

// Read everything before anything changes.
void device_shell::restore(std::istream& from)
{
    base::complaining_of(name(), [&] {
        require_idle("restore");
        base::state_reader state(from, kind(), m_configuration);
        state.expect(isa::register_map_version, "the version of its register map");
        std::vector<std::uint32_t> registers;
        for (std::size_t r = 0; r < isa::register_count; ++r) { registers.push_back(state.take<std::uint32_t>()); }
        const auto cycles = state.take<std::uint64_t>();
        std::vector<std::uint64_t> counts;
        for (std::size_t e = 0; e < m_log.events(); ++e) { counts.push_back(state.take<std::uint64_t>()); }
        std::vector<std::function<void()>> puts;
        for (auto* unit : m_units.units()) { puts.push_back(unit->read_state(state)); }
        for (const auto& memory : m_memories) { puts.push_back(memory.read_state(state)); }
        state.finish();

        reset_units();
        auto value = registers.begin();
        for (const auto& r : isa::registers) { m_registers.set(r.offset, *value++); }
        m_cycles = cycles;
        m_log.set_counts(counts);
        for (const auto& put : puts) { put(); }
        m_irq_changed.notify(sc_core::SC_ZERO_TIME);
    });
}

// ---- programs ----

void device_shell::run_programs()
{
    while (true) {
        wait(m_start);
        m_log.start(bus::picoseconds(m_clock.started_at()), bus::picoseconds(m_clock.period()));
        for (auto* unit : m_units.units()) { unit->begin_program(); }
        const auto failed = run_program();
        m_clock.align();
        finish(failed);
    }
}

std::optional<program_failure> device_shell::run_program()
{
    if (m_fetch) { return run_arriving_program(); }
    transfer_watch watch(m_dma, m_clock);
    auto failed = fetch_program(m_program_address, m_config.max_program_bytes, m_dma, m_stop, m_program);
    const auto freed = watch.freed();
    log_fetch(0, &freed);
    if (!failed) { failed = check_program(m_program, m_units); }
    return failed ? failed : m_processor->run(m_program);
}

// The program ends when its fetch has ended too: after a HALT or an error that may be later than its last command.
std::optional<program_failure> device_shell::run_arriving_program()
{
    if (auto failed = fetch_header(m_program_address, m_config.max_program_bytes, m_dma, m_stop, m_program)) {
        log_fetch(0);
        return failed;
    }
    m_fetch->begin(m_program_address, m_program);
    constexpr std::size_t first = isa::program_header::encoded_bytes + isa::command_header::encoded_bytes;
    const auto come = m_fetch->wait_for(std::min(first, m_program.size()));
    log_fetch(0);
    std::optional<program_failure> failed;
    if (come.ok()) {
        arriving_commands gate(m_program, m_units, *m_fetch);
        failed = m_processor->run(m_program, &gate);
    } else {
        failed = failure_of(come, 0);
    }
    const std::uint64_t ended = m_clock.now();
    m_fetch->finish();
    if (m_clock.now() > ended) { log_fetch(ended); }
    return failed;
}

void device_shell::log_fetch(std::uint64_t start, const base::freed_cycles* freed)
{
    m_clock.align();
    const std::vector<std::uint64_t> none(m_log.events(), 0);
    m_log.add(bus::log_record("fetch").during(start, m_clock.now() - start).with_counts(none.data()).with_freed(freed));
}

void device_shell::finish(const std::optional<program_failure>& failed)
{
    const std::uint64_t cycles = m_clock.now();
    m_log.finish(cycles);
    m_busy = false;
    m_stop.clear();
    m_leave.cancel();
    if (m_next_period) { change_clock(*std::exchange(m_next_period, std::nullopt)); }
    if (m_reset_pending) {
        m_reset_pending = false;
        for (auto offset : {reg::status, reg::commands_done, reg::token, reg::cycles_lo, reg::cycles_hi,
                            reg::counter_value_lo, reg::counter_value_hi}) {
            m_registers.set(offset, 0);
        }
        reset_units();
        if (tells(sc_core::SC_LOW)) { tell(reset_id, "the program has stopped, cycle " + std::to_string(cycles)); }
        return;
    }
    m_cycles = cycles;
    if (tells(failed ? sc_core::SC_LOW : sc_core::SC_MEDIUM)) { tell(program_id, end_text(failed, cycles)); }
    if (!failed) {
        m_registers.set(reg::status, isa::status_done);
        raise(isa::irq_done);
        return;
    }
    const bool aborted = failed->code == error_code::aborted;
    m_registers.set(reg::status, isa::status_error | (aborted ? isa::status_aborted : 0));
    m_registers.set(reg::error_code, static_cast<std::uint32_t>(failed->code));
    m_registers.set(reg::error_command, failed->command);
    m_registers.set_pair(reg::error_addr_lo, failed->address);
    m_registers.set(reg::error_response, static_cast<std::uint32_t>(failed->response));
    raise(isa::irq_error);
}

} // namespace tensorloom::shell
