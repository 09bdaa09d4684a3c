#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>
#include <tensorloom/models/base/files/saved_state.h>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/base/values/bank_counts.h>
#include <tensorloom/models/base/values/power_states.h>
#include <tensorloom/models/shell/command_log.h>
#include <tensorloom/models/shell/command_processor.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/debug_memory.h>
#include <tensorloom/models/shell/device_config.h>
#include <tensorloom/models/shell/dma_turn.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/models/shell/program_fetch.h>
#include <tensorloom/models/shell/transfer_unit.h>
#include <tensorloom/tlm/activity_sink.h>
#include <tensorloom/tlm/dma_ports.h>
#include <tensorloom/tlm/dma_socket.h>
#include <tensorloom/tlm/register_bank.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

/// The common part of all devices: registers, command processor, DMA, interrupt and reset. A device derives from it and
/// adds its units (command_unit.h).
///
/// regs    base-protocol target socket, 32 bits, LT; register map of isa/program/register_map.h; an access takes one
///         clock period of the configuration (the bus clock), which is annotated; with tolerance.wait_out_delay a
///         thread waits for it (a method process never waits)
/// irq     high while IRQ_STATUS & IRQ_ENABLE is not 0; may stay unbound
/// rst     active-high reset; while it is high, writes to registers have no effect; may stay unbound
/// clock_hz  frequency of the clock in Hz, 0: gated; see below; may stay unbound
/// (the DMA's initiator sockets belong to the device: their width is a template parameter there)
///
/// START begins the program at the address that PROGRAM_ADDR holds at the write, at the annotated time of the write.
/// The program is fetched and checked completely before its first command runs: an error ends it with ERROR_CODE and
/// the command's index. With shell_config::program_prefetch it is fetched while it runs, and a command is checked when
/// it has arrived: commands before a faulty one have run, and commands after a HALT are not checked. Cycles count from
/// START to DONE; every phase takes whole cycles. ABORT and RESET act at the next burst or step boundary, and before
/// every command. A reset waits for bursts in flight at most reset_cycles and the beats of the largest burst: then they
/// are abandoned (dma_engine.h), and the device is free, whatever the target does.
///
/// Clock: config.clock_period, until the port or set_clock_period() changes it. A program runs on one clock: the port's
/// change takes effect after the program's end; set_clock_period() is refused meanwhile. Counters and logs count cycles
/// of the program's clock; the log has its period. While the clock is gated, registers answer (their port is on the bus
/// clock), and a START makes the device BUSY: the program begins, with cycle 0, when the clock returns. Until then
/// ABORT waits for the clock too, and RESET cancels the START. Power: power_off() ends the contents of the device as
/// RESET does; until power_on() registers read their reset values and writes have no effect, START included. See
/// docs/clock.md.
///
/// The life of a command, with the file of each step:
/// (1) the program is fetched, checked and iterated (device_program.h);
/// (2) the command processor executes control commands itself and issues the others (command_processor.h), one after
/// the other in one thread, or with shell_config::overlap each on its unit in parallel (command_issue.h);
/// (3) the unit runs the command (command_unit.h; LOAD and STORE: transfer_unit.h) and reports its phases;
/// (4) the phases become log records and event counts (command_log.h).
///
/// COMMANDS_DONE counts executed commands, a command in a loop each time, modulo 2^32; TOKEN is that of the last one.
/// With overlap both refer to the part of the program that has ended without gap. Event counters start from 0 with each
/// program.
/// Not modelled: transfers beside each other; commands that overtake others at issue; the time and energy of a change
/// of clock or power, the energy of the clock tree, voltage at run time.
///
/// Example
///
///     triada::device<> device("device", {}, &sink); // a device_shell
///     initiator.bind(device.regs);
///     device.dma.bind(target);
///     device.irq.bind(interrupt);
///     device.rst.bind(reset);
class device_shell : public sc_core::sc_module, private bus::register_owner {
public:
    tlm_utils::simple_target_socket<device_shell, 32> regs;
    sc_core::sc_out<bool> irq;
    sc_core::sc_in<bool> rst;
    sc_core::sc_in<std::uint64_t> clock_hz;

    /// Cycles in which a reset waits for the answers of targets, besides the beats of a burst.
    static constexpr std::uint64_t reset_cycles = 1000;

    bool busy() const { return m_busy; }
    unsigned dma_ports() const { return m_dma.ports(); }

    // Clock and power act at simulated time: a host that runs ahead of it (temporal decoupling) synchronises first.

    /// The present period of the clock; SC_ZERO_TIME while it is gated.
    sc_core::sc_time clock_period() const;
    /// Changes the period from now on; SC_ZERO_TIME gates the clock. Between programs: also while a START waits for the
    /// clock. Returns the error, and changes nothing then: a program runs, clock_hz is bound, or the period is outside
    /// the range of device_config::clock_period, or not of whole picoseconds.
    std::optional<std::string> set_clock_period(const sc_core::sc_time& period);
    /// Switches the supply off: contents are lost as by RESET, a START that waits for the clock too. Returns the error,
    /// and changes nothing then: a program runs (RESET ends it).
    std::optional<std::string> power_off();
    void power_on(); ///< the device is in the state after RESET; its clock is as before
    base::power_state power() const;
    /// The time in each power state since the start of the simulation, which they sum to.
    base::power_residency residency() const;

    /// Between programs: what the next one shows of its transfers depends on none before (bus::dma_engine::restart()).
    void restart_transfers() { m_dma.restart(); }

    /// Its registers with their present values, for a platform's tracing: no time, no side effect, also before the
    /// simulation starts. CYCLES and COUNTER_VALUE as a debug read shows them.
    std::vector<bus::register_value> list_registers() const { return m_registers.list(); }
    /// Calls `listener` for every register that an access over `regs` reads or writes, after the access has acted
    /// (bus::register_bank): also while rst is high, not for errors and debug accesses. An empty function removes it.
    void on_register_access(bus::register_listener listener) { m_registers.listen(std::move(listener)); }

    /// What the device reports of its work, as SC_INFO with its name (tlm/instance_report.h); nothing by default:
    ///
    ///     SC_NONE     nothing
    ///     SC_LOW      programs that failed, resets, starts without effect    /tensorloom/shell/program, .../reset
    ///     SC_MEDIUM   also start and end of every program                    /tensorloom/shell/program
    ///     SC_HIGH     also every command before it is issued                 /tensorloom/shell/command
    ///     SC_FULL     also every record of the log: a step, or a phase       /tensorloom/shell/record
    ///
    /// SystemC's own verbosity level does not apply. At any time after construction. See also set_verbosity() below.
    void set_verbosity(int level);

    /// Its memories for debuggers. The memory of LOAD and STORE can be accessed at any time; those of units can be
    /// written only between programs. Over the bus: debug transport from debug_window on (debug_memory.h). From the
    /// first call or debug access on, units keep their memories up to date, which may be slower.
    const std::vector<debug_memory>& debug_memories();

    /// Accesses and stalls of its memory banks since construction; empty without device_config::count_banks or memories
    /// in banks.
    std::vector<base::counted_memory> counted_memories() const;

    /// save() writes all state that a later program, a register read or a debugger can observe
    /// (base/files/saved_state.h). restore() reads it into a device of the same kind and configuration, of any name, in
    /// this simulation or another one. Both take no time and may be called before the simulation starts. The device
    /// continues as the saved one would have.
    /// Not saved: simulated time, logs, counts of DMA events, waveforms; the period and gating of the clock, power and
    /// residency, which belong to the platform: a restored device keeps its own.
    /// Both throw base::input_error, and the device is unchanged then: while it is busy or power gated; when the stream
    /// fails; for anything but a complete state of this kind and configuration.
    void save(std::ostream& to) const;
    void restore(std::istream& from);

protected:
    /// `description`: the device, its commands and events. An invalid configuration is an SC_ERROR.
    device_shell(sc_core::sc_module_name name, const isa::device_description& description, const shell_config& config,
                 bus::activity_sink* activity);
    ~device_shell() override;

    // Elaboration: call these in the device's constructor.

    /// The DMA's sockets, in the order of its ports: each once.
    void bind_dma(bus::dma_port& port) { m_dma.bind(port); }
    /// The units of the device. Every command of its description needs one.
    void use_units(std::initializer_list<command_unit*> units);
    /// Likewise, with the memory for LOAD and STORE, which are refused without it. A device with overlap may use its
    /// DMA for nothing but these commands.
    void use_units(std::initializer_list<command_unit*> units, local_memory& memory, const transfer_events& events);

    /// Elaboration: counts the banks of this memory by its count_banks(), and lists it in counted_memories() under this
    /// name.
    template <class Memory> void count_banks(const char* memory_name, Memory& memory)
    {
        if (m_config.count_banks) { m_counted.emplace_back(memory_name, &memory.count_banks()); }
    }

    /// The configuration in saved states (base::configuration_text()); by default that of the shell.
    void set_configuration(std::string text) { m_configuration = std::move(text); }

    /// Elaboration: adds busy, irq, the current commands and the activity of units to a waveform.
    void trace_units(sc_core::sc_trace_file& file);

    // For units.

    const program_clock& clock() const { return m_clock; }
    /// A unit with a buffer of its own for transfers calls renew() before it uses the buffer again.
    bus::dma_ports& dma() { return m_dma; }
    const bus::stop_request& stop() const { return m_stop; }
    device_log& log() { return m_log; }

    void before_end_of_elaboration() override;
    void start_of_simulation() override;

private:
    std::uint64_t latched_value(std::uint32_t lo_offset, const sc_core::sc_time& delay) override;
    std::uint64_t debug_value(std::uint32_t lo_offset) const override;
    void after_write(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& transaction);

    void run_programs();   // thread
    void drive_irq();      // method
    void watch_rst();      // method
    void watch_clock();    // method
    void abandon_bursts(); // method
    void request_start(const sc_core::sc_time& delay);
    void begin_program();
    void cancel_waiting_start();
    bool runs_program() const { return m_busy && !m_waits_for_clock; }
    bool held_in_reset() const { return rst.read() || !m_powered; }
    void change_clock(const sc_core::sc_time& period);
    void account_time(); // of the present power state, up to now
    void request_reset(const sc_core::sc_time& delay);
    void reset_registers();
    void reset_units();
    void list_memories();
    void require_idle(const char* to) const;
    std::uint64_t shown_cycles(const sc_core::sc_time& delay) const;
    std::uint64_t shown_count() const;
    bool tells(int level) const { return level <= m_verbosity; }
    void tell(const char* id, const std::string& text) const;
    void raise(std::uint32_t irq_bits);
    std::optional<program_failure> run_program(); // the one at PROGRAM_ADDR at START
    std::optional<program_failure> run_arriving_program();
    void log_fetch(std::uint64_t start, const base::freed_cycles* freed = nullptr); // up to now
    void finish(const std::optional<program_failure>& failed);

    shell_config m_config; // its clock period is that of the bus
    const isa::device_description& m_description;
    bus::register_bank m_registers;
    program_clock m_clock; // keeps its period while it is gated
    bus::dma_ports m_dma;
    dma_turn m_dma_turn;
    bus::stop_request m_stop;
    device_log m_log;

    sc_core::sc_event m_start;
    sc_core::sc_event m_irq_changed;
    sc_core::sc_event m_leave;           // bursts that have not ended in time after a reset
    std::uint64_t m_cycles = 0;          // of the last program
    std::uint64_t m_program_address = 0; // PROGRAM_ADDR at START
    std::vector<std::uint8_t> m_program;
    local_memory* m_memory = nullptr;
    std::unique_ptr<transfer_unit> m_transfers;
    unit_table m_units;
    std::vector<debug_memory> m_memories;
    std::vector<std::pair<const char*, const base::bank_counts*>> m_counted;
    std::string m_configuration;
    std::unique_ptr<command_issue> m_issue;
    std::unique_ptr<command_processor> m_processor;
    std::unique_ptr<program_fetch> m_fetch; // for programs that run while they are fetched
    int m_verbosity = sc_core::SC_NONE;
    bool m_busy = false;
    bool m_reset_pending = false;
    bool m_powered = true;
    bool m_gated = false;
    bool m_waits_for_clock = false;                // busy: the START came while the clock was gated
    sc_core::sc_time m_start_at;                   // annotated time of the START
    std::optional<sc_core::sc_time> m_next_period; // of clock_hz, after the running program
    std::array<sc_core::sc_time, base::power_states> m_spent;
    sc_core::sc_time m_state_since; // accounted up to here
    std::unique_ptr<sc_core::sc_signal<bool>> m_unbound_irq;
    std::unique_ptr<sc_core::sc_signal<bool>> m_unbound_rst;
    std::unique_ptr<sc_core::sc_signal<std::uint64_t>> m_unbound_clock;
};

/// Sets the verbosity of the device with this hierarchical name and of all devices below it; "" stands for all of the
/// simulation. Returns how many there are.
std::size_t set_verbosity(const std::string& instance, int level);

/// A device with a DMA socket of this width: 32, 64, 128, 256 or 512. Traits: of the device; its `body` is a
/// device_shell without that socket, constructed from a name, a `config` and a sink.
///
/// dma     base-protocol initiator socket, LT or AT; naturally aligned bursts of at most burst_bytes. A device with
///         several DMA ports has one for each, dma_port(0) to dma_port(dma_ports() - 1), of which this is the first
template <class Traits, unsigned BUSWIDTH> class device_of_width : public Traits::body {
public:
    bus::dma_socket<BUSWIDTH> dma;

    /// An invalid configuration (config.h of the device) is an SC_ERROR.
    explicit device_of_width(sc_core::sc_module_name name, const typename Traits::config& config = {},
                             bus::activity_sink* activity = nullptr)
        : Traits::body(name, config, activity), dma("dma")
    {
        this->bind_dma(dma);
        for (unsigned port = 1; port < this->dma_ports(); ++port) {
            m_more.push_back(std::make_unique<bus::dma_socket<BUSWIDTH>>(("dma_" + std::to_string(port)).c_str()));
            this->bind_dma(*m_more.back());
        }
        this->set_configuration(base::configuration_text(config));
    }

    bus::dma_socket<BUSWIDTH>& dma_port(unsigned port) { return port == 0 ? dma : *m_more.at(port - 1); }

private:
    std::vector<std::unique_ptr<bus::dma_socket<BUSWIDTH>>> m_more; // dma_1 and so on
};

} // namespace tensorloom::shell

/// A device of every width of its DMA socket: with `extern template` after the device's traits in its header, with
/// `template` in its source.
#define TENSORLOOM_DEVICE_OF_EVERY_WIDTH(INSTANTIATE, TRAITS)                                                          \
    INSTANTIATE class tensorloom::shell::device_of_width<TRAITS, 32>;                                                  \
    INSTANTIATE class tensorloom::shell::device_of_width<TRAITS, 64>;                                                  \
    INSTANTIATE class tensorloom::shell::device_of_width<TRAITS, 128>;                                                 \
    INSTANTIATE class tensorloom::shell::device_of_width<TRAITS, 256>;                                                 \
    INSTANTIATE class tensorloom::shell::device_of_width<TRAITS, 512>
