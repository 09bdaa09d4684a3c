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
#include <tensorloom/tlm/dma_engine.h>
#include <tensorloom/tlm/dma_socket.h>
#include <tensorloom/tlm/register_bank.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

/// What every device has: registers, command processor, DMA, interrupt and reset. A device derives from it and brings
/// its units (command_unit.h).
///
/// regs    base-protocol target socket, 32 bits, LT; register map of isa/program/register_map.h; an access takes one
///         clock period, which is annotated or, with tolerance.wait_out_delay, waited out when the caller is a thread
///         (a method process never waits)
/// irq     high while IRQ_STATUS & IRQ_ENABLE is not 0; may stay unbound
/// rst     active-high reset; while it is high, writes to registers have no effect; may stay unbound
/// (the DMA's initiator socket belongs to the device: its width is a template parameter there)
///
/// START begins the program whose address PROGRAM_ADDR holds at the write, at the time that the write annotates. The
/// program is fetched and checked whole before its first command runs: anything malformed ends it with ERROR_CODE and
/// the command's index. With shell_config::program_prefetch it is fetched while it runs, and a command is checked when
/// it has arrived: those before a malformed one have run, and what lies behind a HALT is not looked at. Cycles count
/// from START to DONE; every phase takes whole cycles. ABORT and RESET act at the next burst or step boundary, and
/// before every command.
///
/// The way of a command, each step in a file: the program is fetched, checked and walked (device_program.h); the walk
/// hands the command to its execution (command_processor.h), which does what steers the program itself and has the
/// others issued, one after the other in one thread, or with shell_config::overlap each on its unit at the same time
/// (command_issue.h); the unit runs it (command_unit.h; LOAD and STORE: transfer_unit.h) and reports its phases, which
/// become records of the log and counts of events (command_log.h). COMMANDS_DONE counts commands executed, a command in
/// a loop each time, modulo 2^32; TOKEN is that of the last. With overlap both show how far the program has ended
/// without gap. Event counters start from 0 with each program. Not modelled: several DMA channels; commands that
/// overtake others at issue.
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

    bool busy() const { return m_busy; }

    /// Its memories, which a debugger may read and write: that of LOAD and STORE at any time, those of its units are
    /// written between programs only. Over the bus: debug transport from debug_window on (debug_memory.h).
    /// From the first call, or the first debug transport there, units hold what they can, at the expense of speed.
    const std::vector<debug_memory>& debug_memories();

    /// What the banks of its memories have served since the beginning; nothing without device_config::count_banks or
    /// memories in banks.
    std::vector<base::counted_memory> counted_memories() const;

    /// Writes all that a later program, a register read or a debugger can see (base/files/saved_state.h), and puts it
    /// back: into a device of the same kind and configuration, of any name, in this simulation or another one. Takes no
    /// time; may come before the simulation starts. The device goes on as the saved one would have gone.
    /// Not kept: simulated time, logs, counts of DMA events, waveforms.
    /// Throw base::input_error, and then nothing of the device has changed: while it is busy; when the stream fails;
    /// for anything but a whole state of this kind and configuration.
    void save(std::ostream& to) const;
    void restore(std::istream& from);

protected:
    /// `description`: of the device, its commands and events. A bad configuration is an SC_ERROR.
    device_shell(sc_core::sc_module_name name, const isa::device_description& description, const shell_config& config,
                 bus::activity_sink* activity);
    ~device_shell() override;

    // Elaboration: must be called by the device's constructor.

    /// The DMA's socket.
    void bind_dma(bus::dma_port& port) { m_dma.bind(port); }
    /// The units of the device. Every command of its description has one of them.
    void use_units(std::initializer_list<command_unit*> units);
    /// ... and the memory that LOAD fills and STORE empties, without which both are refused. A device whose commands
    /// overlap leaves its DMA to them.
    void use_units(std::initializer_list<command_unit*> units, local_memory& memory, const transfer_events& events);

    /// Elaboration: counted_memories() has this memory, by this name, from whose count_banks() on its banks are
    /// counted.
    template <class Memory> void count_banks(const char* memory_name, Memory& memory)
    {
        if (m_config.count_banks) { m_counted.emplace_back(memory_name, &memory.count_banks()); }
    }

    /// What saved states know it by (base::configuration_text()): devices that do not say it have that of the shell.
    void set_configuration(std::string text) { m_configuration = std::move(text); }

    /// Elaboration: shows busy and irq in a waveform, the commands at hand, and what the units are doing.
    void trace_units(sc_core::sc_trace_file& file);

    // What units may need.

    const program_clock& clock() const { return m_clock; }
    bus::dma_engine& dma() { return m_dma; }
    const bus::stop_request& stop() const { return m_stop; }
    device_log& log() { return m_log; }

    void before_end_of_elaboration() override;

private:
    std::uint64_t latched_value(std::uint32_t lo_offset, const sc_core::sc_time& delay) override;
    std::uint64_t debug_value(std::uint32_t lo_offset) const override;
    void after_write(std::uint32_t offset, std::uint32_t value, const sc_core::sc_time& delay) override;
    void b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay);
    unsigned transport_dbg(tlm::tlm_generic_payload& transaction);

    void run_programs(); // thread
    void drive_irq();    // method
    void watch_rst();    // method
    void request_start(const sc_core::sc_time& delay);
    void request_reset(const sc_core::sc_time& delay);
    void reset_registers();
    void reset_units();
    void list_memories();
    void require_idle(const char* to) const;
    std::uint64_t shown_cycles(const sc_core::sc_time& delay) const;
    std::uint64_t shown_count() const;
    void raise(std::uint32_t irq_bits);
    std::optional<program_failure> run_program(); // the one that PROGRAM_ADDR named at START
    std::optional<program_failure> run_arriving_program();
    void log_fetch(std::uint64_t start);
    void finish(const std::optional<program_failure>& failed);

    shell_config m_config;
    const isa::device_description& m_description;
    bus::register_bank m_registers;
    bus::dma_engine m_dma;
    dma_turn m_dma_turn;
    bus::stop_request m_stop;
    device_log m_log;

    sc_core::sc_event m_start;
    sc_core::sc_event m_irq_changed;
    program_clock m_clock;
    std::uint64_t m_cycles = 0;          // of the last program, when it has ended
    std::uint64_t m_program_address = 0; // as it was at START
    std::vector<std::uint8_t> m_program;
    local_memory* m_memory = nullptr;
    std::unique_ptr<transfer_unit> m_transfers;
    unit_table m_units;
    std::vector<debug_memory> m_memories;
    std::vector<std::pair<const char*, const base::bank_counts*>> m_counted;
    std::string m_configuration;
    std::unique_ptr<command_issue> m_issue;
    std::unique_ptr<command_processor> m_processor;
    std::unique_ptr<program_fetch> m_fetch; // of programs that run while they are fetched
    bool m_busy = false;
    bool m_reset_pending = false;
    std::unique_ptr<sc_core::sc_signal<bool>> m_unbound_irq;
    std::unique_ptr<sc_core::sc_signal<bool>> m_unbound_rst;
};

/// A device with a DMA socket of this width: 32, 64, 128, 256 or 512. Traits: of the device, whose `body`, a
/// device_shell, is all but that socket, made from a name, a `config` and a sink.
///
/// dma     base-protocol initiator socket, LT or AT; naturally aligned bursts of at most burst_bytes
template <class Traits, unsigned BUSWIDTH> class device_of_width : public Traits::body {
public:
    bus::dma_socket<BUSWIDTH> dma;

    /// A configuration with a complaint (config.h of the device) is an SC_ERROR.
    explicit device_of_width(sc_core::sc_module_name name, const typename Traits::config& config = {},
                             bus::activity_sink* activity = nullptr)
        : Traits::body(name, config, activity), dma("dma")
    {
        this->bind_dma(dma);
        this->set_configuration(base::configuration_text(config));
    }
};

} // namespace tensorloom::shell
